/** Who can continue a round, how often, and what no longer counts when it goes on. */
import { describe, expect, test } from 'vitest';
import {
  answer,
  calm,
  DONE,
  ELICIT,
  NAME_FORM,
  OCTO,
  type RetryWith,
  RoundsStage,
  required,
  resultOf,
  type Script,
  watched,
} from '../../../test/fixtures/rounds-stage.js';
import { CallSignal } from '../../base/index.js';
import { StateSealer } from './sealing.js';
import { Tasks } from './tasks.js';

const modern: Script = ({ retry }) => answer(retry === undefined ? required({ k: ELICIT }, 's') : DONE);

describe('a state of an upstream of the 2026 era', () => {
  test('is good once, also where two use it at the same time', async () => {
    const stage = new RoundsStage();
    const target = stage.target(modern);
    const { requestState: state } = resultOf(await stage.run(target));
    const retry = { state, responses: { k: OCTO } };
    const both = await Promise.allSettled([stage.run(target, retry), stage.run(target, retry)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(stage.run(target, retry)).rejects.toMatchObject({ code: 'STATE_INVALID' });
    expect(stage.attempts).toHaveLength(2);
  });

  const others: readonly { readonly why: string; more(stage: RoundsStage): RetryWith }[] = [
    { why: 'another principal', more: (stage) => ({ caller: stage.modern('bob') }) },
    { why: 'another tool', more: (stage) => ({ target: stage.target(modern, { tool: 'other' }) }) },
    { why: 'another upstream', more: (stage) => ({ target: stage.target(modern, { upstream: 'other' }) }) },
    { why: 'another method', more: () => ({ method: 'prompts/get' }) },
  ];
  test.each(others)('continues nothing of $why, and is not used up by it', async ({ more }) => {
    const stage = new RoundsStage();
    const target = stage.target(modern);
    const { requestState: state } = resultOf(await stage.run(target));
    const retry = { state, responses: { k: OCTO } };
    await expect(stage.run(target, { ...retry, ...more(stage) })).rejects.toMatchObject({ code: 'STATE_INVALID' });
    expect(stage.attempts).toHaveLength(1);
    expect(resultOf(await stage.run(target, retry))).toEqual(DONE);
  });

  test('names of any length are told apart, and sealed at no length', async () => {
    const stage = new RoundsStage();
    const targetOf = (end: string) => stage.target(modern, { tool: `x://${'a'.repeat(1_000_000)}${end}` });
    const { requestState: state } = resultOf(await stage.run(targetOf('1')));
    expect(state!.length).toBeLessThan(2_000);
    const retry = { state, responses: { k: OCTO } };
    await expect(stage.run(targetOf('2'), retry)).rejects.toMatchObject({ code: 'STATE_INVALID' });
    expect(resultOf(await stage.run(targetOf('1'), retry))).toEqual(DONE);
  });

  test('is no id of a task, nor the other way round, though one key seals both', async () => {
    const key = new Uint8Array(32).fill(9);
    const stage = new RoundsStage(key);
    const { clock, events } = stage;
    const facts = { principal: 'ann', upstream: 'up', tool: 'tool' };
    const state = await new StateSealer({ key, clock }).seal({ kind: 'task', ...facts, taskId: 't' });
    await expect(stage.run(stage.target(modern), { state })).rejects.toMatchObject({ code: 'STATE_INVALID' });
    expect(stage.attempts).toEqual([]);
    const tasks = new Tasks({ key, clock, events });
    expect(await tasks.open(state, 'ann')).toEqual({ upstream: 'up', tool: 'tool', taskId: 't' });
    const { requestState } = resultOf(await stage.run(stage.target(modern)));
    await expect(tasks.open(requestState!, 'ann')).rejects.toMatchObject({ code: 'STATE_INVALID' });
  });
});

describe('a parked call that goes on', () => {
  test('gives its place to others while its upstream works', async () => {
    const stage = new RoundsStage();
    const target = stage.target(async (attempt) => {
      await stage.ask(attempt, 'elicitation/create', NAME_FORM);
      return new Promise<never>(() => {});
    });
    const shown = [];
    for (let at = 0; at < 16; at++) shown.push(resultOf(await stage.run(target)));
    await expect(stage.run(target)).rejects.toMatchObject({ code: 'BUSY' });
    void stage.run(target, { state: shown[0]!.requestState, responses: { 'elicitation-1': OCTO } }).catch(() => {});
    await calm();
    expect(stage.parked.size).toBe(15);
    await expect(stage.run(target)).resolves.toMatchObject({ isInputRequired: true });
    stage.rounds.close();
    expect(stage.parked.size).toBe(0);
  });

  test('what the upstream has taken back meanwhile is asked no more', async () => {
    const stage = new RoundsStage();
    const [kept, taken] = [new CallSignal(), new CallSignal()];
    const target = stage.target(async (attempt) => {
      await Promise.allSettled([
        stage.ask(attempt, 'elicitation/create', NAME_FORM, taken),
        stage.ask(attempt, 'elicitation/create', NAME_FORM, kept),
      ]);
      return answer(DONE);
    });
    const first = resultOf(await stage.run(target));
    expect(Object.keys(first.inputRequests ?? {})).toEqual(['elicitation-1', 'elicitation-2']);
    taken.abort(new Error('taken back'));
    const again = resultOf(await stage.run(target, { state: first.requestState }));
    expect(Object.keys(again.inputRequests ?? {})).toEqual(['elicitation-2']);
    // An answer to what is asked no more is no answer to anything, however bad it is.
    const responses = { 'elicitation-1': 7, 'elicitation-2': OCTO };
    expect(resultOf(await stage.run(target, { state: again.requestState, responses }))).toEqual(DONE);
  });

  test('with nothing left to be asked it is waited for', async () => {
    const stage = new RoundsStage();
    const taken = new CallSignal();
    const target = stage.target(async (attempt) => {
      await stage.ask(attempt, 'elicitation/create', NAME_FORM, taken).catch(() => {});
      return new Promise((resolve) => stage.clock.schedule(500, () => resolve(answer(DONE))));
    });
    const { requestState: state } = resultOf(await stage.run(target));
    taken.abort(new Error('taken back'));
    const retried = watched(stage.run(target, { state }));
    await calm();
    expect(retried).toEqual({});
    await stage.clock.advance(500);
    await calm();
    expect(resultOf(retried.value!)).toEqual(DONE);
  });
});
