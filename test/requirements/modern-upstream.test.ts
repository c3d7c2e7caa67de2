/** What doorward says to upstreams on a stream, in whichever era they turn out to speak. */
import { describe, expect, test } from 'vitest';
import { cancel, MemoryDoor, request, type Wire } from '../fixtures/memory-door.js';
import { toolNamed } from '../fixtures/memory-gateway.js';
import type { MemoryScript, MemoryTransport, Sent } from '../fixtures/memory-transport.js';
import { MODERN_META, modernMeta } from '../fixtures/modern-meta.js';
import { inputRequired, modernScript, onSubscription } from '../fixtures/modern-script.js';
import { until } from '../fixtures/open-door.js';
import { expectWireMessage, needWireSchemas } from '../fixtures/wire-schemas.js';

const ELICITS = { elicitation: { form: {} } };
const modern = (id: unknown, method: string, params: object = {}, capabilities = {}, more = {}): string =>
  request(id, method, { ...params, _meta: modernMeta(capabilities, more) });
const callOf = (id: unknown, args: object = {}, capabilities = {}, more = {}): string =>
  modern(id, 'tools/call', { name: 'a__some', arguments: args }, capabilities, more);

/** A door before one upstream whose era is found out. */
async function doorBefore(script: MemoryScript, scripts: readonly MemoryScript[] = [script]): Promise<MemoryDoor> {
  const opened = new MemoryDoor({ a: { scripts, era: 'auto' } });
  await opened.write(modern('first', 'tools/list'));
  await pass(opened, 6_000);
  opened.taken();
  return opened;
}

/** What was written, once there is something: sealing takes real time, whatever our clock says. */
async function takenFrom(opened: MemoryDoor): Promise<Wire[]> {
  await pass(opened);
  await until(() => opened.lines.length > 0, 'an answer');
  return opened.taken();
}

async function pass(opened: MemoryDoor, ms = 500): Promise<void> {
  await opened.clock.advance(ms);
  await opened.write();
}

const methodsOf = ({ sent }: MemoryTransport) => sent.map(({ method }) => method);
const subscriptionOf = ({ id }: Sent): unknown => id;

describe('which era it speaks', () => {
  const error =
    (code: number) =>
    ({ id }: Sent) =>
      JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'no' } });
  test.each([
    { why: '-32601', discover: error(-32601) },
    { why: '-32602', discover: error(-32602) },
    { why: '-32600', discover: error(-32600) },
    { why: '-32603', discover: error(-32603) },
    { why: '-32000', discover: error(-32000) },
    { why: '-32002', discover: error(-32002) },
    { why: 'a code of its own', discover: error(17) },
    { why: 'no answer at all', discover: () => undefined },
    { why: 'a result that is none', discover: () => ({}) },
  ])('is the older one where server/discover is answered with $why', async ({ discover }) => {
    const opened = await doorBefore({ on: { 'server/discover': discover } });
    expect(methodsOf(opened.transport('a')).slice(0, 4)).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
      'tools/list',
    ]);
    expect(opened.attempts('a')).toHaveLength(1);
    await opened.gateway.close();
  });

  test('is the newer one where it is answered, and nothing else is asked first', async () => {
    const opened = await doorBefore(modernScript());
    expect(methodsOf(opened.transport('a'))[0]).toBe('server/discover');
    expect(methodsOf(opened.transport('a'))).not.toContain('initialize');
    await opened.gateway.close();
  });

  test.each([-32020, -32021])(
    'is the newer one where it is refused with %i: it is not greeted in the older',
    async (code) => {
      const opened = await doorBefore({ on: { 'server/discover': error(code) } });
      expect(opened.attempts('a').flatMap(methodsOf)).not.toContain('initialize');
      await opened.gateway.close();
    },
  );

  test('is kept in mind: an upstream of the older one is not asked again when it is started again', async () => {
    const opened = await doorBefore({ on: { 'server/discover': error(-32601) } });
    opened.transport('a').lose();
    await pass(opened, 5_000);
    expect(opened.attempts('a')).toHaveLength(2);
    expect(methodsOf(opened.transport('a'))).not.toContain('server/discover');
    await opened.gateway.close();
  });

  test('is settled by the revisions it names, where it refuses ours', async () => {
    const refuse = ({ id }: Sent) =>
      JSON.stringify({
        jsonrpc: '2.0',
        id,
        error: { code: -32022, message: 'no', data: { supported: ['2025-06-18'], requested: '2026-07-28' } },
      });
    const opened = await doorBefore({ revision: '2025-06-18', on: { 'server/discover': refuse } });
    expect(methodsOf(opened.transport('a')).slice(0, 2)).toEqual(['server/discover', 'initialize']);
    await opened.gateway.close();
  });
});

