import { describe, expect, test } from 'vitest';
import { type CompileOptions, compileSchema, type Issue } from './index.js';

const DRAFT_04 = 'http://json-schema.org/draft-04/schema#';
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';

function issuesOf(schema: unknown, value: unknown, options?: CompileOptions): readonly Issue[] {
  const compilation = compileSchema(schema, options);
  if (!compilation.ok) throw compilation.error;
  const verdict = compilation.judge.checkValue(value);
  return verdict.valid ? [] : verdict.issues;
}

/** The one issue, in short. */
function onlyIssue(schema: unknown, value: unknown): string {
  const issues = issuesOf(schema, value);
  expect(issues).toHaveLength(1);
  const [{ path, keyword, message, hint }] = issues as [Issue];
  return `${path} ${keyword}: ${message}${hint === undefined ? '' : ` (${hint})`}`;
}

describe('each keyword says what it expected and what it got', () => {
  test.each([
    { schema: { type: 'integer' }, value: 'x', issue: '$ type: expected integer, got string' },
    { schema: { type: ['string', 'null'] }, value: 5, issue: '$ type: expected string or null, got number' },
    {
      schema: { type: ['string', 'null', 'array'] },
      value: {},
      issue: '$ type: expected string, null or array, got object',
    },
    {
      schema: { type: 'string', enum: ['a', 'b'] },
      value: 5,
      issue: '$ type: expected string, got number (It must be one of "a" or "b".)',
    },
    { schema: { type: 'object' }, value: null, issue: '$ type: expected object, got null' },
    { schema: { type: 'object' }, value: [], issue: '$ type: expected object, got array' },
    { schema: { type: 'integer' }, value: 1.5, issue: '$ type: expected integer, got number' },
    { schema: { type: 'string' }, value: undefined, issue: '$ type: expected string, got undefined' },
    {
      schema: { enum: ['small', 'large'] },
      value: 'larg',
      issue: '$ enum: expected one of "small" or "large", got string (Did you mean "large"?)',
    },
    {
      schema: { enum: ['small', 'large'] },
      value: 'huge',
      issue: '$ enum: expected one of "small" or "large", got string',
    },
    { schema: { enum: [1, null, [2]] }, value: 5, issue: '$ enum: expected one of 1, null or [2], got number' },
    { schema: { enum: ['one'] }, value: 'ONE', issue: '$ enum: expected "one", got string (Did you mean "one"?)' },
    { schema: { enum: [] }, value: 1, issue: '$ enum: expected no value at all, got number' },
    { schema: { const: { a: 1 } }, value: {}, issue: '$ const: expected {"a":1}, got object' },
    { schema: { minimum: 5 }, value: 4, issue: '$ minimum: expected number >= 5, got a smaller number' },
    { schema: { maximum: 5 }, value: 6, issue: '$ maximum: expected number <= 5, got a larger number' },
    {
      schema: { exclusiveMinimum: 5 },
      value: 5,
      issue: '$ exclusiveMinimum: expected number > 5, got a smaller number',
    },
    {
      schema: { exclusiveMaximum: 5 },
      value: 5,
      issue: '$ exclusiveMaximum: expected number < 5, got a larger number',
    },
    {
      schema: { $schema: DRAFT_04, minimum: 5, exclusiveMinimum: true },
      value: 5,
      issue: '$ minimum: expected number > 5, got a smaller number',
    },
    {
      schema: { $schema: DRAFT_04, maximum: 5, exclusiveMaximum: true },
      value: 5,
      issue: '$ maximum: expected number < 5, got a larger number',
    },
    {
      schema: { multipleOf: 0.01 },
      value: 19.999,
      issue: '$ multipleOf: expected multiple of 0.01, got another number',
    },
    {
      schema: { minLength: 3 },
      value: 'a😀',
      issue: '$ minLength: expected string of at least 3 characters, got string of 2 characters',
    },
    {
      schema: { maxLength: 1 },
      value: 'ab',
      issue: '$ maxLength: expected string of at most 1 character, got string of 2 characters',
    },
    {
      schema: { pattern: '^a+$' },
      value: 'b',
      issue: '$ pattern: expected string matching ^a+$, got one that does not match',
    },
    {
      schema: { minItems: 2 },
      value: [1],
      issue: '$ minItems: expected array of at least 2 items, got array of 1 item',
    },
    {
      schema: { maxItems: 0 },
      value: [1, 2],
      issue: '$ maxItems: expected array of at most 0 items, got array of 2 items',
    },
    {
      schema: { uniqueItems: true },
      value: [1, 2, 1],
      issue: '$ uniqueItems: expected array of different items, got array in which item 2 repeats an earlier one',
    },
    { schema: { items: { type: 'string' } }, value: ['a', 1], issue: '$[1] type: expected string, got number' },
    {
      schema: { prefixItems: [{ type: 'string' }], items: false },
      value: ['a', 1],
      issue: '$ items: expected array of at most 1 item, got array of 2 items',
    },
    {
      schema: { $schema: DRAFT_07, items: [true], additionalItems: false },
      value: [1, 2],
      issue: '$ additionalItems: expected array of at most 1 item, got array of 2 items',
    },
    {
      schema: { contains: { const: 1 } },
      value: [2],
      issue: '$ contains: expected array with at least 1 item of the kind that "contains" describes, got array with 0',
    },
    {
      schema: { contains: { const: 1 }, minContains: 2 },
      value: [1],
      issue:
        '$ minContains: expected array with at least 2 items of the kind that "contains" describes, got array with 1',
    },
    {
      schema: { contains: { const: 1 }, maxContains: 1 },
      value: [1, 1],
      issue:
        '$ maxContains: expected array with at most 1 item of the kind that "contains" describes, got array with 2',
    },
    { schema: { unevaluatedItems: { type: 'string' } }, value: [1], issue: '$[0] type: expected string, got number' },
    {
      schema: { required: ['email'] },
      value: {},
      issue: '$ required: expected property "email", got object without it',
    },
    {
      schema: { required: ['email'] },
      value: { emial: 1 },
      issue: '$ required: expected property "email", got object without it (Is "emial" meant to be "email"?)',
    },
    {
      schema: { properties: { emial: true }, required: ['email'] },
      value: { emial: 1 },
      issue: '$ required: expected property "email", got object without it',
    },
    {
      schema: { minProperties: 2 },
      value: { a: 1 },
      issue: '$ minProperties: expected object of at least 2 properties, got object of 1 property',
    },
    {
      schema: { maxProperties: 1 },
      value: { a: 1, b: 2 },
      issue: '$ maxProperties: expected object of at most 1 property, got object of 2 properties',
    },
    {
      schema: { properties: { email: true }, additionalProperties: false },
      value: { emial: 1 },
      issue: '$ additionalProperties: expected no property "emial", got object with it (Did you mean "email"?)',
    },
    {
      schema: { additionalProperties: false },
      value: { x: 1 },
      issue: '$ additionalProperties: expected no property "x", got object with it',
    },
    {
      schema: { additionalProperties: { type: 'string' } },
      value: { x: 1 },
      issue: '$.x type: expected string, got number',
    },
    {
      schema: { patternProperties: { '^x': { type: 'string' } } },
      value: { x: 1 },
      issue: '$.x type: expected string, got number',
    },
    {
      schema: { properties: { never: false } },
      value: { never: 1 },
      issue: '$.never false: expected no value here, got number',
    },
    {
      schema: { propertyNames: { maxLength: 2 } },
      value: { abc: 1 },
      issue: '$ propertyNames: expected another name than "abc": string of at most 2 characters, got object with it',
    },
    {
      schema: { propertyNames: { enum: ['left'] } },
      value: { lefd: 1 },
      issue: '$ propertyNames: expected another name than "lefd": "left", got object with it (Did you mean "left"?)',
    },
    {
      schema: { propertyNames: false },
      value: { a: 1 },
      issue: '$ propertyNames: expected another name than "a": no value here, got object with it',
    },
    {
      schema: { dependentRequired: { a: ['b'] } },
      value: { a: 1 },
      issue: '$ dependentRequired: expected property "b", for there is "a", got object without it',
    },
    {
      schema: { properties: { emial: true }, dependentRequired: { a: ['email'] } },
      value: { a: 1, emial: 1 },
      issue: '$ dependentRequired: expected property "email", for there is "a", got object without it',
    },
    {
      schema: { dependentRequired: { a: ['email'] } },
      value: { a: 1, emial: 1 },
      issue:
        '$ dependentRequired: expected property "email", for there is "a", got object without it (Is "emial" meant to be "email"?)',
    },
    {
      schema: { $schema: DRAFT_07, dependencies: { a: ['b'] } },
      value: { a: 1 },
      issue: '$ dependencies: expected property "b", for there is "a", got object without it',
    },
    {
      schema: { dependentSchemas: { a: { required: ['b'] } } },
      value: { a: 1 },
      issue: '$ required: expected property "b", got object without it',
    },
    {
      schema: { unevaluatedProperties: false, properties: { size: true } },
      value: { sise: 1 },
      issue: '$ unevaluatedProperties: expected no property "sise", got object with it (Did you mean "size"?)',
    },
    {
      schema: { unevaluatedProperties: { type: 'string' } },
      value: { x: 1 },
      issue: '$.x type: expected string, got number',
    },
    {
      schema: { not: { type: 'string' } },
      value: 'x',
      issue: '$ not: expected a value other than "not" describes, got string',
    },
    { schema: false, value: 'x', issue: '$ false: expected no value here, got string' },
    {
      schema: '{"if":{"minimum":5},"then":{"multipleOf":2},"else":{"multipleOf":3}}',
      value: 7,
      issue: '$ multipleOf: expected multiple of 2, got another number',
    },
    {
      schema: '{"if":{"minimum":5},"then":{"multipleOf":2},"else":{"multipleOf":3}}',
      value: 4,
      issue: '$ multipleOf: expected multiple of 3, got another number',
    },
  ])('$schema on $value', ({ schema, value, issue }) => {
    expect(onlyIssue(schema, value)).toBe(issue);
  });
});

