import { encodeText, type TokenList } from '../base/index.js';
import type { PlainSchema } from './engine.js';
import { type NumberLimits, PropertyRule, type StringTest, type TextLimits, TextRule } from './text-rule.js';

/** Whether the value of a token is surely valid; false says nothing. The text must have been scanned, and no more since. */
export type TextJudge = (bytes: Uint8Array, tokens: TokenList, token: number) => boolean;

const KNOWN: ReadonlySet<string> = new Set(
  (
    'type const enum required minLength maxLength minItems maxItems minProperties maxProperties minimum maximum ' +
    'exclusiveMinimum exclusiveMaximum format prefixItems items properties additionalProperties anyOf allOf'
  ).split(' '),
);
const NOTHING: TextLimits = {
  types: undefined,
  texts: undefined,
  string: undefined,
  number: undefined,
  array: undefined,
  object: undefined,
  all: [],
  any: [],
};
const ANYTHING = new TextRule(NOTHING);
/** Of a schema that is not understood, and of one that accepts nothing. */
const NEVER = new TextRule({ ...NOTHING, types: [] });

type Keywords = Readonly<Record<string, unknown>>;

/** Makes a judge of texts from what the engine makes code from. What it does not understand it accepts nowhere. */
export function makeTextJudge(schema: PlainSchema, formats: Readonly<Record<string, StringTest>>): TextJudge {
  const rule = ruleOf(schema, formats);
  return (bytes, tokens, token) => rule.accepts({ bytes, tokens }, token);
}

function ruleOf(schema: PlainSchema, formats: Readonly<Record<string, StringTest>>): TextRule {
  if (typeof schema === 'boolean') return schema ? ANYTHING : NEVER;
  if (!Object.keys(schema).every((keyword) => KNOWN.has(keyword))) return NEVER;
  const rules = (schemas: unknown): TextRule[] =>
    ((schemas ?? []) as PlainSchema[]).map((each) => ruleOf(each, formats));
  const rule = (each: unknown): TextRule => ruleOf((each ?? true) as PlainSchema, formats);
  const { type } = schema;
  const types = type === undefined ? undefined : ([type].flat() as string[]);
  const limits: TextLimits = {
    types,
    texts: textsOf(schema),
    string: stringLimits(schema, formats),
    number: numberLimits(schema, types),
    array: arrayLimits(schema, rules, rule),
    object: objectLimits(schema, rule),
    all: rules(schema.allOf),
    any: schema.anyOf === undefined ? [] : [rules(schema.anyOf)],
  };
  return new TextRule(limits);
}

/** JSON texts of the values that are allowed; the same value may be spelled in other ways, which are left to be parsed. */
function textsOf(schema: Keywords): readonly Uint8Array[] | undefined {
  const values = 'const' in schema ? [schema.const] : (schema.enum as readonly unknown[] | undefined);
  if ('const' in schema && 'enum' in schema) return [];
  return values?.map((value) => encodeText(JSON.stringify(value)));
}

function stringLimits(schema: Keywords, formats: Readonly<Record<string, StringTest>>): TextLimits['string'] {
  const { min, max } = counts(schema, 'Length');
  const test = schema.format === undefined ? undefined : formats[schema.format as string];
  return min === 0 && max === Number.POSITIVE_INFINITY && test === undefined ? undefined : { min, max, test };
}

function numberLimits(schema: Keywords, types: readonly string[] | undefined): NumberLimits | undefined {
  const isInteger = types !== undefined && !types.includes('number') && types.includes('integer');
  const bound = (keyword: string, otherwise: number): number => (schema[keyword] as number | undefined) ?? otherwise;
  const bounds = {
    minimum: bound('minimum', Number.NEGATIVE_INFINITY),
    maximum: bound('maximum', Number.POSITIVE_INFINITY),
    exclusiveMinimum: bound('exclusiveMinimum', Number.NEGATIVE_INFINITY),
    exclusiveMaximum: bound('exclusiveMaximum', Number.POSITIVE_INFINITY),
  };
  const hasBounds = Object.values(bounds).some(Number.isFinite);
  return isInteger || hasBounds ? { isInteger, hasBounds, ...bounds } : undefined;
}

function arrayLimits(
  schema: Keywords,
  rules: (schemas: unknown) => TextRule[],
  rule: (schema: unknown) => TextRule,
): TextLimits['array'] {
  const limits = { first: rules(schema.prefixItems), items: rule(schema.items), ...counts(schema, 'Items') };
  const saysNothing = limits.first.length === 0 && limits.items.isAny && isUnbounded(limits);
  return saysNothing ? undefined : limits;
}

function objectLimits(schema: Keywords, rule: (schema: unknown) => TextRule): TextLimits['object'] {
  const required = new Set((schema.required ?? []) as string[]);
  const others = rule(schema.additionalProperties);
  const properties = Object.entries((schema.properties ?? {}) as Keywords).map(
    ([name, each], place) => new PropertyRule(name, rule(each), required.delete(name), place),
  );
  // What is required and not described is one of the others.
  for (const name of required) properties.push(new PropertyRule(name, others, true, properties.length));
  const byHash = new Map(properties.map((property) => [property.hash, property]));
  const limits = { properties, byHash, others, ...counts(schema, 'Properties') };
  // Names that hash alike are so rare that no care is taken to tell them apart.
  if (byHash.size < properties.length) return { ...limits, min: Number.POSITIVE_INFINITY };
  return properties.length === 0 && others.isAny && isUnbounded(limits) ? undefined : limits;
}

function counts(schema: Keywords, what: string): { readonly min: number; readonly max: number } {
  return {
    min: (schema[`min${what}`] as number | undefined) ?? 0,
    max: (schema[`max${what}`] as number | undefined) ?? Number.POSITIVE_INFINITY,
  };
}

function isUnbounded({ min, max }: { readonly min: number; readonly max: number }): boolean {
  return min === 0 && max === Number.POSITIVE_INFINITY;
}
