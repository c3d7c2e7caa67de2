import { compileSchema, type Dialect } from '../../src/schema/index.js';
import { makeInstance, mutateInstance } from './make-instance.js';
import { makeSchema } from './make-schema.js';
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
        const theirAnswer = oracleSays(theirs, value);
        const verdict = ours.judge.checkValue(value);
        const ourAnswer = show(verdict);
        const fault = faultOfVerdict(verdict, value);
        if (fault !== '') comparison.differences.push(`${name}: ${fault} on ${brief(value)} by ${brief(schema)}`);
        const text = JSON.stringify(value);
        const asText = losesItsPoint(dialect, text) ? ourAnswer : show(ours.judge.check(text));
        comparison.compared += 1;
        if (ourAnswer === 'valid') comparison.valid += 1;
        if (ourAnswer === theirAnswer && asText === ourAnswer) continue;
        const answers = `we say ${ourAnswer}, ${asText} as text, the oracle ${theirAnswer}`;
        comparison.differences.push(`${name}: ${answers} on ${brief(value)} by ${brief(schema)}`);
      }
    }
  }
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
