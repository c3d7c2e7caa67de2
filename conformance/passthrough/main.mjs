/**
 * The pass-through table: what a client sees of a server through doorward, beside what it sees of it directly.
 *
 *     npm run compat                        run, write the table into docs/compatibility.md
 *     npm run compat -- --check             run, write nothing, exit 1 where the document says something else
 *     npm run compat -- --json              the table as JSON on stdout, nothing written
 *     npm run compat -- --server v1 --sdk v2 --only progress     a part of it, nothing written
 *
 * Exits 1 when a cell is "NO". A cell is "yes" when clients of both SDK versions saw the same, directly and through
 * doorward with a second server beside it, and the server was shown the same requests.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pc from 'picocolors';
import { compare } from './compare.mjs';
import { FEATURES, runSide } from './run-side.mjs';
import { SDKS } from './sdks.mjs';
import { SUBJECTS } from './subjects.mjs';
import { isWritten, printTable, writeTable } from './table.mjs';

// Version 2 of the SDK's client writes what it thinks to stdout, where the JSON goes.
console.debug = console.error;

const options = readOptions();
const subjects = SUBJECTS.filter(({ id }) => options.server?.includes(id) ?? true);
const sdks = Object.keys(SDKS).filter((id) => options.sdk?.includes(id) ?? true);
const isPart = Boolean(options.server ?? options.sdk ?? options.only);
const folder = mkdtempSync(join(tmpdir(), 'doorward-passthrough-'));

try {
  process.exitCode = await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main() {
  const startedAt = performance.now();
  const columns = [];
  for (const subject of subjects) columns.push(await tryServer(subject));
  const rows = FEATURES.map(({ title }, row) => ({ title, cells: columns.map((column) => column[row]) })).filter(
    ({ title }) => options.only === undefined || title.includes(options.only),
  );
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const table = printTable(
    rows,
    subjects.map(({ title }) => title),
  );
  const broken = rows.flatMap(({ title, cells }) =>
    cells.flatMap((cell, column) =>
      cell.kind === 'broken' ? [{ title, server: subjects[column].id, why: cell.why }] : [],
    ),
  );
  const isDrifted = !isPart && options.check && !isWritten(table);
  if (options.json)
    process.stdout.write(`${JSON.stringify({ servers: subjects.map(({ id }) => id), rows }, null, 2)}\n`);
  else report({ table, broken, isDrifted, seconds });
  if (!isPart && !options.check && !options.json) writeTable(table);
  return broken.length > 0 || isDrifted ? 1 : 0;
}

/** @returns one cell a feature */
async function tryServer(subject) {
  const neighbour = SUBJECTS.find(({ id }) => id === subject.neighbourId);
  const trySdk = async (sdk, index) => {
    const features = index === 0 ? FEATURES : FEATURES.filter(({ needsNoSdk }) => !needsNoSdk);
    const [direct, through] = await Promise.all([
      runSide({ sdk, subject, neighbour: undefined, features, folder }),
      runSide({ sdk, subject, neighbour, features, folder }),
    ]);
    return new Map(features.map((feature, row) => [feature.title, compare(feature, direct[row], through[row])]));
  };
  const bySdk = await Promise.all(sdks.map(trySdk));
  return FEATURES.map(({ title }) => {
    const cells = bySdk.map((column) => column.get(title)).filter((cell) => cell !== undefined);
    const broken = cells.findIndex(({ kind }) => kind === 'broken');
    if (broken !== -1) return { kind: 'broken', why: `${SDKS[sdks[broken]].title} client: ${cells[broken].why}` };
    if (cells.every(({ kind }) => kind === cells[0].kind)) return cells[0];
    return { kind: 'broken', why: 'only one version of the SDK found it in the direct run' };
  });
}

function report({ table, broken, isDrifted, seconds }) {
  process.stdout.write(`${table}\n\n`);
  for (const { title, server, why } of broken) process.stdout.write(`${pc.red('NO')} ${server}: ${title}\n   ${why}\n`);
  if (isDrifted) process.stdout.write(`${pc.red('docs/compatibility.md says something else; run: npm run compat')}\n`);
  process.stdout.write(`${seconds} s, ${broken.length} not passed\n`);
}

function readOptions() {
  const usage = 'usage: npm run compat -- [--check] [--json] [--server ID]... [--sdk v1|v2]... [--only TEXT]';
  try {
    const { values } = parseArgs({
      options: {
        check: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        server: { type: 'string', multiple: true },
        sdk: { type: 'string', multiple: true },
        only: { type: 'string' },
      },
    });
    if (!values.help) return values;
    console.log(usage);
    process.exit(0);
  } catch (thrown) {
    console.error(`${thrown.message}\n${usage}`);
    process.exit(2);
  }
}
