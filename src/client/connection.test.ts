import { describe, expect, test } from 'vitest';
import { MemoryTransport } from '../../test/fixtures/memory-transport.js';
import { settled, VirtualClock } from '../../test/fixtures/virtual-clock.js';
import { CallSignal, DoorError, decodeText, encodeText, JsonScanner } from '../base/index.js';
import type { ListedTool } from '../catalog/index.js';
import { findCodec, makeCallParams } from '../protocol/index.js';
import { Connection } from './connection.js';
import type { RequestOptions } from './pending.js';
import { RareWarnings } from './rare-warnings.js';
import type { RawAnswer } from './raw-answer.js';

interface Opened {
  readonly connection: Connection;
  readonly transport: MemoryTransport;
  readonly clock: VirtualClock;
  readonly warnings: string[];
  readonly notified: string[];
  readonly lost: DoorError[];
  /** Sends a request. @returns how it ends, once it has */
  ask(options?: Partial<RequestOptions>): { end: RawAnswer | unknown };
}

const MAX_BYTES = 400;

async function opened(transport = new MemoryTransport({ on: { '*': () => undefined } })): Promise<Opened> {
  const clock = new VirtualClock();
  const warnings: string[] = [];
  const notified: string[] = [];
  const lost: DoorError[] = [];
  const rare = new RareWarnings(clock, (warning) => warnings.push(warning));
  const connection = new Connection({
    upstream: 'up',
    transport,
    clock,
    maxMessageBytes: MAX_BYTES,
    notified: (method) => notified.push(method),
    lost: (reason) => lost.push(reason),
    warn: (warning, message) => rare.tell(warning, message),
    activity: () => {},
  });
  await connection.open();
  const ask = (options: Partial<RequestOptions> = {}): { end: unknown } => {
    const asked: { end: unknown } = { end: undefined };
    const wait = {
      signal: undefined,
      timeoutMs: 1_000,
      maxMs: 5_000,
      progress: undefined,
      about: 'a tool',
      ...options,
    };
    connection.request('m', undefined, wait).then(
      (answer) => {
        asked.end = answer;
      },
      (thrown: unknown) => {
        asked.end = thrown;
      },
    );
    return asked;
  };
  return { connection, transport, clock, warnings, notified, lost, ask };
}

const bodyOf = (end: unknown): unknown => {
  const { bytes, start, end: behind } = end as RawAnswer;
  return JSON.parse(decodeText(bytes, start, behind));
};

const cancelled = (transport: MemoryTransport): unknown[] =>
  transport.received('notifications/cancelled').map(({ params }) => params?.requestId);

test.each([
  { why: 'a wrong version', line: '{"jsonrpc":"1.0","id":1,"result":{}}' },
  { why: 'no version', line: '{"id":1,"result":{}}' },
  { why: 'neither result nor error', line: '{"jsonrpc":"2.0","id":1}' },
  { why: 'both', line: '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}' },
  { why: 'a result that is no object', line: '{"jsonrpc":"2.0","id":1,"result":[]}' },
  { why: 'an error that is no object', line: '{"jsonrpc":"2.0","id":1,"error":"no"}' },
  { why: 'no JSON, though almost', line: '{"jsonrpc":"2.0","id":1,"result":{"n":NaN}}' },
  { why: 'JSON that was cut off', line: '{"jsonrpc":"2.0","id":1,"result":{"text":"and th' },
  { why: 'an error without a code', line: '{"jsonrpc":"2.0","id":1,"error":{"message":"m"}}' },
  { why: 'an error whose code is text', line: '{"jsonrpc":"2.0","id":1,"error":{"code":"E1","message":"m"}}' },
  { why: 'an error whose code is no integer', line: '{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"m"}}' },
  { why: 'an error without a message', line: '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":null}}' },
  { why: 'a result twice', line: '{"jsonrpc":"2.0","id":1,"result":{},"result":{"a":1}}' },
])('a malformed answer fails its call at once: $why', async ({ line }) => {
  const { transport, ask, lost } = await opened();
  const first = ask();
  const second = ask();
  transport.say(line);
  await settled();
  expect(first.end).toMatchObject({ code: 'UPSTREAM_BROKE_PROTOCOL', data: { upstream: 'up', outcome: 'unknown' } });
  transport.answer(2, { fine: true });
  await settled();
  expect(bodyOf(second.end)).toEqual({ fine: true });
  expect(lost).toEqual([]);
});

