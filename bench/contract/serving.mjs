// @ts-check
/** Serves the contract in this process, and says what each answer costs once it is warm: node serving.mjs (in its project) */
import { cpuUsage, cwd, stdout } from 'node:process';
import { pathToFileURL } from 'node:url';
import { lowestQuartile } from '../statistics.mjs';

const ORIGIN = 'http://127.0.0.1';
const BATCHES = 24;

/** @param {string} name */
const load = (name) => import(pathToFileURL(`${cwd()}/${name}`).href);
const { implementation } = await load('implementation.mjs');
const { createServer } = await load('node_modules/doorward/dist/index.js');
const server = createServer(implementation, {
  publicUrl: 'https://two-hundred.example',
  generatedAt: '2026-01-01T00:00:00Z',
});

/**
 * CPU milliseconds of one run; a garbage collection falls where it falls.
 *
 * @param {() => Promise<unknown>} run @param {number} times in one batch: the clock of the kernel is coarse
 */
async function costOf(run, times) {
  const costs = [];
  for (let batch = 0; batch < BATCHES + 4; batch++) {
    const before = cpuUsage();
    for (let i = 0; i < times; i++) await run();
    const { user, system } = cpuUsage(before);
    if (batch >= 4) costs.push((user + system) / 1_000 / times);
  }
  return lowestQuartile(costs);
}

/** @param {string} path @param {Record<string, string>} [headers] */
async function get(path, headers = {}) {
  const response = await server.fetch(new Request(`${ORIGIN}${path}`, { headers }));
  const bytes = (await response.arrayBuffer()).byteLength;
  return { status: response.status, tag: response.headers.get('etag'), bytes };
}

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: modern } });
async function list() {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/list',
  };
  const response = await server.fetch(new Request(`${ORIGIN}/mcp`, { method: 'POST', headers, body }));
  return response.text();
}

const { result } = JSON.parse(await list());
const rows = [
  {
    what: 'tools/list',
    kind: 'list',
    costMs: await costOf(list, 5),
    tools: result.tools.length,
    bytes: (await list()).length,
  },
];

/** @type {readonly { readonly method: string, readonly path: string }[]} */
const routes = server.routes;
const paths = new Set(routes.filter(({ method }) => method === 'GET').map(({ path }) => path));
for (const path of paths) {
  const { status, tag, bytes } = await get(path);
  if (status !== 200 || tag === null) continue;
  rows.push({ what: path, kind: 'document', costMs: await costOf(() => get(path), 10), tools: 0, bytes });
  const again = () => get(path, { 'if-none-match': tag });
  const { status: unchanged } = await again();
  if (unchanged !== 304) throw new Error(`${path} answers its own tag with ${unchanged}`);
  rows.push({ what: path, kind: 'unchanged', costMs: await costOf(again, 40), tools: 0, bytes: 0 });
}
await server.close();
stdout.write(JSON.stringify(rows));
