import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Dialect, dialectOf, prepareEngine } from '../../src/schema/index.js';
import { findTestData, readRealSchemas } from './data.js';
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

// A sample of `npm run conformance:oracle`, small enough for every test run.
const SEED = 4;
const GENERATED_SCHEMAS = 60;
const SMALL_SCHEMAS = 250;

const data = findTestData();
const listed: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'oracle-failures.json'), 'utf8'),
);

beforeAll(async () => expect(await prepareEngine()).toBe(true));

describe.each(DIALECTS)('%s: we and the oracle agree', (dialect) => {
  test('on our own suite, save the cases listed', async () => {
    const comparison = emptyComparison();
    await compareSuite(readExtraSuite(dialect), {}, comparison);
    expectAgreement(comparison);
    expect(Object.keys(comparison.oracleFailures)).toEqual(listedNames(dialect, 'extra/'));
  });

  test('on generated schemas and instances', async () => {
    const comparison = emptyComparison();
    await compareGenerated(
      generatedSchemas(dialect, { count: GENERATED_SCHEMAS, seed: SEED }),
      { pairs: 3, seed: SEED },
      comparison,
    );
    expectAgreement(comparison);
    expect(comparison.compared).toBe(GENERATED_SCHEMAS * 6);
    expect(comparison.valid / comparison.compared).toBeGreaterThan(0.25);
  });

  test('on small schemas whose keywords contradict and cover each other', async () => {
    const comparison = emptyComparison();
    await compareSmall(dialect, { count: SMALL_SCHEMAS, seed: SEED }, comparison);
    expectAgreement(comparison);
  });

  test('on the required cases of the official suite, save the cases listed', async ({ skip }) => {
    if (data.kind === 'absent') return skip(data.reason);
    const comparison = emptyComparison();
    await compareSuite(readSuite(data.suite, dialect, 'required'), readRemotes(data.suite, dialect), comparison);
    expectAgreement(comparison);
    expect(Object.keys(comparison.oracleFailures).filter((name) => !Object.hasOwn(listed, name))).toEqual([]);
  });
});

test('we and the oracle agree on instances of every schema of a real tool, and refuse none of them', async ({
  skip,
}) => {
  if (data.kind === 'absent') return skip(data.reason);
  const schemas = readRealSchemas(data.realTools).map((one) => ({ ...one, dialect: dialectOfReal(one.schema) }));
  const comparison = emptyComparison();
  await compareGenerated(schemas, { pairs: 1, seed: SEED }, comparison);
  expectAgreement(comparison);
  expect(comparison.compared).toBe(2 * schemas.length);
  expect(schemas.length).toBeGreaterThan(600);
});

function expectAgreement({ differences, excluded }: Comparison): void {
  expect([...excluded, ...differences]).toEqual([]);
}

function listedNames(dialect: Dialect, folder: string): string[] {
  return Object.keys(listed).filter((name) => name.startsWith(`${dialect} | ${folder}`));
}

function dialectOfReal(schema: unknown): Dialect {
  return dialectOf((schema as { readonly $schema?: unknown }).$schema);
}
