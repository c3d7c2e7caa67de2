/** Input-required results of upstreams of the 2026 era, relayed under a state of our own. */
import { describe, expect, test } from 'vitest';
import {
  answer,
  DONE,
  ELICIT,
  OCTO,
  RoundsStage,
  required,
  resultOf,
  type Script,
} from '../../../test/fixtures/rounds-stage.js';
import { PARKED_MS } from '../../client/index.js';
import { MAX_ROUNDS } from './limits.js';

describe('a 2026 caller, an upstream of the 2026 era', () => {
  const OPAQUE = 'opaque==\u2028"\\';

  test('everything but the state is as the upstream wrote it, and its own state comes back to it', async () => {
    const stage = new RoundsStage();
    const given = { ...required({ 'k-1': ELICIT }, OPAQUE), 'x.test/more': [1.0, { b: 1 }] };
    const target = stage.target((_, count) => answer(count === 1 ? given : DONE));
    const shown = await stage.run(target);
    const { requestState, ...rest } = resultOf(shown);
    const { requestState: _, ...own } = given;
    expect(rest).toEqual(own);
    expect(requestState).toMatch(/^[\w-]+$/);
    const done = await stage.run(target, { state: requestState, responses: { 'k-1': OCTO, extra: { action: 'x' } } });
    expect(resultOf(done)).toEqual(DONE);
    expect(stage.attempts[1]!.retry).toEqual({
      inputResponses: JSON.stringify({ 'k-1': OCTO }),
      requestState: JSON.stringify(OPAQUE),
    });
    expect(stage.clock.scheduled).toBe(0);
  });

  test('where it gave no state it is sent none; where it asked nothing, no answers', async () => {
    const stage = new RoundsStage();
    const asks = stage.target((_, count) => answer(count === 1 ? required({ 'k-1': ELICIT }) : DONE));
    const first = resultOf(await stage.run(asks));
    await stage.run(asks, { state: first.requestState, responses: { 'k-1': OCTO } });
    expect(stage.attempts[1]!.retry).toEqual({ inputResponses: JSON.stringify({ 'k-1': OCTO }) });
    const sheds = stage.target((_, count) =>
      answer(count === 1 ? { resultType: 'input_required', requestState: 's' } : DONE),
    );
    const shed = resultOf(await stage.run(sheds));
    await stage.run(sheds, { state: shed.requestState });
    expect(stage.attempts[3]!.retry).toEqual({ requestState: '"s"' });
  });

  test('defaults are filled in; invalid answers do not leave, and the state stays good', async () => {
    const stage = new RoundsStage();
    const schema = { type: 'object', properties: { n: { type: 'integer', default: 3 } }, required: ['n'] };
    const params = { message: '?', requestedSchema: schema };
    const target = stage.target((_, count) =>
      answer(count === 1 ? required({ k: { method: 'elicitation/create', params } }, 's') : DONE),
    );
    const { requestState: state } = resultOf(await stage.run(target));
    const bad = { k: { action: 'accept', content: { n: 'x' } } };
    await expect(stage.run(target, { state, responses: bad })).rejects.toMatchObject({ code: 'INVALID_ANSWER' });
    expect(stage.named('elicitation.rejected')).toHaveLength(1);
    expect(stage.attempts).toHaveLength(1);
    await stage.run(target, { state, responses: { k: { action: 'accept', content: {} } } });
    expect(stage.attempts[1]!.retry?.inputResponses).toBe('{"k":{"action":"accept","content":{"n":3}}}');
  });

  test.each(['null', '[]', '7', '{"k-1":7}', '{"k-1":{"action":"accept"},"k-1":{"action":"decline"}}', '{"k-1":null}'])(
    'inputResponses that are none: %s',
    async (responsesText) => {
      const stage = new RoundsStage();
      const target = stage.target(() => answer(required({ 'k-1': ELICIT }, 's')));
      const { requestState: state } = resultOf(await stage.run(target));
      await expect(stage.run(target, { state, responsesText })).rejects.toMatchObject({ code: 'INVALID_ANSWER' });
      expect(stage.attempts).toHaveLength(1);
    },
  );

  test('a state works in another process with the same key, and in none with another', async () => {
    const key = new Uint8Array(32).fill(1);
    const [one, two, other] = [new RoundsStage(key), new RoundsStage(key), new RoundsStage()];
    const script: Script = ({ retry }) => answer(retry === undefined ? required({ k: ELICIT }, 's') : DONE);
    const { requestState: state } = resultOf(await one.run(one.target(script)));
    const responses = { k: OCTO };
    await expect(other.run(other.target(script), { state, responses })).rejects.toMatchObject({
      code: 'STATE_INVALID',
    });
    expect(other.attempts).toEqual([]);
    expect(resultOf(await two.run(two.target(script), { state, responses }))).toEqual(DONE);
  });

  test('no more than eight rounds', async () => {
    const stage = new RoundsStage();
    const target = stage.target(() => answer({ resultType: 'input_required', requestState: 'more' }));
    let { requestState: state } = resultOf(await stage.run(target));
    for (let round = 1; round < MAX_ROUNDS; round++) state = resultOf(await stage.run(target, { state })).requestState;
    await expect(stage.run(target, { state })).rejects.toMatchObject({ code: 'BUSY' });
  });

  test.each([
    { why: 'neither requests nor state', result: { resultType: 'input_required' } },
    { why: 'requests that are a list', result: required([]) },
    { why: 'a request that is none', result: required({ k: 7 }) },
    { why: 'another method', result: required({ k: { method: 'tools/call', params: {} } }) },
    { why: 'a state that is no string', result: { resultType: 'input_required', requestState: 7 } },
    { why: 'a state beyond 256 KiB', result: { resultType: 'input_required', requestState: 's'.repeat(262_143) } },
    {
      why: 'a form that cannot be compiled',
      result: required({
        k: {
          method: 'elicitation/create',
          params: { requestedSchema: { type: 'object', properties: { a: { type: 'strng' } } } },
        },
      }),
    },
    {
      why: 'a URL that is not https',
      result: required({ k: { method: 'elicitation/create', params: { mode: 'url', url: 'http://u.test/' } } }),
    },
    {
      why: 'what the caller did not declare',
      result: required({ k: { method: 'sampling/createMessage', params: {} } }),
    },
  ])('$why is the mistake of the upstream', async ({ result }) => {
    const stage = new RoundsStage();
    const caller = stage.modern('ann', { elicitation: '{"form":{},"url":{}}' });
    const run = stage.run(
      stage.target(() => answer(result)),
      { caller },
    );
    await expect(run).rejects.toMatchObject({ code: 'UPSTREAM_BROKE_PROTOCOL', data: { upstream: 'up' } });
  });

  test('an odd form is refused where the operator wants that, and warned of otherwise', async () => {
    const odd = { requestedSchema: { type: 'object', properties: { a: { type: 'object' } } } };
    const result = required({ k: { method: 'elicitation/create', params: odd } });
    const stage = new RoundsStage();
    await stage.run(stage.target(() => answer(result)));
    expect(stage.named('server.warning')).toMatchObject([{ upstream: 'up', warning: 'elicitation-form' }]);
    const refusing = stage.target(() => answer(result), { schemas: 'refuse' });
    await expect(stage.run(refusing)).rejects.toMatchObject({ code: 'UPSTREAM_BROKE_PROTOCOL' });
  });
});

