import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeText, encodeText, joinPieces } from '../base/index.js';
import { NO_CACHE, toModernResult } from './modern-result.js';

const US = '{"name":"doorward","version":"1"}';
const KEY = 'io.modelcontextprotocol/serverInfo';
const META = `"_meta":{"${KEY}":${US}}`;

/** The result lies in the middle of a message, as results do. */
function made(text: string, options: Partial<Parameters<typeof toModernResult>[1]> = {}): string {
  const bytes = encodeText(`{"id":1,"result":${text}}`);
  const start = '{"id":1,"result":'.length;
  return decodeText(
    joinPieces(toModernResult({ bytes, start, end: bytes.length - 1 }, { serverInfo: US, ...options })),
  );
}

test.each([
  { why: 'an empty one', text: '{}', becomes: `{"resultType":"complete",${META}}` },
  { why: 'an empty one with blanks', text: '{ \n}', becomes: `{"resultType":"complete",${META} \n}` },
  {
    why: 'the usual one: every byte of it stays',
    text: '{ "content" : [] , "x":12345678901234567890 }',
    becomes: `{"resultType":"complete",${META}, "content" : [] , "x":12345678901234567890 }`,
  },
  {
    why: 'one that says its type',
    text: '{"resultType":"complete","content":[]}',
    becomes: `{${META},"resultType":"complete","content":[]}`,
  },
  {
    why: 'one of an extension',
    text: '{"resultType":"task","taskId":"x"}',
    becomes: `{${META},"resultType":"task","taskId":"x"}`,
  },
  {
    why: 'a type that is no string is no type',
    text: '{"resultType":null}',
    becomes: `{${META},"resultType":"complete"}`,
  },
  {
    why: 'members of _meta stay, ours comes in front',
    text: '{"_meta":{"com.example/a":1}}',
    becomes: `{"resultType":"complete","_meta":{"${KEY}":${US},"com.example/a":1}}`,
  },
  { why: 'an empty _meta', text: '{"_meta":{}}', becomes: `{"resultType":"complete",${META}}` },
  { why: 'a _meta that is none', text: '{"_meta":null,"a":1}', becomes: `{"resultType":"complete",${META},"a":1}` },
  {
    why: "the upstream's own name is replaced",
    text: `{"_meta":{"a":1,"${KEY}":{"name":"up"},"b":2}}`,
    becomes: `{"resultType":"complete","_meta":{"${KEY}":${US},"a":1,"b":2}}`,
  },
  {
    why: 'also alone, and under an escaped name',
    text: '{"_meta":{"io.modelcontextprotocol\\/serverInfo":{"name":"up"}}}',
    becomes: `{"resultType":"complete",${META}}`,
  },
  {
    why: 'names with escapes',
    text: '{"result\\u0054ype":"complete","\\u005fmeta":{"a":1}}',
    becomes: `{"result\\u0054ype":"complete","\\u005fmeta":{"${KEY}":${US},"a":1}}`,
  },
  {
    why: 'the same names deeper down are nobody’s',
    text: '{"structuredContent":{"resultType":"x","_meta":{}},"content":[]}',
    becomes: `{"resultType":"complete",${META},"structuredContent":{"resultType":"x","_meta":{}},"content":[]}`,
  },
])('$why', ({ text, becomes }) => expect(made(text)).toBe(becomes));

describe('how long it may be kept', () => {
  test.each([
    { why: 'nothing said', text: '{}', ttlMs: 0, cacheScope: 'private' },
    { why: 'all said', text: '{"ttlMs":300000,"cacheScope":"public"}', ttlMs: 300_000, cacheScope: 'public' },
    { why: 'one said', text: '{"ttlMs":5}', ttlMs: 5, cacheScope: 'private' },
    { why: 'the other said', text: '{"cacheScope":"public"}', ttlMs: 0, cacheScope: 'public' },
    { why: 'less than nothing', text: '{"ttlMs":-1}', ttlMs: 0, cacheScope: 'private' },
    { why: 'half a millisecond', text: '{"ttlMs":0.5}', ttlMs: 0, cacheScope: 'private' },
    { why: 'a text', text: '{"ttlMs":"5","cacheScope":"shared"}', ttlMs: 0, cacheScope: 'private' },
    { why: 'kinds that are none', text: '{"ttlMs":[1],"cacheScope":1}', ttlMs: 0, cacheScope: 'private' },
    { why: 'more than a double holds', text: '{"ttlMs":1e400}', ttlMs: 0, cacheScope: 'private' },
    { why: 'a whole number with an exponent', text: '{"ttlMs":3e5}', ttlMs: 300_000, cacheScope: 'private' },
  ])('$why', ({ text, ttlMs, cacheScope }) => {
    expect(JSON.parse(made(text, { cache: NO_CACHE }))).toEqual({
      resultType: 'complete',
      _meta: { [KEY]: JSON.parse(US) },
      ttlMs,
      cacheScope,
    });
  });

  test('what a caller of ours is to keep is said where the upstream says nothing', () => {
    expect(JSON.parse(made('{}', { cache: { ttlMs: 9, cacheScope: 'public' } }))).toMatchObject({
      ttlMs: 9,
      cacheScope: 'public',
    });
  });

  test('an interim result is kept by nobody', () => {
    const text = '{"resultType":"input_required","inputRequests":{}}';
    expect(made(text, { cache: NO_CACHE, isToolResult: true })).toBe(`{${META},${text.slice(1)}`);
  });

  test('a method without hints keeps what it says', () => expect(made('{"ttlMs":-1}')).toContain('"ttlMs":-1'));
});

describe('a tool result without content', () => {
  test.each([
    { text: '{}', content: [] },
    { text: '{"isError":true}', content: [] },
    {
      text: '{"structuredContent": {"a":"\\"",\n"b":[1]}}',
      content: [{ type: 'text', text: '{"a":"\\"",\n"b":[1]}' }],
    },
    { text: '{"structuredContent":null}', content: [{ type: 'text', text: 'null' }] },
  ])('gets it: $text', ({ text, content }) => {
    expect((JSON.parse(made(text, { isToolResult: true })) as { content: unknown }).content).toEqual(content);
    expect(made(text)).not.toContain('"content"');
  });

  test('one that has it keeps it', () => {
    expect(made('{"content":[],"structuredContent":1}', { isToolResult: true })).toContain('"content":[],');
  });
});

test('whatever the result, nothing of it changes but what the era asks for', () => {
  const names = fc.oneof(fc.string(), fc.constantFrom('a', 'resultType', 'content', '_meta', '"', '\\'));
  fc.assert(
    fc.property(fc.dictionary(names, fc.jsonValue()), fc.nat(3), fc.boolean(), (any, indent, isToolResult) => {
      // As text has it: without -0.
      const value = JSON.parse(JSON.stringify(any)) as Record<string, unknown>;
      const after = JSON.parse(made(JSON.stringify(value, null, indent), { isToolResult, cache: NO_CACHE })) as never;
      const isType = typeof value.resultType === 'string';
      const isComplete = !isType || value.resultType === 'complete';
      const meta = value._meta;
      const isMeta = typeof meta === 'object' && meta !== null && !Array.isArray(meta);
      expect(after).toEqual({
        ...value,
        resultType: isType ? value.resultType : 'complete',
        _meta: { ...(isMeta ? meta : {}), [KEY]: JSON.parse(US) },
        ...(isComplete && { ttlMs: 0, cacheScope: 'private' }),
        ...(isComplete && isToolResult && !('content' in value) && { content: [] }),
      });
    }),
  );
});
