import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../test/fixtures/cpu-time.js';
import { LineFramer } from './framing.js';

type Told =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'oversize'; readonly length: number; readonly id: string | undefined }
  | { readonly kind: 'flood' };

/** Frames chunks, and remembers what it was told in which order. */
class Listener {
  readonly told: Told[] = [];
  floodedAt = 0;
  readonly framer: LineFramer;

  constructor(maxBytes: number) {
    this.framer = new LineFramer(maxBytes, {
      line: (bytes, start, end) => {
        this.told.push({ kind: 'line', text: Buffer.from(bytes.subarray(start, end)).toString('latin1') });
      },
      oversize: ({ length, id }) => this.told.push({ kind: 'oversize', length, id }),
      flood: (bytes) => {
        this.floodedAt = bytes;
        this.told.push({ kind: 'flood' });
      },
    });
  }
}

function frame(chunks: readonly (Uint8Array | string)[], maxBytes = 1_000): Told[] {
  const { framer, told } = new Listener(maxBytes);
  for (const chunk of chunks) framer.push(Buffer.from(chunk));
  framer.end();
  return told;
}

/** What framing means, on the whole stream at once. */
function expected(whole: Buffer, maxBytes: number): Told[] {
  const told: Told[] = [];
  for (const line of whole.toString('latin1').split('\n')) {
    if (line.length > 4 * maxBytes) return [...told, { kind: 'flood' }];
    if (line.length > maxBytes) {
      told.push({ kind: 'oversize', length: line.length, id: /"id":("[^"]*"|\d+)/.exec(line)?.[1] });
    } else {
      const text = line.replace(/^\xef\xbb\xbf/, '').replace(/\r+$/, '');
      if (text !== '') told.push({ kind: 'line', text });
    }
  }
  return told;
}

const LIMIT = 64;

const anyLine = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replaceAll('\n', '')) },
  { weight: 2, arbitrary: fc.constantFrom('', '\r', '\ufeff', '\ufeff{}', '{}\r', '\ufeff\ufeff{}', '{}\r\r', '\r{}') },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('"id":7,', '', '"id":"a",'), fc.nat(4 * LIMIT))
      .map(([id, length]) => `{"jsonrpc":"2.0",${id}"x":"${'y'.repeat(length)}"}`),
  },
  { weight: 1, arbitrary: fc.constantFrom(LIMIT - 1, LIMIT, LIMIT + 1, 4 * LIMIT).map((length) => 'z'.repeat(length)) },
  { weight: 1, arbitrary: fc.constantFrom(4 * LIMIT + 1, 1_000).map((length) => 'z'.repeat(length)) },
);

const anyStream = fc
  .tuple(fc.array(anyLine, { maxLength: 12 }), fc.constantFrom('', '\n'))
  .map(([lines, last]) => Buffer.from(lines.join('\n') + last));

const anyCuts = fc.oneof(
  fc.array(fc.nat(3), { minLength: 1, maxLength: 5 }).map((sizes) => sizes.map((size) => size + 1)),
  fc.array(fc.nat(300), { minLength: 1, maxLength: 5 }),
);

