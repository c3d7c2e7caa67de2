import { expect, test } from 'vitest';
import { type MemoryScript, type MemoryTransport, SOME_TOOL } from '../../test/fixtures/memory-transport.js';
import { Started } from '../../test/fixtures/started-client.js';
import { settled } from '../../test/fixtures/virtual-clock.js';
import { CallSignal, DoorError } from '../base/index.js';

const failureOf = (task: Promise<unknown>): Promise<unknown> =>
  task.then(
    () => 'it did not fail',
    (thrown: unknown) => thrown,
  );

const NEVER: MemoryScript = { on: { initialize: () => undefined } };
const linesOf = ({ sent }: MemoryTransport): (string | undefined)[] => sent.map(({ method }) => method);

test('a start shakes hands, then lists, and tells of it once', async () => {
  const up = new Started([{ revision: '2025-06-18' }]);
  await up.client.start();
  await up.client.start();
  expect(linesOf(up.transport)).toEqual(['initialize', 'notifications/initialized', 'tools/list']);
  expect(up.transport.sent[0]!.params).toEqual({
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'doorward', version: '9.9.9' },
  });
  expect(up.events).toEqual([
    { name: 'upstream.connected', event: { upstream: 'up', revision: '2025-06-18', tools: 1 } },
  ]);
  expect(up.client.state).toMatchObject({
    kind: 'ready',
    hello: { codec: { revision: '2025-06-18' }, name: 'in memory' },
  });
  expect(up.tools()).toEqual(['some']);
  expect(up.clock.waiting).toBe(0);
});

test.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])('revision %s is spoken', async (revision) => {
  const up = new Started([{ revision }]);
  await up.client.start();
  expect(up.client.state).toMatchObject({ kind: 'ready', hello: { codec: { revision } } });
});

test.each<{ why: string; result: unknown; says: string }>([
  { why: 'a revision nobody knows', result: { protocolVersion: '2031-01-01', capabilities: {} }, says: '"2031-01-01"' },
  { why: 'no revision', result: { capabilities: {} }, says: 'undefined' },
  { why: 'a revision that is a number', result: { protocolVersion: 20250618, capabilities: {} }, says: '20250618' },
  { why: 'nothing at all', result: {}, says: 'undefined' },
])('a handshake is refused: $why', async ({ result, says }) => {
  const up = new Started([{ on: { initialize: () => result } }]);
  const failure = await failureOf(up.client.start());
  expect(failure).toMatchObject({ code: 'UPSTREAM_BROKE_PROTOCOL', data: { upstream: 'up' } });
  expect((failure as Error).message).toContain(says);
  expect(up.transport.closed).toBe(1);
  expect(linesOf(up.transport)).toEqual(['initialize']);
});

test('an upstream that refuses to initialize says why', async () => {
  const on = { initialize: () => '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no licence"}}' };
  expect(await failureOf(new Started([{ on }]).client.start())).toMatchObject({
    code: 'UPSTREAM_BROKE_PROTOCOL',
    message: expect.stringContaining('no licence'),
  });
});

test.each([
  { why: 'none', capabilities: undefined },
  { why: 'none of tools', capabilities: { prompts: {} } },
  { why: 'tools are null', capabilities: { tools: null } },
])('without the tools capability nothing is listed: $why', async ({ capabilities }) => {
  const up = new Started([{ on: { initialize: () => ({ protocolVersion: '2025-11-25', capabilities }) } }]);
  await up.client.start();
  expect(linesOf(up.transport)).toEqual(['initialize', 'notifications/initialized']);
  expect(up.lists).toEqual([{ tools: [], exclusions: [] }]);
});

test('notifications before the answer to initialize spoil nothing (case c15)', async () => {
  const early: MemoryScript['on'] = {
    initialize: (_, transport) => {
      transport.say('{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}');
      transport.say('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"hi"}}');
      return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'n', version: '1' } };
    },
  };
  const up = new Started([{ on: early }]);
  await up.client.start();
  expect(up.tools()).toEqual(['some']);
  expect(up.warnings()).toEqual([]);
});

