/** A caller of 2026-07-28 on a stream: what each of its requests says is all that counts, and only what it wants is said. */
import { describe, expect, test } from 'vitest';
import { cancel, request } from '../fixtures/memory-door.js';
import { toolNamed } from '../fixtures/memory-gateway.js';
import type { MemoryScript } from '../fixtures/memory-transport.js';
import { MODERN_META } from '../fixtures/modern-meta.js';
import { modernScript } from '../fixtures/modern-script.js';
import { until } from '../fixtures/open-door.js';
import { expectWireMessage, needWireSchemas } from '../fixtures/wire-schemas.js';
import { callOf, ELICITS, listed, modern, OLDER, older, settledDoor, underCall } from './modern-caller.js';

describe('each request stands alone', () => {
  test('what one declares is nothing that another may be asked for', async () => {
    const opened = await listed();
    await opened.write(callOf(1, 'a__x', {}, ELICITS), callOf(2, 'a__y'));
    await settledDoor(opened);
    const shown = opened.attempts('a').map((transport) => ({
      calls: transport.received('tools/call').map(({ params }) => params?.name),
      declared: Object.keys((transport.received('initialize')[0]?.params?.capabilities ?? {}) as object),
    }));
    expect(shown).toContainEqual({ calls: ['x'], declared: ['elicitation'] });
    expect(shown.find(({ calls }) => calls.includes('y'))?.declared).toEqual([]);
    await opened.gateway.close();
  });

  test('requests of both eras are served on one stream, each by its own', async () => {
    const opened = await listed();
    await opened.write(request('h', 'initialize', { protocolVersion: '2025-06-18', capabilities: {} }));
    await opened.write(modern('m', 'tools/list'), request('l', 'tools/list'), request('p', 'ping'));
    await settledDoor(opened);
    const [hello, ...rest] = opened.taken();
    const of = (id: string) => rest.find((each) => each.id === id)?.result;
    expect(hello?.result?.protocolVersion).toBe('2025-06-18');
    expect(of('m')).toMatchObject({ resultType: 'complete' });
    expect(of('l')).not.toHaveProperty('resultType');
    expect(of('p')).toEqual({});
  });

  test('a list is the same for every connection, and after whatever else was asked', async () => {
    const opened = await listed(OLDER, {});
    const listOf = async (id: string, capabilities: object = {}): Promise<unknown> => {
      await opened.write(modern(id, 'tools/list', {}, capabilities));
      await settledDoor(opened);
      return opened.taken().find((each) => each.id === id)?.result?.tools;
    };
    const before = await listOf('1');
    await opened.write(callOf(2, 'a__x'), modern(3, 'resources/read', { uri: 'x:1' }));
    expect(await listOf('4')).toEqual(before);
    const other = await listed();
    await other.write(modern('5', 'tools/list'));
    await settledDoor(other);
    expect(other.taken()[0]?.result?.tools).toEqual(before);
  });
});

