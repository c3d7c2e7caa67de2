import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  argumentsText,
  readArgumentsFile,
  readArgumentsObject,
  readTypedArguments,
  surprisesIn,
} from './call-arguments.js';
import { ToolParameters } from './property-types.js';

const SCHEMA = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    share: { type: 'number' },
    flag: { type: 'boolean' },
    either: { type: ['string', 'number'] },
    maybe: { type: ['number', 'null'] },
    list: { type: 'array' },
    params: { type: 'object' },
    level: { enum: [1, 2, 3] },
    word: { enum: ['1', 2] },
    fixed: { const: true },
    open: {},
    any: true,
    one: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] },
    some: { oneOf: [{ type: 'integer' }, { type: 'string' }] },
    all: { allOf: [{ description: 'x' }, { type: 'integer' }] },
    ref: { $ref: '#/$defs/Count' },
    loop: { $ref: '#/$defs/Loop' },
    gone: { $ref: '#/$defs/Gone' },
    far: { $ref: 'https://h.example/schema' },
    'a.b': { type: 'integer' },
    __proto__x: { type: 'integer' },
  },
  $defs: { Count: { type: 'integer' }, Loop: { $ref: '#/$defs/Loop' } },
};

function textOf(...words: readonly string[]): string {
  return argumentsText(readTypedArguments(words), new ToolParameters(SCHEMA));
}

test.each([
  { why: 'text is text', words: ['text=12'], sent: '{"text":"12"}' },
  { why: 'a value may hold equals signs', words: ['text=a=b:=c'], sent: '{"text":"a=b:=c"}' },
  { why: 'and be empty', words: ['text='], sent: '{"text":""}' },
  {
    why: 'a number where there is no text',
    words: ['count=5', 'share=-0.50e+3'],
    sent: '{"count":5,"share":-0.50e+3}',
  },
  { why: 'every digit of it', words: ['count=12345678901234567890'], sent: '{"count":12345678901234567890}' },
  {
    why: 'what is no JSON number stays text, for the judge to refuse',
    words: ['count=two', 'share=.5'],
    sent: '{"count":"two","share":".5"}',
  },
  { why: 'nor is a number with more to it', words: ['count=1 ', 'share=0x10'], sent: '{"count":"1 ","share":"0x10"}' },
  { why: 'true and false', words: ['flag=true', 'fixed=false'], sent: '{"flag":true,"fixed":false}' },
  { why: 'no other word for them', words: ['flag=yes'], sent: '{"flag":"yes"}' },
  {
    why: 'text wins where both are allowed',
    words: ['either=5', 'some=5', 'word=1'],
    sent: '{"either":"5","some":"5","word":"1"}',
  },
  { why: 'null where it is allowed', words: ['maybe=null', 'text=null'], sent: '{"maybe":null,"text":"null"}' },
  {
    why: 'JSON where it must be',
    words: ['params={"to": 1.0}', 'list=[1]'],
    sent: '{"params":{"to": 1.0},"list":[1]}',
  },
  { why: 'half of JSON is text', words: ['params={"to":'], sent: '{"params":"{\\"to\\":"}' },
  { why: 'values of an enum', words: ['level=2'], sent: '{"level":2}' },
  {
    why: 'what the schema leaves open is text',
    words: ['open=1', 'any=1', 'far=1', 'gone=1', 'loop=1'],
    sent: '{"open":"1","any":"1","far":"1","gone":"1","loop":"1"}',
  },
  {
    why: 'alternatives and references are followed',
    words: ['one=5', 'all=5', 'ref=5'],
    sent: '{"one":5,"all":5,"ref":5}',
  },
  { why: 'a name it does not know is text', words: ['other=1', '__proto__=1'], sent: '{"other":"1","__proto__":"1"}' },
  {
    why: 'JSON is sent as it was typed',
    words: ['x:={ "n": 12345678901234567890, "d": 1.50 }'],
    sent: '{"x":{ "n": 12345678901234567890, "d": 1.50 }}',
  },
  { why: 'a name with a dot may be declared', words: ['a.b=1'], sent: '{"a.b":1}' },
  { why: 'keys are escaped', words: ['a"b=1'], sent: '{"a\\"b":"1"}' },
  { why: 'no arguments are an empty object', words: [], sent: '{}' },
])('$why', ({ words, sent }) => expect(textOf(...words)).toBe(sent));

