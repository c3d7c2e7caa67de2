import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { call, cancel, ECHO, MemoryDoor, PATIENT, request, type Wire } from '../../test/fixtures/memory-door.js';
import { SILENT, toolNamed } from '../../test/fixtures/memory-gateway.js';
import { LIST_CHANGED, type MemoryScript } from '../../test/fixtures/memory-transport.js';
import { settled } from '../../test/fixtures/virtual-clock.js';
import { DoorError, encodeText } from '../base/index.js';

describe('the handshake', () => {
  test.each([
    { asked: '2025-11-25', answered: '2025-11-25' },
    { asked: '2024-11-05', answered: '2024-11-05' },
    { asked: '2099-01-01', answered: '2025-11-25' },
  ])('$asked is answered with $answered, before any upstream is', async ({ asked, answered }) => {
    const opened = new MemoryDoor({ a: { scripts: [SILENT] } });
    await opened.write(request(0, 'initialize', { protocolVersion: asked, capabilities: {} }));
    expect(opened.taken()).toEqual([
      {
        jsonrpc: '2.0',
        id: 0,
        result: {
          protocolVersion: answered,
          capabilities: {
            tools: { listChanged: true },
            resources: { subscribe: true, listChanged: true },
            prompts: { listChanged: true },
            completions: {},
            logging: {},
          },
          serverInfo: { name: 'doorward', title: 'doorward', version: '1.2.3' },
        },
      },
    ]);
  });

  test('without a revision it is refused, and may be tried again', async () => {
    const opened = new MemoryDoor({});
    await opened.write(request(1, 'initialize'), request(2, 'initialize', { protocolVersion: 5 }));
    await opened.write(request(3, 'initialize', { protocolVersion: '2025-06-18' }));
    expect(opened.taken()).toMatchObject([
      { id: 1, error: { code: -32602 } },
      { id: 2, error: { code: -32602 } },
      { id: 3, result: { protocolVersion: '2025-06-18' } },
    ]);
  });
});

