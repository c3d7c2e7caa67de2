/** What a parked call gathers before its caller is shown it: questions of one go come one by one. */
import { describe, expect, test } from 'vitest';
import { ALL, answer, DONE, NAME_FORM, slice, watched } from '../../../test/fixtures/rounds-stage.js';
import { VirtualClock } from '../../../test/fixtures/virtual-clock.js';
import { type Caller, type CallerAnswer, CallSignal } from '../../base/index.js';
import { ParkedRequests } from '../../client/index.js';
import type { ToolAnswer } from '../types.js';
import { OpenCall } from './parked-calls.js';

const CALLER: Caller = {
  principal: { id: 'ann', kind: 'token' },
  capabilities: ALL,
  takesRequests: false,
  program: 'test',
  door: 'http',
  ask: () => Promise.reject(new Error('a request cannot be asked')),
  tell: () => {},
};

class Stage {
  readonly clock = new VirtualClock();
  readonly call = new OpenCall({ caller: CALLER, parked: new ParkedRequests(), clock: this.clock });
  finish: (answer: ToolAnswer) => void = () => {};

  constructor() {
    this.call.begin(
      new Promise((resolve) => {
        this.finish = resolve;
      }),
    );
  }

  /** Waits as the request of a caller does. */
  wait(): { value?: { readonly answer: ToolAnswer | undefined; readonly atMs: number } } {
    const next = this.call.next(CALLER, undefined);
    return watched(next.then((answer) => ({ answer, atMs: this.clock.nowMs() })));
  }

  ask(signal = new CallSignal()): CallSignal {
    const question = { method: 'elicitation/create', params: slice(NAME_FORM) } as const;
    this.call.ask(question, signal).catch(() => {});
    return signal;
  }

  get asked(): readonly string[] {
    return this.call.requests.map(({ key }) => key);
  }

  /** Answers whatever is asked. */
  answerAll(): void {
    const declined: CallerAnswer = { kind: 'result', json: slice({ action: 'decline' }) };
    this.call.answer(new Map(this.asked.map((key) => [key, declined])));
  }
}

describe('questions that come one by one are shown together', () => {
  test.each([
    { why: 'in one go', gapsMs: [0, 0, 0], shown: 3, atMs: 50 },
    { why: 'some milliseconds apart', gapsMs: [0, 4, 15], shown: 3, atMs: 60 },
    { why: 'the server was busy in between', gapsMs: [0, 25, 30], shown: 3, atMs: 100 },
    { why: 'what takes longer is another round', gapsMs: [0, 60], shown: 1, atMs: 40 },
    { why: 'a flow without end is not waited for', gapsMs: Array.from({ length: 40 }, () => 10), shown: 25, atMs: 260 },
  ])('$why', async ({ gapsMs, shown, atMs }) => {
    const stage = new Stage();
    const waiting = stage.wait();
    for (const gapMs of gapsMs) {
      await stage.clock.advance(gapMs);
      if (waiting.value === undefined) stage.ask();
    }
    await stage.clock.advance(1000);
    expect(waiting.value).toEqual({ answer: undefined, atMs });
    expect(stage.asked).toHaveLength(shown);
    expect(stage.clock.waiting).toBe(0);
  });

  test('after an answer too', async () => {
    const stage = new Stage();
    stage.ask();
    const first = stage.wait();
    await stage.clock.advance(40);
    expect(first.value).toEqual({ answer: undefined, atMs: 40 });
    stage.answerAll();
    const second = stage.wait();
    await stage.clock.advance(500);
    stage.ask();
    await stage.clock.advance(20);
    stage.ask();
    await stage.clock.advance(100);
    expect(second.value?.answer).toBeUndefined();
    expect(stage.asked).toEqual(['elicitation-2', 'elicitation-3']);
  });

  test('beside one that was left unanswered', async () => {
    const stage = new Stage();
    stage.ask();
    const waiting = stage.wait();
    await stage.clock.advance(20);
    stage.ask();
    await stage.clock.advance(100);
    expect(waiting.value).toEqual({ answer: undefined, atMs: 70 });
    expect(stage.asked).toHaveLength(2);
  });
});

describe('while more is waited for', () => {
  test('a result ends the waiting; what is open is another call’s, and is shown', async () => {
    const stage = new Stage();
    const waiting = stage.wait();
    stage.ask();
    await stage.clock.advance(15);
    stage.finish(answer(DONE));
    await stage.clock.advance(0);
    expect(waiting.value).toEqual({ answer: undefined, atMs: 15 });
    expect(stage.call.isOver).toBe(true);
    expect(stage.clock.waiting).toBe(0);
  });

  test('a question taken back is shown to nobody, and the call is waited for on', async () => {
    const stage = new Stage();
    const waiting = stage.wait();
    const question = stage.ask();
    await stage.clock.advance(15);
    question.abort(new Error('taken back'));
    await stage.clock.advance(300);
    expect(waiting.value).toBeUndefined();
    stage.ask();
    await stage.clock.advance(40);
    expect(waiting.value).toEqual({ answer: undefined, atMs: 355 });
    expect(stage.asked).toEqual(['elicitation-2']);
  });

  test('a result after the last question was taken back is the answer', async () => {
    const stage = new Stage();
    const waiting = stage.wait();
    const question = stage.ask();
    await stage.clock.advance(15);
    question.abort(new Error('taken back'));
    const given = answer(DONE);
    stage.finish(given);
    await stage.clock.advance(0);
    expect(waiting.value?.answer).toBe(given);
  });
});
