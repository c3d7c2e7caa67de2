/** Which processes stand below another one: from /proc where there is one, else from ps. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** @returns {{ pid: number, parent: number, command: string }[]} everything below `root` */
export function findBelow(root) {
  const all = existsSync('/proc/self/stat') ? readProc() : readPs();
  const found = [];
  for (let parents = [root]; parents.length > 0; ) {
    const children = all.filter(({ parent }) => parents.includes(parent));
    found.push(...children);
    parents = children.map(({ pid }) => pid);
  }
  return found;
}

export function isRunning({ pid, command }) {
  const now = existsSync('/proc/self/stat') ? readOne(pid) : readPs().find((other) => other.pid === pid);
  return now !== undefined && now.command === command;
}

function readProc() {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readOne(Number(name)) ?? []) : []));
}

function readOne(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The process name stands in parentheses and may hold anything.
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z') return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
    return { pid, parent: Number(parent), command };
  } catch {
    return undefined;
  }
}

function readPs() {
  const table = execFileSync('ps', ['-axo', 'pid=,ppid=,command='], { encoding: 'utf8' });
  return table.split('\n').flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : { pid: Number(pid), parent: Number(parent), command: command.trim() };
  });
}
