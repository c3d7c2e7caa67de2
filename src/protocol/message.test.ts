import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dissect } from '../../test/fixtures/json-anatomy.js';
import {
  anyEdit,
  anyNode,
  anySpace,
  anySurroundings,
  edited,
  inChunk,
  isJson,
} from '../../test/fixtures/json-texts.js';
import { JsonScanner, SCAN } from '../base/index.js';
import { decodeMessage } from './message.js';

const scanner = new JsonScanner();

function decode(text: string | Uint8Array) {
  const bytes = Buffer.from(text);
  return decodeMessage(scanner, bytes, 0, bytes.length);
}

/** A message with what is worth comparing, its body as text. */
function summary(text: string) {
  const message = decode(text);
  if (message.kind === 'bad') {
    const { code, id, hasMethod, isAnswer, isBatch } = message;
    return { kind: 'bad', code, id, hasMethod, isAnswer, isBatch };
  }
  const { kind, id, method, body } = message;
  const bodyText = body < 0 ? undefined : Buffer.from(text).subarray(scanner.valueStart[body], scanner.valueEnd[body]);
  return { kind, id, method, body: bodyText?.toString() };
}

const V = '"jsonrpc":"2.0"';

describe('good envelopes', () => {
  test.each([
    {
      why: 'a request',
      text: `{${V},"id":1,"method":"tools/list","params":{"cursor":"x"}}`,
      is: { kind: 'request', id: '1', method: 'tools/list', body: '{"cursor":"x"}' },
    },
    {
      why: 'without params',
      text: `{${V},"id":1,"method":"ping"}`,
      is: { kind: 'request', id: '1', method: 'ping', body: undefined },
    },
    {
      why: 'params null',
      text: `{${V},"id":1,"method":"ping","params":null}`,
      is: { kind: 'request', id: '1', method: 'ping', body: 'null' },
    },
    {
      why: 'a notification',
      text: `{${V},"method":"notifications/x"}`,
      is: { kind: 'notification', id: '', method: 'notifications/x', body: undefined },
    },
    {
      why: 'a result',
      text: `{${V},"id":1,"result":{"a":[1]}}`,
      is: { kind: 'result', id: '1', method: '', body: '{"a":[1]}' },
    },
    {
      why: 'an error',
      text: `{${V},"id":"x","error":{"code":1}}`,
      is: { kind: 'error', id: '"x"', method: '', body: '{"code":1}' },
    },
    {
      why: 'an error about no request',
      text: `{${V},"id":null,"error":{"code":-32700}}`,
      is: { kind: 'error', id: 'null', method: '', body: '{"code":-32700}' },
    },
    {
      why: 'any order, white space, members nobody knows',
      text: ` {"params" : { } ,"x":{"id":9,"method":"no"},\t"method":"m","id" :\r2, ${V} } `,
      is: { kind: 'request', id: '2', method: 'm', body: '{ }' },
    },
    {
      why: 'a method that is spelled with escapes',
      text: `{${V},"id":1,"method":"tools\\/c\\u0061ll"}`,
      is: { kind: 'request', id: '1', method: 'tools/call', body: undefined },
    },
    {
      why: 'names that are spelled with escapes',
      text: `{"\\u006asonrpc":"2.0","i\\u0064":1,"met\\u0068od":"m"}`,
      is: { kind: 'request', id: '1', method: 'm', body: undefined },
    },
    {
      why: 'a method makes a request of it, whatever else there is',
      text: `{${V},"id":1,"method":"m","result":{}}`,
      is: { kind: 'request', id: '1', method: 'm', body: undefined },
    },
    {
      why: 'names that share a hash are not one name',
      text: `{${V},"id":1,"method":"m","Aa":1,"BB":2}`,
      is: { kind: 'request', id: '1', method: 'm', body: undefined },
    },
    {
      why: 'a name that occurs twice deeper down is no matter of the envelope',
      text: `{${V},"id":1,"method":"m","params":{"a":1,"a":2}}`,
      is: { kind: 'request', id: '1', method: 'm', body: '{"a":1,"a":2}' },
    },
    {
      why: '__proto__ is a member like any other',
      text: `{${V},"id":1,"method":"m","__proto__":{"id":2}}`,
      is: { kind: 'request', id: '1', method: 'm', body: undefined },
    },
  ])('$why', ({ text, is }) => expect(summary(text)).toEqual(is));

  test('tell what the scanner saw in the body', () => {
    const message = decode(`{${V},"id":1,"result":{"n":12345678901234567890,\r"a":{"x":1,"x":2}}}`);
    expect(message).toMatchObject({
      kind: 'result',
      bodyFlags: SCAN.riskyNumber | SCAN.lineBreak | SCAN.duplicateName,
    });
    expect(decode(`{${V},"n":1e5,"id":1,"method":"m","params":{}}`)).toMatchObject({ bodyFlags: 0 });
  });
});

