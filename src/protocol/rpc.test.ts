import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DoorError,
  decodeText,
  ERROR_TABLE,
  type ErrorCode,
  encodeText,
  joinPieces,
  type Piece,
  parseJson,
} from '../base/index.js';
import { doorErrorMessage, errorHead, errorMessage, notificationMessage, requestMessage, resultHead } from './rpc.js';

const IDS = ['0', '-1', '12345678901234567890', '"a\\"b"', 'null', '1.0'];

const textOf = (pieces: readonly Piece[]): string => decodeText(joinPieces(pieces));

describe('heads', () => {
  test.each(IDS)('carry the id as it was written: %s', (id) => {
    expect(`${resultHead(id)}{"a":1}}`).toBe(`{"jsonrpc":"2.0","id":${id},"result":{"a":1}}`);
    expect(`${errorHead(id)}{"code":1}}`).toBe(`{"jsonrpc":"2.0","id":${id},"error":{"code":1}}`);
  });
});

describe('errorMessage', () => {
  test('has no data where there is none', () => {
    expect(errorMessage('7', -32601, 'no')).toBe('{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no"}}');
  });

  test('is one line of JSON, whatever the words and facts', () => {
    fc.assert(
      fc.property(fc.constantFrom(...IDS), fc.string({ unit: 'binary' }), fc.jsonValue(), (id, message, data) => {
        const text = errorMessage(id, -32603, message, data);
        expect(text).not.toMatch(/[\r\n]/);
        expect(text.startsWith(errorHead(id))).toBe(true);
        const { error } = JSON.parse(text) as { error: unknown };
        expect(error).toEqual({ code: -32603, message, data: JSON.parse(JSON.stringify(data)) });
      }),
    );
  });

  test('keeps the digits of numbers in its facts', () => {
    expect(errorMessage('1', 1, 'm', { n: parseJson('12345678901234567890') })).toContain('"n":12345678901234567890}');
  });
});

describe('doorErrorMessage', () => {
  const codes = Object.keys(ERROR_TABLE) as ErrorCode[];

  /** Codes that one era alone has, by what they are in each. */
  const BY_ERA: Readonly<Partial<Record<ErrorCode, { readonly handshake: number; readonly modern: number }>>> = {
    RESOURCE_UNKNOWN: { handshake: -32002, modern: -32602 },
    HEADER_MISMATCH: { handshake: -32603, modern: -32020 },
    CAPABILITY_MISSING: { handshake: -32603, modern: -32021 },
    VERSION_UNSUPPORTED: { handshake: -32603, modern: -32022 },
  };

  test.each(codes)('shows %s by its row of the table, to each era as it knows it', (code) => {
    for (const era of ['handshake', 'modern'] as const) {
      const text = doorErrorMessage('1', new DoorError(code, 'what happened'), era);
      const { error } = JSON.parse(text) as { error: unknown };
      const wire = BY_ERA[code]?.[era] ?? ERROR_TABLE[code].wire ?? -32603;
      expect(error).toEqual({ code: wire, message: 'what happened', data: { code } });
    }
  });

  test('adds facts and hint', () => {
    const error = new DoorError('TIMEOUT', 'late', {
      data: { waitedMs: 5 },
      hint: 'Wait.',
      cause: new Error('secret'),
    });
    expect(doorErrorMessage('"x"', error)).toBe(
      '{"jsonrpc":"2.0","id":"x","error":{"code":-32603,"message":"late","data":{"code":"TIMEOUT","waitedMs":5,"hint":"Wait."}}}',
    );
  });

  test('lets no fact pass for the code', () => {
    const error = new DoorError('UPSTREAM_LOST', 'gone', { data: { code: 'ENOENT', hint: 'mine' }, hint: 'Ours.' });
    const { data } = (JSON.parse(doorErrorMessage('1', error)) as { error: { data: unknown } }).error;
    expect(data).toEqual({ code: 'UPSTREAM_LOST', hint: 'Ours.' });
  });
});

describe('requests and notifications', () => {
  test.each([
    { text: textOf(requestMessage(7, 'ping')), is: '{"jsonrpc":"2.0","id":7,"method":"ping"}' },
    { text: textOf(requestMessage(8, 'm', '{"a":1}')), is: '{"jsonrpc":"2.0","id":8,"method":"m","params":{"a":1}}' },
    { text: textOf(notificationMessage('n')), is: '{"jsonrpc":"2.0","method":"n"}' },
    { text: textOf(notificationMessage('n', '{}')), is: '{"jsonrpc":"2.0","method":"n","params":{}}' },
    {
      text: textOf(notificationMessage('n', { bytes: encodeText('x{} '), start: 1, end: 3 })),
      is: '{"jsonrpc":"2.0","method":"n","params":{}}',
    },
  ])('$is', ({ text, is }) => expect(text).toBe(is));
});