describe('to an upstream of the newer era', () => {
  const hangs = modernScript({ on: { 'tools/call': () => undefined } });

  test('goes nothing but requests and notifications that the schema allows, each with what it must say of itself', async (context) => {
    const opened = await doorBefore(hangs);
    await opened.write(callOf(1, {}, ELICITS, { progressToken: 't' }), callOf(2), modern(3, 'prompts/list'));
    await opened.write(request('h', 'initialize', { protocolVersion: '2025-11-25', capabilities: ELICITS }));
    await opened.write(request('hc', 'tools/call', { name: 'a__some', arguments: {} }), cancel(1));
    await pass(opened);
    const sent = opened.attempts('a').flatMap((transport) => transport.sent);
    expect(sent.filter(({ method }) => method === undefined)).toEqual([]);
    expect(sent.filter(({ line }) => line.includes('\n'))).toEqual([]);
    for (const { id, params } of sent.filter((each) => each.id !== undefined)) {
      const meta = (params?._meta ?? {}) as Record<string, unknown>;
      expect(meta[MODERN_META.protocolVersion], String(id)).toBe('2026-07-28');
      expect(meta[MODERN_META.clientCapabilities]).toEqual(expect.any(Object));
    }
    needWireSchemas(context);
    for (const { id, message } of sent)
      expectWireMessage('2026-07-28', id === undefined ? 'ClientNotification' : 'ClientRequest', message);
    await opened.gateway.close();
  });

  test('goes with each call what that call’s caller declared, whichever calls come before and beside it', async () => {
    const opened = await doorBefore(hangs);
    await opened.write(callOf(1, { n: 1 }, ELICITS), callOf(2, { n: 2 }), callOf(3, { n: 3 }, { roots: {} }));
    await pass(opened);
    const declared = opened
      .attempts('a')
      .flatMap((transport) => transport.received('tools/call'))
      .map(
        ({ params }) =>
          [
            (params!.arguments as { n: number }).n,
            (params!._meta as Record<string, unknown>)[MODERN_META.clientCapabilities],
          ] as const,
      );
    expect(Object.fromEntries(declared)).toMatchObject({ 1: { elicitation: { form: {} } }, 3: { roots: {} } });
    expect(Object.fromEntries(declared)[2]).not.toHaveProperty('elicitation');
    await opened.gateway.close();
  });

  test('goes a cancellation under the id that the request has there, for requests of ours that are under way', async () => {
    const opened = await doorBefore(hangs);
    await opened.write(callOf('mine'), cancel('other'));
    await pass(opened);
    const transport = opened.attempts('a').find(({ sent }) => sent.some(({ method }) => method === 'tools/call'))!;
    expect(transport.received('notifications/cancelled')).toEqual([]);
    await opened.write(cancel('mine'), cancel('mine'));
    await pass(opened);
    const [called] = transport.received('tools/call');
    expect(transport.received('notifications/cancelled').map(({ params }) => params?.requestId)).toEqual([called?.id]);
    // What comes all the same is nobody's.
    transport.answer(called?.id, { resultType: 'complete', content: [] });
    await pass(opened);
    expect(opened.taken()).toEqual([]);
    await opened.gateway.close();
  });

  test('goes a progress token of ours, which no two requests share, a number', async () => {
    const opened = await doorBefore(hangs);
    for (const id of [1, 2]) await opened.write(callOf(id, {}, {}, { progressToken: 'same' }));
    await pass(opened);
    const tokens = opened
      .attempts('a')
      .flatMap((transport) => transport.received('tools/call'))
      .map(({ params }) => (params!._meta as { progressToken: unknown }).progressToken);
    expect(new Set(tokens).size).toBe(2);
    expect(tokens.every(Number.isInteger)).toBe(true);
    await opened.gateway.close();
  });

  test('a retry is a request of its own: another id, the very state, the answers, and what it must say of itself', async () => {
    const state = 'opaque \u00e9 "state"';
    let calls = 0;
    const ask = {
      q: {
        method: 'elicitation/create',
        params: { mode: 'form', message: '?', requestedSchema: { type: 'object', properties: {} } },
      },
    };
    const answer = () => (++calls === 1 ? inputRequired(ask, state) : { resultType: 'complete', content: [] });
    const opened = await doorBefore(modernScript({ on: { 'tools/call': answer } }));
    await opened.write(callOf(1, { n: 1 }, ELICITS));
    const [asked] = await takenFrom(opened);
    const { requestState } = asked!.result as { readonly requestState: string };
    expect(requestState).not.toContain('opaque');
    const inputResponses = { q: { action: 'accept', content: {} } };
    await opened.write(
      modern(2, 'tools/call', { name: 'a__some', arguments: { n: 1 }, inputResponses, requestState }, ELICITS),
    );
    expect(await takenFrom(opened)).toMatchObject([{ id: 2, result: { resultType: 'complete' } }]);
    const [first, second] = opened.attempts('a').flatMap((transport) => transport.received('tools/call'));
    expect(second?.id).not.toBe(first?.id);
    expect(second?.params).toMatchObject({ name: 'some', arguments: { n: 1 }, requestState: state, inputResponses });
    expect(second?.params?._meta).toHaveProperty([MODERN_META.protocolVersion], '2026-07-28');
    await opened.gateway.close();
  });

  test('answers that nobody asked for are left out of a retry', async () => {
    let calls = 0;
    const ask = {
      q: {
        method: 'elicitation/create',
        params: { message: '?', requestedSchema: { type: 'object', properties: {} } },
      },
    };
    const answer = () => (++calls === 1 ? inputRequired(ask, 's') : { resultType: 'complete', content: [] });
    const opened = await doorBefore(modernScript({ on: { 'tools/call': answer } }));
    await opened.write(callOf(1, {}, ELICITS));
    const { requestState } = (await takenFrom(opened))[0]!.result as { readonly requestState: string };
    const inputResponses = { q: { action: 'decline' }, other: { action: 'accept', content: { n: 1 } } };
    const params = { name: 'a__some', arguments: {}, inputResponses, requestState };
    await opened.write(modern(2, 'tools/call', params, ELICITS));
    expect(await takenFrom(opened)).toMatchObject([{ id: 2, result: { resultType: 'complete' } }]);
    const retry = opened.attempts('a').flatMap((transport) => transport.received('tools/call'))[1];
    expect(retry?.params?.inputResponses).toEqual({ q: { action: 'decline' } });
    await opened.gateway.close();
  });

  test('a list is read to its end: an empty cursor goes on, and each goes back as it came', async () => {
    const pages = new Map<unknown, object>([
      [undefined, { tools: [toolNamed('one')], nextCursor: '' }],
      ['', { tools: [], nextCursor: ' \u00e9/+"' }],
      [' \u00e9/+"', { tools: [toolNamed('two')] }],
    ]);
    const list = ({ params }: Sent) => ({
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      ...pages.get(params?.cursor),
    });
    const opened = await doorBefore(modernScript({ on: { 'tools/list': list } }));
    await opened.write(modern(1, 'tools/list'));
    await pass(opened);
    const { tools } = opened.taken()[0]!.result as { readonly tools: readonly { readonly name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(['a__one', 'a__two']);
    await opened.gateway.close();
  });
});

describe('listening to an upstream of the newer era', () => {
  const script = modernScript({ capabilities: { tools: { listChanged: true }, resources: { subscribe: true } } });

  test('what is told counts by the id of its subscription, and not without one that is ours', async () => {
    const opened = await doorBefore(script);
    const transport = opened.transport('a');
    const [listening] = transport.received('subscriptions/listen');
    expect(listening).toBeDefined();
    const lists = () => transport.received('tools/list').length;
    const known = lists();
    transport.say(onSubscription('not ours', 'notifications/tools/list_changed'));
    await pass(opened, 2_000);
    expect(lists()).toBe(known);
    transport.say(onSubscription(subscriptionOf(listening!), 'notifications/tools/list_changed'));
    await pass(opened, 2_000);
    expect(lists()).toBe(known + 1);
    await opened.gateway.close();
  });

  test('after it was started again it is asked again for what is to be told', async () => {
    const opened = await doorBefore(script);
    opened.transport('a').lose();
    await pass(opened, 5_000);
    expect(opened.attempts('a')).toHaveLength(2);
    expect(opened.transport('a').received('subscriptions/listen')).toHaveLength(1);
    await opened.gateway.close();
  });

  test('a stream that keeps ending is opened again after longer and longer, never at once', async () => {
    let opens = 0;
    const refuse = ({ id }: Sent) => {
      opens++;
      return JSON.stringify({
        jsonrpc: '2.0',
        id,
        result: { resultType: 'complete', _meta: { [MODERN_META.subscriptionId]: id } },
      });
    };
    const opened = await doorBefore(modernScript({ on: { 'subscriptions/listen': refuse } }));
    const opensBefore = opens;
    expect(opensBefore).toBeLessThanOrEqual(4);
    await pass(opened, 60_000);
    expect(opens - opensBefore).toBeLessThanOrEqual(5);
    expect(opens).toBeGreaterThan(opensBefore);
    await opened.gateway.close();
  });
});
