/**
 * Real clients drive three real servers through one door: the official SDK's, version 1 and version 2, in both eras, and
 * Inspector's command line (on Node 24, see tools/node24). The proof that a client notices nothing of doorward. Prints a
 * table; exits 1 if a cell of it fails.
 *
 *     npm run try:clients [-- --door stdio|serve] [--client TEXT]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pc from 'picocolors';
import { stdioDoor, withHttpDoor } from './try-clients/doors.mjs';
import { INSPECTOR_SESSIONS } from './try-clients/inspector.mjs';
import { SDK_SESSIONS } from './try-clients/sdk.mjs';

// So that what was started ends too, see endWithUs.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const { values: only } = parseArgs({ options: { door: { type: 'string' }, client: { type: 'string' } } });
const sessions = [...SDK_SESSIONS, ...INSPECTOR_SESSIONS].filter(({ name }) => name.includes(only.client ?? ''));

const jobs = sessions.flatMap((session) => [
  ...(only.door === 'serve' ? [] : [(folder) => trySession(session, stdioDoor(folder), folder)]),
  ...(only.door === 'stdio' ? [] : [(folder) => withHttpDoor(folder, (door) => trySession(session, door, folder))]),
]);
const rows = (await runAll(jobs)).flat();
const failures = rows.filter(({ ok }) => !ok);
printTable();
process.exitCode = failures.length === 0 && rows.length > 0 ? 0 : 1;

/** Sessions know nothing of each other: as many at once as there are cores. */
async function runAll(waiting) {
  const results = [];
  const left = [...waiting.entries()];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [at, job] = next;
      results[at] = await inFolder(job);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return results;
}

async function inFolder(job) {
  const folder = mkdtempSync(join(tmpdir(), 'doorward-clients-'));
  try {
    return await job(folder);
  } catch (error) {
    return [{ client: '', door: '', what: 'session', ok: false, note: error.message.split('\n')[0] }];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function trySession({ name, run }, door, folder) {
  const attempted = [];
  const attempt = async (what, act) => {
    const row = { client: name, door: door.title, what };
    try {
      attempted.push({ ...row, ok: true, note: await act() });
    } catch (error) {
      attempted.push({ ...row, ok: false, note: error.message.split('\n')[0] });
    }
  };
  await run(door, attempt, folder);
  return attempted;
}

function printTable() {
  const [client, door, what] = ['client', 'door', 'what'].map((key) => Math.max(...rows.map((row) => row[key].length)));
  for (const row of rows) {
    const mark = row.ok ? pc.green('ok    ') : pc.red('FAILED');
    const place = `${row.client.padEnd(client)}  ${row.door.padEnd(door)}  ${row.what.padEnd(what)}`;
    process.stdout.write(`${place}  ${mark}  ${pc.dim(row.note.slice(0, 100))}\n`);
  }
  process.stdout.write(`\n${rows.length - failures.length} of ${rows.length} ok\n`);
}
