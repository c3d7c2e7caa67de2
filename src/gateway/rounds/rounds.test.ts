/** Rounds that are none, and those of callers of the 2026 era with upstreams of the 2025 era: parked calls. */
import { describe, expect, test } from 'vitest';
import {
  ALL,
  answer,
  calm,
  DONE,
  NAME_FORM,
  OCTO,
  RoundsStage,
  resultOf,
  type Script,
  slice,
  textOf,
  watched,
} from '../../../test/fixtures/rounds-stage.js';
import { type CallerAnswer, CallSignal, DoorError } from '../../base/index.js';
import { PARKED_MS } from '../../client/index.js';
import { GATHERING_TICK_MS, MAX_ROUNDS } from './limits.js';

/** Asks for a name, then tells it. */
const asksName = (stage: RoundsStage, told: CallerAnswer[] = []): Script => {
  return async (attempt) => {
    const said = await stage.ask(attempt, 'elicitation/create', NAME_FORM);
    told.push(said);
    return answer({ content: [{ type: 'text', text: textOf(said.json) }] });
  };
};

describe('a request that needs no round', () => {
  test.each([
    { why: 'of one who can be asked', capabilities: ALL },
    { why: 'of one who cannot', capabilities: {} },
  ])('gets the very answer, and costs no timer: $why', async ({ capabilities }) => {
    const stage = new RoundsStage();
    const given = answer(DONE);
    const got = await stage.run(
      stage.target(() => given),
      { caller: stage.modern('ann', capabilities) },
    );
    expect(got).toBe(given);
    expect(stage.clock.scheduled).toBe(0);
  });

  test('fails with what it fails with', async () => {
    const stage = new RoundsStage();
    const lost = new DoorError('UPSTREAM_LOST', 'gone');
    await expect(stage.run(stage.target(() => Promise.reject(lost)))).rejects.toBe(lost);
  });

  test('is cancelled by its caller', async () => {
    const stage = new RoundsStage();
    const signal = new CallSignal();
    const run = watched(
      stage.run(
        stage.target(() => new Promise(() => {})),
        { signal },
      ),
    );
    signal.abort(new DoorError('UPSTREAM_LOST', 'the caller hung up'));
    await calm();
    expect(run.code).toBe('UPSTREAM_LOST');
    expect(stage.attempts[0]!.signal?.aborted).toBe(true);
  });
});

