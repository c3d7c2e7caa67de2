import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DoorError } from '../../../base/index.js';
import type { FileFormat, Json } from '../spec.js';
import { isEqual, valueAt, withValueAt } from './equal.js';
import { openFile } from './open-file.js';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const open = (format: FileFormat, text: string) => openFile({ format, name: 'f', bytes: encode(text) });

describe('JSON with comments', () => {
  test.each<{ why: string; before: string; path: (string | number)[]; value: Json; after: string }>([
    { why: 'an empty file', before: '', path: ['a', 'b'], value: 1, after: '{\n  "a": {\n    "b": 1\n  }\n}\n' },
    { why: 'only comments', before: '// hi', path: ['a'], value: 1, after: '// hi\n{\n  "a": 1\n}\n' },
    { why: 'an empty object in one line', before: '{}', path: ['a'], value: 1, after: '{\n  "a": 1\n}' },
    {
      why: 'a comment behind the last member stays behind it',
      before: '{\n  "a": 1 // one\n}',
      path: ['b'],
      value: 2,
      after: '{\n  "a": 1, // one\n  "b": 2\n}',
    },
    {
      why: 'a trailing comma stays the custom',
      before: '{\n\t"a": 1, // one\n}\n',
      path: ['b'],
      value: 2,
      after: '{\n\t"a": 1, // one\n\t"b": 2,\n}\n',
    },
    { why: 'one line stays one line', before: '{ "a": 1 }', path: ['b'], value: [2], after: '{ "a": 1, "b": [2] }' },
    {
      why: 'one line with a trailing comma',
      before: '{ "a": 1, }',
      path: ['b'],
      value: 2,
      after: '{ "a": 1, "b": 2 }',
    },
    {
      why: 'a comment over several lines behind the last member',
      before: '{\n  "a": 1 /* one\n  two */\n}',
      path: ['b'],
      value: 2,
      after: '{\n  "a": 1,\n  "b": 2\n /* one\n  two */\n}',
    },
    {
      why: 'the closing bracket on the last line',
      before: '{\n  "a": 1 }',
      path: ['b'],
      value: 2,
      after: '{\n  "a": 1,\n  "b": 2\n }',
    },
    {
      why: 'a value is replaced where it stands',
      before: '{ "a": /* here */ 1 /* there */ }',
      path: ['a'],
      value: 'x',
      after: '{ "a": /* here */ "x" /* there */ }',
    },
    {
      why: 'an item is added to a list',
      before: '[\n  1, // one\n  2 // two\n]',
      path: [2],
      value: 3,
      after: '[\n  1, // one\n  2, // two\n  3\n]',
    },
    {
      why: 'of a name written twice, the last is changed',
      before: '{ "a": 1, "a": 2 }',
      path: ['a'],
      value: 3,
      after: '{ "a": 1, "a": 3 }',
    },
    {
      why: 'a name with a dot in it',
      before: '{"a.b":{}}',
      path: ['a.b', 'c'],
      value: 1,
      after: '{"a.b":{\n  "c": 1\n}}',
    },
  ])('set: $why', ({ before, path, value, after }) => {
    const file = open('jsonc', before);
    file.set(path, value);
    expect(file.text).toBe(after);
  });

  test.each<{ why: string; before: string; path: string[]; after: string }>([
    { why: 'a line', before: '{\n  "a": 1,\n  "b": 2\n}', path: ['a'], after: '{\n  "b": 2\n}' },
    { why: 'the last line', before: '{\n  "a": 1,\n  "b": 2\n}', path: ['b'], after: '{\n  "a": 1\n}' },
    { why: 'the only line', before: '{\n  "a": 1\n}', path: ['a'], after: '{\n}' },
    { why: 'in one line', before: '{ "a": 1, "b": 2 }', path: ['a'], after: '{ "b": 2 }' },
    { why: 'the last in one line', before: '{ "a": 1, "b": 2 }', path: ['b'], after: '{ "a": 1 }' },
    {
      why: 'what is noted stays',
      before: '{\n  "a": 1, // one\n  "b": 2\n}',
      path: ['a'],
      after: '{\n  // one\n  "b": 2\n}',
    },
    { why: 'nothing', before: '{ "a": 1 }', path: ['b'], after: '{ "a": 1 }' },
  ])('remove: $why', ({ before, path, after }) => {
    const file = open('jsonc', before);
    file.remove(path);
    expect(file.text).toBe(after);
  });
});

