import { spawn } from 'node:child_process';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLI } from '../fixtures/open-door.js';

const REPORT = fileURLToPath(new URL('report.cjs', import.meta.url));

/** What is loaded is asked when the first answer to `input` is written; without `input`, at the end at the latest. */
export interface Run {
  readonly args: readonly string[];
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Loaded {
  /** Files of the bundle, sorted, relative to it. */
  readonly chunks: readonly string[];
  /** Node's public modules beyond those of an empty process, sorted. */
  readonly builtins: readonly string[];
}

/** Runs the built command and lists what it had loaded when it ended, or when it had answered. */
export async function listLoaded(run: Run): Promise<Loaded> {
  const [ours, empty] = await Promise.all([trace([CLI, ...run.args], run), trace(['--eval', ''], { args: [] })]);
  const standard = new Set(builtinsIn(empty));
  return { chunks: chunksIn(ours), builtins: builtinsIn(ours).filter((name) => !standard.has(name)) };
}

/** @returns what node wrote to stderr: its own trace of the modules it loads, then the report */
async function trace(nodeArgs: readonly string[], { input, env }: Run): Promise<string> {
  const child = spawn(process.execPath, ['--require', REPORT, ...nodeArgs], {
    env: { ...process.env, ...env, NODE_DEBUG: 'esm', NODE_OPTIONS: '' },
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    if (input !== undefined && stderr.includes('\nLOADED ')) child.stdin.end();
  });
  child.stdout.resume();
  if (input === undefined) child.stdin.end();
  else child.stdin.write(input);
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`node ${nodeArgs.join(' ')} ended with ${code}\n${stderr.slice(-2000)}`);
  return stderr;
}

/** CommonJS files are in the report; modules show in Node's own trace, since nothing else tells of them. */
function chunksIn(stderr: string): string[] {
  const before = stderr.slice(0, stderr.indexOf('\nLOADED '));
  const modules = [...before.matchAll(/Storing (file:\S+) /g)].map(([, url]) => fileURLToPath(url!));
  const files = [...modules, ...reportIn(stderr).files].map((file) =>
    relative(dirname(CLI), file).replaceAll('\\', '/'),
  );
  return [...new Set(files)].sort();
}

function builtinsIn(stderr: string): string[] {
  return [...reportIn(stderr).builtins].sort();
}

function reportIn(stderr: string): { readonly builtins: readonly string[]; readonly files: readonly string[] } {
  const report = /\nLOADED (.*)\n/.exec(stderr)?.[1];
  if (report === undefined) throw new Error(`no report of loaded modules in:\n${stderr.slice(-2000)}`);
  return JSON.parse(report);
}