describe('alternatives are one issue', () => {
  const shapes = {
    oneOf: [
      {
        title: 'circle',
        type: 'object',
        properties: { kind: { const: 'circle' }, r: { type: 'number' } },
        required: ['kind', 'r'],
      },
      {
        title: 'square',
        type: 'object',
        properties: { kind: { const: 'square' }, a: { type: 'number' } },
        required: ['kind', 'a'],
      },
    ],
  };
  test.each([
    {
      why: 'each said in a word',
      schema: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      value: 5,
      issue: '$ anyOf: expected string or null, got number',
    },
    {
      why: 'the same word twice',
      schema: { anyOf: [{ type: 'string' }, { type: 'string' }] },
      value: 5,
      issue: '$ anyOf: expected string, got number',
    },
    {
      why: 'values to choose from',
      schema: { oneOf: [{ const: 'left' }, { const: 'right' }] },
      value: 'lefd',
      issue: '$ oneOf: expected "left" or "right", got string (Did you mean "left"?)',
    },
    {
      why: 'the discriminator tells which was meant',
      schema: shapes,
      value: { kind: 'square', a: 'x' },
      issue:
        '$ oneOf: expected one of 2 alternatives, got object that fits none; closest is 2 (square): $.a expected number, got string',
    },
    {
      why: 'one that lacks a member is closer than one of another kind',
      schema: shapes,
      value: { kind: 'circle' },
      issue:
        '$ oneOf: expected one of 2 alternatives, got object that fits none; closest is 1 (circle): $ expected property "r", got object without it',
    },
    {
      why: 'one of the right type is closer than one of another',
      schema: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
      value: [1, 2, 3],
      issue:
        '$ anyOf: expected one of 2 alternatives, got array that fits none; closest is 2: $[0] expected string, got number',
    },
    {
      why: 'the hint is that of the closest',
      schema: { anyOf: [{ type: 'string' }, { required: ['size'] }] },
      value: { sise: 1 },
      issue:
        '$ anyOf: expected one of 2 alternatives, got object that fits none; closest is 2: $ expected property "size", got object without it (Is "sise" meant to be "size"?)',
    },
    {
      why: 'too many fit',
      schema: { oneOf: [{ type: 'number' }, { type: 'string' }, { title: 'small', maximum: 5 }] },
      value: 3,
      issue: '$ oneOf: expected exactly one of 3 alternatives, got a value that fits 1 and 3 (small) alike',
    },
    {
      why: 'inside a member',
      schema: { properties: { to: { anyOf: [{ type: 'string' }, { items: { type: 'string' }, type: 'array' }] } } },
      value: { to: [5] },
      issue:
        '$.to anyOf: expected one of 2 alternatives, got array that fits none; closest is 2: $.to[0] expected string, got number',
    },
    {
      why: 'alternatives of alternatives',
      schema: { anyOf: [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, { type: 'boolean' }] },
      value: 5,
      issue:
        '$ anyOf: expected one of 2 alternatives, got number that fits none; closest is 1: $ expected string or null, got number',
    },
  ])('$why', ({ schema, value, issue }) => {
    expect(onlyIssue(schema, value)).toBe(issue);
  });

  test('what a branch had against the value is no issue where another branch fits', () => {
    const schema = { properties: { a: { anyOf: [{ type: 'string' }, { type: 'integer' }] }, b: { type: 'string' } } };
    expect(issuesOf(schema, { a: 5, b: 5 }).map(({ path }) => path)).toEqual(['$.b']);
  });

  test('only so many alternatives are looked into', () => {
    const branches = Array.from({ length: 200 }, (_, at) => ({
      properties: { kind: { const: `k${at}` }, x: { type: 'string' } },
      required: ['x'],
    }));
    const issues = issuesOf({ items: { anyOf: branches } }, [{ kind: 'k7' }, { kind: 'k8' }, { kind: 'k9' }]);
    expect(issues.map(({ message }) => message.includes('closest'))).toEqual([true, true, false]);
    expect(issues[2]).toMatchObject({
      message: 'expected one of 200 alternatives, got object that fits none',
      path: '$[2]',
    });
  });
});

