import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeText, encodeText } from '../../base/index.js';
import { shapeOf, withOurId } from './answer-shape.js';

function shape(text: string): string {
  const bytes = encodeText(`##${text}##`);
  return shapeOf(bytes, 2, bytes.length - 2, 5);
}

function adopt(text: string, which: 'any' | 'unnamed'): string | undefined {
  const bytes = encodeText(text);
  const slice = withOurId({ bytes, start: 0, end: bytes.length }, 5, which);
  return slice && decodeText(slice.bytes, slice.start, slice.end);
}

describe('the answer to request 5', () => {
  test.each([
    ['own-answer', '{"jsonrpc":"2.0","id":5,"result":{}}'],
    ['own-answer', '{"result":{"id":7},"jsonrpc":"2.0","id":5}'],
    ['own-answer', ' { "id" : 5 , "jsonrpc" : "2.0" , "error" : {} } \r\n'],
    ['own-answer', '{"result":{},"id":5,"jsonrpc":"2.0"}'],
    ['own-answer', '{"extra":{"method":"x"},"id":5,"result":{}}'],
    ['own-answer', '\ufeff{"jsonrpc":"2.0","id":5,"result":{}}'],
    ['other-answer', '{"jsonrpc":"2.0","id":6,"result":{}}'],
    ['other-answer', '{"jsonrpc":"2.0","id":"5","result":{}}'],
    ['other-answer', '{"jsonrpc":"2.0","id":null,"error":{}}'],
    ['other-answer', '{"jsonrpc":"2.0","error":{"id":5}}'],
    ['other-answer', '{"result":{},"a\\"id":5}'],
    ['no-answer', '{"jsonrpc":"2.0","method":"notifications/progress","params":{"id":5,"result":{}}}'],
    ['no-answer', '{"jsonrpc":"2.0","id":5,"method":"ping"}'],
    ['no-answer', '{"method":"ping","id":5}'],
    ['no-answer', '[{"jsonrpc":"2.0","id":5,"result":{}}]'],
    ['no-answer', '<html>'],
    ['no-answer', ''],
  ])('%s: %s', (expected, text) => expect(shape(text)).toBe(expected));

  test('is told as a parser would tell it, whatever the order of the members', () => {
    const body = fc.constantFrom('result', 'error', 'method');
    const id = fc.oneof(fc.constantFrom<unknown>(5, 5, 6, '5', null, 5.5), fc.integer());
    const value = fc.jsonValue({ maxDepth: 2 });
    fc.assert(
      fc.property(
        body,
        id,
        value,
        fc.array(value, { maxLength: 2 }),
        fc.nat(),
        fc.boolean(),
        (name, ours, inner, more, turn, wide) => {
          const object = name === 'method' ? 'ping' : { inner, id: 5, result: 1 };
          const members: [string, unknown][] = [
            ['jsonrpc', '2.0'],
            ['id', ours],
            [name, object],
          ];
          for (const [i, extra] of more.entries()) members.push([`x${i}`, extra]);
          const turned = members.map((_, i) => members[(i + turn) % members.length]!);
          const text = JSON.stringify(Object.fromEntries(turned), null, wide ? 2 : 0);
          const expected = name === 'method' ? 'no-answer' : ours === 5 ? 'own-answer' : 'other-answer';
          expect(shape(text)).toBe(expected);
        },
      ),
    );
  });
});

describe('an error without our id', () => {
  test.each([
    [
      'unnamed',
      '{"jsonrpc":"2.0","error":{"code":1,"message":"m"},"id":null}',
      '{"jsonrpc":"2.0","error":{"code":1,"message":"m"},"id":5}',
    ],
    ['unnamed', '{"jsonrpc":"2.0","error":{"n":1e400}}', '{"id":5,"jsonrpc":"2.0","error":{"n":1e400}}'],
    ['unnamed', '{"jsonrpc":"2.0","error":{},"id":9}', undefined],
    ['any', '{"jsonrpc":"2.0","error":{},"id":"server-error"}', '{"jsonrpc":"2.0","error":{},"id":5}'],
    ['any', '{"jsonrpc":"2.0","result":{},"id":null}', undefined],
    ['any', '{"error":{"message":"not JSON-RPC"}}', undefined],
    ['any', '{"jsonrpc":"2.0","error":"text"}', undefined],
    ['any', 'Not Found', undefined],
    ['any', '', undefined],
  ] as const)('%s: %s', (which, text, expected) => expect(adopt(text, which)).toBe(expected));
});
