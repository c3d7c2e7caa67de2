import { type Environment, expandText } from './expand.js';
import type {
  Field,
  FieldTable,
  FieldValue,
  GroupListField,
  IntegerField,
  TableValue,
  TextField,
  TextListField,
} from './field-kinds.js';
import { type JsoncDocument, type JsoncMember, type JsoncNode, membersOf } from './jsonc.js';
import { findNearest } from './nearest.js';
import { type Path, type Place, pointerOf } from './place.js';
import { makeProblem, type Problem, type ProblemFacts, type ProblemKind } from './problem.js';

/** Where a value came from. */
export type Origin =
  | { readonly kind: 'file'; readonly place: Place; readonly variables?: readonly string[] }
  | { readonly kind: 'flag'; readonly flag: string }
  | { readonly kind: 'environment'; readonly variable: string }
  | { readonly kind: 'default' };

/** One walk over a part of the file: what it found wrong, and where each value came from. */
export class Walk {
  readonly document: JsoncDocument;
  /** Absent where references are to stay as they were written. */
  readonly environment: Environment | undefined;
  readonly problems: Problem[] = [];
  /** By JSON pointer. */
  readonly origins = new Map<string, Origin>();
  readonly #server: string | undefined;

  constructor(document: JsoncDocument, environment: Environment | undefined, server?: string) {
    this.document = document;
    this.environment = environment;
    this.#server = server;
  }

  get hasErrors(): boolean {
    return this.problems.some((problem) => problem.severity === 'error');
  }

  report(node: JsoncNode, facts: Omit<ProblemFacts, 'place' | 'server'>): undefined {
    this.problems.push(makeProblem({ ...facts, place: this.placeOf(node), server: this.#server }));
  }

  /** Takes back a warning that an error has said better. */
  dropWarning(kind: ProblemKind, path: Path): void {
    const pointer = pointerOf(path);
    const at = this.problems.findIndex((problem) => problem.kind === kind && problem.path === pointer);
    if (at >= 0) this.problems.splice(at, 1);
  }

  placeOf(node: JsoncNode): Place {
    return this.document.source.placeOf(node.offset);
  }

  noteOrigin(node: JsoncNode, path: Path, variables: readonly string[] = []): void {
    const place = this.placeOf(node);
    this.origins.set(pointerOf(path), { kind: 'file', place, ...(variables.length > 0 && { variables }) });
  }
}

/**
 * Checks one value against its field. What is wrong is reported to the walk.
 *
 * @returns the value, or undefined where there is none to use
 */
export function checkField<F extends Field>(
  walk: Walk,
  field: F,
  node: JsoncNode,
  path: Path,
): FieldValue<F> | undefined {
  // The one place where the table's kinds and the types read off it meet.
  return checkKind(walk, field, node, path) as FieldValue<F> | undefined;
}

function checkKind(walk: Walk, field: Field, node: JsoncNode, path: Path): unknown {
  if (field.isLater) walk.report(node, laterFacts(path));
  switch (field.kind) {
    case 'text':
      return checkText(walk, { node, path, field });
    case 'texts':
      return checkTexts(walk, field, node, path);
    case 'text-map':
      return checkTextMap(walk, node, path, field.expands === true);
    case 'integer':
      return checkInteger(walk, field, node, path);
    case 'boolean':
      if (node.type !== 'boolean') return wrongType(walk, node, path, 'true or false');
      return noted(walk, node, path);
    case 'choice':
      return checkChoice(walk, field.choices, node, path);
    case 'group':
      return checkGroup(walk, field.fields, node, path);
    case 'groups':
      return checkGroups(walk, field, node, path);
    case 'open':
    case 'servers':
      return undefined;
  }
}

/** Checks an object's members against a table; unknown names are warned about, with the nearest known one. */
export function checkGroup<Table extends FieldTable>(
  walk: Walk,
  table: Table,
  node: JsoncNode,
  path: Path,
): TableValue<Table> | undefined {
  if (node.type !== 'object') return wrongType(walk, node, path, 'an object');
  return checkMembers(walk, table, membersOf(walk.document, node, path, walk.problems), path);
}

function checkGroups(
  walk: Walk,
  { fields, required }: GroupListField,
  node: JsoncNode,
  path: Path,
): readonly TableValue<FieldTable>[] | undefined {
  if (node.type !== 'array') return wrongType(walk, node, path, 'an array of objects');
  const groups = (node.children ?? []).map((item, at) => {
    const group = checkGroup(walk, fields, item, [...path, at]);
    const missing = group === undefined ? [] : required.filter((name) => !isWritten(item, name));
    for (const name of missing) {
      walk.report(item, { kind: 'missing-field', path: [...path, at, name], message: 'is missing' });
    }
    return group;
  });
  return Object.freeze(groups.filter((group) => group !== undefined));
}

function isWritten(node: JsoncNode, name: string): boolean {
  return node.children?.some((property) => property.children?.[0]?.value === name) ?? false;
}

export function checkMembers<Table extends FieldTable>(
  walk: Walk,
  table: Table,
  members: readonly JsoncMember[],
  path: Path,
): TableValue<Table> {
  const values: [string, unknown][] = [];
  for (const { name, key, value } of members) {
    const at = [...path, name];
    const field = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!field) {
      walk.report(key, { severity: 'warning', kind: 'unknown-field', path: at, ...unknownText(name, table) });
      continue;
    }
    const checked = checkField(walk, field, value, at);
    if (checked !== undefined) values.push([name, checked]);
  }
  return Object.freeze(Object.fromEntries(values)) as TableValue<Table>;
}

/** Names other programs' files use for the same thing, too far from ours for spelling to find. */
const NAMES_ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['context_servers', 'mcpServers'],
  ['mcp', 'mcpServers'],
  ['disabled', 'enabled: false'],
  ['timeout', 'callTimeoutMs'],
  ['environment', 'env'],
  ['envs', 'env'],
  ['cmd', 'command'],
  ['serverUrl', 'url'],
  ['httpUrl', 'url'],
  ['uri', 'url'],
  ['working_directory', 'cwd'],
  ['transport', 'type'],
  ['includeTools', 'tools.allow'],
  ['excludeTools', 'tools.deny'],
]);

