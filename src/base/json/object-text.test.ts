import { describe, expect, test } from 'vitest';
import { decodeText, encodeText } from './bytes.js';
import { dropEdits, findMember, membersOf, ObjectText, stringOf } from './object-text.js';
import { joinPieces, splice } from './splice.js';

function changed(text: string, change: (object: ObjectText) => void): string {
  const object = new ObjectText(encodeText(text));
  change(object);
  return decodeText(object.finish());
}

describe('a text to be changed', () => {
  test.each([
    { why: 'in front of others', text: '{ "a": 1 }', after: '{"new":0, "a": 1 }' },
    { why: 'of an empty object, without a comma', text: '{}', after: '{"new":0}' },
  ])('takes a member $why', ({ text, after }) => {
    expect(changed(text, (object) => object.insertFirst([], '"new":0'))).toBe(after);
  });

  test('takes a member into an object inside, of two of its name the last', () => {
    const text = '{"in":{"b":1},"in":{"c":2}}';
    expect(changed(text, (object) => object.insertFirst(['in'], '"a":0'))).toBe('{"in":{"b":1},"in":{"a":0,"c":2}}');
  });

  test('replaces the last value of a name, however that is spelled', () => {
    const text = '{"a":1, "\\u0061" : [2] }';
    expect(changed(text, (object) => object.replaceValue('a', 'true'))).toBe('{"a":1, "\\u0061" : true }');
  });

  test('replaces those values alone that a text is given for, told by their first bytes', () => {
    const text = '{"p":{"x":true,"y":{},"z":false}}';
    const by = (first: number) => (first === 0x74 ? '{}' : undefined);
    expect(changed(text, (object) => object.replaceValues(['p'], by))).toBe('{"p":{"x":{},"y":{},"z":false}}');
  });

  test('is the very same memory where nothing is changed', () => {
    const bytes = encodeText('{"a":1}');
    expect(new ObjectText(bytes).finish()).toBe(bytes);
  });
});

test.each([
  { names: ['a'], after: '{ "b":2, "c":3 }' },
  { names: ['b'], after: '{ "a":1, "c":3 }' },
  { names: ['c'], after: '{ "a":1, "b":2 }' },
  { names: ['a', 'b'], after: '{ "c":3 }' },
  { names: ['a', 'c'], after: '{ "b":2 }' },
  { names: ['b', 'c'], after: '{ "a":1 }' },
  { names: ['a', 'b', 'c'], after: '{  }' },
  { names: ['d'], after: '{ "a":1, "b":2, "c":3 }' },
])('drops $names, each with one comma', ({ names, after }) => {
  const bytes = encodeText('{ "a":1, "b":2, "c":3 }');
  const edits = dropEdits(membersOf(bytes, 0, bytes.length), new Set(names));
  expect(decodeText(joinPieces(splice(bytes, 0, bytes.length, edits)))).toBe(after);
});

test.each([
  { why: 'a string is read', text: '{"a":"x\\n"}', is: 'x\n' },
  { why: 'of two members the last counts', text: '{"a":"x","a":"y"}', is: 'y' },
  { why: 'a value of another kind is no string', text: '{"a":1}', is: undefined },
  { why: 'a member inside another is not meant', text: '{"b":{"a":"x"}}', is: undefined },
  { why: 'what is no object has no members', text: '["a"]', is: undefined },
])('$why', ({ text, is }) => {
  const bytes = encodeText(text);
  expect(stringOf(bytes, findMember(membersOf(bytes, 0, bytes.length), 'a'))).toBe(is);
});
