import { compileSchema, type Dialect, type Judge } from '../../src/schema/index.js';
import { makeInstance, mutateInstance } from './make-instance.js';
import { makeSchema } from './make-schema.js';
import { makeSmallSchema, SMALL_VALUES } from './make-small-schema.js';
import { Oracle, type OracleAnswer } from './oracle.js';
import { NOT_PLAIN, plainValue } from './plain.js';
import { Random } from './random.js';
import { losesItsPoint } from './run-cases.js';
import { DIALECT_URI, type SuiteFile } from './suite.js';
import { faultOfVerdict } from './verdict-faults.js';

/** What one comparison came to. Differences name the case; they are what must be empty. */
export interface Comparison {
  compared: number;
  valid: number;
  /** Cases with numbers that the oracle cannot hold. */
  beyondOracle: number;
  readonly excluded: string[];
  readonly differences: string[];
  /** Suite cases that the oracle answers otherwise than the suite, with its answer. */
  readonly oracleFailures: Record<string, string>;
}

export function emptyComparison(): Comparison {
  return { compared: 0, valid: 0, beyondOracle: 0, excluded: [], differences: [], oracleFailures: {} };
}

/** Compares on the cases of suite files. Where the oracle is known to fail, the suite's word stands instead of its. */
export async function compareSuite(
  files: readonly SuiteFile[],
  documents: Readonly<Record<string, unknown>>,
  comparison: Comparison,
): Promise<void> {
  const dialect = files[0]?.dialect;
  if (dialect === undefined) return;
  const oracle = new Oracle(dialect, documents);
  try {
    for (const file of files)
      for (const group of file.groups) await compareGroup(file, group, { oracle, documents, comparison });
  } finally {
    oracle.close();
  }
}

interface GroupContext {
  readonly oracle: Oracle;
  readonly documents: Readonly<Record<string, unknown>>;
  readonly comparison: Comparison;
}

async function compareGroup(file: SuiteFile, group: SuiteFile['groups'][number], context: GroupContext): Promise<void> {
  const { oracle, documents, comparison } = context;
  const schema = plainValue(group.schema);
  const theirs = schema === NOT_PLAIN ? undefined : await oracle.compile(schema);
  const ours = compileSchema(group.schema, { dialect: DIALECT_URI[file.dialect], documents });
  for (const one of group.cases) {
    const name = `${file.dialect} | ${file.name} | ${group.description} | ${one.description}`;
    const value = plainValue(one.data);
    if (theirs === undefined || value === NOT_PLAIN) {
      comparison.beyondOracle += 1;
      continue;
    }
    const theirAnswer = oracleSays(theirs, value);
    const ourAnswer = ours.ok ? show(ours.judge.check(one.data)) : ours.error.code;
    comparison.compared += 1;
    if (ourAnswer === 'valid') comparison.valid += 1;
    const wanted = one.valid ? 'valid' : 'invalid';
    if (theirAnswer !== wanted) comparison.oracleFailures[name] = theirAnswer;
    else if (ourAnswer !== theirAnswer)
      comparison.differences.push(`${name}: we say ${ourAnswer}, the oracle ${theirAnswer}`);
  }
}

export interface NamedSchema {
  readonly name: string;
  readonly schema: unknown;
  readonly dialect: Dialect;
}

/** Compares on generated instances: for each schema some that were made to be valid, and each of them changed in one place. */
export async function compareGenerated(
  schemas: readonly NamedSchema[],
  { pairs, seed }: { readonly pairs: number; readonly seed: number },
  comparison: Comparison,
): Promise<void> {
  for (const [at, { name, schema, dialect }] of schemas.entries()) {
    const theirs = await new Oracle(dialect).compile(schema);
    const ours = compileSchema(schema, { dialect: DIALECT_URI[dialect] });
    if (!ours.ok) {
      comparison.excluded.push(`${name}: ${ours.error.code} ${ours.error.message}`);
      continue;
    }
    const random = new Random(seed + at);
    for (let pair = 0; pair < pairs; pair++) {
      const made = makeInstance(schema, random);
      for (const value of [made, mutateInstance(made, random)]) {
        compareOne({ name, schema, value, theirs, judge: ours.judge }, comparison);
        const text = JSON.stringify(value);
        const [asValue, asText] = [ours.judge.checkValue(value), ours.judge.check(text)].map(show);
        if (asText === asValue || losesItsPoint(dialect, text)) continue;
        comparison.differences.push(
          `${name}: ${asValue} as a value, ${asText} as text on ${brief(value)} by ${brief(schema)}`,
        );
      }
    }
  }
}

/** Compares every small value by each of many small schemas: what one keyword does to another, rather than what is deep inside. */
export async function compareSmall(
  dialect: Dialect,
  { count, seed }: { readonly count: number; readonly seed: number },
  comparison: Comparison,
): Promise<void> {
  const oracle = new Oracle(dialect);
  for (let at = seed; at < seed + count; at++) {
    const schema = makeSmallSchema(dialect, new Random(at));
    const name = `small ${dialect} #${at}`;
    const theirs = await oracle.compile(schema);
    const ours = compileSchema(schema, { dialect: DIALECT_URI[dialect] });
    if (!ours.ok) comparison.excluded.push(`${name}: ${ours.error.code} ${ours.error.message}`);
    else for (const value of SMALL_VALUES) compareOne({ name, schema, value, theirs, judge: ours.judge }, comparison);
  }
}

interface OneCase {
  readonly name: string;
  readonly schema: unknown;
  readonly value: unknown;
  readonly theirs: OracleAnswer;
  readonly judge: Judge;
}

function compareOne({ name, schema, value, theirs, judge }: OneCase, comparison: Comparison): void {
  const verdict = judge.checkValue(value);
  const ourAnswer = show(verdict);
  const theirAnswer = oracleSays(theirs, value);
  comparison.compared += 1;
  if (ourAnswer === 'valid') comparison.valid += 1;
  const fault = faultOfVerdict(verdict, value);
  const difference = fault || (ourAnswer === theirAnswer ? '' : `we say ${ourAnswer}, the oracle ${theirAnswer}`);
  if (difference !== '') comparison.differences.push(`${name}: ${difference} on ${brief(value)} by ${brief(schema)}`);
}

/** Random schemas of one dialect, each named so that it can be made again. */
export function generatedSchemas(
  dialect: Dialect,
  { count, seed }: { readonly count: number; readonly seed: number },
): NamedSchema[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `generated ${dialect} #${seed + at}`,
    schema: makeSchema(dialect, new Random(seed + at)),
    dialect,
  }));
}

function oracleSays(oracle: OracleAnswer, value: unknown): string {
  if (!oracle.ok) return `refuses: ${brief(oracle.reason)}`;
  try {
    return oracle.isValid(value) ? 'valid' : 'invalid';
  } catch (thrown) {
    return `throws: ${brief(String(thrown))}`;
  }
}

function show(verdict: { readonly valid: boolean; readonly gaveUp?: true }): string {
  if (verdict.gaveUp) return 'no verdict';
  return verdict.valid ? 'valid' : 'invalid';
}

function brief(value: unknown): string {
  const text =
    typeof value === 'string' ? value.replaceAll(/oracle\.invalid\/\d+/g, 'oracle.invalid') : JSON.stringify(value);
  return text.length > 600 ? `${text.slice(0, 600)}...` : text;
}
