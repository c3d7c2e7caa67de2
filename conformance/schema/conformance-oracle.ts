// `npm run conformance:oracle`: our verdicts beside those of @hyperjump/json-schema, over the official suite and ours, the
// schemas of real tools, and generated schemas and instances. `--write-list` renews oracle-failures.json: the suite cases
// that the oracle itself answers otherwise than the suite. `--seed N` makes other schemas and instances than usual.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dialectOf, prepareEngine } from '../../src/schema/index.js';
import { getTestData, readRealSchemas } from './data.js';
import {
  type Comparison,
  compareGenerated,
  compareSmall,
  compareSuite,
  emptyComparison,
  generatedSchemas,
} from './differential.js';
import { readExtraSuite } from './extra.js';
import { DIALECTS, readRemotes, readSuite } from './suite.js';

const LIST = join(import.meta.dirname, 'oracle-failures.json');
const SEED = seedOf(process.argv) ?? 20261130;
const LEAST_INSTANCES = 5000;
const NO_CODE = '--disallow-code-generation-from-strings';
const REAL_PAIRS = 5;
const GENERATED_SCHEMAS = 400;
const GENERATED_PAIRS = 4;
const SMALL_SCHEMAS = 1500;

const data = getTestData();
console.log((await prepareEngine()) ? 'compiled' : 'without code generation');
const failures: string[] = [];

const suite = emptyComparison();
for (const dialect of DIALECTS) {
  const documents = readRemotes(data.suite, dialect);
  const official = [...readSuite(data.suite, dialect, 'required'), ...readSuite(data.suite, dialect, 'optional')];
  await compareSuite(official, documents, suite);
  await compareSuite(readExtraSuite(dialect), {}, suite);
}
const listed = process.argv.includes('--write-list') ? writeList(suite) : readList();
report('suites', suite);
const unlisted = Object.keys(suite.oracleFailures).filter((name) => !Object.hasOwn(listed, name));
const stale = Object.keys(listed).filter((name) => !Object.hasOwn(suite.oracleFailures, name));
console.log(
  `  the oracle fails ${Object.keys(suite.oracleFailures).length} suite cases, ${Object.keys(listed).length} listed`,
);
failures.push(...unlisted.map((name) => `the oracle fails a case that is not listed: ${name}`));
failures.push(...stale.map((name) => `a listed case that the oracle does not fail: ${name}`));

const real = readRealSchemas(data.realTools).map((one) => ({
  ...one,
  dialect: dialectOf((one.schema as { $schema?: unknown }).$schema),
}));
const fromReal = emptyComparison();
await compareGenerated(real, { pairs: REAL_PAIRS, seed: SEED }, fromReal);
report(`${real.length} schemas of real tools`, fromReal);

const fromGenerated = emptyComparison();
for (const dialect of DIALECTS) {
  const schemas = generatedSchemas(dialect, { count: GENERATED_SCHEMAS, seed: SEED });
  await compareGenerated(schemas, { pairs: GENERATED_PAIRS, seed: SEED }, fromGenerated);
}
report(`${GENERATED_SCHEMAS * DIALECTS.length} generated schemas`, fromGenerated);

const fromSmall = emptyComparison();
for (const dialect of DIALECTS) await compareSmall(dialect, { count: SMALL_SCHEMAS, seed: SEED }, fromSmall);
report(`${SMALL_SCHEMAS * DIALECTS.length} small schemas`, fromSmall);

const instances = fromReal.compared + fromGenerated.compared;
console.log(`generated instances: ${instances} (target at least ${LEAST_INSTANCES})`);
if (instances < LEAST_INSTANCES) failures.push(`only ${instances} generated instances`);
for (const failure of failures) console.log(`MISS ${failure}`);
console.log(failures.length === 0 ? 'conformance:oracle holds' : `conformance:oracle: ${failures.length} misses`);
process.exitCode = failures.length === 0 && holdsWithoutCode() ? 0 : 1;

/** The same once more in a process that may not generate code; true in that process itself. */
function holdsWithoutCode(): boolean {
  if (process.execArgv.includes(NO_CODE)) return true;
  const args = [NO_CODE, ...process.argv.slice(1)];
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status === 0;
}

function report(what: string, { compared, valid, beyondOracle, excluded, differences }: Comparison): void {
  const share = Math.round((100 * valid) / compared);
  console.log(
    `${what}: ${compared} verdicts compared (${share} % valid), ${differences.length} differ (target 0), ` +
      `${excluded.length} schemas excluded (target 0), ${beyondOracle} beyond what the oracle can hold`,
  );
  // A generator gone wrong would agree on everything by making only nonsense, or nothing but what is valid.
  if (share < 25 || share > 90) failures.push(`${what}: ${share} % valid shows nothing`);
  failures.push(...excluded.map((one) => `${what}, excluded: ${one}`), ...differences.map((one) => `${what}: ${one}`));
}

function readList(): Record<string, string> {
  return JSON.parse(readFileSync(LIST, 'utf8'));
}

function writeList({ oracleFailures }: Comparison): Record<string, string> {
  writeFileSync(LIST, `${JSON.stringify(oracleFailures, null, 2)}\n`);
  return oracleFailures;
}

function seedOf(args: readonly string[]): number | undefined {
  const at = args.indexOf('--seed');
  return at < 0 ? undefined : Number(args[at + 1]);
}
