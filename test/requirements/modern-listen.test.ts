/** subscriptions/listen at the door: what is told on the stream, in which order, and how it ends. */
import { describe, expect, test } from 'vitest';
import { cancel, type Wire } from '../fixtures/memory-door.js';
import { toolNamed } from '../fixtures/memory-gateway.js';
import { LIST_CHANGED, type MemoryScript } from '../fixtures/memory-transport.js';
import { MODERN_META } from '../fixtures/modern-meta.js';
import { acknowledged, modernScript } from '../fixtures/modern-script.js';
import { expectWireMessage, needWireSchemas } from '../fixtures/wire-schemas.js';
import { listed, modern, older, settledDoor } from './modern-caller.js';

/** An upstream with one of each, and what `added` says on one list. */
function changing(list: string, method: string, added: () => readonly object[]): MemoryScript {
  const first = { tools: toolNamed('x'), prompts: { name: 'p' }, resources: { uri: 'x:1', name: 'one' } };
  return {
    on: {
      ...older.on,
      'tools/list': () => ({ tools: [first.tools] }),
      [method]: () => ({ [list]: [first[list as keyof typeof first], ...added()] }),
    },
  };
}

describe('subscriptions/listen', () => {
  const idOf = ({ params }: Wire): unknown =>
    (params?._meta as Record<string, unknown> | undefined)?.[MODERN_META.subscriptionId];
  const listen = (id: unknown, notifications: object): string => modern(id, 'subscriptions/listen', { notifications });
  const updated = (uri: string): string =>
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } });

  test('is acknowledged first, then tells what was asked for and nothing else, under its id', async (context) => {
    const opened = await listed();
    await opened.write(listen('tools', { toolsListChanged: true }), listen('one', { resourceSubscriptions: ['x:1'] }));
    await settledDoor(opened);
    const transport = opened.transport('a');
    transport.say(updated('x:1'), updated('x:2'), LIST_CHANGED.replace('tools', 'prompts'));
    await settledDoor(opened);
    const written = opened.taken();
    for (const id of ['tools', 'one']) {
      const own = written.filter((each) => idOf(each) === id);
      expect(own[0]?.method).toBe('notifications/subscriptions/acknowledged');
    }
    expect(written.filter((each) => idOf(each) === undefined)).toEqual([]);
    expect(
      written
        .filter(({ method }) => method === 'notifications/resources/updated')
        .map((each) => [idOf(each), each.params?.uri]),
    ).toEqual([['one', 'x:1']]);
    expect(written.filter(({ method }) => method === 'notifications/prompts/list_changed')).toEqual([]);
    needWireSchemas(context);
    for (const message of written) expectWireMessage('2026-07-28', 'ServerNotification', message);
    await opened.gateway.close();
  });

  test.each([
    { list: 'tools', method: 'tools/list', more: { name: 'z', inputSchema: { type: 'object' } } },
    { list: 'prompts', method: 'prompts/list', more: { name: 'z' } },
    { list: 'resources', method: 'resources/list', more: { name: 'z', uri: 'x:z' } },
  ])('tells that the $list have changed to who wants to hear of it', async ({ list, method, more }) => {
    let added: object[] = [];
    const opened = await listed({ a: { scripts: [changing(list, method, () => added)] } });
    const others = ['tools', 'prompts', 'resources'].filter((each) => each !== list);
    await opened.write(listen(1, { [`${list}ListChanged`]: true }));
    await opened.write(listen(2, Object.fromEntries(others.map((each) => [`${each}ListChanged`, true]))));
    await opened.write(modern('known', method));
    await settledDoor(opened);
    opened.taken();
    added = [more];
    opened.transport('a').say(LIST_CHANGED.replace('tools', list));
    await settledDoor(opened);
    const told = opened.taken().filter((each) => each.method !== undefined);
    expect(told.map((each) => [each.method, idOf(each)])).toEqual([[`notifications/${list}/list_changed`, 1]]);
    await opened.gateway.close();
  });

  test('what an upstream does not agree to tell of is left out of the acknowledgment', async () => {
    const list = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
    const script = modernScript({
      capabilities: { tools: {}, resources: { subscribe: true } },
      on: {
        'resources/list': () => ({
          ...list,
          resources: [
            { uri: 'x:1', name: '1' },
            { uri: 'x:2', name: '2' },
          ],
        }),
        'resources/templates/list': () => ({ ...list, resourceTemplates: [] }),
        'subscriptions/listen': ({ id }) => acknowledged(id, { resourceSubscriptions: ['x:1'] }),
      },
    });
    const opened = await listed({ a: { scripts: [script], era: 'auto' } });
    await opened.write(listen(1, { resourceSubscriptions: ['x:1', 'x:2', 'none:1'] }));
    await settledDoor(opened, 20_000);
    expect(opened.taken()[0]).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { resourceSubscriptions: ['x:1'] } },
    });
    await opened.gateway.close();
  });

  test('ends by a cancellation of its caller without a word, and by ours with an answer under its id', async () => {
    const opened = await listed();
    await opened.write(listen(1, { toolsListChanged: true }), listen(2, { toolsListChanged: true }));
    await settledDoor(opened);
    opened.taken();
    await opened.write(cancel(1));
    await settledDoor(opened);
    expect(opened.taken()).toEqual([]);
    const idle = opened.door.whenIdle();
    await opened.write();
    await idle;
    const written = opened.taken();
    expect(written).toMatchObject([
      { id: 2, result: { resultType: 'complete', _meta: { [MODERN_META.subscriptionId]: 2 } } },
    ]);
    expect(written.filter(({ method }) => method === 'notifications/cancelled')).toEqual([]);
    await opened.gateway.close();
  });
});
