/** Which keys of `_meta` speak of one connection only is said by MCP 2026-07-28 basic/index, `_meta`. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dissect } from '../../test/fixtures/json-anatomy.js';
import { anyNode, anySpace, anySurroundings, inChunk } from '../../test/fixtures/json-texts.js';
import { MODERN_META } from '../../test/fixtures/modern-meta.js';
import { rawMember } from '../../test/fixtures/raw-json.js';
import { decodeText, encodeText, joinPieces, sliceOf, splice } from '../base/index.js';
import { META, metaEdits, requestMeta, withMeta, withoutHopMeta } from './meta.js';
import { findCodec, MODERN } from './revisions.js';

const TOKEN = 41;
const OURS = requestMeta(MODERN, {
  clientInfo: '{"name":"ours"}',
  clientCapabilities: '{"roots":{}}',
  logLevel: 'debug',
});
const OUR_KEYS = [META.protocolVersion, META.clientInfo, META.clientCapabilities, META.logLevel];
const RESERVED = [...Object.values(META), 'progressToken'];

test('the keys are those of the specification', () => expect(META).toEqual(MODERN_META));

/** A member of a caller's `_meta`, as it is spelled. */
interface Spelled {
  readonly name: string;
  readonly isReserved: boolean;
  readonly value: string;
  readonly text: string;
}

/** What a caller says under reserved keys can be told by this wherever it turns up. */
const THEIRS = 'said-to-us-alone';
const anyEscaped = (name: string): fc.Arbitrary<string> =>
  fc.nat({ max: Math.max(0, name.length - 1) }).map((at) => {
    const code = name.charCodeAt(at).toString(16).padStart(4, '0');
    return name === '' ? '' : `${name.slice(0, at)}\\u${code}${name.slice(at + 1)}`;
  });
const anyName = (names: readonly string[]): fc.Arbitrary<{ name: string; spelled: string }> =>
  fc
    .constantFrom(...names)
    .chain((name) => fc.oneof(fc.constant(name), anyEscaped(name)).map((spelled) => ({ name, spelled })));

const anyReserved = fc.tuple(
  anyName(RESERVED),
  fc.constantFrom(`"${THEIRS}"`, `{"${THEIRS}":[1,{}]}`, `["${THEIRS}"]`),
);
const KEPT = ['a', '', '__proto__', 'traceparent', 'com.example/x', 'progresstoken', `${META.clientInfo}2`, 'é'];
const anyKept = fc.tuple(
  anyName(KEPT),
  fc.oneof(
    anyNode.map((node) => dissect(node).text),
    // Deeper down the same keys are anybody's.
    fc.constantFrom(`{"progressToken":"deep"}`, `[{"${META.clientInfo}":{}}]`, '12345678901234567890', '1.0E+2'),
  ),
);

const anyMeta = fc
  .record({
    reserved: fc.array(anyReserved, { maxLength: 4 }),
    kept: fc.uniqueArray(anyKept, { maxLength: 4, selector: ([{ name }]) => name }),
    order: fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
    space: fc.tuple(anySpace, anySpace, anySpace),
  })
  .map(({ reserved, kept, order, space: [before, between, after] }) => {
    const members: Spelled[] = [
      ...reserved.map((each) => ({ ...each, isReserved: true })),
      ...kept.map((each) => ({ ...each, isReserved: false })),
    ].map(({ 0: { name, spelled }, 1: value, isReserved }) => {
      return { name, isReserved, value, text: `${before}"${spelled}"${between}:${between}${value}${after}` };
    });
    const ordered = members
      .map((member, i) => [order[i]!, member] as const)
      .sort(([a], [b]) => a - b)
      .map(([, member]) => member);
    const inner = members.length === 0 ? before : '';
    return { text: `{${inner}${ordered.map(({ text }) => text).join()}}`, members: ordered };
  });

function keptOf({ members }: { readonly members: readonly Spelled[] }): Spelled[] {
  return members.filter(({ isReserved }) => !isReserved);
}