describe('all issues, in an order that does not depend on how the schema was written', () => {
  const value = { b: 'x', a: 5, c: [1, 'y'], extra: 1 };
  const places = (schema: unknown) => issuesOf(schema, value).map(({ pointer, keyword }) => `${pointer} ${keyword}`);
  const properties = { a: { type: 'string' }, b: { type: 'integer' }, c: { items: { type: 'string' } } };

  test('members as they come in the value, after what is wrong with the whole', () => {
    const expected = [' required', '/b type', '/a type', '/c/0 type', ' additionalProperties', ' not'];
    const rest = { required: ['d'], not: { required: ['b'] }, additionalProperties: false };
    expect(places({ properties, ...rest })).toEqual(expected);
    expect(places({ ...rest, properties: { c: properties.c, b: properties.b, a: properties.a } })).toEqual(expected);
  });

  test('nothing is reported twice, or of what lies below a wrong type', () => {
    expect(places({ type: 'array', properties, required: ['d'] })).toEqual([' type']);
  });

  test.each([
    { count: 19, shown: 19, truncated: false },
    { count: 20, shown: 20, truncated: false },
    { count: 21, shown: 20, truncated: true },
    { count: 300_000, shown: 20, truncated: true },
  ])('$count wrong items: $shown are shown', ({ count, shown, truncated }) => {
    const compilation = compileSchema({ items: { type: 'string' } });
    if (!compilation.ok) throw compilation.error;
    const verdict = compilation.judge.checkValue(Array.from({ length: count }, () => 1));
    if (verdict.valid) expect.fail('it was let through');
    expect([verdict.issues.length, verdict.truncated]).toEqual([shown, truncated]);
  });
});

