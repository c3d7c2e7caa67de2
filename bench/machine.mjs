// @ts-check
/** What the kernel says about processes and the machine. Linux only: there is no other honest source of CPU time by thread. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';

const NANOS_PER_MICRO = 1000;

/**
 * CPU time of a process by thread, in microseconds. All threads count: V8 collects and compiles on helpers of its own.
 *
 * @param {number} pid @returns {Map<string, number>}
 */
export function readThreadMicros(pid) {
  const threads = new Map();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const [ran = '0'] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    threads.set(thread, Number(ran) / NANOS_PER_MICRO);
  }
  return threads;
}

/**
 * @param {Map<string, number>} before @param {Map<string, number>} after
 * @returns {number} microseconds between two readings
 * @throws {Error} when a thread ended in between: what it used last is lost, and the figure would flatter
 */
export function microsBetween(before, after) {
  for (const thread of before.keys()) {
    if (!after.has(thread)) throw new Error(`thread ${thread} ended during the measurement`);
  }
  let sum = 0;
  for (const [thread, micros] of after) sum += micros - (before.get(thread) ?? 0);
  return sum;
}

/** @param {number} pid @returns {number} total microseconds so far */
export function readProcessMicros(pid) {
  let sum = 0;
  for (const micros of readThreadMicros(pid).values()) sum += micros;
  return sum;
}

/** @param {number} pid @param {'VmRSS' | 'VmHWM'} field @returns {number} mebibytes of 10^6 bytes */
export function readMegabytes(pid, field) {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm'));
  return (Number(line?.[1]) * 1024) / 1e6;
}

/** The middle gets one core, the load and the upstream the other, so that neither takes the other's caches or turns. */
export const CORES = (() => {
  const hasTaskset = spawnSync('taskset', ['-p', String(process.pid)]).status === 0;
  return hasTaskset && cpus().length >= 2 ? { middle: 0, load: 1 } : undefined;
})();

/** @param {'middle' | 'load'} role @param {readonly string[]} argv @returns {string[]} the same command on its core */
export function onCore(role, argv) {
  return CORES ? ['taskset', '-c', String(CORES[role]), ...argv] : [...argv];
}

/** Puts this process, which makes the load, on its core. */
export function pinLoad() {
  if (CORES) spawnSync('taskset', ['-a', '-cp', String(CORES.load), String(process.pid)]);
}

/** @returns {number} time the hypervisor gave to others so far, in ticks of 10 ms */
export function readSteal() {
  const fields = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/\s+/) ?? [];
  return Number(fields[8] ?? 0);
}

/** @returns {string} one line about the machine, for the head of the table */
export function describeMachine() {
  const [first] = cpus();
  const pinned = CORES ? `middle on core ${CORES.middle}, load and upstream on core ${CORES.load}` : 'not pinned';
  const load = loadavg()[0]?.toFixed(2);
  return `${cpus().length} x ${first?.model.trim()}, ${Math.round(totalmem() / 1e9)} GB, node ${process.version}, ${pinned}, load average ${load}`;
}