describe('what is written to the caller', () => {
  test('is answers and notifications, never a request, though an older upstream asks', async (context) => {
    const opened = await listed();
    await opened.write(callOf(1, 'a__x', {}, ELICITS));
    await settledDoor(opened);
    const params = { message: '?', requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } } } };
    underCall(opened).say(JSON.stringify({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params }));
    await settledDoor(opened);
    // Sealing takes real time, whatever our clock says.
    await until(() => opened.lines.length > 0, 'what is asked');
    const written = opened.taken();
    expect(written.filter(({ method, id }) => method !== undefined && id !== undefined)).toEqual([]);
    const [answer] = written;
    expect(answer?.result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
    const [key] = Object.keys(answer!.result!.inputRequests as object);
    const inputResponses = { [key!]: { action: 'accept', content: { ok: true } } };
    const { requestState } = answer!.result as { requestState: string };
    await opened.write(modern(2, 'tools/call', { name: 'a__x', arguments: {}, inputResponses, requestState }, ELICITS));
    const told = () => underCall(opened).sent.find(({ id, method }) => id === 'q' && method === undefined);
    await until(() => told() !== undefined, 'the answer upstream');
    expect(told()?.message.result).toEqual(inputResponses[key!]);
    needWireSchemas(context);
    expectWireMessage('2026-07-28', 'InputRequiredResult', answer?.result);
    await opened.gateway.close();
  });

  test('asks for input where tools are called, prompts got and resources read, and nowhere else', async () => {
    const script: MemoryScript = {
      on: {
        ...older.on,
        initialize: () => ({
          protocolVersion: '2025-11-25',
          capabilities: { tools: {}, prompts: {}, completions: {} },
          serverInfo: { name: 'older', version: '1' },
        }),
        'prompts/list': () => ({ prompts: [{ name: 'p' }] }),
        'completion/complete': () => undefined,
      },
    };
    const opened = await listed({ a: { scripts: [script] } });
    const ref = { type: 'ref/prompt', name: 'a__p' };
    await opened.write(modern(1, 'completion/complete', { ref, argument: { name: 'x', value: '' } }, ELICITS));
    await settledDoor(opened);
    const transport = opened.attempts('a').find((each) => each.received('completion/complete').length > 0)!;
    transport.say(
      '{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object"}}}',
    );
    await settledDoor(opened, 100);
    expect(opened.taken()).toEqual([]);
    expect(transport.sent.find(({ id, method }) => id === 'q' && method === undefined)?.message).toHaveProperty(
      'error.code',
    );
    transport.answer(transport.received('completion/complete')[0]?.id, { completion: { values: ['x'] } });
    await settledDoor(opened, 100);
    expect(opened.taken()).toMatchObject([
      { id: 1, result: { resultType: 'complete', completion: { values: ['x'] } } },
    ]);
    await opened.gateway.close();
  });

  test('stands on lines of its own, in UTF-8, each a message that the schema allows', async (context) => {
    const text = 'line\nbreak \u2028 é 😀';
    const said = { content: [{ type: 'text', text }] };
    const opened = await listed({ a: { scripts: [{ tools: [toolNamed('x')], on: { 'tools/call': () => said } }] } });
    await opened.write(
      callOf(1, 'a__x'),
      modern(2, 'no/such'),
      modern(3, 'prompts/list'),
      modern(4, 'server/discover'),
    );
    await settledDoor(opened);
    expect(
      opened.lines.every((line) => (line.endsWith('\n') ? !line.slice(0, -1).includes('\n') : !line.includes('\n'))),
    ).toBe(true);
    const written = opened.taken();
    expect(written.find(({ id }) => id === 1)?.result?.content).toEqual(said.content);
    needWireSchemas(context);
    for (const message of written) expectWireMessage('2026-07-28', 'JSONRPCMessage', message);
  });

  test('holds log messages for who asked for them in that request, at its level, and for nobody else', async () => {
    const opened = await listed();
    await opened.write(callOf(1, 'a__x', {}, {}, { [MODERN_META.logLevel]: 'warning' }));
    await settledDoor(opened);
    const log = (level: string) =>
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level, data: level } });
    underCall(opened).say(log('info'), log('error'));
    await settledDoor(opened);
    expect(opened.taken().map(({ method, params }) => [method, params?.level])).toEqual([
      ['notifications/message', 'error'],
    ]);
    underCall(opened).answer(underCall(opened).received('tools/call')[0]?.id, { content: [] });
    await settledDoor(opened);
    opened.taken();
    await opened.write(callOf(2, 'a__y'));
    await settledDoor(opened);
    underCall(opened).say(log('error'));
    await settledDoor(opened);
    expect(opened.taken().filter(({ method }) => method === 'notifications/message')).toEqual([]);
  });

  test('has progress under the caller’s own token while its request runs, and none afterwards', async () => {
    const opened = await listed();
    for (const id of [1, 2]) await opened.write(callOf(id, 'a__x', {}, {}, { progressToken: 'same' }));
    await settledDoor(opened);
    const transport = underCall(opened);
    const calls = transport.received('tools/call');
    const tokens = calls.map(({ params }) => (params!._meta as { progressToken: unknown }).progressToken);
    expect(new Set(tokens).size).toBe(2);
    const report = (at: number) =>
      JSON.stringify({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: tokens[at], progress: 1.5 },
      });
    transport.say(report(0));
    transport.answer(calls[0]?.id, { content: [] });
    transport.say(report(0));
    await settledDoor(opened);
    const written = opened.taken();
    expect(written.map(({ method, id }) => method ?? id)).toEqual(['notifications/progress', 1]);
    expect(written[0]?.params).toMatchObject({ progressToken: 'same', progress: 1.5 });
  });
});

