import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const POLL_MS = 20;

/**
 * Does something while no other process does: the others wait.
 *
 * @param {{ lock: string, staleMs: number }} options the lock's file; at which age it was left behind by one that was killed
 * @param {() => void} task
 */
export async function whileAlone({ lock, staleMs }, task) {
  mkdirSync(dirname(lock), { recursive: true });
  while (!take(lock, staleMs)) await setTimeout(POLL_MS);
  try {
    task();
  } finally {
    rmSync(lock, { force: true });
  }
}

function take(lock, staleMs) {
  const found = statSync(lock, { throwIfNoEntry: false });
  if (found !== undefined && Date.now() - found.mtimeMs > staleMs) rmSync(lock, { force: true });
  try {
    writeFileSync(lock, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}