test('a start that hangs ends in time; output on stderr gives it more', async () => {
  const up = new Started([NEVER]);
  const failure = failureOf(up.client.start());
  await up.clock.advance(9_000);
  up.transport.stir();
  await up.clock.advance(9_999);
  expect(up.client.state.kind).toBe('connecting');
  await up.clock.advance(1);
  expect(up.client.state.kind).toBe('failed');
  expect(await failure).toMatchObject({
    code: 'TIMEOUT',
    message: expect.stringMatching(/^up: did not start within 10000 ms/),
  });
  expect(up.transport.closed).toBe(1);
  expect(up.named('upstream.lost')).toMatchObject([{ upstream: 'up', code: 'TIMEOUT' }]);
});

test('an answered handshake is a sign of life as well', async () => {
  const up = new Started([{ on: { initialize: () => undefined, 'tools/list': () => undefined } }]);
  const start = up.client.start();
  await up.clock.advance(9_000);
  up.transport.answer(1, { protocolVersion: '2025-11-25', capabilities: { tools: {} } });
  await up.clock.advance(9_000);
  up.transport.answer(2, { tools: [SOME_TOOL] });
  await start;
  expect(up.client.state).toMatchObject({ kind: 'ready', hello: { name: 'up' } });
});

test('the cap on calls is no cap on starts', async () => {
  const up = new Started([NEVER], { maxCallMs: 2_000, startTimeoutMs: 10_000 });
  const failure = failureOf(up.client.start());
  await up.clock.advance(9_999);
  expect(up.client.state.kind).toBe('connecting');
  await up.clock.advance(1);
  expect(await failure).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('10000 ms') });
});

test.each([
  { why: 'beyond the cap on calls, if that is longer', maxCallMs: 25_000, endsMs: 25_000 },
  { why: 'beyond its own time, if that is longer', maxCallMs: 2_000, endsMs: 10_000 },
])('a start that chatters without end does not go on $why', async ({ maxCallMs, endsMs }) => {
  const up = new Started([NEVER], { maxCallMs, startTimeoutMs: 10_000 });
  const failure = failureOf(up.client.start());
  for (let ms = 1_000; ms < endsMs; ms += 1_000) {
    await up.clock.advance(1_000);
    up.transport.stir();
  }
  await up.clock.advance(999);
  expect(up.client.state.kind).toBe('connecting');
  await up.clock.advance(1);
  expect(await failure).toMatchObject({
    code: 'TIMEOUT',
    message: expect.stringContaining(`did not start within ${endsMs} ms, though it showed life`),
    data: { waitedMs: endsMs },
  });
});

test('output on stderr after the start wakes no timer', async () => {
  const up = new Started([{}]);
  await up.client.start();
  const before = up.clock.scheduled;
  for (let i = 0; i < 10; i++) up.transport.stir();
  expect(up.clock.scheduled).toBe(before);
  expect(up.clock.waiting).toBe(0);
});

test('a start that hangs in tools/list ends in time too', async () => {
  const up = new Started([{ on: { 'tools/list': () => undefined } }]);
  const failure = failureOf(up.client.start());
  await up.clock.advance(10_000);
  expect(await failure).toMatchObject({ code: 'TIMEOUT' });
  expect(up.lists).toEqual([]);
});

test.each([
  { why: 'the line that names it', tail: 'line 1\nError: no API key\n    at main.js:3\n', says: 'Error: no API key' },
  {
    why: 'of a crash of node, not the end of its stack',
    tail: "node:internal/modules\n  throw err;\n\nError: Cannot find module '/x.mjs'\n    at f\n}\n\nNode.js v20.20.2\n",
    says: "Error: Cannot find module '/x.mjs'",
  },
  { why: 'of Python', tail: 'Traceback (most recent call last):\n  x\nKeyError: 1\n', says: 'KeyError: 1' },
  { why: 'the last lines where none stands out', tail: 'a\nb\nc\nd\n', says: 'b | c | d' },
])('a start that fails says what the process said: $why', async ({ tail, says }) => {
  const up = new Started([{ ...NEVER, tail }]);
  const failure = failureOf(up.client.start());
  await settled();
  up.transport.lose();
  expect(await failure).toMatchObject({
    code: 'UPSTREAM_UNREACHABLE',
    message: `up: initialize: the process exited with code 1. It wrote: ${says}`,
    hint: expect.any(String),
    data: { upstream: 'up' },
  });
});

test('what a transport says about a failed open stays: code, facts and hint', async () => {
  const refusal = new DoorError('UPSTREAM_UNREACHABLE', 'command not found: npx', {
    data: { reason: 'command_not_found' },
    hint: 'Install it.',
  });
  const open = (): Promise<void> => Promise.reject(refusal);
  expect(await failureOf(new Started([{ open }]).client.start())).toMatchObject({
    code: 'UPSTREAM_UNREACHABLE',
    message: 'up: command not found: npx',
    data: { upstream: 'up', reason: 'command_not_found' },
    hint: 'Install it.',
  });
});