describe('cancelling', () => {
  test('ends a request by its id, upstream too, and nothing more is said of it', async () => {
    const opened = await listed();
    await opened.write(callOf('mine', 'a__x', {}, {}, { progressToken: 1 }));
    await settledDoor(opened);
    const transport = underCall(opened);
    const [sent] = transport.received('tools/call');
    await opened.write(cancel('other'), cancel('mine'));
    await settledDoor(opened);
    expect(transport.received('notifications/cancelled').map(({ params }) => params?.requestId)).toEqual([sent?.id]);
    transport.answer(sent?.id, { content: [] });
    await settledDoor(opened);
    expect(opened.taken()).toEqual([]);
    await opened.write(cancel('mine'), modern('after', 'tools/list'));
    await settledDoor(opened);
    expect(opened.taken()).toMatchObject([{ id: 'after' }]);
  });

  test('right behind the answer does no harm', async () => {
    const opened = await listed();
    await opened.write(callOf(1, 'a__x'));
    await settledDoor(opened);
    const transport = underCall(opened);
    transport.answer(transport.received('tools/call')[0]?.id, { content: [] });
    await opened.write(cancel(1));
    await settledDoor(opened);
    expect(opened.taken().filter(({ id }) => id === 1).length).toBeLessThanOrEqual(1);
    await opened.write(callOf(1, 'a__y'));
    await settledDoor(opened);
    expect(transport.received('tools/call')).toHaveLength(2);
  });
});

describe('errors', () => {
  test('of an upstream of the older era come in the codes of this one', async () => {
    const opened = await listed();
    await opened.write(modern(1, 'resources/read', { uri: 'x:2' }));
    await settledDoor(opened);
    expect(opened.taken()).toMatchObject([{ id: 1, error: { code: -32602, message: 'Resource not found' } }]);
  });

  test.each([-32002, -32042, -32020, -32022, -32023, -32099])(
    'an upstream’s %i reaches nobody as that',
    async (code) => {
      const refuse = ({ id }: { readonly id: unknown }) =>
        JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'm' } });
      for (const script of [{ on: { 'tools/call': refuse } }, modernScript({ on: { 'tools/call': refuse } })]) {
        const opened = await listed({ a: { scripts: [{ ...script, tools: [toolNamed('some')] }], era: 'auto' } });
        await opened.write(callOf(1, 'a__some'));
        await settledDoor(opened);
        const [answer] = opened.taken();
        expect(answer?.error?.code).toBeDefined();
        expect(answer?.error?.code).not.toBe(code);
        await opened.gateway.close();
      }
    },
  );

  test.each([
    { code: -32000, as: -32603 },
    { code: -32001, as: -32603 },
    { code: -32019, as: -32603 },
    { code: -32603, as: -32603 },
    { code: 1, as: 1 },
    { code: -31999, as: -31999 },
  ])('an upstream’s $code means nothing to us: it is told as $as, with all that was said', async ({ code, as }) => {
    const error = { code, message: 'm', data: { of: 'its own' } };
    const refuse = ({ id }: { readonly id: unknown }) => JSON.stringify({ jsonrpc: '2.0', id, error });
    const opened = await listed({ a: { scripts: [{ on: { 'tools/call': refuse } }] } });
    await opened.write(callOf(1, 'a__some'));
    await settledDoor(opened);
    const [answer] = opened.taken();
    expect(answer).toMatchObject({ id: 1, error: { code: as, message: 'm' } });
    expect(answer?.error?.data).toEqual(code === as ? error.data : { upstreamError: error });
  });

  test.each([
    { why: 'an unknown tool', line: callOf(1, 'a__none') },
    { why: 'an unknown resource', line: modern(1, 'resources/read', { uri: 'none:1' }) },
    { why: 'an unknown prompt', line: modern(1, 'prompts/get', { name: 'a__none' }) },
    { why: 'an unknown cursor', line: modern(1, 'tools/list', { cursor: 'x' }) },
    { why: 'no _meta', line: '{"jsonrpc":"2.0","id":1,"method":"server/discover"}' },
    { why: 'an unknown level', line: callOf(1, 'a__x', {}, {}, { [MODERN_META.logLevel]: 'loud' }) },
  ])('$why is -32602', async ({ line }) => {
    const opened = await listed();
    await opened.write(line);
    await settledDoor(opened);
    expect(opened.taken()).toMatchObject([{ id: 1, error: { code: -32602 } }]);
  });

  test('an upstream’s -32021 speaks of what its caller did not declare, and is told as it is', async () => {
    const error = { code: -32021, message: 'm', data: { requiredCapabilities: { sampling: {} } } };
    const refuse = ({ id }: { readonly id: unknown }) => JSON.stringify({ jsonrpc: '2.0', id, error });
    const script = modernScript({ tools: [toolNamed('some')], on: { 'tools/call': refuse } });
    const opened = await listed({ a: { scripts: [script], era: 'auto' } });
    await opened.write(callOf(1, 'a__some'));
    await settledDoor(opened);
    expect(opened.taken()).toMatchObject([{ id: 1, error: { code: -32021, data: error.data } }]);
  });

  test('a call that cannot be served without what its request did not declare says what that is', async () => {
    const elicitations = [{ mode: 'url', message: 'm', url: 'https://x.test/', elicitationId: 'e' }];
    const refuse = ({ id }: { readonly id: unknown }) =>
      JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32042, message: 'm', data: { elicitations } } });
    const opened = await listed({ a: { scripts: [{ on: { 'tools/call': refuse } }] } });
    await opened.write(callOf(1, 'a__some'));
    await settledDoor(opened);
    expect(opened.taken()).toMatchObject([
      { id: 1, error: { code: -32021, data: { requiredCapabilities: { elicitation: { url: {} } } } } },
    ]);
  });
});