/** Cuts a stream into chunks of the given sizes, over and over; some of them empty. */
function chunked(whole: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  const isEndless = sizes.every((size) => size === 0);
  for (let at = 0, turn = 0; at < whole.length; turn++) {
    const size = isEndless ? 1 : sizes[turn % sizes.length]!;
    chunks.push(whole.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

test('lines are the same however the stream is cut', () => {
  const kinds = new Set<string>();
  fc.assert(
    fc.property(anyStream, anyCuts, (whole, sizes) => {
      const told = frame(chunked(whole, sizes), LIMIT);
      for (const { kind } of told) kinds.add(kind);
      expect(told).toEqual(expected(whole, LIMIT));
    }),
    { numRuns: 500 },
  );
  expect([...kinds].sort()).toEqual(['flood', 'line', 'oversize']);
});

describe('a line', () => {
  const text = (chunks: readonly (Uint8Array | string)[]) =>
    frame(chunks).map((told) => (told.kind === 'line' ? Buffer.from(told.text, 'latin1').toString() : told));

  test.each([
    { why: 'ends with LF', chunks: ['{}\n[]\n'], lines: ['{}', '[]'] },
    { why: 'may end with CR LF, also cut between the two', chunks: ['{}\r', '\n[]\r\n'], lines: ['{}', '[]'] },
    {
      why: 'may begin with a byte order mark, also cut in it',
      chunks: ['\ufeff{}\n', '\ufeff[]\n'],
      lines: ['{}', '[]'],
    },
    { why: 'that is empty is no line', chunks: ['\n\r\n\n', '\ufeff\n', '\ufeff\r\n'], lines: [] },
    { why: 'keeps a CR inside', chunks: ['{\r}\n'], lines: ['{\r}'] },
    { why: 'keeps a mark inside', chunks: ['"\ufeff"\n'], lines: ['"\ufeff"'] },
    { why: 'counts at the end without its LF', chunks: ['{}\n', '[]'], lines: ['{}', '[]'] },
    { why: 'counts once, though the stream ends twice', chunks: ['{}'], lines: ['{}'] },
    { why: 'may be all spaces: that is for the decoder to judge', chunks: ['  \n'], lines: ['  '] },
  ])('$why', ({ chunks, lines }) => expect(text(chunks)).toEqual(lines));

  test('has its characters whole, wherever they are cut', () => {
    const whole = Buffer.from('{"a":"é一😀"}\n');
    for (let cut = 0; cut <= whole.length; cut++) {
      expect(text([whole.subarray(0, cut), whole.subarray(cut)])).toEqual(['{"a":"é一😀"}']);
    }
  });

  test('that came in one chunk is handed on where it lies, uncopied', () => {
    const chunk = Buffer.from('{}\n[]\n');
    const seen: unknown[] = [];
    const framer = new LineFramer(100, {
      line: (bytes, start, end) => seen.push([bytes === chunk, start, end]),
      oversize: () => expect.fail('oversize'),
      flood: () => expect.fail('flood'),
    });
    framer.push(chunk);
    expect(seen).toEqual([
      [true, 0, 2],
      [true, 3, 5],
    ]);
  });

  test('is told as soon as its LF is there', () => {
    const { framer, told } = new Listener(100);
    framer.push(Buffer.from('{}'));
    expect(told).toEqual([]);
    framer.push(Buffer.from('\n['));
    expect(told).toHaveLength(1);
  });

  test('is not told twice when the stream ends twice', () => {
    const { framer, told } = new Listener(100);
    framer.push(Buffer.from('{}'));
    framer.end();
    framer.end();
    expect(told).toHaveLength(1);
  });
});

describe('a line over the limit', () => {
  const message = (length: number) => `{"id":7,"x":"${'x'.repeat(length - 15)}"}`;

  test.each([
    { why: 'at the limit it is a line', length: 100, told: [{ kind: 'line', text: message(100) }] },
    { why: 'one more and it is not', length: 101, told: [{ kind: 'oversize', length: 101, id: '7' }] },
    { why: 'at four times it is still skipped', length: 400, told: [{ kind: 'oversize', length: 400, id: '7' }] },
    { why: 'beyond that it is a flood', length: 401, told: [{ kind: 'flood' }] },
  ])('$why', ({ length, told }) => {
    for (const size of [1, 7, 64, 100, 101, 1_000]) {
      const heard = frame(chunked(Buffer.from(`${message(length)}\n{}\n`), [size]), 100);
      const rest = told[0]?.kind === 'flood' ? [] : [{ kind: 'line', text: '{}' }];
      expect(heard, `in chunks of ${size}`).toEqual([...told, ...rest]);
    }
  });

  test('that floods is told once, with how much there was; nothing is told after', () => {
    const listener = new Listener(100);
    for (let i = 0; i < 20; i++) listener.framer.push(Buffer.alloc(50, 'x'));
    listener.framer.push(Buffer.from('\n{}\n'));
    listener.framer.end();
    expect(listener.told).toEqual([{ kind: 'flood' }]);
    expect(listener.floodedAt).toBe(450);
  });

  test('without an end is told at the end of the stream', () => {
    expect(frame([message(150)], 100)).toEqual([{ kind: 'oversize', length: 150, id: '7' }]);
  });
});

describe('costs', () => {
  const push = (bytes: number, chunkBytes: number): number => {
    const { framer, told } = new Listener(16 << 20);
    const spent = cpuMs(() => {
      // Each chunk has memory of its own, as those that come off a pipe have.
      for (let at = 0; at < bytes; at += chunkBytes) framer.push(new Uint8Array(chunkBytes).fill(0x78));
    });
    const last = cpuMs(() => framer.push(Uint8Array.of(0x0a)));
    expect(told.map(({ kind }) => kind)).toEqual(['line']);
    return spent + last;
  };

  test.each([
    { bytes: 1 << 20, chunkBytes: 16 },
    { bytes: 1 << 20, chunkBytes: 512 },
  ])('a time that grows with the line, in chunks of $chunkBytes', ({ bytes, chunkBytes }) => {
    push(bytes, chunkBytes);
    const onceMs = push(bytes, chunkBytes);
    expect(push(8 * bytes, chunkBytes)).toBeLessThan(24 * onceMs + 100);
  });

  test('no object for each crumb: what trickles in is gathered, and its chunks let go', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const { framer, told } = new Listener(1 << 20);
    const crumbs: WeakRef<ArrayBufferLike>[] = [];
    for (let i = 0; i < 10_000; i++) {
      const crumb = Uint8Array.of(0x61 + (i % 26));
      framer.push(crumb);
      crumbs.push(new WeakRef(crumb.buffer));
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
    collect();
    expect(crumbs.filter((crumb) => crumb.deref() !== undefined).length).toBeLessThan(1_000);
    framer.push(Uint8Array.of(0x0a));
    const text = Array.from({ length: 10_000 }, (_, i) => String.fromCharCode(0x61 + (i % 26))).join('');
    expect(told).toEqual([{ kind: 'line', text }]);
  });

  test('no more for noise that never ends than for reading it once', () => {
    const { framer, told } = new Listener(1 << 20);
    const chunk = new Uint8Array(65_536).fill(0x78);
    const spent = cpuMs(() => {
      for (let i = 0; i < 2_000; i++) framer.push(chunk);
    });
    expect(told).toEqual([{ kind: 'flood' }]);
    expect(spent).toBeLessThan(2_000);
  });
});
