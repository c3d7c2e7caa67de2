/** Whom an upstream's question is for, and what bounds it. */
import { describe, expect, test } from 'vitest';
import { calm, NAME_FORM, RoundsStage, slice, watched } from '../../test/fixtures/rounds-stage.js';
import { type Caller, type CallerAnswer, CallSignal } from '../base/index.js';
import { askingOf } from './asking.js';

const UNANSWERED = (): Promise<CallerAnswer> => new Promise(() => {});
const saying = (value: unknown) => async (): Promise<CallerAnswer> => ({ kind: 'result', json: slice(value) });
const form = slice(NAME_FORM);

function asking(stage: RoundsStage, caller?: Caller, schemas: 'warn' | 'refuse' = 'warn') {
  const { clock, events, parked } = stage;
  return askingOf({ upstream: 'up', caller, clock, events, parked, formats: 'warn', schemas });
}

describe('a question is for', () => {
  test('the caller of the call, else for the one whose connection it is, else for nobody', async () => {
    const stage = new RoundsStage();
    const own = stage.connected(saying({ roots: ['own'] }));
    const other = stage.connected(saying({ roots: ['other'] }));
    const of = async (owner: Caller | undefined, caller: Caller | undefined) => {
      const asked = asking(stage, owner)('roots/list', undefined, new CallSignal(), 't', caller);
      return asked === undefined ? undefined : new TextDecoder().decode((await asked).json.bytes);
    };
    expect(await of(own, other)).toBe('{"roots":["other"]}');
    expect(await of(own, undefined)).toBe('{"roots":["own"]}');
    expect(await of(undefined, other)).toBe('{"roots":["other"]}');
    expect(await of(undefined, undefined)).toBeUndefined();
  });

  test('nobody who did not declare it, whatever the connection declares', () => {
    const stage = new RoundsStage();
    const ask = asking(stage, stage.connected(UNANSWERED));
    const silent = stage.modern('ann', {});
    expect(ask('roots/list', undefined, new CallSignal(), 't', silent)).toBeUndefined();
  });
});

test('what is not an object is no answer', async () => {
  const stage = new RoundsStage();
  const ask = asking(stage, stage.connected(saying([])));
  await expect(ask('roots/list', undefined, new CallSignal(), 't')).rejects.toMatchObject({ code: 'INVALID_ANSWER' });
});

test('a form that callers may not be able to show is refused where the operator wants that', async () => {
  const stage = new RoundsStage();
  const odd = slice({ requestedSchema: { type: 'object', properties: { a: { type: 'object' } } } });
  const ask = asking(stage, stage.connected(UNANSWERED), 'refuse');
  await expect(ask('elicitation/create', odd, new CallSignal(), 't')).rejects.toMatchObject({
    code: 'INVALID_ARGUMENTS',
  });
});

describe('bounds', () => {
  test('four questions of one upstream wait for one caller; the others are not kept from asking', async () => {
    const stage = new RoundsStage();
    const [one, two] = [stage.connected(UNANSWERED), stage.connected(UNANSWERED)];
    const ask = asking(stage, one);
    for (let at = 0; at < 4; at++) void ask('elicitation/create', form, new CallSignal(), 't');
    await expect(ask('elicitation/create', form, new CallSignal(), 't')).rejects.toMatchObject({ code: 'BUSY' });
    const other = watched(ask('elicitation/create', form, new CallSignal(), 't', two)!);
    await calm();
    expect(other.code).toBeUndefined();
  });

  test('a connection has ten minutes; who comes back later is timed by whoever parks it', async () => {
    const stage = new RoundsStage();
    const pushed = watched(
      asking(stage, stage.connected(UNANSWERED))('elicitation/create', form, new CallSignal(), 't')!,
    );
    const late = { ...stage.modern(), ask: UNANSWERED };
    const parked = watched(asking(stage)('roots/list', undefined, new CallSignal(), 't', late)!);
    expect(stage.clock.waiting).toBe(1);
    await stage.clock.advance(600_000);
    expect(pushed.code).toBe('TIMEOUT');
    expect(parked.code).toBeUndefined();
  });
});
