import { ExactNumber } from '../base/index.js';
import { boundsOf } from './checks-scalar.js';
import type { generateCheck, PlainSchema } from './engine.js';
import { findFormat } from './formats.js';
import { endOfReferences, HARMLESS } from './link.js';
import { findPattern } from './pattern.js';
import type { Site } from './site.js';
import type { Survey } from './survey.js';
import { makeTextJudge, type TextJudge } from './text-judge.js';
import { isLight } from './weight.js';
import { GaveUp, WORK_ALWAYS } from './work.js';

/** Larger schemas are not worth the code they would become. */
const MAX_GENERATED = 500;
/** An enum up to this length is compared value by value; a longer one is looked up. */
const MAX_INLINE_ENUM = 8;

type StringTest = (text: string) => boolean;

/**
 * Has code generated for a schema, where its keywords are of the common, cheap kind; all others stay with their rules.
 *
 * @param generate the engine
 * @returns undefined where the schema is not of that kind
 */
export function generateFor(
  { root, sites }: Survey,
  assertsFormats: boolean,
  generate: typeof generateCheck,
): Generated | undefined {
  if (sites.length > MAX_GENERATED || !sites.every(isCommon) || !isLight(sites)) return undefined;
  const writer = new PlainWriter(assertsFormats);
  const plain = writer.write(root);
  if (writer.isTooLarge) return undefined;
  const check = generate(plain, writer.formats);
  if (check === undefined) return undefined;
  const acceptsText = makeTextJudge(plain, writer.formats);
  if (Object.keys(writer.formats).length === 0) return { check, acceptsText };
  return {
    check: (value) => {
      writer.resetWork();
      return check(value);
    },
    acceptsText: (bytes, tokens, token) => {
      writer.resetWork();
      return acceptsText(bytes, tokens, token);
    },
  };
}

/** What a schema of the common kind is judged by. */
export interface Generated {
  readonly check: (value: unknown) => boolean;
  readonly acceptsText: TextJudge;
}

const COMMON: ReadonlySet<string> = new Set(
  (
    '$ref type minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength pattern format items prefixItems ' +
    'additionalItems minItems maxItems properties required additionalProperties minProperties maxProperties ' +
    'allOf anyOf oneOf not if then else'
  ).split(' '),
);

function isCommon(site: Site): boolean {
  if (typeof site.schema === 'boolean') return true;
  return Object.keys(site.schema).every((keyword) => {
    const value = site.get(keyword);
    if (value === undefined || HARMLESS.has(keyword)) return true;
    if (keyword === 'enum') return isCommonEnum(value as readonly unknown[], site.get('type'));
    if (keyword === 'properties') return !Object.keys(value as object).some(isInherited);
    if (keyword === 'required') return isCommonRequired(value as readonly string[], site);
    if (keyword === 'const') return isScalar(value);
    if (keyword === 'uniqueItems') return value === false;
    // Every name is a string, and that is all that generators of maps say of names.
    if (keyword === 'propertyNames') return isAnyString(site.child(keyword)!);
    return COMMON.has(keyword) && !(value instanceof ExactNumber);
  });
}

/** Engines look members up by name, and such a name is found in every object. */
function isInherited(name: string): boolean {
  return name in Object.prototype;
}

/** Where nothing but the properties may be there, the engine counts members instead of looking for each that is required. */
function isCommonRequired(names: readonly string[], site: Site): boolean {
  const properties = (site.get('properties') ?? {}) as object;
  const isClosed = site.child('additionalProperties')?.schema === false;
  return names.every((name) => !isInherited(name) && (!isClosed || Object.hasOwn(properties, name)));
}