describe('whatever a caller says in _meta', () => {
  test.each([
    { upstream: 'of the 2026 era', ours: OURS, keys: ['progressToken', ...OUR_KEYS] },
    { upstream: 'that was told at the handshake', ours: '', keys: ['progressToken'] },
  ])('goes on as it is, but for reserved keys: ours are there once, to an upstream $upstream', ({ ours, keys }) => {
    fc.assert(
      fc.property(anyMeta, anySurroundings, (meta, around) => {
        const { bytes, start, end } = inChunk(meta.text, around);
        const before = bytes.slice();
        const sent = decodeText(joinPieces(splice(bytes, start, end, metaEdits(bytes, start, end, TOKEN, ours))));
        expect(bytes, 'the caller’s bytes are as they were').toEqual(before);
        expect(sent).not.toContain(THEIRS);
        const kept = keptOf(meta);
        const names = Object.keys(JSON.parse(sent) as object);
        expect(names.toSorted()).toEqual([...keys, ...kept.map(({ name }) => name)].toSorted());
        expect(
          names.filter((name) => !keys.includes(name)),
          'in the order they came',
        ).toEqual(kept.map(({ name }) => name));
        for (const { name, value } of kept) expect(rawMember(sent, name)).toBe(value);
        expect(rawMember(sent, 'progressToken')).toBe(String(TOKEN));
        expect(sent.split(`"progressToken":${TOKEN}`).length).toBeLessThanOrEqual(2);
        if (ours !== '') expect(sent.split(ours), 'once').toHaveLength(2);
        for (const key of keys.slice(1)) expect(rawMember(sent, key)).toBe(rawMember(`{${ours}}`, key));
      }),
      { numRuns: 200 },
    );
  });

  test('goes on in notifications as it is, but for reserved keys; a token there is part of what is said', () => {
    const anyParams = fc.record({
      meta: anyMeta.filter(({ members }) => members.every(({ name }) => name !== 'progressToken')),
      isFirst: fc.boolean(),
    });
    fc.assert(
      fc.property(anyParams, anySurroundings, ({ meta, isFirst }, around) => {
        const member = `"_meta":${meta.text}`;
        const { bytes, start, end } = inChunk(isFirst ? `{${member},"uri":"x:1"}` : `{"uri":"x:1",${member}}`, around);
        const told = withoutHopMeta({ bytes, start, end });
        const text = decodeText(told.bytes, told.start, told.end);
        expect(text).not.toContain(THEIRS);
        expect(rawMember(text, 'uri')).toBe('"x:1"');
        const kept = keptOf(meta);
        expect(Object.keys((JSON.parse(text) as { _meta: object })._meta)).toEqual(kept.map(({ name }) => name));
        for (const { name, value } of kept) expect(rawMember(text, '_meta', name)).toBe(value);
      }),
      { numRuns: 100 },
    );
    expect(withoutHop('{"_meta":{"progressToken":5}}')).toBe('{"_meta":{"progressToken":5}}');
  });
});

function withoutHop(text: string): string {
  const { bytes, start, end } = withoutHopMeta(sliceOf(encodeText(text)));
  return decodeText(bytes, start, end);
}

test('params without _meta are not even copied', () => {
  const params = sliceOf(encodeText('{"uri":"_meta"}'));
  expect(withoutHopMeta(params)).toBe(params);
});

describe('our own requests', () => {
  test('say of us what each request of the 2026 era must, and the level where there is one', () => {
    const introduced = { clientInfo: '{"name":"d"}', clientCapabilities: '{}' };
    expect(JSON.parse(`{${requestMeta(MODERN, introduced)}}`)).toEqual({
      [META.protocolVersion]: '2026-07-28',
      [META.clientInfo]: { name: 'd' },
      [META.clientCapabilities]: {},
    });
    expect(JSON.parse(`{${OURS}}`)).toHaveProperty([META.logLevel], 'debug');
    expect(requestMeta(findCodec('2025-11-25')!, introduced)).toBe('');
  });

  test.each([
    { params: undefined, meta: '', with: undefined },
    { params: '{"a":1}', meta: '', with: '{"a":1}' },
    { params: undefined, meta: '"m":1', with: '{"_meta":{"m":1}}' },
    { params: '{}', meta: '"m":1', with: '{"_meta":{"m":1}}' },
    { params: '{"a":1}', meta: '"m":1', with: '{"_meta":{"m":1},"a":1}' },
  ])('params $params with $meta', ({ params, meta, with: wanted }) => expect(withMeta(params, meta)).toBe(wanted));
});
