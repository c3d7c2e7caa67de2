/**
 * The second promise, in memory: whatever comes in whatever order and chunks, and however callers and time interfere,
 * each request ends once, in time, and with what was meant for it. A model says how; the connection must agree.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemoryTransport } from '../../test/fixtures/memory-transport.js';
import { settled, VirtualClock } from '../../test/fixtures/virtual-clock.js';
import { CallSignal, DoorError, decodeText, encodeText, JsonScanner } from '../base/index.js';
import type { ListedTool } from '../catalog/index.js';
import { makeCallParams } from '../protocol/index.js';
import { Connection } from './connection.js';
import type { RawAnswer } from './raw-answer.js';

const RUNS = 500;
const MAX_BYTES = 300;
/** Deadlines end in 50 ms and time is moved by hundreds, so that a sweep's few milliseconds never decide. */
const TICK_MS = 100;
const OFF_BEAT_MS = 50;

/** What an upstream says, given an id of ours; the numeric id is drawn so that most are in flight or just were. */
type Saying = (id: number, tag: number) => { readonly bytes: Uint8Array; readonly does: Effect };
type Effect = 'nothing' | 'result' | 'error' | 'broken' | 'too large' | 'progress';

const line = (text: string): Uint8Array => encodeText(`${text}\n`);
const says =
  (does: Effect, text: (id: number, tag: number) => string): Saying =>
  (id, tag) => ({ bytes: line(text(id, tag)), does });

