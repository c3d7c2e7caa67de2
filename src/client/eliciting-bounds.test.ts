/** What a user is not sent to, not shown, and what of an answer goes nowhere. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeText, encodeText, joinPieces, sliceOf } from '../base/index.js';
import { type ElicitationOptions, type ElicitationReply, readElicitation } from './eliciting.js';

const read = (params: unknown, options: Partial<ElicitationOptions> = {}) =>
  readElicitation(sliceOf(encodeText(JSON.stringify(params))), { upstream: 'u', ...options });
const judge = (params: unknown, said: string): ElicitationReply => {
  const elicitation = read(params);
  if (elicitation.kind === 'refused') throw elicitation.error;
  return elicitation.judge({ kind: 'result', json: sliceOf(encodeText(said)) });
};

describe('a URL', () => {
  test.each([
    'https://x.test/sign-in?for=a#b',
    'HTTPS://X.TEST',
    'https://xn--bcher-kva.test/',
    'http://localhost:8080/x',
    'http://a.localhost/',
    'http://127.0.0.1/',
    'http://127.8.9.1:1/',
    'http://[::1]:8080/',
  ])('that a user may be sent to: %s', (url) => {
    expect(read({ mode: 'url', message: 'go', url }).kind).toBe('asked');
  });

  test.each([
    { url: undefined, says: 'is missing' },
    { url: 7, says: 'is missing' },
    { url: '', says: 'is not a URL' },
    { url: '/sign-in', says: 'is not a URL' },
    { url: 'https://', says: 'is not a URL' },
    { url: 'http://x.test/', says: 'is not https' },
    { url: 'http://localhost.x.test/', says: 'is not https' },
    { url: 'http://127.0.0.1.x.test/', says: 'is not https' },
    { url: 'http://1270.0.0.1.test/', says: 'is not https' },
    { url: 'http://notlocalhost/', says: 'is not https' },
    { url: 'http://192.168.0.1/', says: 'is not https' },
    { url: 'javascript:alert(1)', says: 'is not https' },
    { url: 'file:///etc/passwd', says: 'is not https' },
    { url: 'data:text/html,x', says: 'is not https' },
    { url: 'https://bank.test@evil.test/', says: 'holds a user name or a password' },
    { url: 'https://bank.test:x@evil.test/', says: 'holds a user name or a password' },
    { url: 'https://:x@evil.test/', says: 'holds a user name or a password' },
  ])('that nobody is sent to: $url', ({ url, says }) => {
    const elicitation = read({ mode: 'url', message: 'go', url });
    if (elicitation.kind !== 'refused') throw new Error('it is shown');
    expect(elicitation.error.code).toBe('INVALID_ARGUMENTS');
    expect(elicitation.error.message).toBe(`elicitation/create: params.url ${says}`);
  });
});

describe('forms outside the flat ones', () => {
  const nested = { requestedSchema: { type: 'object', properties: { a: { type: 'object' } } } };
  const flat = { requestedSchema: { type: 'object', properties: { a: { type: 'string' } } } };

  test('are refused to the server where the operator wants that', () => {
    const elicitation = read(nested, { schemas: 'refuse' });
    if (elicitation.kind !== 'refused') throw new Error('it is shown');
    expect(elicitation.error.code).toBe('INVALID_ARGUMENTS');
    expect(elicitation.error.data.reason).toMatchObject({ code: 'SCHEMA_INVALID', schemaPath: '/properties/a/type' });
  });

  test('pass with one warning otherwise; flat ones always, with none', () => {
    expect(read(nested)).toMatchObject({ kind: 'asked', warnings: [{ warning: 'elicitation-form' }] });
    expect(read(nested, { schemas: 'warn' })).toMatchObject({ kind: 'asked' });
    expect(read(flat, { schemas: 'refuse' })).toMatchObject({ kind: 'asked', warnings: [] });
  });
});

describe('content that was not agreed to', () => {
  const form = { requestedSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } };

  test('is taken out, every other byte kept, and told of without being told', () => {
    const whitespace = fc.constantFrom('', ' ', '  ');
    const before = fc.constantFrom('', '"x":1.0,', '"_meta":{"content":{}},');
    const after = fc.constantFrom('', ',"y":[1e2]', ',"z":"\\u0061"');
    const content = fc.constantFrom('null', '{}', '{"a":"s3cret"}', '[{"content":1}]');
    const action = fc.constantFrom('decline', 'cancel');
    fc.assert(
      fc.property(whitespace, before, after, content, action, fc.boolean(), (space, x, y, given, said, isFirst) => {
        const rest = `${x}"action":"${said}"${y}`;
        const member = `"content"${space}:${space}${given}`;
        const text = isFirst ? `{${member},${rest}}` : `{${rest},${member}}`;
        const reply = judge(form, text);
        if (reply.kind === 'refused') throw reply.error;
        expect(decodeText(joinPieces(reply.pieces))).toBe(`{${rest}}`);
        expect(reply.warnings).toMatchObject([{ warning: 'elicitation-content' }]);
        expect(JSON.stringify(reply.warnings)).not.toContain('s3cret');
      }),
    );
  });

  test('a URL is accepted without any', () => {
    const reply = judge({ mode: 'url', url: 'https://x.test/' }, '{"action":"accept","content":{"a":1}}');
    if (reply.kind === 'refused') throw reply.error;
    expect(decodeText(joinPieces(reply.pieces))).toBe('{"action":"accept"}');
  });
});