describe('the id of a request', () => {
  test.each([
    '0',
    '1',
    '-1',
    '-0',
    '999999999999999',
    '9007199254740993',
    '12345678901234567890',
    '-98765432109876543210',
  ])('is echoed as it was written: %s', (id) =>
    expect(summary(`{${V},"id":${id},"method":"m"}`)).toMatchObject({ kind: 'request', id }),
  );
  test.each(['1.0', '1e3', '1E+2', '15e1', '100000000000000000000.000'])(
    'is a whole number in any spelling: %s',
    (id) => expect(summary(`{${V},"id":${id},"method":"m"}`)).toMatchObject({ kind: 'request', id }),
  );
  test.each(['"a"', '""', '"1"', '"null"', '"a\\"}\\\\"', '"\\u0061\\ud800"', '"é😀\u2028"', `"${'x'.repeat(1_000)}"`])(
    'is a string, kept in its own spelling: %s',
    (id) => expect(summary(`{${V},"id":${id},"method":"m"}`)).toMatchObject({ kind: 'request', id }),
  );
  test.each([
    { id: '1.5', echo: '1.5' },
    { id: '15e-1', echo: '15e-1' },
    { id: '12345678901234567890.5', echo: '12345678901234567890.5' },
    { id: 'null', echo: 'null' },
    { id: 'true', echo: 'null' },
    { id: 'false', echo: 'null' },
    { id: '{}', echo: 'null' },
    { id: '{"id":1}', echo: 'null' },
    { id: '[1]', echo: 'null' },
  ])('may not be $id: refused, answered with $echo', ({ id, echo }) => {
    const is = { kind: 'bad', code: -32600, id: echo, hasMethod: true, isAnswer: false, isBatch: false };
    expect(summary(`{${V},"id":${id},"method":"m"}`)).toEqual(is);
  });
  test.each(['1.5', 'true', '{"a":1}', '"x"', 'null'])('of an answer is handed on as it is: %s', (id) =>
    expect(summary(`{${V},"id":${id},"result":{}}`)).toMatchObject({ kind: 'result', id }),
  );
});