test.each([
  { why: 'no equals sign', words: ['hello'], says: '"hello" is no argument' },
  {
    why: 'a value that could be a secret',
    words: ['text=a', 'hunter2!'],
    says: 'word 2 after the tool is no argument',
  },
  { why: 'no name', words: ['=x'], says: 'word 1 after the tool is no argument' },
  { why: 'a name twice', words: ['a=1', 'a:=2'], says: '"a" is given twice' },
  { why: 'bad JSON', words: ['a:={"secret": hunter2}'], says: 'the value of "a" is not JSON: line 1, column 12' },
  { why: 'no JSON', words: ['a:='], says: 'the value of "a" is not JSON' },
  { why: 'JSON with a comment', words: ['a:=1 /* one */'], says: 'the value of "a" is not JSON' },
  {
    why: 'a path into an object',
    words: ['params.to=hunter2'],
    says: '"params.to" is no argument of this tool, but "params" is',
  },
])('$why is refused', ({ words, says }) => {
  expect(() => textOf(...words)).toThrow(says);
  expect(() => textOf(...words)).not.toThrow(/hunter2/);
});

test.each([
  { why: 'a misspelt name', words: ['txt=a'], says: ['"txt" is not in the tool\'s schema; did you mean "text"?'] },
  { why: 'a name like no other', words: ['zzzzzz=a'], says: ['"zzzzzz" is not in the tool\'s schema'] },
  { why: 'nothing to say of names it has', words: ['text=a'], says: [] },
])('$why', ({ words, says }) => {
  expect(surprisesIn(readTypedArguments(words), new ToolParameters(SCHEMA))).toEqual(says);
});

test.each([
  { why: 'a schema of nothing', schema: undefined },
  { why: 'a schema without properties', schema: { type: 'object' } },
  { why: 'a schema that allows others', schema: { properties: { a: {} }, additionalProperties: true } },
  { why: 'a schema that types others', schema: { properties: { a: {} }, additionalProperties: { type: 'integer' } } },
  { why: 'patterns of names', schema: { properties: { a: {} }, patternProperties: { '^x': {} } } },
  { why: 'names by reference', schema: { properties: { a: {} }, $ref: '#/$defs/more' } },
  { why: 'properties that are none', schema: { properties: null } },
])('$why surprises nobody', ({ schema }) => {
  expect(surprisesIn(readTypedArguments(['b=1']), new ToolParameters(schema))).toEqual([]);
});

test('names the schema does not list have the type it gives to the others', () => {
  const parameters = new ToolParameters({ additionalProperties: { type: 'integer' } });
  expect(argumentsText(readTypedArguments(['n=5']), parameters)).toBe('{"n":5}');
});

test('whatever is typed comes out as the JSON of what was meant', () => {
  const key = fc.string({ minLength: 1 }).filter((text) => !/[=:.]/.test(text) && text !== '__proto__');
  const words = fc.uniqueArray(fc.tuple(key, fc.oneof(fc.string(), fc.jsonValue())), { selector: ([name]) => name });
  fc.assert(
    fc.property(words, (given) => {
      const line = given.map(([name, value]) =>
        typeof value === 'string' ? `${name}=${value}` : `${name}:=${JSON.stringify(value)}`,
      );
      const text = argumentsText(readTypedArguments(line), new ToolParameters({}));
      const wanted = given.map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.parse(JSON.stringify(value)),
      ]);
      expect(JSON.parse(text)).toEqual(Object.fromEntries(wanted));
    }),
  );
});

const utf8 = new TextEncoder();

test('--args is kept as it is, a byte order mark apart', () => {
  const text = ' { "n": 12345678901234567890,\n "n": 1.50 } ';
  expect(readArgumentsObject(utf8.encode(`\ufeff${text}`), '--args')).toBe(text);
});

test.each([
  { why: 'an array', bytes: utf8.encode('[1]'), says: 'is no JSON object' },
  { why: 'nothing', bytes: new Uint8Array(), says: 'is not JSON' },
  { why: 'a comment', bytes: utf8.encode('{} // hunter2'), says: 'is not JSON: line 1, column 4' },
  { why: 'a mistake on another line', bytes: utf8.encode('{\n "a": hunter2 }'), says: 'is not JSON: line 2, column 7' },
  { why: 'bytes that are no text', bytes: Uint8Array.from([0x7b, 0xff, 0x7d]), says: 'is not UTF-8' },
  { why: 'nesting without end', bytes: utf8.encode('['.repeat(200_000)), says: 'is not JSON' },
])('--args with $why is refused', ({ bytes, says }) => {
  expect(() => readArgumentsObject(bytes, '--args')).toThrow(says);
  expect(() => readArgumentsObject(bytes, '--args')).not.toThrow(/hunter2/);
});

test('arguments are read from files, not from what may never end', (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'doorward-args-'));
  test.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const read = (name: string): Uint8Array => readArgumentsFile(name, join(folder, name));
  writeFileSync(join(folder, 'file'), '{}');
  expect(Buffer.from(read('file')).toString()).toBe('{}');
  expect(() => read('gone')).toThrow('cannot read gone: there is no such file');
  expect(() => readArgumentsFile('here', folder)).toThrow('cannot read here: it is no file');
  if (process.platform === 'win32') return;
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  expect(() => read('pipe')).toThrow('cannot read pipe: it is no file');
  expect(() => readArgumentsFile('zero', '/dev/zero')).toThrow('cannot read zero: it is no file');
});