const LONG = 'x'.repeat(MAX_BYTES);
const SAYINGS: readonly Saying[] = [
  says('result', (id, tag) => `{"jsonrpc":"2.0","id":${id},"result":{"tag":${tag}}}`),
  says('result', (id, tag) => `\ufeff {"result" : {"tag" : ${tag}} , "id":${id},"extra":[{"id":9}],"jsonrpc":"2.0"}\r`),
  says(
    'error',
    (id, tag) => `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"m","data":{"tag":${tag}}}}`,
  ),
  says('broken', (id) => `{"jsonrpc":"1.0","id":${id},"result":{}}`),
  says('broken', (id) => `{"jsonrpc":"2.0","id":${id}}`),
  says('broken', (id) => `{"jsonrpc":"2.0","id":${id},"result":{},"error":{"code":1,"message":"m"}}`),
  says('broken', (id) => `{"jsonrpc":"2.0","id":${id},"result":{"a":tru}}`),
  says('broken', (id) => `{"jsonrpc":"2.0","id":${id},"result":{"a":"cut o`),
  (id) => ({
    bytes: Uint8Array.of(...encodeText(`{"jsonrpc":"2.0","id":${id},"result":{"a":"`), 0xff, ...line('"}}')),
    does: 'broken',
  }),
  says('too large', (id) => `{"jsonrpc":"2.0","id":${id},"result":{"text":"${LONG}"}}`),
  says('too large', (id) => `{"jsonrpc":"2.0","result":{"id":77,"text":"${LONG}\\""},"id":${id}}`),
  says(
    'progress',
    (id) => `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${id},"progress":1}}`,
  ),
  says('nothing', (id) => `{"jsonrpc":"2.0","id":"${id}","result":{}}`),
  says('nothing', (id) => `{"jsonrpc":"2.0","id":${id}.0,"result":{}}`),
  says('nothing', (id) => `{"jsonrpc":"2.0","id":${id + 1_000},"result":{}}`),
  says('nothing', (id) => `{"jsonrpc":"2.0","id":-${id},"result":{}}`),
  says('nothing', (id) => `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"${id}"}}`),
  says('nothing', (id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`),
  says('nothing', (id) => `{"jsonrpc":"2.0","id":${id},"method":"sampling/createMessage","params":{"a":"${LONG}"}}`),
  says('nothing', (id) => `{"jsonrpc":"2.0","method":"notifications/message","params":{"id":${id}}}`),
  says('result', (id, tag) => `[{"jsonrpc":"2.0","id":${id},"result":{"tag":${tag}}}]`),
  says('nothing', (id) => `{"id":${id},"msg":"a line of a log"}`),
  says('nothing', (id) => `noise ${id}`),
  says('nothing', () => ''),
  says('nothing', () => '\r'),
];

type Step =
  | {
      readonly do: 'say';
      readonly said: readonly { saying: number; whose: number }[];
      readonly cuts: readonly number[];
    }
  | { readonly do: 'ask'; readonly timeoutTicks: number; readonly maxTicks: number; readonly isCall: boolean }
  | { readonly do: 'give up'; readonly whose: number }
  | { readonly do: 'wait'; readonly ticks: number }
  | { readonly do: 'lose' };

/** What ends nothing comes more often, so that requests live long enough to be interfered with. */
const lasting = SAYINGS.flatMap((saying, i) => (['nothing', 'progress'].includes(saying(1, 1).does) ? [i] : []));
const progressing = SAYINGS.findIndex((saying) => saying(1, 1).does === 'progress');
const saying = fc.record({
  saying: fc.oneof(fc.nat(SAYINGS.length - 1), fc.constantFrom(...lasting), fc.constant(progressing)),
  whose: fc.nat(6),
});
const ask = fc.record({
  do: fc.constant('ask' as const),
  timeoutTicks: fc.integer({ min: 1, max: 4 }),
  maxTicks: fc.integer({ min: 2, max: 8 }),
  isCall: fc.boolean(),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      said: fc.array(saying, { minLength: 1, maxLength: 4 }),
      cuts: fc.array(fc.nat(400), { maxLength: 6 }),
    }),
  },
  { weight: 4, arbitrary: ask },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('give up' as const), whose: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ticks: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'lose' as const }) },
);
const story = fc.tuple(fc.array(ask, { minLength: 1, maxLength: 4 }), fc.array(step, { maxLength: 20 }));

/** How a request ended: in the model, and as observed. */
type End =
  | { readonly kind: 'result' | 'error'; readonly tag: number }
  | { readonly kind: 'broken' | 'too large' | 'timeout' | 'lost' | 'refused' }
  | { readonly kind: 'given up'; readonly whose: number };

interface Asked {
  readonly number: number;
  readonly signal: CallSignal;
  readonly timeoutMs: number;
  readonly endsAtMs: number;
  deadlineMs: number;
  /** What the model says. */
  expected: End | undefined;
  /** Each time the promise was seen to settle. */
  readonly seen: End[];
  expectedProgress: number;
  seenProgress: number;
}

class Story {
  readonly clock = new VirtualClock();
  readonly transport = new MemoryTransport({ on: { '*': () => undefined } });
  readonly asked: Asked[] = [];
  readonly connection: Connection;
  isLost = false;
  #tag = 0;

  constructor() {
    this.connection = new Connection({
      upstream: 'up',
      transport: this.transport,
      clock: this.clock,
      maxMessageBytes: MAX_BYTES,
      notified: () => {},
      lost: () => {},
      warn: () => {},
      activity: () => {},
    });
  }

  async play(steps: readonly Step[]): Promise<void> {
    await this.connection.open();
    for (const each of steps) {
      await this.#take(each);
      // What a step brings about is there before the next one: nothing waits for something else to happen.
      await settled();
      this.compare();
    }
    await this.#wait(20);
    this.compare();
  }

  compare(): void {
    for (const { number, expected, seen, expectedProgress, seenProgress } of this.asked) {
      expect({ number, seen }).toEqual({ number, seen: expected === undefined ? [] : [expected] });
      expect({ number, progress: seenProgress }).toEqual({ number, progress: expectedProgress });
    }
    const abandoned = this.asked.filter(
      ({ expected }) => expected?.kind === 'timeout' || expected?.kind === 'given up',
    );
    const told = this.transport.received('notifications/cancelled').map(({ params }) => params?.requestId);
    expect(new Set(told)).toEqual(new Set(abandoned.map(({ number }) => number)));
    expect(told).toHaveLength(abandoned.length);
    expect(this.connection.inFlight).toBe(this.asked.filter(({ expected }) => expected === undefined).length);
    expect(this.clock.waiting).toBeLessThanOrEqual(1);
  }

  #take(step: Step): void | Promise<void> {
    switch (step.do) {
      case 'ask':
        return this.#ask(step.timeoutTicks, step.maxTicks, step.isCall);
      case 'say':
        return this.#say(step.said, step.cuts);
      case 'give up':
        return this.#giveUp(step.whose);
      case 'wait':
        return this.#wait(step.ticks);
      case 'lose':
        return this.#lose();
    }
  }

  #ask(timeoutTicks: number, maxTicks: number, isCall: boolean): void {
    const timeoutMs = timeoutTicks * TICK_MS - OFF_BEAT_MS;
    const maxMs = maxTicks * TICK_MS - OFF_BEAT_MS;
    const nowMs = this.clock.monotonicMs();
    const asked: Asked = {
      number: this.asked.length + 1,
      signal: new CallSignal(),
      timeoutMs,
      endsAtMs: nowMs + maxMs,
      deadlineMs: nowMs + Math.min(timeoutMs, maxMs),
      expected: this.isLost ? { kind: 'refused' } : undefined,
      seen: [],
      expectedProgress: 0,
      seenProgress: 0,
    };
    const progress = (): void => void asked.seenProgress++;
    const options = { signal: asked.signal, timeoutMs, maxMs, progress, about: 'it' };
    try {
      const answer = isCall ? this.connection.call(PARAMS, X, options) : this.connection.request('m', '{}', options);
      answer.then(
        (raw) => asked.seen.push(endOf(raw)),
        (thrown: unknown) => asked.seen.push(failureOf(thrown)),
      );
      this.asked.push(asked);
    } catch {
      expect(this.isLost).toBe(true);
    }
  }

  #say(said: readonly { saying: number; whose: number }[], cuts: readonly number[]): void {
    const chunks: Uint8Array[] = [];
    for (const { saying: index, whose } of said) {
      // The latest are the most interesting: in flight, or just over.
      const number = Math.max(1, this.asked.length - whose);
      const { bytes, does } = SAYINGS[index]!(number, ++this.#tag);
      chunks.push(bytes);
      this.#expectOf(number, does, this.#tag);
    }
    const whole = Buffer.concat(chunks);
    const places = [...new Set(cuts.map((cut) => Math.min(cut, whole.length)))].sort((a, b) => a - b);
    let from = 0;
    for (const place of [...places, whole.length]) {
      this.transport.sayBytes(whole.subarray(from, place));
      from = place;
    }
  }

  #expectOf(number: number, does: Effect, tag: number): void {
    const asked = this.asked[number - 1];
    if (asked === undefined || asked.expected !== undefined || this.isLost || does === 'nothing') return;
    if (does === 'progress') {
      asked.expectedProgress++;
      asked.deadlineMs = Math.min(this.clock.monotonicMs() + asked.timeoutMs, asked.endsAtMs);
    } else asked.expected = does === 'result' || does === 'error' ? { kind: does, tag } : { kind: does };
  }

  #giveUp(whose: number): void {
    const asked = this.asked[this.asked.length - 1 - whose];
    if (asked === undefined) return;
    asked.expected ??= { kind: 'given up', whose: asked.number };
    asked.signal.abort(asked.number);
  }

  async #wait(ticks: number): Promise<void> {
    const untilMs = this.clock.monotonicMs() + ticks * TICK_MS;
    for (const asked of this.asked) if (asked.deadlineMs < untilMs) asked.expected ??= { kind: 'timeout' };
    await this.clock.advance(ticks * TICK_MS);
  }

  #lose(): void {
    if (!this.isLost) for (const asked of this.asked) asked.expected ??= { kind: 'lost' };
    this.isLost = true;
    this.transport.lose();
  }
}

/** Of a tool nothing but its name is sent. */
const X = { name: 'x', quotedName: '"x"', paramHeaders: [] } as unknown as ListedTool;
const PARAMS = (() => {
  const params = makeCallParams(new JsonScanner(), 'x', encodeText('{"n":12345678901234567890}'));
  if (typeof params === 'string') throw new Error(params);
  return params;
})();

function endOf({ kind, bytes, start, end }: RawAnswer): End {
  const body = JSON.parse(decodeText(bytes, start, end)) as { tag?: number; data?: { tag: number } };
  return { kind, tag: body.tag ?? body.data?.tag ?? -1 };
}

function failureOf(thrown: unknown): End {
  if (!(thrown instanceof DoorError)) return { kind: 'given up', whose: Number(thrown) };
  expect(thrown.data).toMatchObject({ upstream: 'up', outcome: 'unknown' });
  const kinds: Partial<Record<DoorError['code'], End>> = {
    UPSTREAM_BROKE_PROTOCOL: { kind: 'broken' },
    MESSAGE_TOO_LARGE: { kind: 'too large' },
    TIMEOUT: { kind: 'timeout' },
    UPSTREAM_LOST: { kind: 'lost' },
  };
  return kinds[thrown.code] ?? { kind: 'refused' };
}

test(`each request ends once, in time, with what was meant for it (${RUNS} runs)`, async () => {
  const property = fc.asyncProperty(story, async ([asks, steps]) => {
    await new Story().play([...asks, ...steps]);
  });
  await fc.assert(property, { numRuns: RUNS });
});