test.each([
  { why: 'a request of its own under the same number', line: '{"jsonrpc":"2.0","id":1,"method":"ping"}' },
  { why: 'a bad request under the same number', line: '{"jsonrpc":"1.0","id":1,"method":"ping"}' },
  { why: 'the number as a string', line: '{"jsonrpc":"2.0","id":"1","result":{}}' },
  { why: 'the number written otherwise', line: '{"jsonrpc":"2.0","id":1.0,"result":{}}' },
  { why: 'an error without an id', line: '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}' },
  { why: 'a log line that has an id', line: '{"level":30,"id":1,"msg":"request started"}' },
  { why: 'text with braces', line: '{id: 1} is what I am working on' },
])('what only looks like an answer answers nobody: $why', async ({ line }) => {
  const { transport, ask } = await opened();
  const asked = ask();
  transport.say(line);
  await settled();
  expect(asked.end).toBeUndefined();
  transport.answer(1, { mine: true });
  await settled();
  expect(bodyOf(asked.end)).toEqual({ mine: true });
});

test('an answer that is too large fails its call and no other', async () => {
  const { transport, ask, warnings, lost } = await opened();
  const [first, second] = [ask(), ask()];
  transport.say(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(MAX_BYTES) } }));
  transport.answer(2, {});
  await settled();
  expect(first.end).toMatchObject({
    code: 'MESSAGE_TOO_LARGE',
    message: expect.stringContaining(`limit of ${MAX_BYTES}`),
  });
  expect(bodyOf(second.end)).toEqual({});
  expect([warnings, lost]).toEqual([[], []]);
  expect(cancelled(transport)).toEqual([]);
});

test('a flood without an end closes the connection and fails everything in flight', async () => {
  const { transport, ask, lost } = await opened();
  const asked = [ask(), ask()];
  for (let i = 0; i < 6; i++) transport.sayBytes(encodeText('x'.repeat(MAX_BYTES)));
  await settled();
  for (const { end } of asked) expect(end).toMatchObject({ code: 'UPSTREAM_LOST', data: { outcome: 'unknown' } });
  expect(lost).toMatchObject([{ code: 'MESSAGE_TOO_LARGE' }]);
  expect(transport.closed).toBe(1);
});

test.each([
  {
    how: 'lost',
    end: (c: Opened) => c.transport.lose(new DoorError('UPSTREAM_LOST', 'it crashed')),
    says: 'it crashed',
  },
  { how: 'closed', end: (c: Opened) => void c.connection.close(), says: 'closed' },
])('a connection that is $how fails all in flight, once, and takes no more', async ({ end, says }) => {
  const fixture = await opened();
  const { connection, transport, clock, ask, lost } = fixture;
  const asked = [ask(), ask(), ask()];
  end(fixture);
  end(fixture);
  await settled();
  for (const each of asked) {
    expect(each.end).toMatchObject({ code: 'UPSTREAM_LOST', data: { upstream: 'up', outcome: 'unknown' } });
    expect((each.end as Error).message).toContain(says);
  }
  expect(lost).toHaveLength(1);
  expect(connection.inFlight).toBe(0);
  expect(() => connection.request('m', undefined, { about: 'm' } as RequestOptions)).toThrow(says);
  expect(clock.waiting).toBe(0);
  expect(transport.received('m')).toHaveLength(3);
});

test('the last line counts although the connection ended in the middle of it', async () => {
  const { transport, ask } = await opened();
  const asked = ask();
  transport.sayBytes(encodeText('{"jsonrpc":"2.0","id":1,"result":{"last":true}}'));
  transport.lose();
  await settled();
  expect(bodyOf(asked.end)).toEqual({ last: true });
});

test('without an answer a call fails at its deadline, and its upstream is told', async () => {
  const { transport, clock, ask } = await opened();
  const asked = ask({ timeoutMs: 1_000 });
  await clock.advance(1_000);
  expect(asked.end).toBeUndefined();
  await clock.advance(1);
  expect(asked.end).toMatchObject({ code: 'TIMEOUT', data: { upstream: 'up', outcome: 'unknown', waitedMs: 1_001 } });
  expect(cancelled(transport)).toEqual([1]);
  expect((asked.end as Error).message).toBe('up: a tool gave no answer and no progress for 1000 ms');
});

test('progress extends the time, but never past the hard cap', async () => {
  const { transport, clock, ask } = await opened();
  let heard = 0;
  const asked = ask({ timeoutMs: 1_000, maxMs: 2_500, progress: () => heard++ });
  for (let i = 0; i < 3; i++) {
    await clock.advance(800);
    transport.say('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}');
  }
  expect(heard).toBe(3);
  await clock.advance(100);
  expect(asked.end).toBeUndefined();
  await clock.advance(30);
  expect(asked.end).toMatchObject({ code: 'TIMEOUT' });
  expect(cancelled(transport)).toEqual([1]);
});