test('a flood during the start is called what it is', async () => {
  const flood: MemoryScript['on'] = {
    'tools/list': (_, transport) => void transport.sayBytes(new Uint8Array(20_000).fill(0x78)),
  };
  expect(await failureOf(new Started([{ on: flood }]).client.start())).toMatchObject({ code: 'MESSAGE_TOO_LARGE' });
});

test('a transport that cannot even be made is a failed start, and tried again like any other', async () => {
  let attempts = 0;
  const broken = (): never => {
    attempts++;
    throw new Error('no such socket');
  };
  const up = new Started([{}], { connect: broken });
  expect(await failureOf(up.client.start())).toMatchObject({ message: expect.stringContaining('no such socket') });
  expect(up.client.state.kind).toBe('failed');
  await failureOf(up.client.start());
  expect(attempts).toBe(2);
  await up.clock.advance(1_000);
  expect(attempts).toBe(3);
  await up.client.close();
  expect(up.clock.waiting).toBe(0);
});

test('whoever starts at the same time shares one start', async () => {
  const up = new Started([{}]);
  await Promise.all([up.client.start(), up.client.start(), up.client.start()]);
  expect(up.transports).toHaveLength(1);
  const failing = new Started([{ open: () => Promise.reject(new Error('no')) }]);
  const failures = await Promise.all([1, 2, 3].map(() => failureOf(failing.client.start())));
  expect(new Set(failures).size).toBe(1);
  expect(failing.transports).toHaveLength(1);
});

test.each<{ when: string; script: MemoryScript }>([
  { when: 'opening', script: { open: () => new Promise(() => {}) } },
  { when: 'initializing', script: NEVER },
  { when: 'listing', script: { on: { 'tools/list': () => undefined } } },
])('closing while $when ends the transport and the start', async ({ script }) => {
  const up = new Started([script]);
  const failure = failureOf(up.client.start());
  await settled();
  await up.client.close();
  expect(await failure).toMatchObject({ code: 'UPSTREAM_UNREACHABLE', message: 'up: closed while starting' });
  expect(up.transport.closed).toBeGreaterThan(0);
  expect(up.clock.waiting).toBe(0);
  expect(up.client.state).toEqual({ kind: 'closed' });
  expect(up.named('upstream.connected')).toEqual([]);
  expect(await failureOf(up.client.start())).toMatchObject({ message: 'up: closed' });
  expect(up.transports).toHaveLength(1);
});

test('a connection that ends right behind its list is no ready one', async () => {
  const script: MemoryScript = {
    on: {
      'tools/list': ({ id }, transport) => {
        transport.answer(id, { tools: [SOME_TOOL] });
        transport.lose();
      },
    },
  };
  const up = new Started([script, {}]);
  await failureOf(up.client.start());
  expect(up.client.state.kind).toBe('failed');
  await up.client.start();
  expect(up.client.state.kind).toBe('ready');
});

test('after a loss, the next call starts the upstream anew and is judged by what it lists then', async () => {
  const strict = { name: 'some', inputSchema: { type: 'object', required: ['id'] } };
  const answering = { 'tools/call': () => ({ content: [] }) };
  const up = new Started([{ on: answering }, { tools: [strict], on: answering }]);
  await up.client.start();
  up.transport.lose();
  expect(up.client.state).toMatchObject({ kind: 'failed', error: { code: 'UPSTREAM_LOST' } });
  expect(up.named('upstream.lost')).toHaveLength(1);
  expect(await failureOf(up.call('some', '{}'))).toMatchObject({ code: 'INVALID_ARGUMENTS' });
  expect(await up.call('some', '{"id":1}')).toEqual({ content: [] });
  expect(up.transports).toHaveLength(2);
  expect(up.transport.received('tools/call')).toHaveLength(1);
});

test('a tool that is gone after a restart is unknown, and nothing is sent', async () => {
  const up = new Started([{}, { tools: [] }]);
  await up.client.start();
  up.transport.lose();
  expect(await failureOf(up.call('some'))).toMatchObject({ code: 'TOOL_UNKNOWN' });
  expect(up.transport.received('tools/call')).toEqual([]);
});

