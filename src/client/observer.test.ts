/** Whoever measures a call is told once that it was sent, when it was, and never of one that was not. */
import { describe, expect, test } from 'vitest';
import { type MemoryScript, SOME_TOOL } from '../../test/fixtures/memory-transport.js';
import { Started } from '../../test/fixtures/started-client.js';
import { settled } from '../../test/fixtures/virtual-clock.js';
import { type CallOptions, CallSignal } from '../base/index.js';

const STRICT = { name: 'some', inputSchema: { type: 'object', required: ['id'] } };
const PATIENT: MemoryScript = { tools: [STRICT], on: { 'tools/call': () => undefined } };
const ECHO: MemoryScript = { tools: [STRICT], on: { 'tools/call': () => ({ content: [] }) } };

/** Calls, and keeps what the observer was told: by whom, and how many calls the upstream had been sent by then. */
function observed(up: Started, args = '{"id":1}', options: Partial<CallOptions> = {}) {
  const told: { upstream: string; sent: number }[] = [];
  const sent = (upstream: string): void =>
    void told.push({ upstream, sent: up.transport.received('tools/call').length });
  const outcome = up.call('some', args, { ...options, observer: { sent } }).catch((thrown: unknown) => thrown);
  return { told, outcome };
}

async function ready(...scripts: readonly MemoryScript[]): Promise<Started> {
  const up = new Started(scripts);
  await up.client.start();
  return up;
}

describe('told once', () => {
  test('as soon as the transport has it, before there is an answer', async () => {
    const up = await ready(ECHO);
    const { told, outcome } = observed(up);
    expect(told).toEqual([{ upstream: 'up', sent: 1 }]);
    expect(await outcome).toEqual({ content: [] });
    expect(told).toHaveLength(1);
  });

  test('of a call that had to start its upstream anew', async () => {
    const up = await ready(ECHO);
    up.transport.lose();
    const { told, outcome } = observed(up);
    expect(told).toEqual([]);
    expect(await outcome).toEqual({ content: [] });
    expect(told).toEqual([{ upstream: 'up', sent: 1 }]);
  });

  test.each<{ how: string; end: (up: Started, signal: CallSignal) => unknown }>([
    { how: 'cancelled', end: (_, signal) => signal.abort('enough') },
    { how: 'lost', end: (up) => up.transport.lose() },
    { how: 'out of time', end: (up) => up.clock.advance(6_000) },
    { how: 'answered twice', end: (up) => [1, 2].map(() => up.transport.answer(up.transport.sent.at(-1)!.id, {})) },
  ])('of a call that is $how later', async ({ end }) => {
    const up = await ready(PATIENT);
    const signal = new CallSignal();
    const { told, outcome } = observed(up, '{"id":1}', { signal });
    await settled();
    await end(up, signal);
    await outcome;
    expect(told).toEqual([{ upstream: 'up', sent: 1 }]);
  });
});

async function loseAgainAndAgain(up: Started): Promise<void> {
  for (let i = 0; i < 5; i++) {
    await up.client.start();
    up.transport.lose();
  }
}

describe('told nothing', () => {
  test.each<{ why: string; args?: string; code: string; before?: (up: Started) => unknown }>([
    { why: 'the arguments are refused', args: '{}', code: 'INVALID_ARGUMENTS' },
    {
      why: 'it is one too many',
      code: 'BUSY',
      before: (up) => {
        for (let i = 0; i < 3; i++) up.call('some', '{"id":1}').catch(() => {});
      },
    },
    {
      why: 'the transport would not take it',
      code: 'TRANSPORT',
      before: (up) => {
        up.transport.send = () => {
          throw Object.assign(new Error('no'), { code: 'TRANSPORT' });
        };
      },
    },
    { why: 'the upstream keeps ending', code: 'UPSTREAM_UNREACHABLE', before: loseAgainAndAgain },
    { why: 'the client is closed', code: 'UPSTREAM_UNREACHABLE', before: (up) => up.client.close() },
  ])('where $why', async ({ args, code, before }) => {
    const up = await ready(PATIENT);
    await before?.(up);
    const { told, outcome } = observed(up, args);
    expect(await outcome).toMatchObject({ code });
    expect(told).toEqual([]);
  });

  test.each<{ why: string; next: MemoryScript }>([
    { why: 'cannot be started', next: { open: () => Promise.reject(new Error('no')) } },
    { why: 'no longer lists the tool', next: { tools: [] } },
    {
      why: 'lists it with another schema',
      next: { tools: [{ ...SOME_TOOL, inputSchema: { type: 'object', required: ['k'] } }] },
    },
  ])('where the upstream was lost and $why', async ({ next }) => {
    const up = await ready(ECHO, next);
    up.transport.lose();
    const { told, outcome } = observed(up);
    expect(await outcome).toBeInstanceOf(Error);
    expect(told).toEqual([]);
  });

  test('where the caller had given up before', async () => {
    const up = await ready(ECHO);
    const signal = new CallSignal();
    signal.abort('enough');
    const { told, outcome } = observed(up, '{"id":1}', { signal });
    expect(await outcome).toBe('enough');
    expect(told).toEqual([]);
  });
});

test("an observer's mistake does not cost the call that is already under way", async () => {
  const up = await ready(ECHO);
  const observer = {
    sent: (): void => {
      throw new TypeError('a mistake of the embedder');
    },
  };
  expect(await up.call('some', '{"id":1}', { observer })).toEqual({ content: [] });
  expect(up.transport.received('tools/call')).toHaveLength(1);
});
