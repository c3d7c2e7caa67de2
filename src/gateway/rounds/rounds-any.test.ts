/** Parked calls in any order of events: nothing leaks, nothing is answered twice, nothing is sent twice. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  answer,
  calm,
  DONE,
  NAME_FORM,
  OCTO,
  RoundsStage,
  resultOf,
  textOf,
} from '../../../test/fixtures/rounds-stage.js';
import { CallSignal, DoorError } from '../../base/index.js';
import { PARKED_MS } from '../../client/index.js';
import type { ToolAnswer } from '../types.js';
import type { Attempt } from './rounds.js';

/** One thing that happens; the numbers pick among what there is at that moment. */
type Step =
  | { readonly kind: 'start'; readonly asks: readonly number[]; readonly ms: number }
  | {
      readonly kind: 'retry';
      readonly pick: number;
      readonly said: 'good' | 'bad' | 'part' | 'none';
      readonly times: number;
    }
  | { readonly kind: 'cancel'; readonly pick: number }
  | { readonly kind: 'withdraw'; readonly pick: number }
  | { readonly kind: 'pass'; readonly ms: number };

const anyStart = fc.record({
  kind: fc.constant('start' as const),
  // How many questions at once, several times over; then some time until the answer.
  asks: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
  ms: fc.constantFrom(0, 0, 10, 500),
});
const anyRetry = fc.record({
  kind: fc.constant('retry' as const),
  pick: fc.nat({ max: 20 }),
  said: fc.constantFrom('good', 'good', 'good', 'bad', 'part', 'none'),
  times: fc.constantFrom(1, 1, 2),
});
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: anyStart },
    { weight: 8, arbitrary: anyRetry },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), pick: fc.nat({ max: 20 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), pick: fc.nat({ max: 20 }) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('pass' as const),
        ms: fc.constantFrom(1, 20, 1000, PARKED_MS / 2, PARKED_MS),
      }),
    },
  ),
  { minLength: 5, maxLength: 25 },
);

interface Asked {
  readonly signal: CallSignal;
  ends: number;
  isAnswered: boolean;
}

class World {
  readonly stage = new RoundsStage();
  readonly asked: Asked[] = [];
  readonly states: { readonly state: string; readonly keys: readonly string[]; readonly id: number }[] = [];
  readonly requests: CallSignal[] = [];
  /** How often each call gave its caller what it is called for. */
  readonly done = new Map<number, number>();
  readonly odd: unknown[] = [];
  #started = 0;

  /** What the upstream does: it asks, so many at once, and again, and then answers. */
  async #serve(attempt: Attempt, id: number, asks: readonly number[], ms: number): Promise<ToolAnswer> {
    for (const many of asks) {
      await Promise.all(Array.from({ length: many }, () => this.#ask(attempt).catch(() => {})));
      if (attempt.signal?.aborted) throw attempt.signal.reason;
    }
    await new Promise<void>((resolve) => {
      const timer = ms === 0 ? undefined : this.stage.clock.schedule(ms, resolve);
      if (timer === undefined) resolve();
      attempt.signal?.addEventListener('abort', {
        handleEvent: () => {
          timer?.cancel();
          resolve();
        },
      });
    });
    if (attempt.signal?.aborted) throw attempt.signal.reason;
    return answer({ ...DONE, id });
  }

  async #ask(attempt: Attempt): Promise<void> {
    const signal = new CallSignal();
    attempt.signal?.addEventListener('abort', { handleEvent: () => signal.abort(attempt.signal?.reason) });
    const asked: Asked = { signal, ends: 0, isAnswered: false };
    this.asked.push(asked);
    try {
      const said = await this.stage.ask(attempt, 'elicitation/create', NAME_FORM, signal);
      asked.isAnswered = true;
      if (textOf(said.json) !== JSON.stringify(OCTO)) this.odd.push(textOf(said.json));
    } finally {
      asked.ends++;
    }
  }

  do(step: Step): Promise<void> | void {
    switch (step.kind) {
      case 'start': {
        const id = this.#started++;
        return this.#take(id, (target, signal) => this.stage.run(target, { arguments: { id }, signal }), step);
      }
      case 'retry':
        return this.#retry(step);
      case 'cancel':
        this.requests[step.pick % Math.max(1, this.requests.length)]?.abort(new DoorError('UPSTREAM_LOST', 'hung up'));
        return;
      case 'withdraw':
        this.asked[step.pick % Math.max(1, this.asked.length)]?.signal.abort(
          new DoorError('UPSTREAM_LOST', 'withdrawn'),
        );
        return;
      case 'pass':
        return this.stage.clock.advance(step.ms);
    }
  }

  #retry({ pick, said, times }: Extract<Step, { kind: 'retry' }>): void {
    const picked = this.states[pick % Math.max(1, this.states.length)];
    if (picked === undefined) return;
    const { state, id } = picked;
    const keys = said === 'none' ? [] : said === 'part' ? picked.keys.slice(0, 1) : picked.keys;
    const one = said === 'bad' ? { action: 'accept', content: { name: 7 } } : OCTO;
    const responses = Object.fromEntries(keys.map((key) => [key, one]));
    for (let time = 0; time < times; time++) {
      this.#take(id, (target, signal) => this.stage.run(target, { arguments: { id }, state, responses, signal }));
    }
  }

  #take(
    id: number,
    run: (target: ReturnType<RoundsStage['target']>, signal: CallSignal) => Promise<ToolAnswer>,
    { asks, ms }: { readonly asks: readonly number[]; readonly ms: number } = { asks: [], ms: 0 },
  ): void {
    const signal = new CallSignal();
    this.requests.push(signal);
    run(
      this.stage.target((attempt) => this.#serve(attempt, id, asks, ms)),
      signal,
    ).then(
      (given) => {
        const { inputRequests, requestState } = resultOf(given);
        if (given.isInputRequired)
          this.states.push({ state: requestState!, keys: Object.keys(inputRequests ?? {}), id });
        else if (resultOf(given).id !== id) this.odd.push(resultOf(given));
        else this.done.set(id, (this.done.get(id) ?? 0) + 1);
      },
      (thrown: unknown) => {
        if (!(thrown instanceof DoorError) || thrown.code === 'INTERNAL') this.odd.push(thrown);
      },
    );
  }

  /** Everything runs out. */
  async end(): Promise<void> {
    await calm();
    await this.stage.clock.advance(PARKED_MS + 1000);
    await calm();
  }
}

test('whatever happens in whatever order', async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const world = new World();
      let started = 0;
      for (const step of all) {
        if (step.kind === 'start') started++;
        await world.do(step);
        await calm();
      }
      await world.end();
      expect(world.odd).toEqual([]);
      // A retry goes on with the call there is: it never sends another.
      expect(world.stage.attempts).toHaveLength(started);
      expect(world.asked.map(({ ends }) => ends)).toEqual(world.asked.map(() => 1));
      for (const { isAnswered, signal } of world.asked) expect(isAnswered || signal.aborted).toBe(true);
      for (const times of world.done.values()) expect(times).toBe(1);
      expect(world.stage.rounds.parkedCalls).toBe(0);
      expect(world.stage.parked.size).toBe(0);
      expect(world.stage.clock.waiting).toBe(0);
      answered += world.asked.filter(({ isAnswered }) => isAnswered).length;
    }),
    { numRuns: 100 },
  );
  // It would all be true of rounds that do nothing.
  expect(answered).toBeGreaterThan(50);
}, 60_000);