test('a call whose upstream is lost again while it restarts fails with the loss', async () => {
  const answering = { 'tools/call': () => ({ content: [] }) };
  const up = new Started([{ on: answering }]);
  await up.client.start();
  up.transport.lose();
  up.loseWhenListed = true;
  expect(await failureOf(up.call('some'))).toMatchObject({ code: 'UPSTREAM_LOST' });
  expect(up.transport.received('tools/call')).toEqual([]);
});

test('a call does not wait for a restart when its caller gives up', async () => {
  const up = new Started([{}, NEVER]);
  await up.client.start();
  up.transport.lose();
  const signal = new CallSignal();
  const failure = failureOf(up.call('some', '{}', { signal }));
  await settled();
  signal.abort('gone');
  await settled();
  expect(await Promise.race([failure, Promise.resolve('it still waits')])).toBe('gone');
});

test('what goes beyond maxInFlight is refused before it is sent', async () => {
  const up = new Started([{}]);
  await up.client.start();
  const waiting = [1, 2, 3].map(() => up.call('some'));
  await expect(up.call('some')).rejects.toMatchObject({ code: 'BUSY', data: { upstream: 'up', limit: 3 } });
  for (const { id } of up.transport.received('tools/call')) up.transport.answer(id, { content: [] });
  await Promise.all(waiting);
  const fourth = up.call('some');
  up.transport.answer(up.transport.sent.at(-1)!.id, { content: [] });
  await fourth;
  expect(up.transport.received('tools/call')).toHaveLength(4);
});

/** Takes a moment to be ended, as a process does that has to be killed. */
function slowToEnd(): { readonly script: MemoryScript; end(): void } {
  const waiting: (() => void)[] = [];
  return {
    script: { close: () => new Promise<void>((resolve) => void waiting.push(resolve)) },
    end: () => {
      for (const resolve of waiting) resolve();
    },
  };
}

test.each<{ when: string; script: MemoryScript; end: (up: Started) => unknown }>([
  { when: 'it was lost', script: {}, end: (up) => up.transport.lose() },
  { when: 'its start timed out', script: NEVER, end: (up) => up.clock.advance(10_000) },
])('what is still being ended after $when is waited for: by close, and by the next start', async ({ script, end }) => {
  const slow = slowToEnd();
  const up = new Started([{ ...script, ...slow.script }, {}]);
  void failureOf(up.client.start());
  await settled();
  await end(up);
  await up.clock.advance(1_000);
  let isStarted = false;
  void up.client.start().then(() => {
    isStarted = true;
  });
  await settled();
  expect(up.transports).toHaveLength(1);
  expect(up.transport.closed).toBeGreaterThan(0);
  slow.end();
  await settled();
  expect(up.transports).toHaveLength(2);
  expect(isStarted).toBe(true);
});

test('close waits for a connection that was lost before', async () => {
  const slow = slowToEnd();
  const up = new Started([slow.script]);
  await up.client.start();
  up.transport.lose();
  let isClosed = false;
  const closing = up.client.close().then(() => {
    isClosed = true;
  });
  await settled();
  expect(isClosed).toBe(false);
  slow.end();
  await closing;
});

test('a transport that cannot be closed ends nobody else', async () => {
  const up = new Started([{ close: () => Promise.reject(new Error('it is stuck')) }, {}]);
  await up.client.start();
  up.transport.lose();
  await up.client.start();
  expect(up.client.state.kind).toBe('ready');
  await up.client.close();
});

test('an upstream that is lost says what it wrote last', async () => {
  const up = new Started([{ tail: 'warming up\nError: out of memory\n' }]);
  await up.client.start();
  up.transport.lose();
  expect(up.client.state).toMatchObject({
    kind: 'failed',
    error: { code: 'UPSTREAM_LOST', message: expect.stringContaining('It wrote: Error: out of memory') },
  });
});

test('a server that talks something else on its stdout is told to speak MCP there, not given more time', async () => {
  const up = new Started([{ on: { initialize: (_, transport) => void transport.say('Server started on port 3000') } }]);
  const failure = up.client.start().catch((thrown: unknown) => thrown);
  await up.clock.advance(100_000);
  expect(await failure).toMatchObject({
    code: 'TIMEOUT',
    message: expect.stringContaining('"Server started on port 3000", which is no MCP message'),
    hint: expect.stringContaining('stdio mode'),
  });
});
