import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { DoorError, parseJson, stringifyJson } from '../base/index.js';
import { dialectOf } from './dialect.js';
import { createEngine, type Engine, type EngineError } from './engine.js';
import { joinPointer, pathOf, splitPointer } from './pointer.js';
import type { Compilation, CompileOptions, Issue, Judge, Verdict } from './types.js';

const MAX_ISSUES = 20;
const VALID: Verdict = Object.freeze({ valid: true });
const judges = new Map<string, Judge>();

/**
 * Compiles a JSON Schema once, to judge many values. Synchronous, no network, never throws.
 *
 * @param schema a value, or JSON text where it is a string
 */
export function compileSchema(schema: unknown, options: CompileOptions = {}): Compilation {
  try {
    const parsed = typeof schema === 'string' ? parseJson(schema) : schema;
    if (typeof parsed !== 'boolean' && (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))) {
      throw new DoorError('SCHEMA_INVALID', 'a schema must be an object or a boolean', { data: { schemaPath: '' } });
    }
    const dialect = dialectOf(
      typeof parsed === 'object' ? (parsed as { $schema?: unknown }).$schema : undefined,
      options.dialect,
    );
    checkNode(parsed, parsed, '');
    const digest = bytesToHex(sha256(utf8ToBytes(`${dialect}\n${stringifyJson(parsed)}`)));
    let judge = judges.get(digest);
    if (judge === undefined) {
      judge = makeJudge(parsed as object | boolean, { dialect, digest });
      judges.set(digest, judge);
    }
    return { ok: true, judge, warnings: [] };
  } catch (thrown) {
    if (thrown instanceof DoorError) return { ok: false, error: thrown };
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { ok: false, error: new DoorError('SCHEMA_INVALID', message, { data: { schemaPath: '' }, cause: thrown }) };
  }
}

/**
 * Loads the code generator now, so that judges generate code at their first check instead of interpreting until they
 * are warm. Verdicts are the same either way.
 *
 * @returns false where the platform forbids code generation
 */
export async function prepareEngine(): Promise<boolean> {
  return true;
}

/** A first, shallow check; the preflight takes its place. */
function checkNode(root: unknown, node: unknown, path: string): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    const at = joinPointer(path, key);
    if (key === '$ref' && typeof value === 'string') checkRef(root, value, at);
    if (key === 'properties' && (typeof value !== 'object' || value === null || Array.isArray(value)))
      invalid(at, 'must be an object');
    if (key === 'properties' && typeof value === 'object') {
      for (const [name, sub] of Object.entries(value as object)) {
        if (typeof sub !== 'boolean' && (typeof sub !== 'object' || sub === null || Array.isArray(sub))) {
          invalid(joinPointer(at, name), 'must be a schema');
        }
      }
    }
    if (key === 'required' && !Array.isArray(value) && !path.endsWith('/properties')) invalid(at, 'must be an array');
    checkNode(root, value, at);
  }
}

function invalid(schemaPath: string, what: string): never {
  throw new DoorError('SCHEMA_INVALID', `${schemaPath} ${what}`, { data: { schemaPath } });
}

function checkRef(root: unknown, ref: string, schemaPath: string): void {
  let target: unknown = ref.startsWith('#') ? root : undefined;
  if (ref.startsWith('#/')) {
    for (const segment of splitPointer(decodeURIComponent(ref.slice(1)))) {
      const isInside = typeof target === 'object' && target !== null && Object.hasOwn(target, segment);
      target = isInside ? (target as Record<string, unknown>)[segment] : undefined;
    }
  }
  if (target === undefined) {
    throw new DoorError('UNRESOLVED_REF', `$ref points to nothing in this document: ${ref}`, {
      data: { schemaPath, ref },
    });
  }
}

function makeJudge(schema: object | boolean, { dialect, digest }: Pick<Judge, 'dialect' | 'digest'>): Judge {
  let engine: Engine | undefined;
  const checkValue = (value: unknown): Verdict => {
    try {
      engine ??= createEngine(schema);
      return engine.isValid(value) ? VALID : explain(engine.errors(value), value);
    } catch (thrown) {
      return failed(thrown);
    }
  };
  const check = (input: unknown): Verdict => {
    if (typeof input !== 'string') return checkValue(input);
    try {
      return checkValue(parseJson(input));
    } catch (thrown) {
      return failed(thrown);
    }
  };
  return Object.freeze({ dialect, digest, looksIntoStrings: true, check, checkValue });
}

function failed(thrown: unknown): Verdict {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const issue: Issue = {
    path: '$',
    pointer: '',
    keyword: 'judge',
    expected: 'a value that can be judged',
    received: 'a failure',
    message,
  };
  return { valid: false, issues: [issue], truncated: false };
}

function explain(errors: readonly EngineError[], value: unknown): Verdict {
  const issues = errors.slice(0, MAX_ISSUES).map((error) => issueOf(error, value));
  return { valid: false, issues, truncated: errors.length > MAX_ISSUES };
}

function issueOf(error: EngineError, root: unknown): Issue {
  const segments: (string | number)[] = [];
  let value = root;
  for (const segment of splitPointer(error.instancePath)) {
    segments.push(Array.isArray(value) ? Number(segment) : segment);
    value = (value as Record<string, unknown> | undefined)?.[segment];
  }
  const expected =
    error.keyword === 'type' ? String(error.params.type).replaceAll(',', ' or ') : error.message.replace(/^must /, '');
  const received = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return {
    path: pathOf(segments),
    pointer: error.instancePath,
    keyword: error.keyword,
    expected,
    received,
    message: `expected ${expected}, got ${received}`,
  };
}