describe('a 2026 caller, an upstream of the 2025 era', () => {
  test('what is asked is returned, and the retry resumes the very call', async () => {
    const stage = new RoundsStage();
    const told: CallerAnswer[] = [];
    const target = stage.target(asksName(stage, told));
    const first = await stage.run(target);
    expect(first.isInputRequired).toBe(true);
    const { inputRequests, requestState, resultType } = resultOf(first);
    expect(resultType).toBe('input_required');
    expect(inputRequests).toEqual({ 'elicitation-1': { method: 'elicitation/create', params: NAME_FORM } });
    const second = await stage.run(target, { state: requestState, responses: { 'elicitation-1': OCTO } });
    expect(resultOf(second)).toEqual({ content: [{ type: 'text', text: JSON.stringify(OCTO) }] });
    expect(stage.attempts).toHaveLength(1);
    expect(stage.rounds.parkedCalls).toBe(0);
    expect(stage.clock.waiting).toBe(0);
  });

  test('questions asked in one go are shown in one go; what has no params has none', async () => {
    const stage = new RoundsStage();
    const target = stage.target(async (attempt) => {
      const all = [stage.ask(attempt, 'roots/list'), stage.ask(attempt, 'elicitation/create', NAME_FORM)];
      const said = await Promise.all(all);
      return answer({ said: said.map(({ json }) => textOf(json)) });
    });
    const { inputRequests, requestState } = resultOf(await stage.run(target));
    expect(inputRequests).toEqual({
      'roots-1': { method: 'roots/list' },
      'elicitation-2': { method: 'elicitation/create', params: NAME_FORM },
    });
    const responses = { 'elicitation-2': OCTO, 'roots-1': { roots: [] } };
    const done = resultOf(await stage.run(target, { state: requestState, responses }));
    expect(done.said).toEqual(['{"roots":[]}', JSON.stringify(OCTO)]);
  });

  test('an invalid answer is told to who retried; call and state stay good', async () => {
    const stage = new RoundsStage();
    const told: CallerAnswer[] = [];
    const target = stage.target(asksName(stage, told));
    const { requestState: state } = resultOf(await stage.run(target));
    const bad = { 'elicitation-1': { action: 'accept', content: {} } };
    await expect(stage.run(target, { state, responses: bad })).rejects.toMatchObject({
      code: 'INVALID_ANSWER',
      data: { key: 'elicitation-1', upstream: 'up' },
    });
    expect(told).toEqual([]);
    expect(stage.named('elicitation.rejected')).toMatchObject([{ upstream: 'up', tool: 'tool' }]);
    await stage.run(target, { state, responses: { 'elicitation-1': OCTO } });
    expect(told).toHaveLength(1);
  });

  test('a missing answer is asked for again, and any of the states is good, once', async () => {
    const stage = new RoundsStage();
    const target = stage.target(asksName(stage));
    const first = resultOf(await stage.run(target));
    const again = resultOf(await stage.run(target, { state: first.requestState }));
    const wrong = resultOf(await stage.run(target, { state: first.requestState, responses: { other: OCTO } }));
    expect(again.inputRequests).toEqual(first.inputRequests);
    expect(wrong.inputRequests).toEqual(first.inputRequests);
    expect(again.requestState).not.toBe(first.requestState);
    const responses = { 'elicitation-1': OCTO };
    await stage.run(target, { state: again.requestState, responses });
    await expect(stage.run(target, { state: first.requestState, responses })).rejects.toMatchObject({
      code: 'STATE_INVALID',
    });
    expect(stage.attempts).toHaveLength(1);
  });

  test('of two questions one is answered: it goes up, and the other is asked again', async () => {
    const stage = new RoundsStage();
    const told: string[] = [];
    const target = stage.target(async (attempt) => {
      const note = (name: string) => (said: CallerAnswer) => void told.push(`${name} ${textOf(said.json)}`);
      await Promise.all([
        stage.ask(attempt, 'elicitation/create', NAME_FORM).then(note('a')),
        stage.ask(attempt, 'elicitation/create', NAME_FORM).then(note('b')),
      ]);
      return answer(DONE);
    });
    const first = resultOf(await stage.run(target));
    const second = resultOf(
      await stage.run(target, { state: first.requestState, responses: { 'elicitation-2': OCTO } }),
    );
    expect(Object.keys(second.inputRequests ?? {})).toEqual(['elicitation-1']);
    const responses = { 'elicitation-1': { action: 'decline' }, 'elicitation-2': OCTO };
    expect(resultOf(await stage.run(target, { state: second.requestState, responses }))).toEqual(DONE);
    expect(told.sort()).toEqual(['a {"action":"decline"}', `b ${JSON.stringify(OCTO)}`]);
  });

  // Over stdio a question names no call and goes to the youngest: it may be that of another call, which waits for it.
  test.each([
    { when: 'while its caller waits', afterMs: 0 },
    { when: 'while it is parked', afterMs: 1000 },
  ])('a call that is over $when leaves no question unanswered', async ({ afterMs }) => {
    const stage = new RoundsStage();
    const told: string[] = [];
    const target = stage.target((attempt) => {
      const asked = stage.ask(attempt, 'elicitation/create', NAME_FORM);
      void asked.then(({ json }) => told.push(textOf(json)));
      if (afterMs === 0) return Promise.resolve(answer(DONE));
      return new Promise((resolve) => {
        stage.clock.schedule(afterMs, () => resolve(answer(DONE)));
      });
    });
    const { requestState, inputRequests } = resultOf(await stage.run(target));
    await stage.clock.advance(afterMs);
    expect(Object.keys(inputRequests ?? {})).toEqual(['elicitation-1']);
    const responses = { 'elicitation-1': OCTO };
    expect(resultOf(await stage.run(target, { state: requestState, responses }))).toEqual(DONE);
    await calm();
    expect(told).toEqual([JSON.stringify(OCTO)]);
  });

  test('what is not answered on coming back for a result is refused: nobody waits for it', async () => {
    const stage = new RoundsStage();
    const refused: unknown[] = [];
    const target = stage.target((attempt) => {
      stage.ask(attempt, 'elicitation/create', NAME_FORM).catch((reason: unknown) => refused.push(reason));
      return Promise.resolve(answer(DONE));
    });
    const { requestState } = resultOf(await stage.run(target));
    expect(resultOf(await stage.run(target, { state: requestState }))).toEqual(DONE);
    await calm();
    expect(refused).toMatchObject([{ code: 'UPSTREAM_LOST' }]);
    expect(stage.rounds.parkedCalls).toBe(0);
  });

  test('an answer that comes while it is parked is kept, in memory of its own', async () => {
    const stage = new RoundsStage();
    const lent = { ...slice(DONE), hasLineBreaks: false };
    const target = stage.target((attempt) => {
      void stage.ask(attempt, 'elicitation/create', NAME_FORM).catch(() => {});
      return new Promise((resolve) => {
        stage.clock.schedule(1000, () => resolve({ ...answer(DONE), json: lent }));
      });
    });
    const { requestState } = resultOf(await stage.run(target));
    await stage.clock.advance(1000);
    lent.bytes.fill(0);
    expect(resultOf(await stage.run(target, { state: requestState }))).toEqual(DONE);
  });

  test('nobody comes back: it is cancelled upstream, and nothing is left', async () => {
    const stage = new RoundsStage();
    const target = stage.target(asksName(stage));
    const { requestState } = resultOf(await stage.run(target));
    await stage.clock.advance(PARKED_MS - 1);
    expect(stage.attempts[0]!.signal?.aborted).toBe(false);
    await stage.clock.advance(1);
    expect(stage.attempts[0]!.signal).toMatchObject({ aborted: true, reason: { code: 'TIMEOUT' } });
    expect(stage.rounds.parkedCalls).toBe(0);
    expect(stage.clock.waiting).toBe(0);
    await expect(stage.run(target, { state: requestState })).rejects.toMatchObject({ code: 'STATE_INVALID' });
  });

  test.each([
    { when: 'while more questions are waited for', timerMs: GATHERING_TICK_MS },
    { when: 'while it is told', timerMs: PARKED_MS },
  ])('the caller hangs up $when: nobody could come back', async ({ timerMs }) => {
    const stage = new RoundsStage();
    const signal = new CallSignal();
    const schedule = stage.clock.schedule.bind(stage.clock);
    stage.clock.schedule = (delayMs, run) => {
      if (delayMs === timerMs) queueMicrotask(() => signal.abort(new DoorError('UPSTREAM_LOST', 'hung up')));
      return schedule(delayMs, run);
    };
    const run = watched(stage.run(stage.target(asksName(stage)), { signal }));
    await calm();
    expect(run.code).toBe('UPSTREAM_LOST');
    expect(stage.attempts[0]!.signal?.aborted).toBe(true);
    expect(stage.rounds.parkedCalls).toBe(0);
    expect(stage.clock.waiting).toBe(0);
  });

  test('once told, its end is no concern of the first request', async () => {
    const stage = new RoundsStage();
    const signal = new CallSignal();
    const target = stage.target(asksName(stage));
    const { requestState } = resultOf(await stage.run(target, { signal }));
    signal.abort(new Error('the connection of the first request is gone'));
    const responses = { 'elicitation-1': OCTO };
    await expect(stage.run(target, { state: requestState, responses })).resolves.toMatchObject({ kind: 'result' });
  });

  test('it asks and asks: after eight rounds it is cancelled', async () => {
    const stage = new RoundsStage();
    const target = stage.target(async (attempt) => {
      for (;;) await stage.ask(attempt, 'elicitation/create', NAME_FORM);
    });
    let shown = resultOf(await stage.run(target));
    for (let round = 1; round < MAX_ROUNDS; round++) {
      const [key] = Object.keys(shown.inputRequests ?? {});
      shown = resultOf(await stage.run(target, { state: shown.requestState, responses: { [key!]: OCTO } }));
    }
    const [key] = Object.keys(shown.inputRequests ?? {});
    const last = stage.run(target, { state: shown.requestState, responses: { [key!]: OCTO } });
    await expect(last).rejects.toMatchObject({ code: 'BUSY', data: { limit: MAX_ROUNDS } });
    expect(stage.attempts[0]!.signal?.aborted).toBe(true);
    expect(stage.attempts).toHaveLength(1);
  });

  test.each([
    { why: 'sixteen of one principal', who: () => 'ann', fit: 16 },
    { why: '256 in all', who: (at: number) => `p${at % 17}`, fit: 256 },
  ])('no more are parked than $why', async ({ who, fit }) => {
    const stage = new RoundsStage();
    const target = stage.target(asksName(stage));
    for (let at = 0; at < fit; at++) await stage.run(target, { caller: stage.modern(who(at)) });
    const over = stage.run(target, { caller: stage.modern(who(fit)) });
    await expect(over).rejects.toMatchObject({ code: 'BUSY' });
    expect(stage.attempts.at(-1)!.signal?.aborted).toBe(true);
    expect(stage.rounds.parkedCalls).toBe(fit);
    stage.rounds.close();
    expect(stage.attempts.every(({ signal }) => signal?.aborted)).toBe(true);
    await expect(stage.run(target, { caller: stage.modern(who(fit)) })).resolves.toMatchObject({
      isInputRequired: true,
    });
    stage.rounds.close();
  });

  test('what was not declared is not asked', async () => {
    const stage = new RoundsStage();
    const target = stage.target((attempt) => {
      expect(() => stage.ask(attempt, 'sampling/createMessage', {})).toThrow('not declared');
      return answer(DONE);
    });
    await stage.run(target, { caller: stage.modern('ann', { roots: '{}' }) });
  });
});
