// @ts-check
/**
 * The matrix: caller's era x upstream's era x caller's transport x upstream's transport x feature.
 *
 *     npm run matrix                        run, write the table into docs/compatibility.md
 *     npm run matrix -- --check             run, write nothing, exit 1 where the document says something else
 *     npm run matrix -- --json              the cells as JSON on stdout, nothing written
 *     npm run matrix -- --only progress --pair 'modern http'     a part of it, nothing written
 *     npm run matrix -- --direct            without doorward, pairs of one era and transport: is the harness right?
 *     npm run matrix -- --direct --through bench/parse-stringify.mjs     over stdio, what else stands before the server?
 *
 * Exits 1 when a cell has not passed and is no registered gap, or a registered gap passes. A cell has passed
 * when the raw caller and every official client of the caller's era saw what the feature asks for.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pc from 'picocolors';
import { FEATURES } from './features.mjs';
import { findGap, readReasons } from './gaps.mjs';
import { messageOf, runPair } from './run-pair.mjs';
import { isWritten, nameOf, printTable, writeTable } from './table.mjs';

// Version 2 of the SDK's client writes what it thinks to stdout, where the JSON goes.
console.debug = console.error;

const ERAS = /** @type {const} */ (['handshake', 'modern']);
const WIRES = /** @type {const} */ (['stdio', 'http']);
/** Two cores: more at once only wait for each other. */
const AT_ONCE = 2;
/** Whatever happens, it ends. */
const WITHIN_MS = 300_000;

const options = readOptions();
const folder = mkdtempSync(join(tmpdir(), 'doorward-matrix-'));
const deadline = setTimeout(() => {
  process.stderr.write(`no end within ${WITHIN_MS / 1_000} s\n`);
  process.exit(1);
}, WITHIN_MS);
try {
  process.exitCode = await main();
} finally {
  clearTimeout(deadline);
  rmSync(folder, { recursive: true, force: true });
}

async function main() {
  const startedAt = performance.now();
  const columns = await runAll(allPairs());
  const features = FEATURES.filter(({ id }) => columns.some(({ cells }) => cells.has(id)));
  const table = printTable(features, columns, readReasons());
  const failures = columns.flatMap(({ pair, cells }) =>
    [...cells].flatMap(([id, cell]) => (cell.kind === 'no' ? [{ id, pair: nameOf(pair), why: cell.why }] : [])),
  );
  const isPart = options.direct || options.only !== undefined || options.pair !== undefined;
  const isDrifted = !isPart && options.check && !isWritten(table);
  if (options.json) {
    const cells = columns.map(({ pair, cells }) => ({ pair, cells: Object.fromEntries(cells) }));
    process.stdout.write(`${JSON.stringify(cells, null, 2)}\n`);
  } else {
    process.stdout.write(`${table}\n\n`);
    for (const { id, pair, why } of failures) process.stdout.write(`${pc.red('NO')} ${id}: ${pair}\n   ${why}\n`);
    if (isDrifted)
      process.stdout.write(`${pc.red('docs/compatibility.md says something else; run: npm run matrix')}\n`);
    process.stdout.write(`${((performance.now() - startedAt) / 1_000).toFixed(1)} s, ${failures.length} not passed\n`);
  }
  if (!isPart && !options.check && !options.json) writeTable(table);
  return failures.length > 0 || isDrifted ? 1 : 0;
}

/** @returns {import('./stage.mjs').Pair[]} */
function allPairs() {
  const pairs = ERAS.flatMap((callerEra) =>
    ERAS.flatMap((upstreamEra) =>
      WIRES.flatMap((callerTransport) =>
        WIRES.map((upstreamTransport) => ({
          callerEra,
          upstreamEra,
          callerTransport,
          upstreamTransport,
          isDirect: options.direct,
          through: options.through,
        })),
      ),
    ),
  );
  return pairs.filter(
    (pair) =>
      (options.through === undefined || pair.callerTransport === 'stdio') &&
      (!options.direct || (pair.callerEra === pair.upstreamEra && pair.callerTransport === pair.upstreamTransport)) &&
      (options.pair === undefined || wordsOf(pair).includes(options.pair) || nameOf(pair).includes(options.pair)),
  );
}

/** @param {import('./stage.mjs').Pair} pair */
function wordsOf({ callerEra, callerTransport, upstreamEra, upstreamTransport }) {
  return `${callerEra} ${callerTransport} -> ${upstreamEra} ${upstreamTransport}`;
}

/** @param {readonly import('./stage.mjs').Pair[]} pairs @returns {Promise<import('./table.mjs').Column[]>} in the order of `pairs` */
async function runAll(pairs) {
  /** @type {import('./table.mjs').Column[]} */
  const columns = [];
  const waiting = [...pairs.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, pair] = next;
      const outcomes = await runPair(pair, { folder, only: options.only, hasSdks: !options['no-sdks'] });
      columns[index] = { pair, cells: new Map([...outcomes].map(([id, outcome]) => [id, cellOf(id, pair, outcome)])) };
      const failed = [...outcomes.values()].filter(({ kind }) => kind === 'no').length;
      process.stderr.write(
        `${failed === 0 ? '✓' : '✗'} ${nameOf(pair)}${failed === 0 ? '' : `, ${failed} not passed`}\n`,
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return columns;
}

/** @param {string} id @param {import('./stage.mjs').Pair} pair @param {import('./run-pair.mjs').Outcome} outcome @returns {import('./table.mjs').Cell} */
function cellOf(id, pair, outcome) {
  const gap = findGap(id, pair);
  if (gap === undefined) return outcome;
  return outcome.kind === 'yes'
    ? { kind: 'no', why: `passes, so ${gap} is no gap any more` }
    : { kind: 'gap', id: gap };
}

function readOptions() {
  const usage =
    'usage: npm run matrix -- [--check] [--json] [--only FEATURE] [--pair TEXT] [--direct [--through SCRIPT]] [--no-sdks]';
  try {
    const { values } = parseArgs({
      options: {
        check: { type: 'boolean', default: false },
        direct: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        'no-sdks': { type: 'boolean', default: false },
        only: { type: 'string' },
        pair: { type: 'string' },
        through: { type: 'string' },
      },
    });
    if (!values.help) return values;
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n${usage}\n`);
    process.exit(2);
  }
}