function isCommonEnum(values: readonly unknown[], type: unknown): boolean {
  if (values.length <= MAX_INLINE_ENUM) return values.every(isScalar);
  return values.every(isString) && (type === undefined || [type].flat().includes('string'));
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function isAnyString({ schema }: Site): boolean {
  const keywords = Object.keys(schema).filter((keyword) => !HARMLESS.has(keyword));
  return typeof schema === 'object' && keywords.every((keyword) => keyword === 'type' && schema.type === 'string');
}

/** Rewrites surveyed schemas as one schema without references, which any engine understands. */
class PlainWriter {
  /** Tests on strings that the engine shall call where it meets these names. */
  readonly formats: Record<string, StringTest> = {};
  readonly #assertsFormats: boolean;
  #schemas = 0;
  #work = 0;

  constructor(assertsFormats: boolean) {
    this.#assertsFormats = assertsFormats;
  }

  /** Whether the schema, with what it refers to written out, is more than is worth generating; endless ones always are. */
  get isTooLarge(): boolean {
    return this.#schemas > MAX_GENERATED;
  }

  /** Begins the count of what patterns cost anew, for the next value. */
  resetWork(): void {
    this.#work = 0;
  }

  readonly #spend = (work: number): void => {
    this.#work += work;
    if (this.#work > WORK_ALWAYS) throw new GaveUp('matching patterns takes too much work');
  };

  write(site: Site): PlainSchema {
    this.#schemas += 1;
    if (typeof site.schema === 'boolean' || this.isTooLarge) return site.schema === true;
    const plain: Record<string, unknown> = {};
    this.#copyKeywords(site, plain);
    this.#writeInside(site, plain);
    const tests = this.#stringTests(site);
    if (tests.length > 0) plain.format = this.#name(tests);
    const wholes = this.#writeWholes(site);
    if (wholes.length === 0) return plain;
    // Side by side, never inside a schema with a type: there the engine takes types for granted that were not checked.
    if (Object.keys(plain).length > 0) wholes.unshift(plain);
    return wholes.length === 1 ? wholes[0]! : { allOf: wholes };
  }

  /** The schemas that must all accept the value, besides what this one says itself. */
  #writeWholes(site: Site): PlainSchema[] {
    const parts = site.get('allOf');
    const wholes = Array.isArray(parts) ? parts.map((_, index) => this.write(site.child('allOf', index)!)) : [];
    if (site.reference !== undefined) wholes.push(this.write(endOfReferences(site.reference)));
    return wholes;
  }

  #copyKeywords(site: Site, plain: Record<string, unknown>): void {
    for (const keyword of ['type', 'const', 'required', ...COUNTS]) {
      const value = site.get(keyword);
      if (value !== undefined) plain[keyword] = value;
    }
    for (const { keyword, limit, relation } of boundsOf(site)) {
      plain[relation.endsWith('=') || keyword.startsWith('exclusive') ? keyword : EXCLUSIVE[keyword]!] = limit;
    }
    const values = site.get('enum') as readonly unknown[] | undefined;
    // A long list of strings becomes a test on strings, and then nothing but a string will do.
    if (values !== undefined && isLongEnum(values)) plain.type = 'string';
    else if (values !== undefined) plain.enum = values;
  }

  #writeInside(site: Site, plain: Record<string, unknown>): void {
    const writeList = (keyword: string): PlainSchema[] | undefined => {
      const list = site.get(keyword);
      return Array.isArray(list) ? list.map((_, index) => this.write(site.child(keyword, index)!)) : undefined;
    };
    const write = (keyword: string): PlainSchema | undefined => {
      const child = site.child(keyword);
      return child && this.write(child);
    };
    const tuple = writeList('items');
    const properties = site.get('properties') as object | undefined;
    const inside: Record<string, unknown> = {
      prefixItems: tuple ?? writeList('prefixItems'),
      items: write(tuple === undefined ? 'items' : 'additionalItems'),
      properties: properties && this.#writeProperties(site, Object.keys(properties)),
    };
    for (const keyword of ['anyOf', 'oneOf']) inside[keyword] = writeList(keyword);
    const conditional = site.child('if') === undefined ? [] : ['if', 'then', 'else'];
    for (const keyword of ['additionalProperties', 'not', ...conditional]) inside[keyword] = write(keyword);
    if (inside.additionalProperties === false && Object.keys(properties ?? {}).length === 0) {
      // Engines count no members by names that are not there.
      inside.properties = undefined;
      inside.additionalProperties = undefined;
      inside.maxProperties = 0;
    }
    for (const [keyword, schema] of Object.entries(inside)) if (schema !== undefined) plain[keyword] = schema;
  }

  #writeProperties(site: Site, names: readonly string[]): Record<string, PlainSchema> {
    return Object.fromEntries(names.map((name) => [name, this.write(site.child('properties', name)!)]));
  }

  #stringTests(site: Site): StringTest[] {
    const tests: StringTest[] = [];
    const values = site.get('enum') as readonly unknown[] | undefined;
    if (values !== undefined && isLongEnum(values)) {
      const allowed = new Set(values);
      tests.push((text) => allowed.has(text));
    }
    const source = site.get('pattern');
    const pattern = isString(source) ? findPattern(source) : undefined;
    if (pattern !== undefined && !('problem' in pattern)) tests.push((text) => pattern.test(text, this.#spend));
    const name = site.get('format');
    const format = this.#assertsFormats && isString(name) ? findFormat(name) : undefined;
    if (format !== undefined) tests.push((text) => format.matches(text));
    return tests;
  }

  #name(tests: readonly StringTest[]): string {
    const name = `test${Object.keys(this.formats).length}`;
    const [first] = tests;
    this.formats[name] = tests.length === 1 ? first! : (text) => tests.every((test) => test(text));
    return name;
  }
}

const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];
const EXCLUSIVE: Readonly<Record<string, string>> = { minimum: 'exclusiveMinimum', maximum: 'exclusiveMaximum' };

function isLongEnum(values: readonly unknown[]): boolean {
  return values.length > MAX_INLINE_ENUM && values.every(isString);
}
