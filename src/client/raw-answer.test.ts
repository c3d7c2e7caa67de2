import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeText, encodeText, JsonScanner, joinPieces, sliceOf } from '../base/index.js';
import { decodeMessage, type Message, toModernResult } from '../protocol/index.js';
import { locateAnswer } from './raw-answer.js';

const scanner = new JsonScanner();

function located(result: string) {
  const bytes = encodeText(`{"jsonrpc":"2.0","id":1,"result":${result}}`);
  const message = decodeMessage(scanner, bytes, 0, bytes.length);
  expect(message.kind).toBe('result');
  return locateAnswer(scanner, message as Message, undefined);
}

const options = { serverInfo: '{"name":"doorward"}', isToolResult: true };
const textOf = (pieces: ReturnType<typeof toModernResult>) => decodeText(joinPieces(pieces));

const member = fc.oneof(
  fc.constantFrom('"content":[]', '"content":[{"type":"text","text":"a"}]', '"cont\\u0065nt":[1]', '"isError":true'),
  fc.constantFrom('"resultType":"complete"', '"resultType":"task"', '"resultType":7', '"result\\u0054ype":"complete"'),
  fc.constantFrom('"_meta":{}', '"_meta":{"io.modelcontextprotocol/serverInfo":{},"a":1}', '"_meta":null'),
  fc.constantFrom('"structuredContent":{"a":1}', '"ttlMs":5', '"x":{"content":[],"_meta":{}}'),
);

test('a result becomes the same whether its members were located or are looked for', () => {
  fc.assert(
    fc.property(fc.array(member, { maxLength: 6 }), fc.constantFrom(',', ' , '), (members, comma) => {
      const result = `{${members.join(comma)}}`;
      const answer = located(result);
      const whole = sliceOf(encodeText(result));
      expect(textOf(toModernResult(answer, options))).toBe(textOf(toModernResult(whole, options)));
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['{}', 'complete'],
  ['{"resultType":"complete"}', 'complete'],
  ['{"resultType":"c\\u006fmplete"}', 'complete'],
  ['{"resultType":"task"}', 'task'],
  ['{"resultType":null}', 'null'],
])('the type of %s is %s', (result, type) => {
  expect(located(result).resultType).toBe(type);
});