describe('values are not shown unless asked for: they may be secrets', () => {
  const schema = { properties: { token: { maxLength: 3 }, kind: { enum: ['a'] }, list: { maxItems: 0 } } };
  const value = { token: 'swordfish', kind: 'z', list: ['swordfish'] };

  test('not by default', () => {
    expect(JSON.stringify(issuesOf(schema, value))).not.toContain('swordfish');
  });

  test.each([
    { value: 'z', received: '"z"' },
    { value: null, received: 'null' },
    { value: 12.5, received: '12.5' },
    { value: 'x'.repeat(58), received: `"${'x'.repeat(58)}"` },
    { value: 'x'.repeat(200), received: `"${'x'.repeat(59)}…` },
    { value: ['swordfish'], received: 'array' },
    { value: { a: 'swordfish' }, received: 'object' },
  ])('on demand: $received', ({ value, received }) => {
    expect(issuesOf({ const: 'other' }, value, { showReceived: true })).toMatchObject([{ received }]);
  });
});

describe('what is expected is shown, but not without end', () => {
  test.each([
    { count: 20, ending: '"v18" or "v19"' },
    { count: 25, ending: '"v18", "v19" or 5 more' },
  ])('$count values', ({ count, ending }) => {
    const [issue] = issuesOf({ enum: Array.from({ length: count }, (_, at) => `v${at}`) }, 5);
    expect(issue?.expected.endsWith(ending)).toBe(true);
  });

  test('a long value is cut', () => {
    const [issue] = issuesOf({ const: { a: 'x'.repeat(100) } }, 5);
    expect(issue?.expected).toBe(`{"a":"${'x'.repeat(54)}…`);
  });
});