test('a call given up is over at once: its upstream is told, a late answer answers nobody', async () => {
  const { transport, clock, warnings, ask } = await opened();
  const signal = new CallSignal();
  const asked = ask({ signal });
  const other = ask({ signal: new CallSignal() });
  signal.abort('enough');
  await settled();
  expect(asked.end).toBe('enough');
  transport.answer(1, {});
  await clock.advance(500);
  expect(warnings).toEqual(['late-or-duplicate-response']);
  expect(cancelled(transport)).toEqual([1]);
  expect(other.end).toBeUndefined();
});

test('a call whose caller is gone already is never sent', async () => {
  const { connection, transport, ask } = await opened();
  const signal = new CallSignal();
  signal.abort('gone');
  expect(() => ask({ signal })).toThrow('gone');
  expect(connection.inFlight).toBe(0);
  expect(transport.sent).toEqual([]);
});

test('a signal that outlives its call holds nothing of it', async () => {
  const { transport, ask } = await opened();
  const signal = new CallSignal();
  const asked = ask({ signal });
  transport.answer(1, {});
  await settled();
  signal.abort('too late');
  await settled();
  expect(bodyOf(asked.end)).toEqual({});
  expect(cancelled(transport)).toEqual([]);
});

test('a thousand deadlines cost one timer', async () => {
  const { clock, ask } = await opened();
  const asked = Array.from({ length: 1_000 }, (_, i) => ask({ timeoutMs: 1_000 + i }));
  expect(clock.scheduled).toBe(1);
  await clock.advance(3_000);
  for (const { end } of asked) expect(end).toMatchObject({ code: 'TIMEOUT' });
  // They crowd within a second: a sweep each 20 ms or so is enough for all.
  expect(clock.scheduled).toBeLessThan(60);
  expect(clock.waiting).toBe(0);
});

test('ids and progress tokens are the same number, and never used twice', async () => {
  const { connection, transport } = await opened();
  const params = makeCallParams(new JsonScanner(), 'x', encodeText('{"a":1}'));
  if (typeof params === 'string') throw new Error(params);
  const options = { signal: undefined, timeoutMs: 9, maxMs: 9, progress: undefined, about: 'x' };
  for (let i = 0; i < 50; i++) {
    connection.call(params, X, options).catch(() => {});
    connection.request('m', undefined, options).catch(() => {});
  }
  const ids = transport.sent.map(({ id }) => id);
  expect(new Set(ids).size).toBe(100);
  for (const { id, params: sent } of transport.received('tools/call')) {
    expect(sent).toEqual({ _meta: { progressToken: id }, name: 'x', arguments: { a: 1 } });
  }
});

test.each([
  { why: 'never given', token: '77' },
  { why: 'a string', token: '"1"' },
  { why: 'written otherwise', token: '1e0' },
  { why: 'null', token: 'null' },
  { why: 'an object', token: '{}' },
])('progress under an unknown token is told and moves no deadline: $why', async ({ token }) => {
  const { transport, clock, warnings, ask } = await opened();
  const asked = ask({ timeoutMs: 1_000, progress: () => expect.unreachable() });
  await clock.advance(900);
  transport.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":1}}`);
  expect(warnings).toEqual(['unknown-progress-token']);
  await clock.advance(200);
  expect(asked.end).toMatchObject({ code: 'TIMEOUT' });
});

test('a listener for progress that throws ends neither its call nor the connection', async () => {
  const { transport, ask } = await opened();
  const thrower = (): void => {
    throw new Error('a mistake of the embedder');
  };
  const asked = ask({ progress: thrower });
  transport.say('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}');
  transport.answer(1, { fine: true });
  await settled();
  expect(bodyOf(asked.end)).toEqual({ fine: true });
});

test('a ping is answered under its own id; nothing else is offered to servers', async () => {
  const { transport } = await opened();
  transport.say(
    '{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}',
    '{"jsonrpc":"2.0","id":"p","method":"ping","params":{}}',
    '{"jsonrpc":"2.0","id":"r","method":"roots/list"}',
    '{"jsonrpc":"2.0","id":4,"method":"sampling/createMessage","params":{}}',
  );
  expect(transport.sent.slice(0, 2).map(({ line }) => line)).toEqual([
    '{"jsonrpc":"2.0","id":12345678901234567890,"result":{}}',
    '{"jsonrpc":"2.0","id":"p","result":{}}',
  ]);
  expect(transport.sent.slice(2).map(({ message }) => message)).toMatchObject([
    { id: 'r', error: { code: -32601 } },
    { id: 4, error: { code: -32601 } },
  ]);
});

