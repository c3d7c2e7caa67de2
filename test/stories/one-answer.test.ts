/**
 * The second promise as a property: whatever an upstream does with a call (answers it twice, late, never, under other
 * ids, between noise) and whenever the caller gives it up, every request has exactly one answer, and it is its own.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DoorClient, Received } from '../fixtures/door-client.js';
import { CHAOTIC, openDoor } from '../fixtures/open-door.js';

const RUNS = 500;
const HASTY_MS = 80;
const NOISES = ['stray-number', 'stray-string', 'stray-null', 'stray-kind', 'progress', 'noise'] as const;

interface Step {
  readonly do: string;
  readonly afterMs: number;
}

interface Request {
  /** Answered in time, or not before its deadline. */
  readonly kind: 'timely' | 'overdue';
  readonly plan: readonly Step[];
  /** The caller gives up after this; undefined: never. */
  readonly cancelAfterMs: number | undefined;
}

const delay = fc.constantFrom(0, 0, 0, 1, 3);
const noise = fc.array(fc.record({ do: fc.constantFrom(...NOISES, 'twice'), afterMs: delay }), { maxLength: 3 });
const strays = fc.array(fc.record({ do: fc.constantFrom(...NOISES), afterMs: delay }), { maxLength: 3 });
const answer = fc.record({ do: fc.constantFrom('answer', 'answer', 'error'), afterMs: delay });
const giveUp = fc.option(fc.constantFrom(0, 1, 2, 5), { nil: undefined, freq: 3 });

const timely: fc.Arbitrary<Request> = fc.record({
  kind: fc.constant('timely' as const),
  plan: fc.tuple(strays, answer, noise).map(([before, first, after]) => [...before, first, ...after]),
  cancelAfterMs: giveUp,
});

const overdue: fc.Arbitrary<Request> = fc.record({
  kind: fc.constant('overdue' as const),
  plan: fc.tuple(strays, fc.option(answer, { nil: undefined })).map(([before, late]) => {
    return late ? [...before, { ...late, afterMs: 2 * HASTY_MS }] : before;
  }),
  cancelAfterMs: fc.constant(undefined),
});

const batch = fc.array(fc.oneof({ weight: 40, arbitrary: timely }, { weight: 1, arbitrary: overdue }), {
  minLength: 1,
  maxLength: 6,
});

test(`every request has exactly one answer, its own (${RUNS} runs)`, { timeout: 60_000 }, async (test) => {
  const chaotic = { command: process.execPath, args: [CHAOTIC] };
  const servers = { timely: { ...chaotic, callTimeoutMs: 30_000 }, overdue: { ...chaotic, callTimeoutMs: HASTY_MS } };
  const { door } = await openDoor(test, { servers });
  await door.request('tools/list');
  let tag = 0;
  const property = fc.asyncProperty(batch, async (requests) => {
    const checks = requests.map((request) => oneAnswer(door, request, ++tag));
    await Promise.all(checks);
  });
  await fc.assert(property, { numRuns: RUNS });
  // What an upstream still says to calls that are over must not surface as second answers either.
  await new Promise((resolve) => setTimeout(resolve, 3 * HASTY_MS));
  await door.request('ping');
  const perId = new Map<unknown, number>();
  for (const { message } of door.lines)
    if (message?.method === undefined) perId.set(message?.id, (perId.get(message?.id) ?? 0) + 1);
  expect([...perId].filter(([, count]) => count !== 1)).toEqual([]);
  expect(door.notifications('notifications/progress')).toEqual([]);
  expect(perId.size).toBeGreaterThan(RUNS);
});

/** Sends one request, perhaps gives it up, and checks what came. */
async function oneAnswer(door: DoorClient, { kind, plan, cancelAfterMs }: Request, tag: number): Promise<void> {
  // Ids alternate in type: a door that mixes them up answers somebody else.
  const id = tag % 2 === 0 ? tag : `${tag}`;
  const params = { name: `${kind}__plan`, arguments: { tag, plan } };
  door.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }));
  if (cancelAfterMs !== undefined) {
    if (cancelAfterMs > 0) await new Promise((resolve) => setTimeout(resolve, cancelAfterMs));
    door.notify('notifications/cancelled', { requestId: id });
    // In this order the cancel was taken up before the ping: no later answer is allowed.
    await door.request('ping');
    const answers = door.answersTo(id);
    expect(answers.length).toBeLessThanOrEqual(1);
    if (answers[0]) expectOwn(answers[0], tag);
    return;
  }
  const answer = await door.answer(id);
  // On a machine that stalls for longer than the deadline the late answer may come first; it still is its own.
  const isLate = kind === 'overdue' && answer.message?.error?.data?.code !== undefined;
  if (isLate) expect(answer.message?.error?.data).toMatchObject({ code: 'TIMEOUT', outcome: 'unknown' });
  else expectOwn(answer, tag);
  expect(door.answersTo(id)).toHaveLength(1);
}

function expectOwn({ message }: Received, tag: number): void {
  const content = message?.result?.content as readonly { readonly text: string }[] | undefined;
  expect(content?.[0]?.text ?? message?.error?.message).toBe(`${tag}:first`);
}