describe('what is no good message', () => {
  test.each<{ why: string; line: string; code: number; id: unknown }>([
    { why: 'not JSON', line: '{"jsonrpc":"2.0","id":1,"method":"ping"', code: -32700, id: null },
    { why: 'text', line: 'hello', code: -32700, id: null },
    { why: 'two values', line: '{} {}', code: -32700, id: null },
    { why: 'an empty object', line: '{}', code: -32600, id: null },
    { why: 'a number', line: '1', code: -32600, id: null },
    { why: 'a string', line: '"ping"', code: -32600, id: null },
    { why: 'no version', line: '{"id":1,"method":"ping"}', code: -32600, id: 1 },
    { why: 'a wrong version', line: '{"jsonrpc":"1.0","id":"a","method":"ping"}', code: -32600, id: 'a' },
    { why: 'an id that is null', line: '{"jsonrpc":"2.0","id":null,"method":"ping"}', code: -32600, id: null },
    { why: 'a fractional id', line: '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', code: -32600, id: 1.5 },
    { why: 'an id that is an object', line: '{"jsonrpc":"2.0","id":{},"method":"ping"}', code: -32600, id: null },
    { why: 'an id that is true', line: '{"jsonrpc":"2.0","id":true,"method":"ping"}', code: -32600, id: null },
    { why: 'a method that is a number', line: '{"jsonrpc":"2.0","id":1,"method":1}', code: -32600, id: 1 },
    { why: 'the method twice', line: '{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}', code: -32600, id: 1 },
    { why: 'params that are text', line: '{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}', code: -32600, id: 1 },
    {
      why: 'params that are a list',
      line: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}',
      code: -32600,
      id: 1,
    },
    { why: 'an unknown method', line: request(1, 'tasks/list'), code: -32601, id: 1 },
    { why: 'a method of ours as a request', line: request(1, 'notifications/initialized'), code: -32601, id: 1 },
    { why: 'a call without params', line: request(1, 'tools/call'), code: -32602, id: 1 },
    { why: 'a call without a name', line: request(1, 'tools/call', { arguments: {} }), code: -32602, id: 1 },
    { why: 'a name that is a number', line: request(1, 'tools/call', { name: 1 }), code: -32602, id: 1 },
    { why: 'a _meta that is none', line: request(1, 'tools/call', { name: 'a__x', _meta: 1 }), code: -32602, id: 1 },
    { why: 'an unknown tool', line: call(1, 'a__y'), code: -32602, id: 1 },
    { why: 'bad arguments', line: call(1, 'a__x', '[]'), code: -32602, id: 1 },
    { why: 'a strange cursor', line: request(1, 'tools/list', { cursor: 'x' }), code: -32602, id: 1 },
    { why: 'a cursor that is a number', line: request(1, 'tools/list', { cursor: 1 }), code: -32602, id: 1 },
    { why: 'a batch, where there are none', line: `[${request(1, 'ping')}]`, code: -32600, id: null },
  ])('$why is answered once with $code', async ({ line, code, id }) => {
    const opened = new MemoryDoor(ECHO);
    await opened.initialize();
    await opened.write(line);
    const taken = opened.taken();
    expect(taken).toHaveLength(1);
    expect(taken[0]).toMatchObject({ jsonrpc: '2.0', id, error: { code, message: expect.any(String) } });
    // And the door is as open as before.
    await opened.write(request(9, 'ping'));
    expect(opened.taken()).toEqual([{ jsonrpc: '2.0', id: 9, result: {} }]);
  });

  test.each([
    { why: 'a notification nobody knows', line: '{"jsonrpc":"2.0","method":"notifications/other","params":{}}' },
    { why: 'a result nobody asked for', line: '{"jsonrpc":"2.0","id":1,"result":{}}' },
    { why: 'an error nobody asked for', line: '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}' },
    { why: 'a bad answer', line: '{"jsonrpc":"1.0","id":1,"result":5}' },
    { why: 'a cancellation of nothing', line: cancel(5) },
    { why: 'a cancellation without an id', line: '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}' },
    { why: 'a cancellation without params', line: '{"jsonrpc":"2.0","method":"notifications/cancelled"}' },
    { why: 'an empty line', line: '' },
  ])('$why is not answered', async ({ line }) => {
    const opened = new MemoryDoor(ECHO);
    await opened.write(line);
    expect(opened.lines).toEqual([]);
  });

  test('a long method is not repeated in full', async () => {
    const opened = new MemoryDoor({});
    await opened.write(request(1, 'm'.repeat(5_000)));
    expect(opened.lines[0]!.length).toBeLessThan(400);
  });
});