describe('YAML', () => {
  test.each<{ why: string; before: string; path: (string | number)[]; value: Json; after: string }>([
    { why: 'an empty file', before: '', path: ['a', 'b'], value: 'x', after: 'a:\n  b: x\n' },
    { why: 'only comments', before: '# hi\n', path: ['a'], value: 'x', after: '# hi\na: x\n' },
    {
      why: 'a key without a value',
      before: 'a: # none\nb: 1\n',
      path: ['a', 'c'],
      value: 2,
      after: 'a: # none\n  c: 2\nb: 1\n',
    },
    { why: 'an empty map', before: 'a: {} # none\n', path: ['a', 'c'], value: 2, after: 'a: # none\n  c: 2\n' },
    {
      why: 'behind the last member and what is noted there',
      before: 'a:\n    b: 1 # one\n\n# next\nc: 3\n',
      path: ['a', 'd'],
      value: 'x y',
      after: 'a:\n    b: 1 # one\n    d: "x y"\n\n# next\nc: 3\n',
    },
    { why: 'a scalar', before: 'a: one # first\nb: 2\n', path: ['a'], value: 'two', after: 'a: two # first\nb: 2\n' },
    {
      why: 'a list item',
      before: 'a:\n- b: 1\nc: 2\n',
      path: ['a', 1],
      value: { b: 3 },
      after: 'a:\n- b: 1\n- b: 3\nc: 2\n',
    },
    { why: 'a map in braces', before: 'a: { b: 1 }\n', path: ['a', 'c'], value: 2, after: 'a: { b: 1, c: 2 }\n' },
  ])('set: $why', ({ before, path, value, after }) => {
    const file = open('yaml', before);
    file.set(path, value);
    expect(file.text).toBe(after);
  });

  test.each<{ why: string; before: string; path: string[]; after: string }>([
    { why: 'a line', before: 'a: 1\nb: 2\n', path: ['a'], after: 'b: 2\n' },
    { why: 'a block', before: 'a:\n  - 1\n  - 2\nb: 2\n', path: ['a'], after: 'b: 2\n' },
    { why: 'what is noted stays', before: 'a: 1 # one\nb: 2\n', path: ['a'], after: '# one\nb: 2\n' },
  ])('remove: $why', ({ before, path, after }) => {
    const file = open('yaml', before);
    file.remove(path);
    expect(file.text).toBe(after);
  });
});

describe('TOML', () => {
  test.each<{ why: string; before: string; path: string[]; value: Json; after: string }>([
    { why: 'an empty file', before: '', path: ['s', 'a'], value: { x: 1 }, after: '[s.a]\nx = 1\n' },
    {
      why: 'a table is added at the end',
      before: 'm = 1 # m\n\n[s.b] # b\nx = 2\n\n# end',
      path: ['s', 'a'],
      value: { x: ['q"', '\\'], y: { z: true } },
      after: 'm = 1 # m\n\n[s.b] # b\nx = 2\n\n# end\n\n[s.a]\nx = ["q\\"", "\\\\"]\ny = { z = true }\n',
    },
    {
      why: 'a name that needs quotes',
      before: '',
      path: ['s', 'a.b'],
      value: { 'x y': 1 },
      after: '[s."a.b"]\n"x y" = 1\n',
    },
    {
      why: 'a value, with the dates and remarks around it',
      before: '[s.a] # a\nx = 1 # one\n\n# next\n[t]\nd = 1979-05-27\n',
      path: ['s', 'a', 'x'],
      value: 2,
      after: '[s.a] # a\nx = 2 # one\n\n# next\n[t]\nd = 1979-05-27\n',
    },
    {
      why: 'a server in braces gets a neighbour',
      before: '[s]\na = { x = 1 } # in\n',
      path: ['s', 'b'],
      value: { x: 2 },
      after: '[s]\na = { x = 1 } # in\n\n[s.b]\nx = 2\n',
    },
  ])('set: $why', ({ before, path, value, after }) => {
    const file = open('toml', before);
    file.set(path, value);
    expect(file.text).toBe(after);
  });

  test('a member and its subtable leave without what comes next', () => {
    const file = open('toml', '[s.a] # a\nx = 1\n[s.a.env]\nK = "v"\n\n# next\n[t]\nz = 1\n');
    file.set(['s', 'a'], { url: 'u' });
    expect(file.text).toBe('[s.a] # a\nurl = "u"\n\n# next\n[t]\nz = 1\n');
  });

  test('tables of one server that stand apart are changed as well', () => {
    const file = open('toml', '[s.a]\nx = 1\n\n[t]\nz = 1 # z\n\n[s.a.env]\nK = "v" # k\n');
    file.set(['s', 'a'], { x: 2, env: { K: 'v' } });
    expect(file.value).toEqual({ s: { a: { x: 2, env: { K: 'v' } } }, t: { z: 1 } });
    expect(file.text).toContain('z = 1 # z');
    expect(file.text).toContain('K = "v" # k');
  });
});

