import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeText, encodeText, joinPieces } from '../base/index.js';
import { type HandshakeResultOptions, toHandshakeResult } from './handshake-result.js';

function made(text: string, options?: HandshakeResultOptions): string {
  const bytes = encodeText(`{"id":1,"result":${text}}`);
  const start = '{"id":1,"result":'.length;
  return decodeText(joinPieces(toHandshakeResult({ bytes, start, end: bytes.length - 1 }, options)));
}

const tool = { wrapsOutput: false };
const KEY = 'io.modelcontextprotocol/serverInfo';

test.each([
  {
    why: 'an object stays',
    text: '{"content":[],"structuredContent":{"a":1}}',
    becomes: '{"content":[],"structuredContent":{"a":1}}',
  },
  {
    why: 'an array is wrapped, byte for byte, and told as text',
    text: '{ "content" : [ ] , "structuredContent" : [1.0, 12345678901234567890,"\\u00e9"] }',
    becomes:
      '{ "content" : [{"type":"text","text":"[1.0, 12345678901234567890,\\"\\\\u00e9\\"]"}] , "structuredContent" : {"result":[1.0, 12345678901234567890,"\\u00e9"]} }',
  },
  {
    why: 'what stands in the content stays',
    text: '{"structuredContent":true,"content":[{"type":"text","text":"yes"}]}',
    becomes: '{"structuredContent":{"result":true},"content":[{"type":"text","text":"yes"}]}',
  },
  {
    why: 'null is a value',
    text: '{"structuredContent":null,"content":[]}',
    becomes: '{"structuredContent":{"result":null},"content":[{"type":"text","text":"null"}]}',
  },
  {
    why: 'missing content is put in front',
    text: '{"structuredContent":{"a":"b"}}',
    becomes: '{"content":[{"type":"text","text":"{\\"a\\":\\"b\\"}"}],"structuredContent":{"a":"b"}}',
  },
  { why: 'without anything it is empty', text: '{}', becomes: '{"content":[]}' },
  { why: 'content of another kind is not ours to mend', text: '{"content":7}', becomes: '{"content":7}' },
  {
    why: 'a value that is alone in it',
    text: '{"structuredContent":5}',
    becomes: '{"content":[{"type":"text","text":"5"}],"structuredContent":{"result":5}}',
  },
  {
    why: 'what the upstream says of itself goes, the rest stays',
    text: `{"resultType":"complete","_meta":{"${KEY}":{"name":"up"},"a":1},"content":[],"ttlMs":5}`,
    becomes: '{"_meta":{"a":1},"content":[],"ttlMs":5}',
  },
  { why: 'that it is a result goes without saying', text: '{"resultType":"complete"}', becomes: '{"content":[]}' },
  { why: 'a _meta of another kind', text: '{"_meta":null,"content":[]}', becomes: '{"_meta":null,"content":[]}' },
])('$why', ({ text, becomes }) => expect(made(text, { tool })).toBe(becomes));

test('an object is wrapped where the schema is', () => {
  expect(made('{"content":[{}],"structuredContent":{"a":1}}', { tool: { wrapsOutput: true } })).toBe(
    '{"content":[{}],"structuredContent":{"result":{"a":1}}}',
  );
});

test('results of other methods keep structuredContent, if they have such a member, and get no content', () => {
  expect(made('{"structuredContent":1}')).toBe('{"structuredContent":1}');
  expect(made(`{"_meta":{"${KEY}":1}}`)).toBe('{"_meta":{}}');
});

test('line breaks between tokens are escaped in the text', () => {
  const { content } = JSON.parse(made('{"structuredContent":[1,\r\n\t2]}', { tool })) as {
    content: [{ text: string }];
  };
  expect(content[0].text).toBe('[1,\r\n\t2]');
});

test('whatever is structured, an official client of the handshake era takes it, and finds the value', () => {
  const blocks = fc.array(fc.record({ type: fc.constant('text'), text: fc.string() }), { maxLength: 2 });
  const result = fc.record(
    { structuredContent: fc.jsonValue(), content: blocks, x: fc.jsonValue() },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(result, fc.boolean(), fc.nat(2), (value, wrapsOutput, indent) => {
      const text = made(JSON.stringify(value, null, indent), { tool: { wrapsOutput } });
      const { structuredContent: _, content, ...rest } = CallToolResultSchema.parse(JSON.parse(text));
      // As it was sent: the client's schema takes a member named __proto__, and drops it.
      const { structuredContent } = JSON.parse(text) as { structuredContent?: unknown };
      const was = value.structuredContent as unknown;
      const isObject = typeof was === 'object' && was !== null && !Array.isArray(was);
      if (was === undefined) expect(structuredContent).toBeUndefined();
      // Through text, as -0 becomes 0 in it.
      else {
        const kept = JSON.parse(JSON.stringify(was)) as unknown;
        expect(structuredContent).toEqual(isObject && !wrapsOutput ? kept : { result: kept });
      }
      if (value.content !== undefined && value.content.length > 0) expect(content).toEqual(value.content);
      else if (was !== undefined && (value.content === undefined || !isObject || wrapsOutput)) {
        expect(JSON.parse((content[0] as { text: string }).text)).toEqual(JSON.parse(JSON.stringify(was)));
      }
      expect(JSON.stringify(rest)).toBe(JSON.stringify('x' in value ? { x: value.x } : {}));
    }),
  );
});
