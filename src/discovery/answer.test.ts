import { describe, expect, test } from 'vitest';
import { type Answer, answerDocument, answerMissing, type Document } from './answer.js';
import { MAX_IF_NONE_MATCH } from './entity-tag.js';

const document: Document = {
  contentType: 'application/json',
  bytes: new TextEncoder().encode('{"a":1}'),
  entityTag: 'W/"abc"',
  maxAgeSeconds: 60,
};

function headersOf({ headers }: Answer): Record<string, string> {
  const pairs: [string, string][] = [];
  for (let at = 0; at < headers.length; at += 2) pairs.push([headers[at]!, headers[at + 1]!]);
  expect(new Set(pairs.map(([name]) => name)).size).toBe(pairs.length);
  return Object.fromEntries(pairs);
}

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET',
  'Access-Control-Allow-Headers': 'Content-Type, If-None-Match',
  'Access-Control-Expose-Headers': 'ETag',
};
const KEPT = { ETag: 'W/"abc"', 'Cache-Control': 'public, max-age=60', Vary: 'Accept-Encoding', ...CORS };
const WHOLE = {
  'Content-Type': 'application/json',
  'Content-Length': '7',
  'X-Content-Type-Options': 'nosniff',
  ...KEPT,
};

describe('a document', () => {
  test('GET gives it whole', () => {
    const answer = answerDocument(document, { method: 'GET', ifNoneMatch: undefined });
    expect({ ...answer, headers: headersOf(answer) }).toEqual({ status: 200, headers: WHOLE, body: document.bytes });
  });

  test('HEAD gives the same head, and no body', () => {
    const answer = answerDocument(document, { method: 'HEAD', ifNoneMatch: undefined });
    expect({ ...answer, headers: headersOf(answer) }).toEqual({ status: 200, headers: WHOLE });
  });

  test.each(['GET', 'HEAD'])('%s: 304 to whoever has it, with all that a cache keeps of it', (method) => {
    const answer = answerDocument(document, { method, ifNoneMatch: '"x", W/"abc"' });
    expect({ ...answer, headers: headersOf(answer) }).toEqual({ status: 304, headers: KEPT });
  });

  test.each([
    { why: 'another one', ifNoneMatch: 'W/"abd"' },
    { why: 'no list of tags', ifNoneMatch: 'abc' },
    { why: 'the longest that is read', ifNoneMatch: `"${'x'.repeat(MAX_IF_NONE_MATCH - 2)}"` },
  ])('200 where If-None-Match names $why', ({ ifNoneMatch }) => {
    expect(answerDocument(document, { method: 'GET', ifNoneMatch }).status).toBe(200);
  });

  test('a longer If-None-Match is refused with both numbers, whatever it names', () => {
    const ifNoneMatch = `W/"abc",${' '.repeat(MAX_IF_NONE_MATCH)}`;
    const { status, body } = answerDocument(document, { method: 'GET', ifNoneMatch });
    expect([status, JSON.parse(String(body)).error.message]).toEqual([
      431,
      'If-None-Match has 8200 characters, the limit is 8192',
    ]);
  });

  test('a Link goes with it, and with its 304', () => {
    const linked = { ...document, link: '</a>; rel="b"' };
    for (const ifNoneMatch of [undefined, '*']) {
      expect(headersOf(answerDocument(linked, { method: 'GET', ifNoneMatch })).Link).toBe('</a>; rel="b"');
    }
  });

  test('OPTIONS says what there is, to pages too; a condition makes no difference', () => {
    const answer = answerDocument(document, { method: 'OPTIONS', ifNoneMatch: '*' });
    expect({ ...answer, headers: headersOf(answer) }).toEqual({
      status: 204,
      headers: { Allow: 'GET, HEAD, OPTIONS', ...CORS, 'Access-Control-Max-Age': '86400' },
    });
  });

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'X'.repeat(100)])('405 to %s, with what there is', (method) => {
    const answer = answerDocument(document, { method, ifNoneMatch: '*' });
    expect([answer.status, headersOf(answer).Allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(String(answer.body).length).toBeLessThan(150);
  });
});

describe('a document that this server has not', () => {
  test.each([
    { method: 'GET', status: 404, body: '{"error":{"message":"why"}}' },
    { method: 'POST', status: 404, body: '{"error":{"message":"why"}}' },
    { method: 'HEAD', status: 404, body: undefined },
    { method: 'OPTIONS', status: 204, body: undefined },
  ])('$method: $status', ({ method, status, body }) => {
    const answer = answerMissing('why', { method, ifNoneMatch: '*' });
    expect([answer.status, answer.body]).toEqual([status, body]);
    expect(headersOf(answer)['Access-Control-Allow-Origin']).toBe('*');
  });
});
