/**
 * Real clients drive three real servers through one door: the official SDK's, version 1 and version 2, in both eras, and
 * Inspector's command line (on Node 24, see tools/node24). The proof that a client notices nothing of doorward. Prints a
 * table; exits 1 if a cell of it fails.
 *
 *     npm run try:clients [-- --door stdio|serve] [--client TEXT]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pc from 'picocolors';
import { stdioDoor, withHttpDoor } from './try-clients/doors.mjs';
import { INSPECTOR_SESSIONS } from './try-clients/inspector.mjs';
import { SDK_SESSIONS } from './try-clients/sdk.mjs';

const { values: only } = parseArgs({ options: { door: { type: 'string' }, client: { type: 'string' } } });
const sessions = [...SDK_SESSIONS, ...INSPECTOR_SESSIONS].filter(({ name }) => name.includes(only.client ?? ''));

const rows = [];
for (const session of sessions) {
  if (only.door !== 'serve') await inFolder((folder) => trySession(session, stdioDoor(folder), folder));
  if (only.door !== 'stdio') {
    await inFolder((folder) => withHttpDoor(folder, (door) => trySession(session, door, folder)));
  }
}
const failures = rows.filter(({ ok }) => !ok);
printTable();
process.exitCode = failures.length === 0 && rows.length > 0 ? 0 : 1;

async function inFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'doorward-clients-'));
  try {
    await use(folder);
  } catch (error) {
    rows.push({ client: '', door: '', what: 'session', ok: false, note: error.message.split('\n')[0] });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function trySession({ name, run }, door, folder) {
  const attempt = async (what, act) => {
    try {
      rows.push({ client: name, door: door.title, what, ok: true, note: await act() });
    } catch (error) {
      rows.push({ client: name, door: door.title, what, ok: false, note: error.message.split('\n')[0] });
    }
  };
  return run(door, attempt, folder);
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