test('every page of a list says the same of who may keep it, and for how long', async () => {
  const opened = await listed(
    { a: { scripts: [{ tools: [toolNamed('x'), toolNamed('y'), toolNamed('z')] }] } },
    { limits: { pageSize: 1 } },
  );
  const said: unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < 3; page++) {
    await opened.write(modern(page, 'tools/list', cursor === undefined ? {} : { cursor }));
    await settledDoor(opened);
    const { result } = opened.taken()[0]!;
    said.push([result?.ttlMs, result?.cacheScope]);
    cursor = result?.nextCursor;
  }
  expect(cursor).toBeUndefined();
  expect(said).toEqual([said[0], said[0], said[0]]);
  expect(said[0]).toEqual([expect.any(Number), 'private']);
});

test('a structured result that is no object comes with its text, to callers of both eras', async () => {
  const said = { resultType: 'complete', structuredContent: [1, 2] };
  const script = modernScript({ tools: [toolNamed('some')], on: { 'tools/call': () => said } });
  const opened = await listed({ a: { scripts: [script], era: 'auto' } });
  await opened.write(callOf(1, 'a__some'));
  await opened.write(request(2, 'initialize', { protocolVersion: '2025-11-25', capabilities: {} }));
  await opened.write(request(3, 'tools/call', { name: 'a__some', arguments: {} }));
  await settledDoor(opened);
  const content = [{ type: 'text', text: '[1,2]' }];
  const written = opened.taken();
  expect(written.find(({ id }) => id === 1)?.result).toMatchObject({ structuredContent: [1, 2], content });
  expect(written.find(({ id }) => id === 3)?.result).toMatchObject({ structuredContent: { result: [1, 2] }, content });
});

test('a result of an upstream is never kept: each request is sent on, whatever was asked before', async () => {
  let reads = 0;
  const read = ({ params }: { readonly params?: Readonly<Record<string, unknown>> | undefined }) => ({
    resultType: 'complete',
    ttlMs: 60_000,
    cacheScope: 'public',
    contents: [{ uri: params?.uri, text: `read ${++reads}` }],
  });
  const list = { resultType: 'complete', ttlMs: 60_000, cacheScope: 'public' };
  const script = modernScript({
    capabilities: { tools: {}, resources: {} },
    on: {
      'resources/list': () => ({
        ...list,
        resources: [
          { uri: 'x:1', name: '1' },
          { uri: 'x:2', name: '2' },
        ],
      }),
      'resources/templates/list': () => ({ ...list, resourceTemplates: [] }),
      'resources/read': read,
    },
  });
  const opened = await listed({ a: { scripts: [script], era: 'auto' } });
  for (const [id, uri] of ['x:1', 'x:1', 'x:2'].entries()) await opened.write(modern(id, 'resources/read', { uri }));
  await settledDoor(opened);
  const texts = opened.taken().flatMap(({ result }) => result?.contents);
  expect(texts).toEqual([
    { uri: 'x:1', text: 'read 1' },
    { uri: 'x:1', text: 'read 2' },
    { uri: 'x:2', text: 'read 3' },
  ]);
});
