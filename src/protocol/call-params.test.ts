import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anySurroundings, inChunk } from '../../test/fixtures/json-texts.js';
import { JsonScanner, SCAN } from '../base/index.js';
import { type CallParams, locateCallParams, makeCallParams } from './call-params.js';

const scanner = new JsonScanner({ nestingLimit: 6 });

function locate(params: string, around = { shift: 0, before: '', after: '' }): CallParams | string {
  const { bytes, start, end } = inChunk(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`, around);
  if (!scanner.scan(bytes, start, end)) throw new Error(`no JSON: ${params}`);
  return locateCallParams(scanner, bytes, scanner.find('params', bytes));
}

function located(params: string): CallParams {
  const found = locate(params);
  if (typeof found === 'string') throw new Error(found);
  return found;
}

const textOf = ({ bytes }: CallParams, start: number, end: number): string | undefined =>
  start < 0 ? undefined : Buffer.from(bytes.subarray(start, end)).toString();

describe('locateCallParams', () => {
  test.each([
    { why: 'plain', params: '{"name":"t","arguments":{"a":1}}', name: 't', args: '{"a":1}', meta: undefined },
    {
      why: 'any order and white space',
      params: '{ "arguments" : { } ,\t"_meta":{}, "name"\r:\r"t" }',
      name: 't',
      args: '{ }',
      meta: '{}',
    },
    {
      why: 'members nobody knows',
      params: '{"x":{"name":"no"},"name":"t","y":[{"arguments":1}]}',
      name: 't',
      args: undefined,
      meta: undefined,
    },
    {
      why: 'names spelled with escapes',
      params: '{"n\\u0061me":"t","\\u0061rguments":[1],"\\u005fmeta":{}}',
      name: 't',
      args: '[1]',
      meta: '{}',
    },
    {
      why: 'a tool’s name spelled with escapes',
      params: '{"name":"\\u00e9\\/\\"\\ud83d\\ude00"}',
      name: 'é/"😀',
      args: undefined,
      meta: undefined,
    },
    { why: 'the empty name', params: '{"name":""}', name: '', args: undefined, meta: undefined },
    {
      why: 'arguments null are no arguments',
      params: '{"name":"t","arguments":null}',
      name: 't',
      args: undefined,
      meta: undefined,
    },
    {
      why: 'other arguments are for the judge to refuse',
      params: '{"name":"t","arguments":"{}"}',
      name: 't',
      args: '"{}"',
      meta: undefined,
    },
    { why: 'arguments that are a number', params: '{"name":"t","arguments":7}', name: 't', args: '7', meta: undefined },
  ])('$why', ({ params, name, args, meta }) => {
    const found = located(params);
    expect(found.name).toBe(name);
    expect(JSON.parse(textOf(found, found.nameStart, found.nameEnd)!)).toBe(name);
    expect(textOf(found, found.argumentsStart, found.argumentsEnd)).toBe(args);
    expect(textOf(found, found.metaStart, found.metaEnd)).toBe(meta);
    expect(textOf(found, found.start, found.end)).toBe(params);
    expect(textOf(found, found.nullStart, found.nullEnd)).toBe(params.includes('null') ? 'null' : undefined);
  });

  test.each([
    { params: '[]', reason: 'params are not an object' },
    { params: 'null', reason: 'params are not an object' },
    { params: '"{}"', reason: 'params are not an object' },
    { params: '{}', reason: 'params.name is missing' },
    { params: '{"x":{"name":"t"}}', reason: 'params.name is missing' },
    { params: '{"name":7}', reason: 'params.name is not a string' },
    { params: '{"name":null}', reason: 'params.name is not a string' },
    { params: '{"name":"t","_meta":[]}', reason: 'params._meta is not an object' },
    { params: '{"name":"t","_meta":"x"}', reason: 'params._meta is not an object' },
  ])('$params: $reason', ({ params, reason }) => expect(locate(params)).toBe(reason));

  test('without params: says so', () => {
    const bytes = Buffer.from('{"id":1}');
    scanner.scan(bytes, 0, bytes.length);
    expect(locateCallParams(scanner, bytes, scanner.find('params', bytes))).toBe('params are missing');
  });

  test.each([
    { why: 'a big number', args: '{"n":12345678901234567890}', flags: SCAN.riskyNumber },
    { why: 'a name twice', args: '{"a":{"b":1,"b":2}}', flags: SCAN.duplicateName },
    { why: 'a line break', args: '{"a":\r1}', flags: SCAN.lineBreak },
    { why: 'too deep', args: '[[[[[]]]]]', flags: SCAN.deep },
    { why: 'a long string', args: `{"a":"${'x'.repeat(70_000)}"}`, flags: SCAN.longString },
    { why: 'nothing of all that', args: '{"a":[1.5,"x"]}', flags: 0 },
  ])('flags what is in the arguments, and only there: $why', ({ args, flags }) => {
    const inside = located(`{"name":"t","arguments":${args}}`);
    expect(inside.argumentsFlags).toBe(flags);
    expect(inside.longStrings.length).toBe(flags & SCAN.longString ? 1 : 0);
    expect(inside.hasLineBreaks).toBe((flags & SCAN.lineBreak) !== 0);
    const beside = located(`{"x":${args},"name":"t","arguments":{}}`);
    expect(beside.argumentsFlags).toBe(0);
  });

  test.each([
    { why: 'the arguments twice', params: '{"name":"t","arguments":{},"arguments":{"a":1}}' },
    { why: 'the arguments twice, one of them null', params: '{"name":"t","arguments":{"a":1},"arguments":null}' },
    { why: 'the arguments twice, spelled differently', params: '{"name":"t","arguments":{},"argument\\u0073":{}}' },
    { why: 'the name twice', params: '{"name":"t","name":"u"}' },
    { why: 'a name twice in _meta', params: '{"name":"t","_meta":{"progressToken":1,"progressToken":2}}' },
    { why: 'a name twice deep in the arguments', params: '{"name":"t","arguments":{"a":[{"x":1,"x":2}]}}' },
  ])('suspects what occurs twice: $why', ({ params }) => expect(located(params).mayRepeatNames).toBe(true));

  test('suspects nothing where nothing occurs twice', () => {
    expect(located('{"name":"t","arguments":{"name":"x","arguments":{"a":1}},"_meta":{"name":1}}').mayRepeatNames).toBe(
      false,
    );
  });

  test('finds the same anywhere in a chunk', () => {
    const params = '{"_meta":{"a":1},"name":"t","arguments":{"b":[2]}}';
    fc.assert(
      fc.property(anySurroundings, (around) => {
        const found = locate(params, around);
        if (typeof found === 'string') return expect.fail(found);
        expect(textOf(found, found.argumentsStart, found.argumentsEnd)).toBe('{"b":[2]}');
        expect(textOf(found, found.metaStart, found.metaEnd)).toBe('{"a":1}');
      }),
    );
  });
});

describe('makeCallParams', () => {
  const make = (name: string, args?: string) =>
    makeCallParams(new JsonScanner(), name, args === undefined ? undefined : Buffer.from(args));

  test.each([
    { why: 'plain', name: 't', args: '{"a":1}' },
    { why: 'a name that needs escapes', name: 'a"\\\n\ud800é', args: '{}' },
    { why: 'several lines', name: 't', args: '{\n  "a": 1\r\n}' },
    { why: 'white space around', name: 't', args: ' \n{"a":1}\t' },
    { why: 'no arguments', name: 't', args: undefined },
  ])('says what a params object of that name and text would: $why', ({ name, args }) => {
    const made = make(name, args);
    if (typeof made === 'string') return expect.fail(made);
    expect(made.name).toBe(name);
    expect(textOf(made, made.argumentsStart, made.argumentsEnd)).toBe(args?.trim());
    expect(made.metaStart).toBe(-1);
    expect(made.hasLineBreaks).toBe(args?.includes('\n') ?? false);
  });

  test.each([
    { why: 'closes what it did not open', args: '{}},"name":"other","x":{"y":{}', reason: 'not JSON at byte 2' },
    { why: 'is cut off', args: '{"a":', reason: 'not JSON at byte 5' },
    { why: 'is empty', args: '', reason: 'not JSON at byte 0' },
    { why: 'goes on behind its end', args: '{},"_meta":{}', reason: 'not JSON at byte 2' },
  ])('refuses a text that $why', ({ args, reason }) => expect(make('t', args)).toBe(reason));

  test('refuses what is too deep only once it is inside', () => {
    for (const depth of [9_998, 9_999, 10_000, 10_001]) {
      const made = make('t', '['.repeat(depth) + ']'.repeat(depth));
      if (depth > 9_998) expect(made, `${depth} deep`).toBe('the arguments are nested too deeply');
      else expect(made).toMatchObject({ name: 't' });
    }
  });
});
