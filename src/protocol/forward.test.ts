import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dissect } from '../../test/fixtures/json-anatomy.js';
import { anyNode, anySpace, anyStringToken, anySurroundings, inChunk } from '../../test/fixtures/json-texts.js';
import { rawMember } from '../../test/fixtures/raw-json.js';
import { JsonScanner, joinPieces, type Piece } from '../base/index.js';
import { type CallParams, locateCallParams } from './call-params.js';
import { forwardCall, progressTokenOf } from './forward.js';
import { requestMeta } from './meta.js';
import { MODERN } from './revisions.js';

const scanner = new JsonScanner();

/** Locates params inside a whole message inside a chunk, as a door does. */
function locate(params: string, around = { shift: 0, before: '', after: '' }): CallParams {
  const { bytes, start, end } = inChunk(`{"id":9,"params":${params},"jsonrpc":"2.0","method":"tools/call"}`, around);
  if (!scanner.scan(bytes, start, end)) throw new Error(`not JSON: ${params}`);
  const located = locateCallParams(scanner, bytes, scanner.find('params', bytes));
  if (typeof located === 'string') throw new Error(`${located}: ${params}`);
  return located;
}

const textOf = (pieces: readonly Piece[]): string => Buffer.from(joinPieces(pieces)).toString();

/** A member as it is spelled, and as it must arrive. */
interface Part {
  readonly written: string;
  readonly sent: string;
}

const OUR_ID = 41;
/** An upstream that was told who we are when it was greeted. */
const HANDSHAKE = { meta: '' };
const OUR_NAME = '"up\\"stream.tool"';

const anyPadding = fc.record({ before: anySpace, beforeColon: anySpace, afterColon: anySpace, after: anySpace });

function anyMember(names: readonly string[], value: fc.Arbitrary<Part>): fc.Arbitrary<Part> {
  return fc
    .record({ name: fc.constantFrom(...names), value, padding: anyPadding })
    .map(({ name, value: { written, sent }, padding: { before, beforeColon, afterColon, after } }) => {
      const spell = (text: string): string => `${before}"${name}"${beforeColon}:${afterColon}${text}${after}`;
      return { written: spell(written), sent: spell(sent) };
    });
}

const same = (text: string): Part => ({ written: text, sent: text });
const anyValue = anyNode
  .map((node) => same(dissect(node).text))
  // A null for arguments is replaced; that is tried on purpose below.
  .map((part) => (part.written === 'null' ? same('true') : part));

const anyName = anyMember(
  ['name', 'n\\u0061me'],
  anyStringToken.map((token) => ({ written: token, sent: OUR_NAME })),
);

const anyArguments = anyMember(
  ['arguments', 'argument\\u0073'],
  fc.oneof({ weight: 4, arbitrary: anyValue }, { weight: 1, arbitrary: fc.constant({ written: 'null', sent: '{}' }) }),
);

/** A `_meta` with other members, and perhaps a token of the caller's own. */
const anyMeta = anyMember(
  ['_meta', '\\u005fmeta'],
  fc
    .record({
      token: fc.option(fc.constantFrom('7', '"t"', 'null', '{"a":1}', '12345678901234567890'), { nil: undefined }),
      others: fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'io.x/trace', '__proto__', ''), anyValue), {
        selector: ([name]) => name,
        maxLength: 3,
      }),
      place: fc.nat(3),
      inner: anySpace,
    })
    .map(({ token, others, place, inner }) => {
      const members = others.map(([name, { written }]) => `${inner}"${name}":${written}`);
      const join = (parts: readonly string[]): string => `{${parts.join(',')}${inner}}`;
      if (token === undefined) {
        const ours = `"progressToken":${OUR_ID}${members.length > 0 ? ',' : ''}`;
        return { written: join(members), sent: join(members).replace('{', () => `{${ours}`) };
      }
      const spell = (text: string): string => join(members.toSpliced(place, 0, `${inner}"progressToken":${text}`));
      return { written: spell(token), sent: spell(String(OUR_ID)) };
    }),
);

const anyCall = fc
  .record({
    name: anyName,
    args: fc.option(anyArguments, { nil: undefined, freq: 4 }),
    meta: fc.option(anyMeta, { nil: undefined, freq: 2 }),
    others: fc.tuple(anyMember(['x'], anyValue), anyMember(['\\u00e9'], anyValue)),
    keep: fc.subarray([0, 1]),
    order: fc.array(fc.nat(), { minLength: 5, maxLength: 5 }),
    isPlain: fc.boolean(),
  })
  .map(({ name, args, meta, others, keep, order, isPlain }) => {
    const members = [name, args, meta, ...others.filter((_, i) => keep.includes(i))].filter(
      (part) => part !== undefined,
    );
    // Half of the calls are in the order that nearly all calls have.
    const ordered = isPlain
      ? members
      : members
          .map((member, i) => [order[i]!, member] as const)
          .sort(([a], [b]) => a - b)
          .map(([, member]) => member);
    const head = meta === undefined ? `"_meta":{"progressToken":${OUR_ID}},` : '';
    const tail = args === undefined ? ',"arguments":{}' : '';
    const sent = `${head}${ordered.map((part) => part.sent).join(',')}${tail}`;
    return {
      written: `{${ordered.map((part) => part.written).join(',')}}`,
      sent: `{"jsonrpc":"2.0","id":${OUR_ID},"method":"tools/call","params":{${sent.replace(/[\r\n]/g, ' ')}}}`,
    };
  });

