import { Writable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinPieces, type Piece, sliceOf } from '../../base/index.js';
import { Sink } from './sink.js';

/**
 * A reader as slow as it is told to be. It looks at what it was given only when it takes it, as a kernel does: whoever
 * writes over the memory before spoils it.
 */
class SlowStream extends Writable {
  readonly taken: Buffer[] = [];
  takenBytes = 0;
  /** The memory that what it was given is part of. */
  readonly memory = new Set<ArrayBufferLike>();
  writes = 0;
  readonly #delays: readonly number[];

  constructor(delays: readonly number[], highWaterMark = 16_384) {
    super({ highWaterMark });
    this.#delays = delays;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const turns = this.#delays[this.writes++ % this.#delays.length] ?? 0;
    const take = (left: number): void => {
      if (left > 0) setImmediate(() => take(left - 1));
      else {
        this.taken.push(Buffer.from(chunk));
        this.takenBytes += chunk.length;
        this.memory.add(chunk.buffer);
        done();
      }
    };
    take(turns);
  }

  get bytes(): Buffer {
    return Buffer.concat(this.taken);
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Bytes that tell where they belong: what is lost, doubled or overwritten shows. */
let serial = 0;
function bytesOf(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  serial++;
  for (let i = 0; i < length; i++) bytes[i] = 0x20 + ((serial * 31 + i * 7) % 90);
  return bytes;
}

const length = fc.oneof(
  { weight: 6, arbitrary: fc.nat(40) },
  { weight: 3, arbitrary: fc.nat(3_000) },
  { weight: 2, arbitrary: fc.constantFrom(127, 128, 129, 8_191, 8_192, 8_193, 21_845, 21_846, 65_535, 65_536) },
  { weight: 1, arbitrary: fc.integer({ min: 65_537, max: 200_000 }) },
);
const textOfLength = (units: number, kind: number): string =>
  ['a', 'ü', '漢', '😀', '\ud800'][kind % 5]!.repeat(units).slice(0, units);
const piece: fc.Arbitrary<Piece> = fc.oneof(
  fc.tuple(length, fc.nat(4)).map(([units, kind]): Piece => textOfLength(units, kind)),
  fc.tuple(length, fc.nat(20), fc.nat(20)).map(([units, before, after]): Piece => {
    return { bytes: bytesOf(before + units + after), start: before, end: before + units };
  }),
);
type Step =
  | { readonly do: 'write'; readonly pieces: readonly Piece[] }
  | { readonly do: 'turn' }
  | { readonly do: 'flush' };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.array(piece, { maxLength: 5 }).map((pieces): Step => ({ do: 'write', pieces })) },
  { weight: 2, arbitrary: fc.constantFrom<Step>({ do: 'turn' }, { do: 'flush' }) },
);

test('every byte arrives, in order, and what has not yet is known, however slowly it is read', async () => {
  const property = fc.asyncProperty(
    fc.array(step, { maxLength: 20 }),
    fc.array(fc.nat(3), { minLength: 1, maxLength: 4 }),
    fc.constantFrom(1, 1_000, 16_384, 1_000_000),
    async (steps, delays, highWaterMark) => {
      const stream = new SlowStream(delays, highWaterMark);
      const sink = new Sink(stream);
      const wanted: Uint8Array[] = [];
      let wantedBytes = 0;
      for (const each of steps) {
        if (each.do === 'turn') await nextTurn();
        else if (each.do === 'flush') sink.flush();
        else {
          const line = joinPieces(each.pieces);
          wanted.push(line, Uint8Array.of(0x0a));
          wantedBytes += line.length + 1;
          sink.write(each.pieces);
        }
        expect(sink.backlogBytes).toBe(wantedBytes - stream.takenBytes);
      }
      await sink.drain();
      expect(sink.backlogBytes).toBe(0);
      expect(Buffer.compare(stream.bytes, Buffer.concat(wanted))).toBe(0);
    },
  );
  await fc.assert(property, { numRuns: 200 });
});

test('the memory is used again only once the stream has taken what was in it', async () => {
  const stream = new SlowStream([5, 0, 3]);
  const sink = new Sink(stream);
  const wanted: string[] = [];
  for (let i = 0; i < 400; i++) {
    const line = `${String(i).padStart(6, '0')}${'x'.repeat(i % 300)}`;
    wanted.push(`${line}\n`);
    sink.write([line]);
    if (i % 7 === 0) await nextTurn();
  }
  await sink.drain();
  expect(stream.bytes.toString()).toBe(wanted.join(''));
});

test('what waits for a slow reader takes little more memory than it is long', async () => {
  const stream = new SlowStream([2_000, 0]);
  const sink = new Sink(stream);
  for (let i = 0; i < 1_000; i++) {
    sink.write(['x'.repeat(199)]);
    await nextTurn();
  }
  expect(sink.backlogBytes).toBe(200_000);
  await sink.drain();
  const held = [...stream.memory].reduce((sum, { byteLength }) => sum + byteLength, 0);
  expect(held).toBeLessThan(2 * 200_000);
});

test('what is written in one turn leaves in one write', async () => {
  const stream = new SlowStream([0]);
  const sink = new Sink(stream);
  for (let i = 0; i < 100; i++) sink.write(['{"id":', String(i), '}']);
  expect(stream.writes).toBe(0);
  await nextTurn();
  expect(stream.writes).toBe(1);
});

test('a large piece is handed on as it is, uncopied', async () => {
  const large = Buffer.from(bytesOf(100_000));
  const given: Uint8Array[] = [];
  const stream = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      given.push(chunk);
      done();
    },
  });
  const sink = new Sink(stream);
  sink.write(['<', sliceOf(large), '>']);
  await sink.drain();
  expect(given.some((chunk) => chunk.buffer === large.buffer)).toBe(true);
  expect(Buffer.concat(given).length).toBe(100_003);
});

test('a reader that falls behind is told of, and waited for', async () => {
  const stream = new SlowStream([50], 1_000);
  const sink = new Sink(stream);
  expect(sink.write(['x'.repeat(5_000)])).toBe(true);
  await nextTurn();
  expect(sink.write(['y'])).toBe(false);
  let isWritable = false;
  const both = [sink.whenWritable(), sink.whenWritable()].map((each) =>
    each.then(() => {
      isWritable = true;
    }),
  );
  await nextTurn();
  expect(isWritable).toBe(false);
  await Promise.all(both);
  expect(stream.listenerCount('drain')).toBe(0);
  expect(sink.write(['z'])).toBe(true);
  await expect(sink.whenWritable()).resolves.toBeUndefined();
});

test('a stream that is gone holds up nobody', async () => {
  const stream = new SlowStream([1_000_000], 10);
  stream.on('error', () => {});
  const sink = new Sink(stream);
  sink.write(['x'.repeat(100)]);
  await nextTurn();
  const [writable, drained] = [sink.whenWritable(), sink.drain()];
  stream.destroy();
  await Promise.all([writable, drained]);
  sink.write(['more']);
  await Promise.all([sink.whenWritable(), sink.drain()]);
  expect(sink.backlogBytes).toBe(0);
});
