import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dissect } from '../../test/fixtures/json-anatomy.js';
import { anyNode, anySpace } from '../../test/fixtures/json-texts.js';
import { OversizeLine } from './oversize.js';

function read(text: string, chunkBytes = 1_000): OversizeLine {
  const line = new OversizeLine();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) line.read(bytes.subarray(at, at + chunkBytes));
  return line;
}

const ID_TOKENS = [
  '0',
  '7',
  '-1',
  '12345678901234567890',
  '1.0',
  '"a"',
  '""',
  '"a\\"}],{:\\\\"',
  '"é😀"',
  `"${'x'.repeat(250)}"`,
];

const anyMessage = fc
  .record({
    id: fc.option(fc.constantFrom(...ID_TOKENS), { nil: undefined }),
    method: fc.option(fc.constantFrom('tools/call', 'ping', 'notifications/progress'), { nil: undefined }),
    others: fc.uniqueArray(fc.tuple(fc.constantFrom('params', 'result', 'error', 'x', ''), anyNode), {
      selector: ([name]) => name,
      maxLength: 4,
    }),
    space: anySpace,
    order: fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
  })
  .map(({ id, method, others, space, order }) => {
    const members = [
      ...(id === undefined ? [] : [['id', id] as const]),
      ...(method === undefined ? [] : [['method', `"${method}"`] as const]),
      ...others.map(([name, node]) => [name, dissect(node, space, space).text] as const),
    ];
    const ordered = members.map((member, i) => [order[i]!, member] as const).sort(([a], [b]) => a - b);
    const text = `{${ordered.map(([, [name, value]]) => `${space}"${name}"${space}:${space}${value}${space}`).join(',')}}`;
    return { id, method, text };
  });

test('finds the id and the method of the root wherever they stand, however the text is cut', () => {
  fc.assert(
    fc.property(anyMessage, fc.integer({ min: 1, max: 40 }), ({ id, method, text }, chunkBytes) => {
      const line = read(text, chunkBytes);
      expect([line.id, line.method]).toEqual([id, method]);
      expect(line.length).toBe(Buffer.byteLength(text));
    }),
    { numRuns: 500 },
  );
});

test.each([
  { why: 'an array', text: '[{"id":1,"method":"ping"},{}', isBatch: true },
  { why: 'an array behind blanks and a byte order mark', text: '\ufeff \t[', isBatch: true },
  { why: 'an object that holds one', text: '{"a":[1]}', isBatch: false },
  { why: 'an object with an array behind it', text: '{} [1]', isBatch: false },
  { why: 'a string that begins like one', text: '"["', isBatch: false },
])('tells a batch by its root: $why', ({ text, isBatch }) => {
  expect(read(text, 2)).toMatchObject({ isBatch, id: undefined, method: undefined });
});

describe('members that are not the root’s', () => {
  test.each([
    { why: 'in params', text: '{"params":{"id":1,"method":"x"}}' },
    { why: 'in an array', text: '{"a":[{"id":1},"id",1],"b":["method"]}' },
    { why: 'in a batch', text: '[{"id":1,"method":"x"},{"id":2}]' },
    { why: 'in a string', text: '{"a":"\\"id\\":1,\\"method\\":\\"x\\""}' },
    { why: 'as a value', text: '{"a":"id","b":"method","c":1}' },
    { why: 'a name that only ends so', text: '{"xid":1,"idx":2,"ID":3}' },
  ])('do not count: $why', ({ text }) => {
    const line = read(text, 3);
    expect([line.id, line.method]).toEqual([undefined, undefined]);
  });

  test('do not hide the root’s', () => {
    const text = '{"result":{"id":1,"x":["}",{"id":"\\\\"}]},"id":2}';
    for (let chunk = 1; chunk < text.length; chunk++) expect(read(text, chunk).id).toBe('2');
  });
});

describe('an id that may not be echoed is null, so that what was meant as a request is answered all the same', () => {
  test.each([
    { why: 'null', token: 'null' },
    { why: 'true', token: 'true' },
    { why: 'an object', token: '{"id":1}' },
    { why: 'an array', token: '[1]' },
    { why: 'a word', token: 'xyz' },
    { why: 'a number that is none', token: '01' },
    { why: 'two tokens', token: '"a" "b"' },
    { why: 'a bad escape', token: '"\\x"' },
    { why: 'a control character', token: '"\u0001"' },
    { why: 'too long to keep', token: `"${'x'.repeat(300)}"` },
  ])('$why', ({ token }) => {
    const line = read(`{"jsonrpc":"2.0","id":${token},"method":"ping","params":{}}`);
    expect([line.id, line.method]).toEqual(['null', 'ping']);
  });
});

test('a method that is no short string is a method all the same', () => {
  for (const token of ['{}', '7', `"${'x'.repeat(300)}"`]) {
    expect(read(`{"id":1,"method":${token}}`).method, token).toBeDefined();
  }
});

test('keeps no more than a token of what it reads', () => {
  const line = new OversizeLine();
  line.read(Buffer.from('{"id":"'));
  const long = Buffer.alloc(1 << 20, 'x');
  for (let i = 0; i < 8; i++) line.read(long);
  line.read(Buffer.from('","method":"m"}'));
  expect([line.id, line.method]).toEqual(['null', 'm']);
});

test('bears noise', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 80 }),
      fc.string({ unit: fc.constantFrom(...'{}[]",:id\\ 1'), maxLength: 80 }),
      (bytes, text) => {
        const line = new OversizeLine();
        line.read(bytes);
        line.read(Buffer.from(text));
        if (line.id !== undefined) expect(() => JSON.parse(line.id!)).not.toThrow();
      },
    ),
    { numRuns: 1_000 },
  );
});
