import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeText, encodeText, joinPieces } from '../base/index.js';
import { isClientMethod, toHandshakeError, toModernError } from './era-map.js';

function made(map: typeof toModernError, text: string, method = 'resources/read'): string {
  const bytes = encodeText(`{"id":1,"error":${text}}`);
  const start = '{"id":1,"error":'.length;
  return decodeText(joinPieces(map({ bytes, start, end: bytes.length - 1 }, method)));
}

const NOT_FOUND = '{ "message":"Resource not found" , "code" : -32002,"data":{"uri":"file:///x"},"vendor":1.0}';

describe('to callers of the 2026 era', () => {
  test('a resource that is not there has its new code, all else stays', () => {
    expect(made(toModernError, NOT_FOUND)).toBe(NOT_FOUND.replace('-32002', '-32602'));
  });

  test.each([
    { why: 'the old code for anything else', code: -32002, method: 'tools/call' },
    { why: 'URL elicitation, which is asked for otherwise', code: -32042, method: 'tools/call' },
    { why: 'home-made', code: -32000, method: 'resources/read' },
    { why: 'the last of them', code: -32099, method: 'prompts/get' },
  ])('a code that nobody may emit becomes -32603 and goes along: $why', ({ code, method }) => {
    const text = `{"code":${code},"message":"no \\u00e9","data":[1.0]}`;
    expect(made(toModernError, text, method)).toBe(
      `{"code":-32603,"message":"no \\u00e9","data":{"upstreamError":${text}}}`,
    );
  });

  test.each([-32700, -32600, -32601, -32602, -32603, -32100, -31999, 1, -1, 404])('%i stays', (code) => {
    const text = `{"code":${code},"message":"m"}`;
    expect(made(toModernError, text)).toBe(text);
  });
});

describe('to callers of the handshake era', () => {
  const modern = NOT_FOUND.replace('-32002', '-32602');

  test('a resource that is not there has its old code, all else stays', () => {
    expect(made(toHandshakeError, modern)).toBe(NOT_FOUND);
  });

  test.each([
    { why: 'another method', text: modern, method: 'tools/call' },
    { why: 'no resource named: the params may be wrong in another way', text: '{"code":-32602,"message":"m"}' },
    { why: 'data that names none', text: '{"code":-32602,"message":"m","data":{"issues":[{"uri":1}]}}' },
    { why: 'data that is no object', text: '{"code":-32602,"message":"m","data":"uri"}' },
    { why: 'a uri beside data', text: '{"code":-32602,"message":"m","uri":"x","data":{}}' },
    { why: 'another code', text: '{"code":-32603,"message":"m","data":{"uri":"x"}}' },
    { why: 'the old code', text: NOT_FOUND },
  ])('stays: $why', ({ text, method = 'resources/read' }) => expect(made(toHandshakeError, text, method)).toBe(text));
});

test('whatever the upstream says, no caller of the 2026 era is sent a code that may not be emitted', () => {
  const error = fc.record(
    {
      code: fc.oneof(fc.integer(), fc.integer({ min: -32100, max: -31999 })),
      message: fc.string(),
      data: fc.jsonValue(),
    },
    { requiredKeys: ['code', 'message'] },
  );
  fc.assert(
    fc.property(error, fc.constantFrom('resources/read', 'tools/call'), (value, method) => {
      const text = JSON.stringify(value);
      const after = JSON.parse(made(toModernError, text, method)) as { code: number; message: string; data?: unknown };
      expect(after.code >= -32099 && after.code <= -32000).toBe(false);
      expect(after.message).toBe(value.message);
      if (after.code === value.code) expect(JSON.stringify(after)).toBe(text);
    }),
  );
});

test.each([
  { method: 'tools/call', handshake: true, modern: true },
  { method: 'completion/complete', handshake: true, modern: true },
  { method: 'initialize', handshake: true, modern: false },
  { method: 'ping', handshake: true, modern: false },
  { method: 'logging/setLevel', handshake: true, modern: false },
  { method: 'resources/subscribe', handshake: true, modern: false },
  { method: 'resources/unsubscribe', handshake: true, modern: false },
  { method: 'notifications/roots/list_changed', handshake: true, modern: false },
  { method: 'server/discover', handshake: false, modern: true },
  { method: 'subscriptions/listen', handshake: false, modern: true },
  { method: 'roots/list', handshake: false, modern: false },
  { method: 'constructor', handshake: false, modern: false },
])('$method', ({ method, handshake, modern }) => {
  expect(isClientMethod(method, 'handshake')).toBe(handshake);
  expect(isClientMethod(method, 'modern')).toBe(modern);
});