test.each<{ why: string; format: FileFormat; text: string; message: RegExp; line: number; column: number }>([
  { why: 'a missing comma', format: 'jsonc', text: '{\n  "a": 1\n  "b": 2\n}', message: /comma/, line: 3, column: 3 },
  { why: 'an unclosed brace', format: 'jsonc', text: '{ "a": {', message: /f:1:9/, line: 1, column: 9 },
  { why: 'a tab in YAML', format: 'yaml', text: 'a:\n\t- b', message: /f:2:1/, line: 2, column: 1 },
  { why: 'a key twice in YAML', format: 'yaml', text: 'a: 1\na: 2', message: /unique/, line: 2, column: 1 },
  {
    why: 'a second document',
    format: 'yaml',
    text: 'a: 1\n---\nb: 1\n',
    message: /f:2:1: a second document/,
    line: 2,
    column: 1,
  },
  { why: 'lines that end with CR alone', format: 'yaml', text: '# a\rb: 1\n', message: /CR alone/, line: 1, column: 4 },
  { why: 'a key twice in TOML', format: 'toml', text: 'a = 1\na = 2', message: /f:2:/, line: 2, column: 1 },
  { why: 'no value in TOML', format: 'toml', text: '[x]\na =\n', message: /f:2:/, line: 2, column: 4 },
])('a broken file is refused with its place: $why', ({ format, text, message, line, column }) => {
  const error = refusalOf(() => open(format, text));
  expect(error.code).toBe('CONFIG_INVALID');
  expect(error.message).toMatch(message);
  expect(error.data).toMatchObject({ file: 'f', line, column });
});

test.each<{ format: FileFormat; text: string }>([
  { format: 'jsonc', text: '{ "s": [1] }' },
  { format: 'jsonc', text: '{ "s": null }' },
  { format: 'yaml', text: 's: text\n' },
  { format: 'yaml', text: '- a\n' },
  { format: 'yaml', text: 's:\n- a\n' },
  { format: 'yaml', text: 's:\n  a: [b]\n' },
  { format: 'yaml', text: 'z: &z { x: 1 }\ns: *z\n' },
  { format: 'toml', text: 's = 1\n' },
])('$format: where something else stands, nothing is written over it', ({ format, text }) => {
  const file = open(format, text);
  expect(refusalOf(() => file.set(['s', 'a', 'b'], 1)).code).toBe('CONFIG_INVALID');
  expect(file.text).toBe(text);
});

function refusalOf(task: () => unknown): DoorError {
  try {
    task();
  } catch (thrown) {
    if (thrown instanceof DoorError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was refused');
}

const key = fc.oneof(fc.stringMatching(/^[a-z_-]{1,6}$/), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }));
const scalar = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.integer(), fc.boolean());
const entry = fc.dictionary(
  key,
  fc.oneof(
    scalar,
    fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 3 }),
    fc.dictionary(key, scalar, { maxKeys: 3 }),
  ),
  { maxKeys: 4, noNullPrototype: true },
);
const FILES: Readonly<Record<FileFormat, readonly string[]>> = {
  jsonc: [
    '{\n  // one\n  "s": {\n    "n": { "a": 1 } // two\n  }, // three\n  "z": [] /* four */\n}\n',
    '\ufeff{\r\n\t"s": { /* one */ "n": {\r\n\t\t"a": [1], // two\r\n\t}, },\r\n}\r\n',
  ],
  yaml: [
    '# one\ns:\n  # two\n  n:\n    a: [1] # three\n# four\nz: 1\n',
    'z: 1 # one\r\ns:\r\n    n: # two\r\n        a: 1\r\n    m: {}\r\n',
  ],
  toml: [
    '# one\n[s.n] # two\na = [1] # three\n\n# four\n[z]\nd = 1979-05-27 # five\n',
    'z = 1 # one\r\n\r\n[s.m]\r\nx = "#" # two\r\n[s.n]\r\na = 1\r\n',
  ],
};

describe.each<FileFormat>(['jsonc', 'yaml', 'toml'])('%s', (format) => {
  test.each(FILES[format])('any two entries, one over the other, say what they say, and remarks stay: %j', (text) => {
    const remarks = text.match(/(one|two|three|four|five)/g)!;
    fc.assert(
      fc.property(fc.constantFrom('n', 'new', 'a.b'), entry, entry, (name, first, second) => {
        const file = open(format, text);
        const before = file.value;
        for (const value of [first, second]) {
          file.set(['s', name], value);
          const read = openFile({ format, name: 'f', bytes: file.bytes() }).value;
          expect(isEqual(read, withValueAt(before, ['s', name], value)), file.text).toBe(true);
        }
        const marks =
          name === 'n' ? remarks.filter((mark) => !/(a.*#|\/\/) (two|three)/.test(lineOf(text, mark))) : remarks;
        for (const mark of marks) expect(file.text).toContain(mark);
        const once = file.text;
        file.set(['s', name], second);
        expect(file.text).toBe(once);
        if (text.includes('\r')) expect(file.text.replaceAll('\r\n', '')).not.toContain('\n');
        const [head] = new TextDecoder('utf-8', { ignoreBOM: true }).decode(file.bytes());
        expect(head === '\ufeff').toBe(text.startsWith('\ufeff'));
      }),
      { numRuns: 60 },
    );
  });
});

function lineOf(text: string, mark: string): string {
  return text.split('\n').find((line) => line.includes(mark))!;
}

test('a value is found by its path, and nothing by another', () => {
  const root = { a: [{ b: 1 }] };
  expect(valueAt(root, ['a', 0, 'b'])).toBe(1);
  for (const path of [['a', 'b'], ['a', 1], ['toString'], ['a', 0, 'b', 'c']])
    expect(valueAt(root, path)).toBeUndefined();
});
