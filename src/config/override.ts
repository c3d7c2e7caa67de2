import { integerFault, type Origin, textFault } from './check-field.js';
import type { Environment } from './expand.js';
import type { Field, FieldTable } from './field-kinds.js';
import { CONFIG_FIELDS } from './fields.js';
import { findNearest } from './nearest.js';
import { type Path, pointerOf } from './place.js';
import { makeProblem, type Problem } from './problem.js';

/** A value that stands above the file's: from a flag, or from a DOORWARD_* variable. */
export interface Override {
  readonly path: Path;
  readonly value: unknown;
  readonly origin: Origin;
}

/** A flag's text for one field, such as `--prefix never`. */
export interface FlagOverride {
  /** The flag as it was typed: `--prefix`. */
  readonly flag: string;
  /** The field it sets: `['prefix']`, `['limits', 'callTimeoutMs']`. */
  readonly path: Path;
  readonly text: string;
}

/** Variables that are no field of the file. */
const OTHER_VARIABLES = ['DOORWARD_CONFIG', 'DOORWARD_LOG_LEVEL', 'DOORWARD_LOG_FORMAT', 'DOORWARD_TOKENS'];

/** Every field that a variable can set, by the variable: DOORWARD_PREFIX, DOORWARD_LIMITS_CALL_TIMEOUT_MS. */
export function overridableFields(): ReadonlyMap<string, Path> {
  return new Map(scalarPaths(CONFIG_FIELDS, []).map((path) => [variableOf(path), path]));
}

function scalarPaths(table: FieldTable, above: Path): readonly Path[] {
  return Object.entries(table).flatMap(([name, field]) => {
    const path = [...above, name];
    if (field.kind === 'group') return scalarPaths(field.fields, path);
    return field.kind === 'choice' || field.kind === 'integer' || field.kind === 'boolean' ? [path] : [];
  });
}

function variableOf(path: Path): string {
  const words = path.map((step) => String(step).replace(/[A-Z]/g, (letter) => `_${letter}`));
  return `DOORWARD_${words.join('_').toUpperCase()}`;
}

/** Reads the flags and variables that override the file, flags last so that they win. */
export function readOverrides(
  environment: Environment,
  flags: readonly FlagOverride[],
  problems: Problem[],
): readonly Override[] {
  const fromEnvironment: Override[] = [];
  const fields = overridableFields();
  for (const [variable, path] of fields) {
    const text = Object.hasOwn(environment, variable) ? environment[variable] : undefined;
    if (text === undefined || text === '') continue;
    const value = readText(path, text, { variable, problems });
    if (value !== undefined) fromEnvironment.push({ path, value, origin: { kind: 'environment', variable } });
  }
  warnMisspelt(environment, fields, problems);
  const fromFlags = flags.flatMap(({ flag, path, text }) => {
    const value = readText(path, text, { flag, problems });
    return value === undefined ? [] : [{ path, value, origin: { kind: 'flag', flag } as const }];
  });
  return [...fromEnvironment, ...fromFlags];
}

interface TextOrigin {
  readonly variable?: string;
  readonly flag?: string;
  readonly problems: Problem[];
}

function readText(path: Path, text: string, { variable, flag, problems }: TextOrigin): unknown {
  const field = getField(path);
  const [value, expected] = readScalar(field, text);
  if (value !== undefined) return value;
  problems.push(makeProblem({ kind: 'wrong-value', path, message: expected, variable, flag }));
  return undefined;
}

function readScalar(field: Field, text: string): readonly [value: unknown, expected: string] {
  if (field.kind === 'choice') {
    return [field.choices.includes(text) ? text : undefined, `expected one of ${field.choices.join(', ')}`];
  }
  if (field.kind === 'integer') {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    const fault = integerFault(field, value);
    return [fault ? undefined : value, fault ?? ''];
  }
  if (field.kind === 'text') {
    const fault = textFault(field, text);
    return [fault ? undefined : text, fault ?? ''];
  }
  const value = text === 'true' ? true : text === 'false' ? false : undefined;
  return [value, 'expected true or false'];
}

function getField(path: Path): Field {
  let table: FieldTable = CONFIG_FIELDS;
  let field: Field | undefined;
  for (const step of path) {
    field = table[step];
    table = field?.kind === 'group' ? field.fields : {};
  }
  if (!field) throw new TypeError(`no such field: ${pointerOf(path)}`);
  return field;
}

/** A variable that nobody reads is warned about only where it looks like one of ours. */
function warnMisspelt(environment: Environment, fields: ReadonlyMap<string, Path>, problems: Problem[]): void {
  const known = [...fields.keys(), ...OTHER_VARIABLES];
  for (const variable of Object.keys(environment)) {
    if (!variable.startsWith('DOORWARD_') || known.includes(variable)) continue;
    const meant = findNearest(
      variable.slice('DOORWARD_'.length),
      known.map((name) => name.slice('DOORWARD_'.length)),
    );
    if (meant === undefined) continue;
    const message = `environment variable ${variable} is not read by doorward`;
    const hint = `Did you mean DOORWARD_${meant}?`;
    problems.push(makeProblem({ severity: 'warning', kind: 'unknown-field', path: [], message, hint, variable }));
  }
}