describe('forwardCall', () => {
  test('sends our id, name and token, and every other byte as the caller wrote it, on one line', () => {
    fc.assert(
      fc.property(anyCall, anySurroundings, ({ written, sent }, around) => {
        const params = locate(written, around);
        const before = Buffer.from(params.bytes).toString('latin1');
        const text = textOf(forwardCall(params, OUR_ID, OUR_NAME, HANDSHAKE));
        expect(text).toBe(sent);
        expect(text).not.toMatch(/[\r\n]/);
        expect(Buffer.from(params.bytes).toString('latin1'), 'the caller’s bytes are as they were').toBe(before);

        const message = JSON.parse(text) as { id: unknown; params: Record<string, unknown> };
        expect(message.id).toBe(OUR_ID);
        expect(message.params.name).toBe('up"stream.tool');
        expect(message.params._meta).toMatchObject({ progressToken: OUR_ID });
        const theirs = params.argumentsStart < 0 ? '{}' : argumentsOf(params);
        expect(rawMember(text, 'params', 'arguments')).toBe(theirs.replace(/[\r\n]/g, ' '));
      }),
      { numRuns: 500 },
    );
  });

  test('hands the arguments on uncopied where there is nothing to straighten', () => {
    const params = locate('{"name":"t","arguments":{"a":1}}');
    const slices = forwardCall(params, 1, '"t"', HANDSHAKE).filter((piece) => typeof piece !== 'string');
    expect(slices).toHaveLength(1);
    expect(slices[0]).toMatchObject({ bytes: params.bytes, start: params.nameEnd, end: params.end });
  });

  test.each([
    {
      why: 'plain',
      params: '{"name":"a","arguments":{"b":1}}',
      sent: '{"_meta":{"progressToken":5},"name":"t","arguments":{"b":1}}',
    },
    {
      why: 'plain, and more',
      params: '{"name":"a","arguments":{},"x":1}',
      sent: '{"_meta":{"progressToken":5},"name":"t","arguments":{},"x":1}',
    },
    { why: 'no arguments', params: '{"name":"a"}', sent: '{"_meta":{"progressToken":5},"name":"t","arguments":{}}' },
    {
      why: 'arguments null',
      params: '{"arguments":null,"name":"a"}',
      sent: '{"_meta":{"progressToken":5},"arguments":{},"name":"t"}',
    },
    {
      why: 'their token gone',
      params: '{"name":"a","arguments":{},"_meta":{"progressToken":"x","k":1}}',
      sent: '{"name":"t","arguments":{},"_meta":{"progressToken":5,"k":1}}',
    },
    {
      why: 'their meta kept',
      params: '{"_meta":{"k":[1]},"name":"a","arguments":{}}',
      sent: '{"_meta":{"progressToken":5,"k":[1]},"name":"t","arguments":{}}',
    },
    {
      why: 'an empty meta',
      params: '{"_meta":{ },"name":"a","arguments":{}}',
      sent: '{"_meta":{"progressToken":5 },"name":"t","arguments":{}}',
    },
    {
      why: 'a token deeper down is not ours',
      params: '{"name":"a","arguments":{"progressToken":1},"_meta":{"x":{"progressToken":2}}}',
      sent: '{"name":"t","arguments":{"progressToken":1},"_meta":{"progressToken":5,"x":{"progressToken":2}}}',
    },
    ...[
      { written: '{"task":{"ttl":1},"name":"a","arguments":{}}', sent: '"name":"t","arguments":{}}' },
      { written: '{"name":"a" ,"task" : {"x":[1,2]} ,"arguments":{}}', sent: '"name":"t" ,"arguments":{}}' },
      { written: '{"name":"a","arguments":{} , "task":{}}', sent: '"name":"t","arguments":{}}' },
      { written: '{"name":"a","task":null}', sent: '"name":"t","arguments":{}}' },
    ].map(({ written, sent }) => ({
      why: `a task, which we do not declare, is left out: ${written}`,
      params: written,
      sent: `{"_meta":{"progressToken":5},${sent}`,
    })),
    {
      why: 'numbers as they were',
      params: '{"name":"a","arguments":{"n":12345678901234567890,"f":1.0,"e":1E400}}',
      sent: '{"_meta":{"progressToken":5},"name":"t","arguments":{"n":12345678901234567890,"f":1.0,"e":1E400}}',
    },
  ])('$why', ({ params, sent }) => {
    expect(textOf(forwardCall(locate(params), 5, '"t"', HANDSHAKE))).toBe(
      `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":${sent}}`,
    );
  });
});