test('a refusal repeats no more of a method than a person reads', async () => {
  const { transport } = await opened();
  transport.say(`{"jsonrpc":"2.0","id":1,"method":"${'m'.repeat(300)}"}`);
  expect(transport.sent[0]!.line.length).toBeLessThan(350);
});

test('notifications that name no request go up by name', async () => {
  const { transport, notified } = await opened();
  transport.say('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
  transport.say('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}');
  expect(notified).toEqual(['notifications/tools/list_changed', 'notifications/message']);
});

/** Of a tool nothing but its name is sent. */
const X = { name: 'x', quotedName: '"x"', paramHeaders: [] } as unknown as ListedTool;

const BATCH =
  '[{"jsonrpc":"2.0","id":1,"result":{}},5,[{"jsonrpc":"2.0","id":2,"result":{}}],{"jsonrpc":"2.0","id":3,"result":{}},{"jsonrpc":"2.0","method":"a"}]';

test('a batch is read where the revision has batches, save what is no message in it', async () => {
  const { connection, transport, notified, ask } = await opened();
  connection.agree(findCodec('2025-03-26')!);
  const asked = [ask(), ask(), ask()];
  transport.say(BATCH);
  await settled();
  expect(asked.map(({ end }) => end !== undefined)).toEqual([true, false, true]);
  expect(notified).toEqual(['a']);
});

test.each(['2025-11-25', '2025-06-18', '2024-11-05'])(
  'a batch is read in %s too, which has none, and told of: its calls need not wait for their deadline',
  async (revision) => {
    const { connection, transport, warnings, ask } = await opened();
    connection.agree(findCodec(revision)!);
    const asked = [ask(), ask(), ask()];
    transport.say(BATCH);
    await settled();
    expect(asked.map(({ end }) => end !== undefined)).toEqual([true, false, true]);
    expect(warnings).toContain('unexpected-batch');
  },
);

test('noise is told once in half a minute, with its beginning', async () => {
  const { transport, clock, warnings } = await opened();
  for (let i = 0; i < 100; i++) transport.say('Server listening on stdio', '', '42', '"text"', '{"a":1}');
  expect(warnings).toEqual(['noise-on-stdout']);
  await clock.advance(30_000);
  transport.say('still here', 'and here');
  expect(warnings).toHaveLength(2);
});

test('no kind of warning is told more than once in half a minute, however often there is cause', async () => {
  const { transport, clock, warnings, ask } = await opened();
  const asked = ask();
  transport.answer(1, {});
  await settled();
  expect(asked.end).toBeDefined();
  for (let i = 0; i < 50; i++) {
    transport.answer(1, {});
    transport.answer(500 + i, {});
    transport.say('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":9,"progress":1}}');
    transport.say(`{"jsonrpc":"2.0","method":"notifications/message","params":"${'x'.repeat(MAX_BYTES)}"}`);
    await clock.advance(100);
  }
  expect(warnings.sort()).toEqual([
    'late-or-duplicate-response',
    'message-too-large',
    'unknown-progress-token',
    'unknown-response-id',
  ]);
  await clock.advance(30_000);
  transport.answer(1, {});
  expect(warnings).toHaveLength(5);
});

describe('what an upstream asks and cannot be served gets an answer all the same: it waits for one', () => {
  test.each([
    {
      why: 'params that are a list',
      line: '{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":[]}',
      id: 1,
    },
    { why: 'no version', line: '{"id":"a","method":"sampling/createMessage"}', id: 'a' },
    {
      why: 'nested too deep',
      line: `{"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{"a":${'['.repeat(600)}${']'.repeat(600)}}}`,
      id: 2,
    },
    {
      why: 'too large',
      line: `{"jsonrpc":"2.0","id":3,"method":"sampling/createMessage","params":{"a":"${'x'.repeat(MAX_BYTES)}"}}`,
      id: 3,
    },
  ])('$why', async ({ line, id }) => {
    const { transport } = await opened();
    transport.say(line);
    await settled();
    expect(transport.sent.map(({ message }) => message)).toContainEqual({
      jsonrpc: '2.0',
      id,
      error: expect.objectContaining({ code: expect.any(Number), message: expect.any(String) }),
    });
  });
});