describe('bad envelopes', () => {
  const request = { kind: 'bad', code: -32600, id: '1', hasMethod: true, isAnswer: false, isBatch: false };
  const answer = { ...request, hasMethod: false, isAnswer: true };
  const neither = { ...request, hasMethod: false };

  test.each([
    { why: 'no version', text: '{"id":1,"method":"m"}', is: request },
    { why: 'version 1.0', text: '{"jsonrpc":"1.0","id":1,"method":"m"}', is: request },
    { why: 'a version that is a number', text: '{"jsonrpc":2.0,"id":1,"method":"m"}', is: request },
    { why: 'a number that has 2.0 in it', text: '{"jsonrpc":12.05,"id":1,"method":"m"}', is: request },
    { why: 'a longer version', text: '{"jsonrpc":"2.0.1","id":1,"method":"m"}', is: request },
    { why: 'a method that is no string', text: `{${V},"id":1,"method":7}`, is: request },
    { why: 'neither method nor answer', text: `{${V},"id":1}`, is: neither },
    { why: 'nothing at all', text: '{}', is: { ...neither, id: 'null' } },
    { why: 'both result and error', text: `{${V},"id":1,"result":{},"error":{}}`, is: answer },
    { why: 'an answer without an id', text: `{${V},"result":{}}`, is: { ...answer, id: 'null' } },
    { why: 'an answer without a version', text: '{"id":1,"result":{}}', is: answer },
    { why: 'a result that is no object', text: `{${V},"id":1,"result":null}`, is: answer },
    { why: 'a result that is an array', text: `{${V},"id":1,"result":[]}`, is: answer },
    { why: 'an error that is no object', text: `{${V},"id":1,"error":"no"}`, is: answer },
    { why: 'params that are an array', text: `{${V},"id":1,"method":"m","params":[]}`, is: request },
    { why: 'params that are a string', text: `{${V},"id":1,"method":"m","params":"{}"}`, is: request },
    { why: 'params that are a number', text: `{${V},"id":1,"method":"m","params":-1}`, is: request },
    { why: 'params that are true', text: `{${V},"id":1,"method":"m","params":true}`, is: request },
    { why: 'a method twice', text: `{${V},"id":1,"method":"a","method":"b"}`, is: request },
    {
      why: 'params twice, spelled differently',
      text: `{${V},"id":1,"method":"a","params":{},"p\\u0061rams":{}}`,
      is: request,
    },
    { why: 'an id twice', text: `{${V},"id":1,"method":"a","id":2}`, is: { ...request, id: 'null' } },
    {
      why: 'an answer with two ids, spelled differently',
      text: `{${V},"id":1,"result":{},"i\\u0064":2}`,
      is: { ...answer, id: 'null' },
    },
    { why: 'any name twice', text: `{${V},"x":1,"id":1,"method":"a","x":1}`, is: request },
    { why: 'a result twice', text: `{${V},"id":1,"result":{},"result":{}}`, is: answer },
    { why: 'a batch', text: `[{${V},"id":1,"method":"m"}]`, is: { ...neither, id: 'null', isBatch: true } },
    { why: 'an empty batch', text: ' []', is: { ...neither, id: 'null', isBatch: true } },
    { why: 'a string', text: '"jsonrpc"', is: { ...neither, id: 'null' } },
    { why: 'a number', text: '1', is: { ...neither, id: 'null' } },
    { why: 'null', text: 'null', is: { ...neither, id: 'null' } },
  ])('$why', ({ text, is }) => expect(summary(text)).toEqual(is));

  test('say why, and name what occurs twice', () => {
    const reason = (text: string) => decode(text);
    expect(reason(`{${V},"id":1,"method":"a","a\\nb":1,"a\\nb":2}`)).toMatchObject({ reason: '"a\\nb" occurs twice' });
    expect(reason('{"id":1,"method":"m"}')).toMatchObject({ reason: 'jsonrpc is not "2.0"' });
  });
});

describe('what is not JSON', () => {
  test.each([
    { why: 'cut off', text: `{${V},"id":1,"method"`, reason: 'not JSON at byte 32' },
    { why: 'a banner', text: 'Server started', reason: 'not JSON at byte 0' },
    { why: 'two messages on a line', text: '{} {}', reason: 'not JSON at byte 3' },
    { why: 'white space only', text: '   ', reason: 'not JSON at byte 3' },
    { why: 'bad UTF-8', text: Buffer.from([0x7b, 0x22, 0xff]), reason: 'not UTF-8 at byte 2' },
  ])('is -32700: $why', ({ text, reason }) => {
    expect(decode(text)).toMatchObject({
      kind: 'bad',
      code: -32700,
      reason,
      id: 'null',
      hasMethod: false,
      isAnswer: false,
    });
  });

  test('is told with the place in the line, not in the chunk', () => {
    const { bytes, start, end } = inChunk('{"a":}', { shift: 3, before: '{}\n', after: '\n' });
    expect(decodeMessage(scanner, bytes, start, end)).toMatchObject({ reason: 'not JSON at byte 5' });
  });
});

