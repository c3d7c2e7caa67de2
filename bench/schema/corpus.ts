import { getTestData, readRealSchemas } from '../../conformance/schema/data.js';
import { makeInstance, mutateInstance } from '../../conformance/schema/make-instance.js';
import { Random } from '../../conformance/schema/random.js';
import { DIALECT_URI } from '../../conformance/schema/suite.js';
import { compileSchema, type Dialect, dialectOf } from '../../src/schema/index.js';

/** One schema of a real tool with values that every engine measured agrees about. */
export interface BenchSchema {
  readonly name: string;
  readonly dialect: Dialect;
  readonly schema: object;
  readonly valid: readonly unknown[];
  readonly invalid: readonly unknown[];
}

export type IsValid = (value: unknown) => boolean;

const SEED = 7;
const VALUES_OF_EACH = 3;
const MOST_TRIES = 60;

export type Compile = (schema: object, dialect: Dialect) => IsValid | Promise<IsValid>;

/**
 * The schemas of real tools, each with a few valid and a few invalid values.
 *
 * @param others the engines to be measured: values on which one differs from us are left out, so that all do equal work
 */
export async function readCorpus(others: readonly Compile[]): Promise<BenchSchema[]> {
  const corpus: BenchSchema[] = [];
  for (const { name, schema } of readRealSchemas(getTestData().realTools)) {
    const dialect = dialectOf((schema as { $schema?: unknown }).$schema);
    const checks = [compileOurs(schema, dialect)];
    for (const compile of others) checks.push(await compile(structuredClone(schema) as object, dialect));
    const values = makeValues(schema, checks, new Random(SEED + corpus.length));
    corpus.push({ name, dialect, schema: schema as object, ...values });
  }
  return corpus;
}

function compileOurs(schema: unknown, dialect: Dialect): IsValid {
  const compilation = compileSchema(schema, { dialect: DIALECT_URI[dialect] });
  if (!compilation.ok) throw compilation.error;
  return (value) => compilation.judge.checkValue(value).valid;
}

function makeValues(
  schema: unknown,
  checks: readonly IsValid[],
  random: Random,
): Pick<BenchSchema, 'valid' | 'invalid'> {
  const valid: unknown[] = [];
  const invalid: unknown[] = [];
  for (let tries = 0; tries < MOST_TRIES && Math.min(valid.length, invalid.length) < VALUES_OF_EACH; tries++) {
    const made = makeInstance(schema, random);
    for (const value of [made, mutateInstance(made, random)]) {
      const verdicts = checks.map((check) => check(value));
      const values = verdicts[0] ? valid : invalid;
      if (verdicts.every((one) => one === verdicts[0]) && values.length < VALUES_OF_EACH) values.push(value);
    }
  }
  return { valid, invalid };
}

/** A fresh copy that differs from every other, so that neither identity nor content is found in anybody's cache. */
export function freshCopy(schema: object, serial: number): object {
  return { ...(structuredClone(schema) as object), $comment: `copy ${serial}` };
}
