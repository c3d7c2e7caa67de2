import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { call, cancel, MemoryDoor, PATIENT } from '../../test/fixtures/memory-door.js';
import { settled } from '../../test/fixtures/virtual-clock.js';
import { type OpenRequest, OpenRequests } from './open-requests.js';

async function isIdle(requests: Pick<OpenRequests, 'whenIdle'>): Promise<boolean> {
  return Promise.race([requests.whenIdle().then(() => true), settled().then(() => false)]);
}

test('a request can be cancelled by its id until it has finished', () => {
  const requests = new OpenRequests();
  const [one, other] = [requests.begin('1'), requests.begin('"1"')];
  requests.cancel('2');
  expect([one.aborted, other.aborted]).toEqual([false, false]);
  requests.cancel('1');
  expect([one.aborted, other.aborted]).toEqual([true, false]);
  requests.finish(other);
  requests.cancel('"1"');
  expect(other.aborted).toBe(false);
});

describe('several requests with one id', () => {
  test('are all cancelled by it', () => {
    const requests = new OpenRequests();
    const signals = [requests.begin('1'), requests.begin('1'), requests.begin('1'), requests.begin('2')];
    requests.cancel('1');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true, false]);
  });

  test('are all cancelled with the rest', () => {
    const requests = new OpenRequests();
    const signals = [requests.begin('1'), requests.begin('1'), requests.begin('2')];
    requests.endAll('the end');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
  });

  test.each([
    { why: 'the first', done: 0 },
    { why: 'the second', done: 1 },
    { why: 'the third', done: 2 },
  ])('each have an end of their own: $why ends first', ({ done }) => {
    const requests = new OpenRequests();
    const signals = [requests.begin('1'), requests.begin('1'), requests.begin('1')];
    requests.finish(signals[done]!);
    requests.cancel('1');
    expect(signals.map(({ aborted }) => aborted)).toEqual([0, 1, 2].map((i) => i !== done));
  });
});

test('it is idle exactly when all that began has finished, and all that was held is released', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('begin' as const), id: fc.constantFrom('1', '2', '"1"') }),
    fc.record({ do: fc.constantFrom('finish' as const, 'cancel' as const), which: fc.nat(20) }),
    fc.constant({ do: 'hold' as const }),
    fc.constant({ do: 'release' as const }),
  );
  const property = fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
    const requests = new OpenRequests();
    let open: { readonly id: string; readonly signal: OpenRequest }[] = [];
    let held = 0;
    for (const step of steps) {
      if (step.do === 'begin') open.push({ id: step.id, signal: requests.begin(step.id) });
      else if (step.do === 'hold') {
        held++;
        requests.hold();
      } else if (step.do === 'release') {
        if (held === 0) continue;
        held--;
        requests.release();
      } else if (open.length > 0) {
        const { id, signal } = open[step.which % open.length]!;
        if (step.do === 'finish') {
          open = open.filter((each) => each.signal !== signal);
          requests.finish(signal);
        } else {
          const before = new Set(open.filter((each) => each.signal.aborted));
          requests.cancel(id);
          for (const each of open) expect(each.signal.aborted).toBe(each.id === id || before.has(each));
        }
      }
    }
    const idle = requests.whenIdle();
    expect(await isIdle({ whenIdle: () => idle })).toBe(open.length + held === 0);
    const ends = [
      ...open.map(
        ({ signal }) =>
          (): void =>
            requests.finish(signal),
      ),
      ...Array.from({ length: held }, () => (): void => requests.release()),
    ];
    for (const [i, end] of ends.entries()) {
      end();
      expect(await isIdle({ whenIdle: () => idle })).toBe(i === ends.length - 1);
    }
    expect(await isIdle({ whenIdle: () => idle })).toBe(true);
    expect(await isIdle(requests)).toBe(true);
  });
  await fc.assert(property, { numRuns: 200 });
});

test('at a door, cancelling an id that is in flight twice cancels both upstream, and the door is idle then', async () => {
  const opened = new MemoryDoor(PATIENT);
  await opened.write(call(1), call(1), call(2));
  const [first, second, third] = opened.transport('a').received('tools/call');
  await opened.write(cancel(1));
  const cancelled = opened.transport('a').received('notifications/cancelled');
  expect(cancelled.map(({ params }) => params?.requestId).sort()).toEqual([first!.id, second!.id].sort());
  // Again: there is nothing left to cancel.
  await opened.write(cancel(1));
  expect(opened.transport('a').received('notifications/cancelled')).toHaveLength(2);
  expect(await isIdle(opened.door)).toBe(false);
  for (const { id } of [first!, second!, third!]) opened.transport('a').answer(id, { content: [] });
  await settled();
  expect(opened.taken().map(({ id }) => id)).toEqual([2]);
  expect(await isIdle(opened.door)).toBe(true);
  const ends = opened.named('call.completed').map(({ outcome }) => outcome);
  expect(ends).toEqual(['cancelled', 'cancelled', 'ok']);
});

test.each([
  { why: 'an escape', began: '"x"', cancelled: '"\\u0078"' },
  { why: 'an escape in the request', began: '"\\u0078"', cancelled: '"x"' },
  { why: 'a whole number with a point', began: '5.0', cancelled: '5' },
])('an id is the same however it is spelled: $why', ({ began, cancelled }) => {
  const requests = new OpenRequests();
  const signal = requests.begin(began);
  const other = requests.begin('"5"');
  requests.cancel(cancelled);
  expect([signal.aborted, other.aborted]).toEqual([true, false]);
  requests.finish(signal);
  requests.finish(other);
  return requests.whenIdle();
});
