/**
 * The official SDK's clients, version 1 and version 2, drive three real servers through one door: the proof that a
 * client notices nothing of doorward. Prints a table; exits 1 if a cell of it fails. No network.
 *
 *     npm run try:clients
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import pc from 'picocolors';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CLIENTS = [
  { name: 'SDK v1', Client: ClientV1, Transport: StdioV1 },
  { name: 'SDK v2', Client: ClientV2, Transport: StdioV2 },
];

/** One call a server, and what its answer must hold. */
const CALLS = [
  { mount: 'everything', tool: 'get-sum', arguments: { a: 40, b: 2 }, holds: '42' },
  { mount: 'everything', tool: 'get-structured-content', arguments: { location: 'Chicago' }, holds: 'temperature' },
  { mount: 'files', tool: 'list_directory', arguments: { path: join(ROOT, 'examples') }, holds: 'three-servers.json' },
  {
    mount: 'memory',
    tool: 'create_entities',
    arguments: { entities: [{ name: 'Ada', entityType: 'person', observations: ['likes engines'] }] },
    holds: 'Ada',
  },
  { mount: 'memory', tool: 'read_graph', arguments: {}, holds: 'likes engines' },
];

const rows = [];
for (const client of CLIENTS) rows.push(...(await tryClient(client)));
const failures = rows.filter(({ ok }) => !ok);
printTable();
process.exitCode = failures.length === 0 ? 0 : 1;

async function tryClient({ name, Client, Transport }) {
  const folder = mkdtempSync(join(tmpdir(), 'doorward-clients-'));
  const transport = new Transport({
    command: process.execPath,
    args: [join(ROOT, 'dist', 'cli.cjs'), 'stdio', '--config', 'examples/three-servers.json'],
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', TMPDIR: folder },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'try-clients', version: '1.0.0' });
  const results = [];
  const attempt = async (what, act) => {
    try {
      results.push({ client: name, what, ok: true, note: await act() });
    } catch (error) {
      results.push({ client: name, what, ok: false, note: error.message.split('\n')[0] });
    }
  };
  try {
    await attempt('connect', async () => {
      await client.connect(transport);
      return client.getServerVersion()?.name ?? 'no name';
    });
    await attempt('list', async () => expectTools((await client.listTools()).tools));
    for (const call of CALLS) await attempt(`${call.mount}: ${call.tool}`, () => callOnce(client, call));
    await attempt('refused', () => expectRefusal(client));
  } finally {
    await client.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return results;
}

function expectTools(tools) {
  const counts = ['everything', 'files', 'memory'].map((mount) => {
    const count = tools.filter(({ name }) => name.startsWith(`${mount}__`)).length;
    if (count === 0) throw new Error(`no tools of ${mount}`);
    return `${mount} ${count}`;
  });
  return counts.join(', ');
}

async function callOnce(client, { mount, tool, arguments: given, holds }) {
  const result = await client.callTool({ name: `${mount}__${tool}`, arguments: given });
  const text = JSON.stringify(result);
  if (result.isError || !text.includes(holds)) throw new Error(`unexpected answer: ${text.slice(0, 200)}`);
  return `answer holds ${JSON.stringify(holds)}`;
}

/** A bad call must fail as an error that the client can show, not as silence. */
async function expectRefusal(client) {
  const outcome = await client.callTool({ name: 'everything__get-sum', arguments: { a: 'forty', b: 2 } }).then(
    (result) => ({ message: JSON.stringify(result) }),
    (error) => error,
  );
  if (outcome.code !== -32602) throw new Error(`not refused: ${outcome.message}`);
  return outcome.message.split('\n')[0];
}

function printTable() {
  const width = Math.max(...rows.map(({ what }) => what.length));
  for (const { client, what, ok, note } of rows) {
    const mark = ok ? pc.green('ok    ') : pc.red('FAILED');
    process.stdout.write(`${client}  ${what.padEnd(width)}  ${mark}  ${pc.dim(note.slice(0, 100))}\n`);
  }
  process.stdout.write(`\n${rows.length - failures.length} of ${rows.length} ok\n`);
}
