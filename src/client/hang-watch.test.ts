/** An upstream that says nothing to a call, nor to a ping, is closed and started anew; one that says anything is not. */
import { expect, test } from 'vitest';
import { type MemoryScript, MemoryTransport, type Reaction, SOME_TOOL } from '../../test/fixtures/memory-transport.js';
import { modernScript } from '../../test/fixtures/modern-script.js';
import { Started } from '../../test/fixtures/started-client.js';
import { VirtualClock } from '../../test/fixtures/virtual-clock.js';
import { type CallOptions, CallSignal } from '../base/index.js';
import { Connection } from './connection.js';
import { HangWatch } from './hang-watch.js';

const LISTED = { 'tools/list': () => ({ tools: [SOME_TOOL] }) };
/** Silent once it has listed. */
const HUNG: MemoryScript = { on: { ...LISTED, ping: () => undefined } };
const BUSY: MemoryScript = { on: LISTED };

/** Started under its clock at a moment that is not that of its start. */
async function ready(...scripts: readonly MemoryScript[]): Promise<Started> {
  const up = new Started(scripts);
  await up.client.start();
  await up.clock.advance(1_000);
  return up;
}

/** How a call ends: its error's code, or what it was answered. */
function outcomeOf(up: Started, options: Partial<CallOptions> = {}): Promise<unknown> {
  return up.call('some', '{}', options).catch((thrown: { code: string }) => thrown.code);
}

const pings = (up: Started): number => up.transport.received('ping').length;

test('silence to a call and to a ping ends the connection, says why, and the next one is started', async () => {
  const up = await ready(HUNG, {});
  const outcome = outcomeOf(up);
  await up.clock.advance(5_010);
  expect(await outcome).toBe('TIMEOUT');
  expect(pings(up)).toBe(1);
  await up.clock.advance(9_980);
  expect(up.client.state.kind).toBe('ready');
  await up.clock.advance(20);
  expect(up.client.state).toMatchObject({ kind: 'failed', error: { code: 'UPSTREAM_LOST' } });
  expect(up.transport.closed).toBeGreaterThan(0);
  expect(up.named('upstream.lost')).toMatchObject([
    { code: 'UPSTREAM_LOST', reason: expect.stringMatching(/^hung: nothing was read from it for 16\d\d\d ms/) },
  ]);
  await up.clock.advance(250);
  expect(up.transports).toHaveLength(2);
  expect(up.client.state.kind).toBe('ready');
  expect(up.clock.waiting).toBe(0);
});

test.each<{ why: string; ping: NonNullable<MemoryScript['on']>[string] }>([
  { why: 'a ping', ping: () => ({}) },
  {
    why: 'a ping with an error',
    ping: ({ id }) => `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"m"}}`,
  },
  { why: 'a ping with nonsense', ping: ({ id }) => `{"jsonrpc":"2.0","id":${id}}` },
  { why: 'with a notification only', ping: () => '{"jsonrpc":"2.0","method":"notifications/message","params":{}}' },
  { why: 'with noise only', ping: () => 'still here' },
])('one that answers $why is merely slow', async ({ ping }) => {
  const up = await ready({ on: { ...LISTED, ping } });
  for (let i = 0; i < 3; i++) {
    const outcome = outcomeOf(up);
    await up.clock.advance(60_000);
    expect(await outcome).toBe('TIMEOUT');
  }
  expect(pings(up)).toBe(3);
  expect(up.client.state.kind).toBe('ready');
  expect(up.transports).toHaveLength(1);
});

test.each<{ why: string; script: MemoryScript }>([
  {
    why: 'never said which era it speaks',
    script: { on: { ...LISTED, 'server/discover': () => undefined, ping: () => undefined } },
  },
  {
    why: 'has a stream of notifications open, which waits for nothing',
    script: modernScript({ on: { 'server/discover': once(modernScript().on!['server/discover']!) } }),
  },
])('one that $why is found to hang all the same', async ({ script }) => {
  const up = new Started([{ ...script, on: { ...script.on, 'tools/call': () => undefined } }, {}], { era: 'auto' });
  const start = up.client.start();
  await up.clock.advance(3_000);
  await start;
  const outcome = outcomeOf(up);
  await up.clock.advance(16_000);
  expect(await outcome).toBe('TIMEOUT');
  expect(up.named('upstream.lost')).toMatchObject([{ reason: expect.stringMatching(/^hung: /) }]);
  await up.client.close();
});

/** Answers the first time only. */
function once(reaction: Reaction): Reaction {
  let times = 0;
  return (sent, transport) => (times++ === 0 ? reaction(sent, transport) : undefined);
}