describe('answers without a state', () => {
  test('where an upstream gave none, they are judged by what it asks once more', async () => {
    const stage = new RoundsStage();
    const target = stage.target(({ retry }) => answer(retry === undefined ? required({ k: ELICIT }) : DONE));
    expect(resultOf(await stage.run(target, { responses: { k: OCTO, more: {} } }))).toEqual(DONE);
    expect(stage.attempts.map(({ retry }) => retry)).toEqual([
      undefined,
      { inputResponses: JSON.stringify({ k: OCTO }) },
    ]);
    expect(resultOf(await stage.run(target, { responses: { other: OCTO } })).inputRequests).toEqual({ k: ELICIT });
    await expect(stage.run(target, { responses: { k: 12345 } })).rejects.toMatchObject({ code: 'INVALID_ANSWER' });
    await expect(stage.run(target, { responsesText: 'null' })).rejects.toMatchObject({ code: 'INVALID_ANSWER' });
  });

  test('where it gave one, they are none for a call that starts anew', async () => {
    const stage = new RoundsStage();
    const target = stage.target(({ retry }) => answer(retry === undefined ? required({ k: ELICIT }, 's') : DONE));
    expect(resultOf(await stage.run(target, { responses: { k: OCTO } })).inputRequests).toEqual({ k: ELICIT });
    expect(stage.attempts.map(({ retry }) => retry)).toEqual([undefined]);
    await expect(stage.run(target, { responses: { k: OCTO } })).rejects.toMatchObject({ code: 'STATE_INVALID' });
    expect(stage.attempts).toHaveLength(1);
    await stage.clock.advance(PARKED_MS);
    await expect(stage.run(target, { responses: { k: OCTO } })).resolves.toMatchObject({ isInputRequired: true });
  });
});