test.each([
  '0',
  '-0',
  '-7',
  '9007199254740993',
  '12345678901234567890123',
  '"a"',
  '""',
  '"\\u0041\\/"',
  '"ü\\n"',
  '1e2',
  '1.0',
])('an id is echoed as it was written: %s', async (id) => {
  const opened = new MemoryDoor(ECHO);
  await opened.write(
    `{"jsonrpc":"2.0","method":"ping","id":${id}}`,
    `{"id" : ${id} ,"jsonrpc":"2.0","method":"tools/call","params":{"name":"a__x"}}`,
  );
  expect(opened.lines[0]).toBe(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
  expect(opened.lines[1]).toMatch(/"result":\{"content":\[\]/);
  expect(opened.lines[1]!.startsWith(`{"jsonrpc":"2.0","id":${id},"result":`)).toBe(true);
});

describe('calls', () => {
  test("an upstream's answer comes in the caller's envelope, byte for byte, line breaks aside", async () => {
    const on: MemoryScript['on'] = {
      'tools/call': ({ id }) => `{"jsonrpc":"2.0","result":{ "n" :\r12345678901234567890,"s":"\\u00fc" },"id":${id}}`,
    };
    const opened = new MemoryDoor({ a: { scripts: [{ tools: [toolNamed('x')], on }] } });
    await opened.write(call('c'));
    expect(opened.lines).toEqual(['{"jsonrpc":"2.0","id":"c","result":{ "n" : 12345678901234567890,"s":"\\u00fc" }}']);
  });

  test('a refusal tells programs its code, facts and hint', async () => {
    const opened = new MemoryDoor({
      a: { scripts: [{ tools: [toolNamed('x', { inputSchema: { type: 'object', required: ['n'] } })] }] },
    });
    await opened.write(call(1));
    expect(opened.taken()).toMatchObject([
      {
        id: 1,
        error: {
          code: -32602,
          data: { code: 'INVALID_ARGUMENTS', upstream: 'a', tool: 'x', issues: [{}], hint: expect.any(String) },
        },
      },
    ]);
  });

  test('a cancelled call is not answered, whatever comes of it, and its upstream is told', async () => {
    const opened = new MemoryDoor(PATIENT);
    await opened.write(call(1), call('1'), call(2));
    await opened.write(cancel(1));
    const calls = opened.transport('a').received('tools/call');
    expect(
      opened
        .transport('a')
        .received('notifications/cancelled')
        .map(({ params }) => params?.requestId),
    ).toEqual([calls[0]!.id]);
    for (const { id } of calls) opened.transport('a').answer(id, { content: [] });
    await settled();
    expect(opened.taken().map(({ id }) => id)).toEqual(['1', 2]);
    await expect(opened.door.whenIdle()).resolves.toBeUndefined();
  });

  test('a call cancelled while its upstream starts is not answered when that fails', async () => {
    let fail = (): void => {};
    const open = (): Promise<void> => new Promise((_, reject) => (fail = () => reject(new Error('no'))));
    const opened = new MemoryDoor({ a: { scripts: [{ open }] } });
    await opened.write(call(1));
    await opened.write(cancel(1));
    fail();
    await settled();
    expect(opened.lines).toEqual([]);
    await expect(opened.door.whenIdle()).resolves.toBeUndefined();
  });

  test('a call cancelled while its upstream is lost is not answered', async () => {
    const opened = new MemoryDoor(PATIENT);
    await opened.write(call(1));
    opened.transport('a').lose();
    opened.door.push(encodeText(`${cancel(1)}\n`));
    await settled();
    expect(opened.lines).toEqual([]);
  });

  test('a call cancelled right behind its answer is not answered: the caller has given it up', async () => {
    const opened = new MemoryDoor(PATIENT);
    await opened.write(call(1));
    opened.transport('a').answer(opened.transport('a').received('tools/call')[0]!.id, {});
    opened.door.push(encodeText(`${cancel(1)}\n`));
    await settled();
    expect(opened.lines).toEqual([]);
  });

  test('two calls under one id are both answered, and the later one can be cancelled', async () => {
    const opened = new MemoryDoor(PATIENT);
    await opened.write(call(1), call(1));
    const [first, second] = opened.transport('a').received('tools/call');
    opened.transport('a').answer(first!.id, {});
    await settled();
    expect(opened.taken()).toMatchObject([{ id: 1, result: {} }]);
    await opened.write(cancel(1));
    expect(opened.transport('a').received('notifications/cancelled')).toMatchObject([
      { params: { requestId: second!.id } },
    ]);
    expect(opened.lines).toEqual([]);
  });

  test('progress comes under the token of the caller, everything else as the upstream wrote it', async () => {
    const opened = new MemoryDoor(PATIENT);
    await opened.write(call(1, 'a__x', '{}', ',"_meta":{"progressToken":"t\\u0031"}'), call(2));
    const [first, second] = opened.transport('a').received('tools/call');
    const progress = (id: unknown): string =>
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"a":1,"progressToken":${id},"total":1.50}}`;
    opened.transport('a').say(progress(first!.id), progress(second!.id), progress(77));
    expect(opened.lines).toEqual([
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"a":1,"progressToken":"t\\u0031","total":1.50}}',
    ]);
    opened.transport('a').answer(first!.id, {});
    opened.transport('a').say(progress(first!.id));
    await settled();
    expect(opened.lines).toHaveLength(2);
  });
});

describe('lists', () => {
  const many = { a: { scripts: [{ tools: Array.from({ length: 14 }, (_, i) => toolNamed(`t${i}`)) }] } };
  const namesOf = ({ result }: Wire): string[] => ((result?.tools ?? []) as { name: string }[]).map(({ name }) => name);

  test.each([0, 1, 5, 7, 14, 15])('pages of %i hold every tool once (case c12)', async (pageSize) => {
    const opened = new MemoryDoor(many, { limits: { pageSize } });
    const names: string[] = [];
    let cursor: unknown;
    let pages = 0;
    do {
      await opened.write(request(pages++, 'tools/list', cursor === undefined ? undefined : { cursor }));
      const [page] = opened.taken();
      names.push(...namesOf(page!));
      cursor = page!.result?.nextCursor;
    } while (cursor !== undefined && pages < 20);
    expect(names).toEqual(Array.from({ length: 14 }, (_, i) => `a__t${i}`));
    expect(pages).toBe(pageSize === 0 ? 1 : Math.ceil(14 / pageSize));
  });

  test('a cursor is good at another door, null is none', async () => {
    const [one, other] = [
      new MemoryDoor(many, { limits: { pageSize: 8 } }),
      new MemoryDoor(many, { limits: { pageSize: 8 } }),
    ];
    await one.write(request(1, 'tools/list', { cursor: null }));
    const cursor = one.taken()[0]!.result?.nextCursor;
    await other.write(request(1, 'tools/list', { cursor }));
    expect(namesOf(other.taken()[0]!)).toEqual(['a__t8', 'a__t9', 'a__t10', 'a__t11', 'a__t12', 'a__t13']);
  });

  test('a cancelled list is not answered', async () => {
    const opened = new MemoryDoor({ a: { scripts: [SILENT] } });
    await opened.write(request(1, 'tools/list'));
    await opened.write(cancel(1));
    await opened.clock.advance(6_000);
    expect(opened.lines).toEqual([]);
    await expect(opened.door.whenIdle()).resolves.toBeUndefined();
  });

  test('a cancelled list is over at once, whatever it waited for', async () => {
    const opened = new MemoryDoor({ a: { scripts: [SILENT] } });
    await opened.write(request(1, 'tools/list'));
    const idle = opened.door.whenIdle().then(() => 'idle');
    expect(await Promise.race([idle, settled()])).toBeUndefined();
    await opened.write(cancel(1));
    // No time has passed: nobody has waited for the upstream.
    expect(await Promise.race([idle, settled()])).toBe('idle');
    expect(opened.lines).toEqual([]);
  });

  test.each([0, 5])(
    'a list after a change is the new one, at a door that has read the old one: pages of %i',
    async (pageSize) => {
      let tools = [toolNamed('x'), toolNamed('y')];
      const opened = new MemoryDoor(
        { a: { scripts: [{ on: { 'tools/list': () => ({ tools }) } }] } },
        { limits: { pageSize } },
      );
      await opened.write(request(1, 'tools/list'), request(2, 'tools/list'));
      expect(opened.taken().map(namesOf)).toEqual([
        ['a__x', 'a__y'],
        ['a__x', 'a__y'],
      ]);
      tools = [toolNamed('y', { title: 'Y' }), toolNamed('z')];
      opened.transport('a').say(LIST_CHANGED);
      await opened.clock.advance(1_000);
      opened.lines.length = 0;
      await opened.write(request(3, 'tools/list'));
      const [after] = opened.taken();
      expect(namesOf(after!)).toEqual(['a__y', 'a__z']);
      expect(after!.result?.tools).toMatchObject([{ title: 'Y' }, {}]);
    },
  );

  test('changes are told once there has been a list, and not after the end', async () => {
    const opened = new MemoryDoor({
      a: { scripts: [{ on: { 'tools/list': (_, { sent }) => ({ tools: [toolNamed(`t${sent.length}`)] }) } }] },
    });
    opened.gateway.start();
    await opened.clock.advance(1_000);
    expect(opened.lines).toEqual([]);
    await opened.write(request(1, 'tools/list'));
    opened.lines.length = 0;
    opened.transport('a').say(LIST_CHANGED);
    await settled();
    expect(opened.lines).toEqual(['{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}']);
    opened.door.close();
    await opened.clock.advance(1_000);
    opened.transport('a').say(LIST_CHANGED);
    await opened.clock.advance(1_000);
    expect(opened.lines).toHaveLength(1);
  });
});

/** A line, and the id of the answer it is owed; undefined where it is owed none. */
interface Owing {
  readonly line: string;
  readonly id: unknown;
}

const id = fc.oneof(fc.nat(99), fc.nat(99).map(String));
const owing = (line: (id: unknown) => string): fc.Arbitrary<Owing> => id.map((id) => ({ line: line(id), id }));
const lineOf: fc.Arbitrary<Owing> = fc.oneof(
  owing((id) => request(id, 'ping')),
  owing((id) => request(id, 'tools/list')),
  owing((id) => request(id, 'nobody/knows')),
  owing((id) => call(id)),
  owing((id) => call(id, 'a__nope')),
  owing((id) => call(id, 'a__x', '[1]')),
  owing((id) => `{"id":${JSON.stringify(id)},"method":"ping"}`),
  fc
    .constantFrom('nonsense', '{"jsonrpc":"2.0","id":1', '[]', 'null', '{"jsonrpc":"2.0","id":null,"method":"ping"}')
    .map((line) => ({ line, id: null })),
  fc
    .constantFrom(
      '',
      '\r',
      '\ufeff',
      '{"jsonrpc":"2.0","method":"x"}',
      '{"jsonrpc":"2.0","id":5,"result":{}}',
      cancel(1_000),
    )
    .map((line) => ({ line, id: undefined })),
);

test('whatever is written, in whatever chunks, each request is answered once, under its id', async () => {
  const idsOf = (all: readonly { readonly id?: unknown }[]): string[] => all.map(({ id }) => JSON.stringify(id)).sort();
  const property = fc.asyncProperty(
    fc.array(lineOf, { maxLength: 12 }),
    fc.array(fc.nat(1_500)),
    async (lines, cuts) => {
      const opened = new MemoryDoor(ECHO);
      const whole = encodeText(lines.map(({ line }) => `${line}\n`).join(''));
      let from = 0;
      for (const cut of [...cuts.filter((each) => each < whole.length).sort((a, b) => a - b), whole.length]) {
        opened.door.push(whole.subarray(from, cut));
        from = cut;
      }
      await opened.door.whenIdle();
      expect(idsOf(opened.taken())).toEqual(idsOf(lines.filter(({ id }) => id !== undefined)));
    },
  );
  await fc.assert(property, { numRuns: 300 });
});

test('once the end has begun new requests are refused, and what the caller answers is still heard', async () => {
  const opened = new MemoryDoor(PATIENT);
  await opened.initialize('2025-11-25', { roots: {} });
  await opened.write(request(1, 'tools/list'));
  opened.transport('a').say('{"jsonrpc":"2.0","id":"r","method":"roots/list"}');
  await settled();
  const asked = opened.taken().find(({ method }) => method === 'roots/list');
  opened.door.refuse(new DoorError('BUSY', 'it ends'));
  await opened.write(call(2), `{"jsonrpc":"2.0","id":${String(asked?.id)},"result":{"roots":[]}}`);
  expect(opened.taken()).toMatchObject([{ id: 2, error: { message: 'it ends', data: { code: 'BUSY' } } }]);
  expect(opened.transport('a').sent.at(-1)?.message).toEqual({ jsonrpc: '2.0', id: 'r', result: { roots: [] } });
});