test('one from which something was read since the call was sent is not even pinged', async () => {
  const up = await ready(BUSY);
  const outcome = outcomeOf(up);
  await up.clock.advance(1_000);
  up.transport.say('a line of a log');
  await up.clock.advance(60_000);
  expect(await outcome).toBe('TIMEOUT');
  expect(pings(up)).toBe(0);
  expect(up.transports).toHaveLength(1);
});

test('a call that its caller gave up starts no suspicion', async () => {
  const up = await ready(HUNG);
  const signal = new CallSignal();
  const outcome = up.call('some', '{}', { signal }).catch((thrown: unknown) => thrown);
  await up.clock.advance(4_000);
  signal.abort('gone');
  await up.clock.advance(60_000);
  expect(await outcome).toBe('gone');
  expect(pings(up)).toBe(0);
});

test('a caller of little patience does not cut the time that calls have', async () => {
  const up = new Started([HUNG], { callTimeoutMs: 60_000 });
  await up.client.start();
  await up.clock.advance(1_000);
  const outcome = outcomeOf(up, { timeoutMs: 100 });
  await up.clock.advance(200);
  expect(await outcome).toBe('TIMEOUT');
  await up.clock.advance(58_000);
  expect(up.client.state.kind).toBe('ready');
  await up.clock.advance(1_000);
  expect(up.client.state.kind).toBe('failed');
});

test('whoever asked before the ping has all their time; whoever asks after it puts nothing off', async () => {
  const up = await ready(HUNG, HUNG);
  const first = outcomeOf(up);
  await up.clock.advance(4_000);
  const patient = outcomeOf(up, { timeoutMs: 30_000 });
  await up.clock.advance(4_000);
  expect(await first).toBe('TIMEOUT');
  const late = outcomeOf(up, { timeoutMs: 600_000 });
  await up.clock.advance(25_000);
  expect(up.client.state.kind).toBe('ready');
  await up.clock.advance(1_100);
  expect(await patient).toBe('TIMEOUT');
  expect(await late).toBe('UPSTREAM_LOST');
  expect(pings(up)).toBe(1);
});

test('an upstream that hangs under a stream of calls is found out all the same', async () => {
  const up = await ready(HUNG, {});
  for (let i = 0; i < 40 && up.transports.length < 2; i++) {
    void outcomeOf(up);
    await up.clock.advance(2_000);
  }
  expect(up.transports).toHaveLength(2);
  expect(up.clock.nowMs()).toBeLessThan(25_000);
});

test('one that wakes up while others wait is no longer under suspicion', async () => {
  const up = await ready(HUNG);
  const first = outcomeOf(up);
  await up.clock.advance(4_000);
  const second = outcomeOf(up, { timeoutMs: 30_000 });
  await up.clock.advance(20_000);
  up.transport.say('awake');
  await up.clock.advance(20_000);
  expect(await Promise.all([first, second])).toEqual(['TIMEOUT', 'TIMEOUT']);
  expect(up.client.state.kind).toBe('ready');
});

test('while nobody reads from it, it is not taken for hung', async () => {
  const up = await ready(HUNG);
  const outcome = outcomeOf(up);
  await up.clock.advance(5_010);
  expect(await outcome).toBe('TIMEOUT');
  up.client.pause();
  await up.clock.advance(600_000);
  expect(up.client.state.kind).toBe('ready');
  up.client.resume();
  up.transport.say('there it is');
  await up.clock.advance(60_000);
  expect(up.client.state.kind).toBe('ready');
});

test('a call that runs out of time as the connection ends hurts nobody', async () => {
  const up = await ready(HUNG, {});
  const outcomes = [outcomeOf(up), outcomeOf(up), outcomeOf(up)];
  await up.clock.advance(5_010);
  expect(await Promise.all(outcomes)).toEqual(['TIMEOUT', 'TIMEOUT', 'TIMEOUT']);
  expect(pings(up)).toBe(1);
  up.transport.lose();
  await up.clock.advance(60_000);
  expect(up.transports).toHaveLength(2);
  expect(up.clock.waiting).toBe(0);
});

test('a connection that has ended is not asked anything', async () => {
  const clock = new VirtualClock();
  const transport = new MemoryTransport();
  const ignore = (): void => {};
  const hooks = { notified: ignore, lost: ignore, warn: ignore, activity: ignore };
  const connection = new Connection({ upstream: 'up', transport, clock, maxMessageBytes: 400, ...hooks });
  await connection.open();
  await connection.close();
  new HangWatch({ connection, clock, callTimeoutMs: 5_000 }).timedOut(0);
  expect(transport.sent).toEqual([]);
  expect(clock.waiting).toBe(0);
});