/** The field that a name unknown to `table` probably meant. */
export function findMeantField(name: string, table: FieldTable): string | undefined {
  const elsewhere = NAMES_ELSEWHERE.get(name);
  const [head] = elsewhere?.split(/[.:]/) ?? [];
  if (head !== undefined && Object.hasOwn(table, head)) return elsewhere;
  return findNearest(name, Object.keys(table));
}

function unknownText(name: string, table: FieldTable) {
  const meant = findMeantField(name, table);
  return {
    message: 'unknown field, ignored',
    hint: meant ? `Did you mean ${meant}?` : `Known here: ${Object.keys(table).join(', ')}.`,
  };
}

function laterFacts(path: Path): Omit<ProblemFacts, 'place'> {
  return { severity: 'warning', kind: 'not-supported', path, message: 'has no effect in this version yet' };
}

function wrongType(walk: Walk, node: JsoncNode, path: Path, expected: string): undefined {
  const hint = node.type === 'number' && expected === 'a string' ? 'Put it in double quotes.' : undefined;
  return walk.report(node, { kind: 'wrong-type', path, message: `expected ${expected}, got ${typeText(node)}`, hint });
}

export function typeText(node: JsoncNode): string {
  if (node.type === 'object' || node.type === 'array') return `an ${node.type}`;
  return node.type === 'null' ? 'null' : `a ${node.type}`;
}

function noted(walk: Walk, node: JsoncNode, path: Path): unknown {
  walk.noteOrigin(node, path);
  return node.value;
}

interface TextSpot {
  readonly node: JsoncNode;
  readonly path: Path;
  readonly field: Pick<TextField | TextListField, 'expands' | 'shape'>;
}

function checkText(walk: Walk, { node, path, field }: TextSpot): string | undefined {
  if (node.type !== 'string') return wrongType(walk, node, path, 'a string');
  const written = String(node.value);
  const { text, faults, variables } =
    field.expands && walk.environment
      ? expandText(written, walk.environment)
      : { text: written, faults: [], variables: [] };
  for (const { kind, message, hint, variable } of faults) {
    walk.report(node, { ...(kind === 'suspicious' && { severity: 'warning' }), kind, path, message, hint, variable });
  }
  if (text.includes('\0')) return walk.report(node, { kind: 'wrong-value', path, message: 'holds a NUL character' });
  walk.noteOrigin(node, path, variables);
  if (faults.some((fault) => fault.kind !== 'suspicious')) return undefined;
  // What is left as it was written has not the shape yet that it will have.
  const fault = walk.environment || !field.expands ? textFault(field, text) : undefined;
  return fault === undefined ? text : walk.report(node, { kind: 'wrong-value', path, message: fault });
}

/** Why a text cannot be the value of `field`. Never holds the text. */
export function textFault({ shape }: Pick<TextField, 'shape'>, text: string): string | undefined {
  return shape === undefined || new RegExp(shape.pattern).test(text) ? undefined : `expected ${shape.expected}`;
}

function checkTexts(walk: Walk, field: TextListField, node: JsoncNode, path: Path): readonly string[] | undefined {
  if (node.type !== 'array') return wrongType(walk, node, path, 'an array of strings');
  const texts = (node.children ?? []).map((item, at) => checkText(walk, { node: item, path: [...path, at], field }));
  return Object.freeze(texts.filter((text) => text !== undefined));
}

function checkTextMap(
  walk: Walk,
  node: JsoncNode,
  path: Path,
  expands: boolean,
): ReadonlyMap<string, string> | undefined {
  if (node.type !== 'object') return wrongType(walk, node, path, 'an object of strings');
  const texts = new Map<string, string>();
  for (const { name, value } of membersOf(walk.document, node, path, walk.problems)) {
    const text = checkText(walk, { node: value, path: [...path, name], field: expands ? { expands } : {} });
    if (text !== undefined) texts.set(name, text);
  }
  return texts;
}

function checkInteger(walk: Walk, field: IntegerField, node: JsoncNode, path: Path): unknown {
  if (node.type !== 'number')
    return wrongType(walk, node, path, field.unit === undefined ? 'a number' : `a number of ${field.unit}`);
  const fault = integerFault(field, Number(node.value));
  if (fault) return walk.report(node, { kind: 'wrong-value', path, message: fault });
  return noted(walk, node, path);
}

/** Why a number cannot be the value of `field`. */
export function integerFault(field: IntegerField, value: number): string | undefined {
  const { min, max, unit } = field;
  if (Number.isInteger(value) && value >= min && value <= max) return undefined;
  return `expected a whole number ${unit === undefined ? '' : `of ${unit} `}from ${min} to ${max}`;
}

function checkChoice(walk: Walk, choices: readonly string[], node: JsoncNode, path: Path): unknown {
  const expected = `one of ${choices.join(', ')}`;
  if (node.type !== 'string') return wrongType(walk, node, path, expected);
  const value = String(node.value);
  if (choices.includes(value)) return noted(walk, node, path);
  const meant = findNearest(value, choices);
  const hint = meant && `Did you mean ${meant}?`;
  return walk.report(node, { kind: 'wrong-value', path, message: `expected ${expected}`, hint });
}
