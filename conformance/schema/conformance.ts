// `npm run conformance:schema`: the official suite (required and optional) and our own, in five dialects, compiled and
// without code generation, the suite's remotes handed in, a server counting whether anybody asks the network instead.
import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { promisify } from 'node:util';
import type { Dialect } from '../../src/schema/index.js';
import type { FileResult } from './run-cases.js';
import { type DialectResult, runSuites, type SuiteResults } from './run-suites.js';

const REQUIRED: Readonly<Record<Dialect, number>> = {
  '2020-12': 1299,
  '2019-09': 1259,
  'draft-07': 927,
  'draft-06': 839,
  'draft-04': 618,
};
const LEAST_REGEX = 66;
/** A compiled run that made fewer would mostly have been interpreted. */
const LEAST_FUNCTIONS = 1000;
const CHILD_TIMEOUT_MS = 240_000;
const SUITE_PORT = 1234;

const MODES = [
  { name: 'compiled', flags: [], isCompiled: true },
  { name: 'without code generation', flags: ['--disallow-code-generation-from-strings'], isCompiled: false },
] as const;

const failures: string[] = [];
if (process.argv[2] === '--child') console.log(JSON.stringify(await runSuites()));
else await runModes();

async function runModes(): Promise<void> {
  const results: SuiteResults[] = [];
  const server = await startCountingServer();
  try {
    for (const mode of MODES) {
      const result = await runElsewhere(mode.flags);
      report(mode, result);
      results.push(result);
    }
  } finally {
    for (const one of server.servers) one.close();
  }
  const [one, other] = results.map(({ dialects }) => JSON.stringify(dialects));
  expect(one === other, 'the two modes do not give the same answers everywhere');
  expect(server.connections() === 0, `${server.connections()} connections to the suite's remote server, target 0`);
  console.log(`\nnetwork: ${server.connections()} connections to localhost:${SUITE_PORT} (target 0)`);
  for (const failure of failures) console.log(`MISS ${failure}`);
  console.log(failures.length === 0 ? 'conformance:schema holds' : `conformance:schema: ${failures.length} misses`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

function expect(holds: boolean, failure: string): void {
  if (!holds) failures.push(failure);
}

/** Counts connections on the port that the suite's references name, after showing that it does count. */
async function startCountingServer() {
  let count = 0;
  const servers: Server[] = [];
  for (const host of ['127.0.0.1', '::1']) {
    const one = createServer((socket) => {
      count += 1;
      socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
    });
    const listening = await new Promise<boolean>((done, fail) => {
      // A machine without IPv6 has no ::1 to listen on; a port that is taken is another matter.
      one.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? fail(error) : done(false)));
      one.listen(SUITE_PORT, host, () => done(true));
    });
    if (listening) servers.push(one);
  }
  await fetch(`http://127.0.0.1:${SUITE_PORT}/`);
  if (count !== 1) throw new Error(`the counting server counted ${count} for one request`);
  return { servers, connections: () => count - 1 };
}

/** A process of this same script, which may be forbidden to generate code, and is ended if it hangs. */
async function runElsewhere(flags: readonly string[]): Promise<SuiteResults> {
  const args = [...flags, process.argv[1]!, '--child'];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    timeout: CHILD_TIMEOUT_MS,
    maxBuffer: 2 ** 28,
  });
  return JSON.parse(stdout);
}

function report(mode: (typeof MODES)[number], result: SuiteResults): void {
  console.log(`\n${mode.name}`);
  const { functionsMade } = result;
  expect(
    mode.isCompiled ? functionsMade > LEAST_FUNCTIONS : functionsMade === 0,
    `${mode.name}: ${functionsMade} functions made from text`,
  );
  console.log(`  functions made from text: ${functionsMade}`);
  for (const dialect of result.dialects) reportDialect(mode.name, dialect);
  const last = result.remoteCodes.length - 1;
  const isRefused = (code: string, at: number) => code === (at === last ? 'UNSUPPORTED_DIALECT' : 'UNRESOLVED_REF');
  expect(result.remoteCodes.every(isRefused), `${mode.name}: remote references gave ${result.remoteCodes.join(', ')}`);
  console.log(`  references to what was not handed in: ${result.remoteCodes.join(', ')}`);
}

function reportDialect(mode: string, { dialect, required, optional, extra }: DialectResult): void {
  const where = `${mode}, ${dialect}`;
  const target = REQUIRED[dialect];
  const all = tally(required);
  expect(
    all.passed === target && all.ran === target,
    `${where}: required ${all.passed}/${all.ran}, target ${target}/${target}`,
  );
  const own = tally(extra);
  expect(own.passed === own.ran, `${where}: our own suite ${own.passed}/${own.ran}`);
  const bignum = tally(optional.filter(({ name }) => name.endsWith('/bignum.json')));
  expect(bignum.ran > 0 && bignum.passed === bignum.ran, `${where}: bignum ${bignum.passed}/${bignum.ran}, target all`);
  const regex = tally(optional.filter(({ name }) => name.endsWith('/ecmascript-regex.json')));
  expect(regex.passed >= LEAST_REGEX, `${where}: ecmascript-regex ${regex.passed}/${regex.ran}, target ${LEAST_REGEX}`);
  const others = optional.filter(({ name }) => !/bignum|ecmascript-regex/.test(name));
  console.log(
    `  ${dialect.padEnd(8)} required ${all.passed}/${all.ran} (target ${target}), own ${own.passed}/${own.ran} (all), ` +
      `bignum ${bignum.passed}/${bignum.ran} (all), ecmascript-regex ${regex.passed}/${regex.ran} (${LEAST_REGEX})`,
  );
  console.log(`           reported only: ${others.map((file) => `${short(file.name)} ${show(file)}`).join(', ')}`);
  for (const file of [...required, ...extra, ...optional])
    for (const miss of file.misses) console.log(`    ${file.name}: ${miss}`);
}

function tally(files: readonly FileResult[]): { ran: number; passed: number } {
  const ran = files.reduce((sum, file) => sum + file.ran, 0);
  return { ran, passed: ran - files.reduce((sum, file) => sum + failedCases(file), 0) };
}

/** A case that fails as text may fail again as a value: it is one case. */
function failedCases(file: FileResult): number {
  return new Set(file.misses.map((miss) => miss.slice(0, miss.lastIndexOf(': ')))).size;
}

function show(file: FileResult): string {
  return `${file.ran - failedCases(file)}/${file.ran}`;
}

function short(name: string): string {
  return name.replace('optional/', '').replace('.json', '');
}