describe('what is nested too deeply to be walked', () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000);
  const bad = { kind: 'bad', code: -32600, isBatch: false };

  test.each([
    {
      why: 'a request, its id in front',
      text: `{${V},"id":7,"method":"m","params":{"a":${deep}}}`,
      is: { id: '7', hasMethod: true, isAnswer: false },
    },
    {
      why: 'a request, its id behind',
      text: `{"params":{"a":${deep}},${V},"method":"m","id":"x"}`,
      is: { id: '"x"', hasMethod: true, isAnswer: false },
    },
    { why: 'an answer', text: `{${V},"id":7,"result":${deep}}`, is: { id: '7', hasMethod: false, isAnswer: true } },
    {
      why: 'a request whose id may not be echoed',
      text: `{${V},"id":{},"method":"m","params":${deep}}`,
      is: { id: 'null', hasMethod: true, isAnswer: false },
    },
    { why: 'neither: it must not go unanswered', text: deep, is: { id: 'null', hasMethod: false, isAnswer: false } },
  ])('is refused by name: $why', ({ text, is }) => expect(summary(text)).toEqual({ ...bad, ...is }));
});

describe('any envelope', () => {
  const anyId = fc.constantFrom('0', '7', '-3', '12345678901234567890', '"x"', '"\\u0041"');
  const anyEnvelope = fc
    .record({
      kind: fc.constantFrom('request', 'notification', 'result', 'error'),
      id: anyId,
      node: anyNode,
      extra: fc.option(anyNode, { nil: undefined }),
      space: anySpace,
      order: fc.array(fc.nat(), { minLength: 5, maxLength: 5 }),
    })
    .map(({ kind, id, node, extra, space, order }) => {
      const isCall = kind === 'request' || kind === 'notification';
      const body = `{"x":${dissect(node).text}}`;
      const members: [string, string][] = [
        ['jsonrpc', '"2.0"'],
        [isCall ? 'params' : kind, body],
      ];
      if (kind !== 'notification') members.push(['id', id]);
      if (isCall) members.push(['method', '"a/b"']);
      if (extra !== undefined) members.push(['extra', dissect(extra).text]);
      const ordered = members.map((member, i) => [order[i]!, member] as const).sort(([a], [b]) => a - b);
      const text = ordered.map(([, [name, value]]) => `${space}"${name}"${space}:${space}${value}${space}`).join(',');
      const message = { kind, id: kind === 'notification' ? '' : id, method: isCall ? 'a/b' : '' };
      return { text: `${space}{${text}}${space}`, body, message };
    });

  test('is taken apart where it says', () => {
    fc.assert(
      fc.property(anyEnvelope, anySurroundings, ({ text, body, message }, around) => {
        const { bytes, start, end } = inChunk(text, around);
        const decoded = decodeMessage(scanner, bytes, start, end);
        if (decoded.kind === 'bad') expect.fail(`${decoded.reason}: ${text}`);
        expect(decoded).toMatchObject(message);
        const found = bytes.subarray(scanner.valueStart[decoded.body], scanner.valueEnd[decoded.body]);
        expect(found.toString()).toBe(body);
      }),
      { numRuns: 500 },
    );
  });

  test('that is spoiled is refused with a code and an id that can be sent', () => {
    fc.assert(
      fc.property(anyEnvelope, fc.array(anyEdit, { minLength: 1, maxLength: 2 }), ({ text }, edits) => {
        const bytes = edits.reduce(edited, Buffer.from(text));
        const decoded = decode(bytes);
        if (decoded.kind !== 'bad') {
          expect(isJson(bytes)).toBe(true);
          return;
        }
        expect(decoded.code).toBe(isJson(bytes) ? -32600 : -32700);
        const id: unknown = JSON.parse(decoded.id);
        expect(id === null || typeof id === 'string' || typeof id === 'number').toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
