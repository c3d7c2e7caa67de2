import { expect, test } from 'vitest';
import { settled, VirtualClock } from '../../test/fixtures/virtual-clock.js';
import type { DoorError } from '../base/index.js';
import { SlowReader } from './slow-reader.js';

const MIB = 1024 * 1024;

class Reader {
  readonly clock = new VirtualClock();
  readonly log: string[] = [];
  unread = 0;
  #drained: () => void = () => {};
  readonly slowness = new SlowReader({
    clock: this.clock,
    unreadBytes: () => this.unread,
    whenWritable: () => new Promise((resolve) => (this.#drained = resolve)),
    pauseAnswers: (isPaused) => this.log.push(isPaused ? 'answers held' : 'answers flow'),
    pauseRequests: (isPaused) => this.log.push(isPaused ? 'requests held' : 'requests flow'),
    givenUp: (reason: DoorError) => this.log.push(reason.code),
  });

  /** So much lies unread now. */
  leave(bytes: number): void {
    this.unread = bytes;
    this.slowness.wrote();
  }

  async readAll(): Promise<void> {
    this.unread = 0;
    this.#drained();
    await settled();
  }

  taken(): string[] {
    return this.log.splice(0);
  }
}

test('a full pipe holds up answers until it is read', async () => {
  const reader = new Reader();
  reader.leave(100_000);
  reader.leave(200_000);
  expect(reader.taken()).toEqual(['answers held']);
  await reader.clock.advance(600_000);
  await reader.readAll();
  expect(reader.taken()).toEqual(['answers flow']);
});

test('above 8 MiB it is not listened to either, and given up after 30 s (case c33)', async () => {
  const reader = new Reader();
  reader.leave(8 * MIB);
  expect(reader.slowness.isFarBehind).toBe(false);
  reader.leave(8 * MIB + 1);
  expect(reader.slowness.isFarBehind).toBe(true);
  await reader.clock.advance(29_999);
  expect(reader.taken()).toEqual(['answers held', 'requests held']);
  await reader.clock.advance(1);
  expect(reader.taken()).toEqual(['BUSY']);
});

test('20 s of not reading cost nothing', async () => {
  const reader = new Reader();
  reader.leave(9 * MIB);
  await reader.clock.advance(20_000);
  await reader.readAll();
  expect(reader.taken()).toEqual(['answers held', 'requests held', 'requests flow', 'answers flow']);
  await reader.clock.advance(60_000);
  expect(reader.taken()).toEqual([]);
  expect(reader.clock.waiting).toBe(0);
});

test('one that reads slowly but steadily is listened to again', async () => {
  const reader = new Reader();
  reader.leave(9 * MIB);
  reader.taken();
  reader.unread = 7 * MIB;
  await reader.clock.advance(30_000);
  expect(reader.taken()).toEqual(['requests flow']);
});