describe('did you mean', () => {
  test.each([
    { why: 'a slip', name: 'emial', known: ['email', 'name'], meant: 'email' },
    { why: 'case', name: 'UserName', known: ['username', 'userNames'], meant: 'username' },
    { why: 'the nearest of several', name: 'colour', known: ['colors', 'color'], meant: 'color' },
    { why: 'a short name must be near', name: 'ab', known: ['xy', 'abc'], meant: 'abc' },
    { why: 'a letter is no slip for another', name: 'a', known: ['b'], meant: undefined },
    { why: 'letters that changed places', name: 'emial', known: ['email'], meant: 'email' },
    { why: 'too far', name: 'password', known: ['pass'], meant: undefined },
    { why: 'too long to be a slip', name: 'x'.repeat(65), known: ['x'.repeat(64)], meant: undefined },
    { why: 'nothing to choose from', name: 'a', known: [], meant: undefined },
  ])('$why', ({ name, known, meant }) => {
    const properties = Object.fromEntries(known.map((one) => [one, true]));
    const [issue] = issuesOf({ properties, additionalProperties: false }, { [name]: 1 });
    expect(issue?.hint).toBe(meant === undefined ? undefined : `Did you mean "${meant}"?`);
  });

  test('only so many names are compared', () => {
    const hintAmong = (count: number) => {
      const names = [...Array.from({ length: count }, (_, at) => `other-${at}`), 'zebra'];
      const properties = Object.fromEntries(names.map((name) => [name, true]));
      return issuesOf({ properties, additionalProperties: false }, { zebar: 1 })[0]?.hint;
    };
    expect(hintAmong(199)).toBe('Did you mean "zebra"?');
    expect(hintAmong(200)).toBeUndefined();
  });
});