describe('forwardCall to an upstream of the 2026 era', () => {
  const meta = requestMeta(MODERN, { clientInfo: '{"name":"d"}', clientCapabilities: '{"roots":{}}' });
  const ours = `"progressToken":5,${meta}`;
  const hop = [
    '"io.modelcontextprotocol/protocolVersion":"2026-07-28"',
    '"io.modelcontextprotocol/clientInfo":{"name":"theirs"}',
    '"io.modelcontextprotocol/clientCapabilities":{"sampling":{}}',
    '"io.modelcontextprotocol/logLevel":"debug"',
    '"io.modelcontextprotocol/subscriptionId":3',
    '"progressToken":"theirs"',
  ].join();

  test.each([
    {
      why: 'what we say of ourselves goes along',
      params: '{"name":"a","arguments":{"b":1}}',
      sent: `{"_meta":{${ours}},"name":"t","arguments":{"b":1}}`,
    },
    {
      why: 'what the caller said to us stays here, whatever is between',
      params: `{"name":"a","arguments":{},"_meta":{"traceparent":"00-1",${hop},"x/y":[1]}}`,
      sent: `{"name":"t","arguments":{},"_meta":{${ours},"traceparent":"00-1","x/y":[1]}}`,
    },
    {
      why: 'and so does all of it',
      params: `{"name":"a","arguments":{},"_meta":{${hop}}}`,
      sent: `{"name":"t","arguments":{},"_meta":{${ours}}}`,
    },
    {
      why: 'what belongs to the round before this one stays here too',
      params: '{"requestState":"s","name":"a","inputResponses":{},"arguments":{}}',
      sent: `{"_meta":{${ours}},"name":"t","arguments":{}}`,
    },
  ])('$why', ({ params, sent }) => {
    expect(textOf(forwardCall(locate(params), 5, '"t"', { meta }))).toBe(
      `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":${sent}}`,
    );
  });

  test('and comes back with the answers that the upstream asked for, in its own words', () => {
    const retry = { inputResponses: '{"k":{"action":"decline"}}', requestState: '"opaque\\u2028"' };
    const params = locate('{"requestState":"ours","name":"a","inputResponses":{"k":1}}');
    const text = textOf(forwardCall(params, 5, '"t"', { meta, retry }));
    expect(text).toBe(
      `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"_meta":{${ours}},"name":"t","arguments":{},` +
        '"inputResponses":{"k":{"action":"decline"}},"requestState":"opaque\\u2028"}}',
    );
  });
});

function argumentsOf({ bytes, argumentsStart, argumentsEnd }: CallParams): string {
  return Buffer.from(bytes.subarray(argumentsStart, argumentsEnd)).toString();
}

describe('progressTokenOf', () => {
  test.each([
    { why: 'a number', meta: '{"progressToken":7}', token: '7' },
    { why: 'zero', meta: '{"a":1,"progressToken":0}', token: '0' },
    { why: 'below zero', meta: '{"progressToken":-1}', token: '-1' },
    { why: 'a string, in its own spelling', meta: '{"progressToken":"a\\u0041\\""}', token: '"a\\u0041\\""' },
    { why: 'every digit', meta: '{"progressToken":12345678901234567890}', token: '12345678901234567890' },
    { why: 'a name spelled with escapes', meta: '{"progress\\u0054oken":7}', token: '7' },
    { why: 'null is none', meta: '{"progressToken":null}', token: undefined },
    { why: 'true is none', meta: '{"progressToken":true}', token: undefined },
    { why: 'an object is none', meta: '{"progressToken":{"a":1}}', token: undefined },
    { why: 'one deeper down is none', meta: '{"x":{"progressToken":7}}', token: undefined },
    { why: 'none', meta: '{}', token: undefined },
  ])('$why', ({ meta, token }) => expect(progressTokenOf(locate(`{"name":"t","_meta":${meta}}`))).toBe(token));

  test('is undefined without _meta', () => expect(progressTokenOf(locate('{"name":"t"}'))).toBeUndefined());

  test('leaves the index of the caller’s scanner alone', () => {
    const params = locate('{"name":"t","_meta":{"progressToken":7},"arguments":{}}');
    const before = [scanner.count, ...scanner.valueStart];
    progressTokenOf(params);
    forwardCall(params, 1, '"t"', HANDSHAKE);
    expect([scanner.count, ...scanner.valueStart]).toEqual(before);
  });
});
