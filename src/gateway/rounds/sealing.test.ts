/** Sealed texts: nobody reads them, changes them, or learns why one was not accepted. */
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../test/fixtures/virtual-clock.js';
import { DoorError, encodeText } from '../../base/index.js';
import { keyOfSecret, randomKey, type SealedUpstreamRound, StateSealer } from './sealing.js';
import { decodeBase64Url, encodeBase64Url } from './sealing-text.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const KEY = keyOfSecret('a secret');

const roundOf = (more: Partial<SealedUpstreamRound> = {}): SealedUpstreamRound => ({
  kind: 'upstream',
  principal: 'ann',
  method: 'tools/call',
  upstream: 'up',
  tool: 'tool',
  digest: 'd',
  expiresAtMs: 1000,
  use: 'u',
  round: 1,
  state: '"secret state of the upstream\\u2028"',
  requests: [{ key: 'k', method: 'elicitation/create', params: '{"requestedSchema":{}}' }],
  ...more,
});

async function refusalOf(opened: Promise<unknown>): Promise<string> {
  const thrown: unknown = await opened.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(thrown instanceof DoorError)) throw new Error('it was opened');
  return JSON.stringify([thrown.code, thrown.message, thrown.data, thrown.hint, String(thrown.cause)]);
}

test('what was sealed is opened, by whoever has the key', async () => {
  const clock = new VirtualClock();
  const text = await new StateSealer({ key: KEY, clock }).seal(roundOf());
  expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(await new StateSealer({ key: keyOfSecret('a secret'), clock }).open(text)).toEqual(roundOf());
});

test('the same is never sealed twice to the same text, and shows nothing of what it holds', async () => {
  const sealer = new StateSealer({ key: KEY, clock: new VirtualClock() });
  const texts = await Promise.all(Array.from({ length: 20 }, () => sealer.seal(roundOf())));
  expect(new Set(texts).size).toBe(20);
  const shown = new TextDecoder('latin1').decode(decodeBase64Url(texts[0]!));
  for (const held of ['ann', 'tools/call', 'secret']) expect(shown).not.toContain(held);
});

test('keys: the same of the same secret, 32 bytes, and random ones that differ', () => {
  expect(KEY).toEqual(keyOfSecret('a secret'));
  expect(KEY).not.toEqual(keyOfSecret('another secret'));
  const info = encodeText('doorward sealed state 1');
  expect(KEY).toEqual(hkdf(sha256, encodeText('a secret'), undefined, info, 32));
  // RFC 5869 with SHA-256, no salt, and this very purpose: a changed derivation would strand all states in flight.
  expect(new TextDecoder('latin1').decode(KEY)).not.toContain('a secret');
  expect([KEY.length, randomKey().length]).toEqual([32, 32]);
  expect(randomKey()).not.toEqual(randomKey());
  expect(() => new StateSealer({ key: KEY.subarray(1), clock: new VirtualClock() })).toThrow('32 bytes, not 31');
});

describe('what is not accepted', () => {
  test('any text with one character changed, cut, added or swapped: and never says why', async () => {
    const sealer = new StateSealer({ key: KEY, clock: new VirtualClock() });
    const text = await sealer.seal(roundOf());
    const why = await refusalOf(sealer.open('x'));
    const other = fc.integer({ min: 1, max: 63 });
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: text.length - 1 }),
        other,
        fc.constantFrom('flip', 'cut', 'add', 'drop'),
        async (at, by, how) => {
          const flipped = ALPHABET[(ALPHABET.indexOf(text[at]!) + by) % 64]!;
          const changed = {
            flip: text.slice(0, at) + flipped + text.slice(at + 1),
            cut: text.slice(0, at),
            add: text.slice(0, at) + flipped + text.slice(at),
            drop: text.slice(0, at) + text.slice(at + 1),
          }[how];
          expect(await refusalOf(sealer.open(changed))).toBe(why);
        },
      ),
      { numRuns: 400 },
    );
    expect(await sealer.open(text)).toEqual(roundOf());
  });

  test('every bit of it counts', async () => {
    const sealer = new StateSealer({ key: KEY, clock: new VirtualClock() });
    const bytes = decodeBase64Url(await sealer.seal(roundOf()))!;
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = bytes.slice();
      changed[bit >> 3]! ^= 1 << (bit & 7);
      await expect(sealer.open(encodeBase64Url(changed))).rejects.toMatchObject({ code: 'STATE_INVALID' });
    }
  });

  test('what is expired, by another key, or of another version: in the same words', async () => {
    const clock = new VirtualClock();
    const sealer = new StateSealer({ key: KEY, clock });
    const text = await sealer.seal(roundOf());
    const byOther = await refusalOf(new StateSealer({ key: randomKey(), clock }).open(text));
    const version = decodeBase64Url(text)!;
    version[0] = 2;
    const ofOther = await refusalOf(sealer.open(encodeBase64Url(version)));
    await clock.advance(999);
    expect(await sealer.open(text)).toEqual(roundOf());
    await clock.advance(1);
    const expired = await refusalOf(sealer.open(text));
    expect(new Set([byOther, ofOther, expired, await refusalOf(sealer.open(''))]).size).toBe(1);
  });

  test.each(['', 'A', '=', '%%%%', 'é'.repeat(64), 'A'.repeat(3_000_000), `${'A'.repeat(63)}=`, ' '.repeat(40)])(
    'texts that were never sealed, case %#',
    async (text) => {
      const sealer = new StateSealer({ key: KEY, clock: new VirtualClock() });
      await expect(sealer.open(text)).rejects.toMatchObject({ code: 'STATE_INVALID' });
    },
  );
});

describe('base64url', () => {
  test('agrees with the platform, both ways', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
        const text = encodeBase64Url(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('base64url'));
        expect(decodeBase64Url(text)).toEqual(new Uint8Array(bytes));
      }),
    );
  });

  test('has one text for some bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...ALPHABET), maxLength: 12 }), (text) => {
        const bytes = decodeBase64Url(text);
        if (bytes !== undefined) expect(encodeBase64Url(bytes)).toBe(text);
      }),
    );
    expect(decodeBase64Url('QQ')).toEqual(encodeText('A'));
    expect(decodeBase64Url('QR')).toBeUndefined();
    expect(decodeBase64Url('QQ==')).toBeUndefined();
  });
});
