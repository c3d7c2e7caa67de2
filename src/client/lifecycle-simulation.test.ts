/**
 * Thousands of minutes of an upstream that lives, fails and hangs as a seed says, under callers who do what they like.
 * Whatever happens: no two of it live, starts are bounded, each call ends once and in time, and it recovers by itself.
 */
import { expect, test } from 'vitest';
import { type MemoryScript, MemoryTransport, type Reaction, SOME_TOOL } from '../../test/fixtures/memory-transport.js';
import { Started } from '../../test/fixtures/started-client.js';
import { DoorError } from '../base/index.js';

const SEEDS = 24;
const MINUTES = 120;
const CALL_TIMEOUT_MS = 5_000;
const START_TIMEOUT_MS = 10_000;
/** A process takes up to so long to end: a start waits for the one before it. */
const MAX_END_MS = 4_000;
/** A call may wait for an end and a start, then has its own time; a sweep may be late by a little. */
const MAX_WAIT_MS = MAX_END_MS + START_TIMEOUT_MS + CALL_TIMEOUT_MS + 100;
/** The longest delay with jitter, an end and a start, and twice the time it takes to find a hung one out. */
const RECOVERY_MS = 36_000 + MAX_END_MS + START_TIMEOUT_MS + 2 * (CALL_TIMEOUT_MS + 10_000);

const MOODS = ['well', 'well', 'dead', 'mute', 'broken', 'brief', 'hung', 'slow', 'throwing'] as const;
type Mood = (typeof MOODS)[number];

/** Numbers in [0, 1) that a seed determines (an xorshift). */
function randomOf(seed: number): () => number {
  let state = (seed + 1) * 0x9e3779b1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

class World {
  readonly random: () => number;
  readonly up: Started;
  mood: Mood = 'well';
  /** Being opened, up, or not wholly ended yet. */
  live = 0;
  mostLive = 0;
  readonly startedAtMs: number[] = [];
  readonly waitedMs: number[] = [];
  asked = 0;
  answered = 0;

  constructor(seed: number) {
    this.random = randomOf(seed);
    this.up = new Started([], {
      random: this.random,
      callTimeoutMs: CALL_TIMEOUT_MS,
      startTimeoutMs: START_TIMEOUT_MS,
      maxCallMs: CALL_TIMEOUT_MS,
      connect: () => this.#connect(),
    });
  }

  upTo(max: number): number {
    return Math.floor(this.random() * max);
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.upTo(values.length)]!;
  }

  /** Calls, and keeps how long that took. */
  call(): void {
    const { clock, lists } = this.up;
    // All are the same list: looking through thousands of them would be most of the work.
    lists.splice(1);
    const beganMs = clock.monotonicMs();
    this.asked++;
    const over = (): void => void this.waitedMs.push(clock.monotonicMs() - beganMs);
    this.up.call('some').then(() => {
      this.answered++;
      over();
    }, over);
  }

  #connect(): MemoryTransport {
    this.startedAtMs.push(this.up.clock.monotonicMs());
    if (this.mood === 'throwing') throw new DoorError('UPSTREAM_UNREACHABLE', 'no descriptors left');
    this.live++;
    this.mostLive = Math.max(this.mostLive, this.live);
    const transport = new MemoryTransport(this.#script());
    this.up.transports.push(transport);
    return transport;
  }

  #script(): MemoryScript {
    const { clock } = this.up;
    const endMs = this.upTo(2) * this.upTo(MAX_END_MS);
    let ended: Promise<void> | undefined;
    const end = async (): Promise<void> => {
      if (endMs > 0) await new Promise<void>((resolve) => void clock.schedule(endMs, resolve));
      this.live--;
    };
    return {
      open: () => {
        if (this.mood === 'dead') throw new DoorError('UPSTREAM_UNREACHABLE', 'no such command');
      },
      close: () => {
        ended ??= end();
        return ended;
      },
      on: { '*': this.#react },
    };
  }

  readonly #react: Reaction = ({ id, method }, transport) => {
    if (id === undefined || this.mood === 'hung' || this.mood === 'mute') return undefined;
    if (this.mood === 'broken') return method === 'ping' ? {} : { tools: 'none' };
    const answer = (): void => transport.answer(id, ANSWERS[method!]);
    if (this.mood === 'slow') return void this.up.clock.schedule(this.upTo(4_000), answer);
    answer();
    if (this.mood === 'brief' && method === 'tools/list') {
      this.up.clock.schedule(this.pick([0, 10, 1_000, 59_999, 60_000]), () => transport.lose());
    }
    return undefined;
  };
}

const ANSWERS: Readonly<Record<string, unknown>> = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: true } } },
  'tools/list': { tools: [SOME_TOOL] },
  'tools/call': { content: [] },
  ping: {},
};

function mostWithin(momentsMs: readonly number[], stretchMs: number): number {
  let most = 0;
  let first = 0;
  for (const [i, ms] of momentsMs.entries()) {
    while (ms - momentsMs[first]! >= stretchMs) first++;
    most = Math.max(most, i - first + 1);
  }
  return most;
}

/** Does something at random, then lets some time pass. */
async function step(world: World): Promise<void> {
  const { up } = world;
  const does = world.upTo(20);
  if (does === 0) world.mood = world.pick(MOODS);
  else if (does === 1) up.transports.at(-1)?.lose();
  else if (does === 2) for (let i = world.upTo(6); i >= 0; i--) world.call();
  else if (does < 5) up.client.start().catch(() => {});
  else if (does < 12) world.call();
  await up.clock.advance(world.pick([0, 1, 10, 100, 1_000, 5_000, 20_000]));
}

/** Lets it be well, left alone or under calls. @returns how long it took until it was up, or had answered again */
async function recover(world: World): Promise<number> {
  world.mood = 'well';
  const { clock, client } = world.up;
  const beganMs = clock.monotonicMs();
  const { answered } = world;
  const isCalled = world.random() < 0.5;
  const isBack = (): boolean => (isCalled ? world.answered > answered : client.state.kind === 'ready');
  while (!isBack() && clock.monotonicMs() - beganMs < 10 * RECOVERY_MS) {
    if (isCalled) world.call();
    await clock.advance(500);
  }
  return clock.monotonicMs() - beganMs;
}

test.each(Array.from({ length: SEEDS }, (_, seed) => seed))('seed %i', async (seed) => {
  const world = new World(seed);
  const { up } = world;
  await up.client.start();
  for (let atMs = 0; atMs < MINUTES * 60_000; atMs = up.clock.monotonicMs()) {
    for (let i = 0; i < 60; i++) await step(world);
    expect(await recover(world)).toBeLessThanOrEqual(RECOVERY_MS);
  }
  expect(world.mostLive).toBe(1);
  expect(mostWithin(world.startedAtMs, 30_000)).toBeLessThanOrEqual(6);
  await up.clock.advance(MAX_WAIT_MS);
  expect(world.waitedMs).toHaveLength(world.asked);
  expect(Math.max(...world.waitedMs)).toBeLessThanOrEqual(MAX_WAIT_MS);

  const closing = up.client.close();
  await up.clock.advance(MAX_END_MS);
  await closing;
  const starts = world.startedAtMs.length;
  await up.clock.advance(10 * 60_000);
  expect({ live: world.live, starts: world.startedAtMs.length, timers: up.clock.waiting }).toEqual({
    live: 0,
    starts,
    timers: 0,
  });
});
