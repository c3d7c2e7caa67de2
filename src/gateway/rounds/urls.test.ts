/** The error by which an upstream of the 2025 era wants URLs to be opened first. */
import { describe, expect, test } from 'vitest';
import { answer, DONE, NAME_FORM, RoundsStage, resultOf } from '../../../test/fixtures/rounds-stage.js';

describe('an upstream that wants URLs to be opened first (-32042)', () => {
  const elicitation = { mode: 'url', message: 'Log in', url: 'https://u.test/connect', elicitationId: 'e-1' };
  const error = { code: -32042, message: 'first', data: { elicitations: [elicitation] } };

  test('a caller who can be sent there is, and the same request is sent again', async () => {
    const stage = new RoundsStage();
    const target = stage.target((_, count) => (count === 1 ? answer(error, 'error') : answer(DONE)));
    const { inputRequests, requestState } = resultOf(await stage.run(target));
    expect(inputRequests).toEqual({ 'elicitation-1': { method: 'elicitation/create', params: elicitation } });
    const responses = { 'elicitation-1': { action: 'accept' } };
    expect(resultOf(await stage.run(target, { state: requestState, responses }))).toEqual(DONE);
    expect(stage.attempts.map(({ retry }) => retry)).toEqual([undefined, undefined]);
  });

  test('one who declines has not what the call needs', async () => {
    const stage = new RoundsStage();
    const target = stage.target(() => answer(error, 'error'));
    const { requestState } = resultOf(await stage.run(target));
    const responses = { 'elicitation-1': { action: 'decline' } };
    await expect(stage.run(target, { state: requestState, responses })).rejects.toMatchObject({
      code: 'AUTH_REQUIRED',
    });
    expect(stage.attempts).toHaveLength(1);
  });

  test.each([{}, { elicitation: '{}' }, { elicitation: '{"form":{}}' }])(
    'one who cannot be sent there: %j',
    async (can) => {
      const stage = new RoundsStage();
      const run = stage.run(
        stage.target(() => answer(error, 'error')),
        { caller: stage.modern('ann', can) },
      );
      await expect(run).rejects.toMatchObject({
        code: 'CAPABILITY_MISSING',
        data: { requiredCapabilities: { elicitation: { url: {} } } },
      });
    },
  );

  test.each([
    { why: 'no list', data: {} },
    { why: 'an empty list', data: { elicitations: [] } },
    { why: 'a form', data: { elicitations: [{ mode: 'form', ...NAME_FORM }] } },
    { why: 'plain http', data: { elicitations: [{ ...elicitation, url: 'http://u.test/' }] } },
  ])('$why is the mistake of the upstream', async ({ data }) => {
    const stage = new RoundsStage();
    const run = stage.run(stage.target(() => answer({ ...error, data }, 'error')));
    await expect(run).rejects.toMatchObject({ code: 'UPSTREAM_BROKE_PROTOCOL' });
  });

  test('any other error is passed on as it is', async () => {
    const stage = new RoundsStage();
    const given = answer({ code: -32000, message: 'x' }, 'error');
    expect(await stage.run(stage.target(() => given))).toBe(given);
  });
});