describe('what a state continues', () => {
  const params = (text: string) => ({ params: `{"name":"up__tool",${text}}` });
  const target = (stage: RoundsStage) =>
    stage.target(({ retry }) => answer(retry === undefined ? required({ k: ELICIT }, 's') : DONE));

  test.each([
    { why: 'white space', from: '"arguments":{"a":1,"b":[1,2]}', to: ' "arguments" : { "a":1, "b":[1, 2] }' },
    { why: 'the order of members', from: '"arguments":{"a":1,"b":2}', to: '"arguments":{"b":2,"a":1}' },
    { why: 'escapes', from: '"arguments":{"a":"é"}', to: '"arguments":{"a":"\\u00e9"}' },
    { why: '_meta', from: '"arguments":{}', to: '"arguments":{},"_meta":{"progressToken":7}' },
    { why: 'no arguments for none', from: '"arguments":{}', to: '"_meta":{}' },
    { why: 'the spelling of a number', from: '"arguments":{"a":100}', to: '"arguments":{"a":1e2}' },
  ])('the same request, differing in $why', async ({ from, to }) => {
    const stage = new RoundsStage();
    const { requestState: state } = resultOf(await stage.run(target(stage), params(from)));
    const responses = { k: OCTO };
    await expect(stage.run(target(stage), { ...params(to), state, responses })).resolves.toMatchObject({
      kind: 'result',
    });
  });

  test.each([
    { why: 'another value', from: '"arguments":{"a":1}', to: '"arguments":{"a":2}' },
    { why: 'another type', from: '"arguments":{"a":1}', to: '"arguments":{"a":"1"}' },
    {
      why: 'the last of 20 digits',
      from: '"arguments":{"a":12345678901234567890}',
      to: '"arguments":{"a":12345678901234567891}',
    },
    { why: 'the order of a list', from: '"arguments":{"a":[1,2]}', to: '"arguments":{"a":[2,1]}' },
    { why: 'one more member', from: '"arguments":{}', to: '"arguments":{"__proto__":1}' },
  ])('not one that differs in $why', async ({ from, to }) => {
    const stage = new RoundsStage();
    const { requestState: state } = resultOf(await stage.run(target(stage), params(from)));
    const run = stage.run(target(stage), { ...params(to), state, responses: { k: OCTO } });
    await expect(run).rejects.toMatchObject({ code: 'STATE_INVALID' });
    expect(stage.attempts).toHaveLength(1);
  });

  test('prompts and resources: whatever they ask for, under their own name', async () => {
    const stage = new RoundsStage();
    const uri = { method: 'resources/read', params: '{"uri":"a://b"}' } as const;
    const { requestState: state } = resultOf(await stage.run(target(stage), uri));
    const retry = { state, responses: { k: OCTO } };
    await expect(stage.run(target(stage), { ...uri, method: 'prompts/get', ...retry })).rejects.toMatchObject({
      code: 'STATE_INVALID',
    });
    await expect(stage.run(target(stage), { ...uri, ...retry })).resolves.toMatchObject({ kind: 'result' });
  });
});
