/** Input-required results for callers of the 2025 era, who are asked at once. */
import { describe, expect, test } from 'vitest';
import {
  answer,
  calm,
  DONE,
  ELICIT,
  OCTO,
  RoundsStage,
  required,
  resultOf,
  slice,
  textOf,
  watched,
} from '../../../test/fixtures/rounds-stage.js';
import { CallSignal, DoorError } from '../../base/index.js';
import { MAX_QUESTIONS, MAX_ROUNDS } from './limits.js';

describe('a caller of the 2025 era, an upstream of the 2026 era', () => {
  test('it is asked, and the request is sent once more with what it said', async () => {
    const stage = new RoundsStage();
    const asked: { method: string; params: unknown }[] = [];
    const caller = stage.connected(async ({ method, params }) => {
      asked.push({ method, params: params === undefined ? undefined : JSON.parse(textOf(params)) });
      return { kind: 'result', json: slice(method === 'roots/list' ? { roots: [] } : OCTO) };
    });
    const url = { method: 'elicitation/create', params: { mode: 'url', message: 'go', url: 'https://u.test/' } };
    const target = stage.target((_, count) =>
      answer(count === 1 ? required({ a: ELICIT, b: { method: 'roots/list' }, c: url }, 's') : DONE),
    );
    expect(resultOf(await stage.run(target, { caller }))).toEqual(DONE);
    expect(asked).toEqual([
      { method: 'elicitation/create', params: ELICIT.params },
      { method: 'roots/list', params: undefined },
      {
        method: 'elicitation/create',
        params: { ...url.params, elicitationId: expect.stringMatching(/^[0-9a-f]{32}$/) as string },
      },
    ]);
    expect(stage.attempts[1]!.retry?.requestState).toBe('"s"');
    expect(JSON.parse(stage.attempts[1]!.retry?.inputResponses ?? '')).toEqual({
      a: OCTO,
      b: { roots: [] },
      // What a URL was answered with has no content.
      c: { action: 'accept' },
    });
  });

  test('an answer that the form does not allow goes nowhere', async () => {
    const stage = new RoundsStage();
    const caller = stage.connected(async () => ({ kind: 'result', json: slice({ action: 'accept', content: {} }) }));
    const target = stage.target(() => answer(required({ a: ELICIT }, 's')));
    await expect(stage.run(target, { caller })).rejects.toMatchObject({ code: 'INVALID_ANSWER' });
    expect(stage.attempts).toHaveLength(1);
    expect(stage.named('elicitation.rejected')).toHaveLength(1);
  });

  test.each([
    { method: 'elicitation/create', params: ELICIT.params, said: '{"action":"cancel"}' },
    { method: 'roots/list', params: {}, said: undefined },
  ])('it answers $method with an error', async ({ method, params, said }) => {
    const stage = new RoundsStage();
    const caller = stage.connected(async () => ({ kind: 'error', json: slice({ code: -1, message: 'no' }) }));
    const target = stage.target((_, count) => answer(count === 1 ? required({ a: { method, params } }) : DONE));
    const run = stage.run(target, { caller });
    if (said === undefined) await expect(run).rejects.toMatchObject({ code: 'INVALID_ANSWER' });
    else {
      await run;
      expect(stage.attempts[1]!.retry?.inputResponses).toBe(`{"a":${said}}`);
    }
  });

  test.each([MAX_QUESTIONS, MAX_QUESTIONS + 1, 500])('%i questions at once', async (count) => {
    const stage = new RoundsStage();
    let asked = 0;
    const caller = stage.connected(async () => {
      asked++;
      return { kind: 'result', json: slice(OCTO) };
    });
    const questions = Object.fromEntries(Array.from({ length: count }, (_, at) => [`q${at}`, ELICIT]));
    const target = stage.target((_, attempt) => answer(attempt === 1 ? required(questions, 's') : DONE));
    const outcome = stage.run(target, { caller }).then(resultOf, ({ code }: DoorError) => code);
    expect(await outcome).toEqual(count > MAX_QUESTIONS ? 'UPSTREAM_BROKE_PROTOCOL' : DONE);
    expect(asked, 'nobody is shown a part of too many').toBe(count > MAX_QUESTIONS ? 0 : count);
  });

  test('no more than eight rounds', async () => {
    const stage = new RoundsStage();
    const caller = stage.connected(() => Promise.reject(new Error('not asked')));
    const target = stage.target(() => answer({ resultType: 'input_required', requestState: 's' }));
    await expect(stage.run(target, { caller })).rejects.toMatchObject({ code: 'BUSY' });
    expect(stage.attempts).toHaveLength(MAX_ROUNDS + 1);
  });

  test('it hangs up while it is asked: the question is taken back, and nothing is sent', async () => {
    const stage = new RoundsStage();
    const signal = new CallSignal();
    let taken: boolean | undefined;
    const caller = stage.connected((_, its) => {
      const handleEvent = () => {
        taken = true;
      };
      its.addEventListener('abort', { handleEvent });
      return new Promise(() => {});
    });
    const run = watched(
      stage.run(
        stage.target(() => answer(required({ a: ELICIT }))),
        { caller, signal },
      ),
    );
    await calm();
    signal.abort(new DoorError('UPSTREAM_LOST', 'gone'));
    await calm();
    expect(run.code).toBe('UPSTREAM_LOST');
    expect(taken).toBe(true);
    expect(stage.attempts).toHaveLength(1);
    expect(stage.clock.waiting).toBe(0);
  });
});
