/**
 * Walks every path of discovery's route table on the example, served from Node and from workerd, with requests as curl makes
 * them, and holds all that comes back to what was promised, arrays of tools by the vendors' own SDKs: npm run surfaces.
 * A line a path; exits 1 on a miss.
 */
import { type Route, routeTable } from '../../src/discovery/index.js';
import { startVendorSdks } from '../fixtures/vendor-sdks.js';
import { ask } from './ask.js';
import { checkDocument, claim } from './document-checks.js';
import { checkTools, listLive } from './live-tools.js';
import { type Runtime, startBoth } from './runtimes.js';
import { checkVendor } from './vendor-arrays.js';

/** What came of one path on one runtime. */
interface Row {
  readonly path: string;
  readonly faults: readonly string[];
  readonly note: string;
  /** What is to be the same on both. */
  readonly body: string;
}

const PATH = '/mcp';

const sdks = await startVendorSdks();
const runtimes = await startBoth();
try {
  const walks = await Promise.all(runtimes.map(walk));
  let misses = 0;
  for (const [at, row] of walks[0]!.entries()) {
    const other = walks[1]![at]!;
    const apart = claim(row.body === other.body, 'differs between node and workerd');
    const faults = [
      ...row.faults.map((fault) => `node: ${fault}`),
      ...other.faults.map((fault) => `workerd: ${fault}`),
      ...apart,
    ];
    misses += faults.length === 0 ? 0 : 1;
    process.stdout.write(`${faults.length === 0 ? 'ok  ' : 'MISS'} ${row.path.padEnd(60)} ${row.note}\n`);
    for (const fault of faults) process.stdout.write(`       ${fault}\n`);
  }
  process.stdout.write(`${walks[0]!.length} paths on node and workerd, ${misses} missed\n`);
  process.exitCode = misses === 0 ? 0 : 1;
} finally {
  for (const runtime of runtimes) await runtime.stop();
  await sdks.stop();
}

async function walk({ origin }: Runtime): Promise<readonly Row[]> {
  const live = await listLive(`${origin}${PATH}`);
  const rows: Row[] = [];
  for (const route of routeTable({ path: PATH })) rows.push(await visit(route, origin, live));
  return [...rows, await visitNothing(origin)];
}

async function visit(route: Route, origin: string, live: Awaited<ReturnType<typeof listLive>>): Promise<Row> {
  const { serves, method, path } = route;
  const title = `${method.toUpperCase()} ${path}`;
  if ('door' in serves) return { path: title, ...(await visitDoor(route, origin)) };
  const { reply, faults, note } = await checkDocument(`${origin}${path}`, serves.document);
  const document: unknown = reply.headers['content-type']?.includes('json') ? JSON.parse(reply.body) : undefined;
  const ofTools = reply.status === 200 ? checkTools(serves.document, document, live) : undefined;
  const ofVendor = reply.status === 200 ? await checkVendor(serves.document, document, sdks) : undefined;
  const told = [
    note,
    ...(ofTools === undefined ? [] : [`${live.length} tools as in tools/list`]),
    ...(ofVendor === undefined ? [] : ['taken by the SDK as it is']),
  ].join(', ');
  return { path: title, faults: [...faults, ...(ofTools ?? []), ...(ofVendor ?? [])], note: told, body: reply.body };
}

/** The endpoint and its health say who may come in and that they live; what they say beyond that is tested elsewhere. */
async function visitDoor({ method, path, serves }: Route, origin: string): Promise<Omit<Row, 'path'>> {
  const isEndpoint = 'door' in serves && serves.door === 'endpoint';
  const url = `${origin}${path}`;
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = method === 'post' ? { body: ping } : {};
  const { status } = await ask(url, { method: method.toUpperCase(), headers, ...body });
  if (!isEndpoint) return { faults: claim(status === 200, `is ${status}`), note: `${status}`, body: '' };
  const spoofed = await ask(url, {
    method: method.toUpperCase(),
    headers: { ...headers, host: 'evil.example' },
    ...body,
  });
  const faults = [
    ...claim(status === 400, `without a session it is ${status}`),
    ...claim(spoofed.status === 403, `a foreign Host is ${spoofed.status}`),
  ];
  return { faults, note: 'a foreign Host is refused', body: '' };
}

async function visitNothing(origin: string): Promise<Row> {
  const { status, body } = await ask(`${origin}/nothing/here`);
  return { path: 'GET /nothing/here', faults: claim(status === 404, `is ${status}`), note: '404', body };
}
