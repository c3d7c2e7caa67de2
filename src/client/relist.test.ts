import { expect, test } from 'vitest';
import { LIST_CHANGED, type MemoryScript, SOME_TOOL } from '../../test/fixtures/memory-transport.js';
import { Started } from '../../test/fixtures/started-client.js';
import { settled } from '../../test/fixtures/virtual-clock.js';

const listRequests = (up: Started): number => up.transport.received('tools/list').length;

test('a change is listed at once, and told with the new list', async () => {
  let tools: unknown[] = [SOME_TOOL];
  const up = new Started([{ on: { 'tools/list': () => ({ tools }) } }]);
  await up.client.start();
  tools = [{ name: 'new', inputSchema: { type: 'object' } }];
  up.transport.say(LIST_CHANGED);
  await settled();
  expect(up.tools()).toEqual(['new']);
  expect(up.named('upstream.relisted')).toEqual([{ upstream: 'up', tools: 1 }]);
});

test('a storm of changes costs a few lists, and the last change is seen (case c14)', async () => {
  let asked = 0;
  const on = { 'tools/list': () => ({ tools: [{ name: `at_${asked++}`, inputSchema: { type: 'object' } }] }) };
  const up = new Started([{ on }]);
  await up.client.start();
  for (let i = 0; i < 500; i++) {
    up.transport.say(LIST_CHANGED);
    await up.clock.advance(1);
  }
  await up.clock.advance(3_000);
  expect(listRequests(up)).toBeLessThanOrEqual(6);
  // First list, the one at once, the one that was queued.
  expect(listRequests(up)).toBeGreaterThanOrEqual(3);
  expect(up.tools()).toEqual([`at_${asked - 1}`]);
});

test('changes while a list is under way cost one more list, not one each', async () => {
  let release = (): void => {};
  const on: MemoryScript['on'] = {
    'tools/list': ({ id }, transport) => {
      release = () => transport.answer(id, { tools: [SOME_TOOL] });
      if (transport.received('tools/list').length === 1) release();
    },
  };
  const up = new Started([{ on }]);
  await up.client.start();
  up.transport.say(LIST_CHANGED);
  await up.clock.advance(10);
  for (let i = 0; i < 20; i++) up.transport.say(LIST_CHANGED);
  await up.clock.advance(2_000);
  expect(listRequests(up)).toBe(2);
  release();
  await up.clock.advance(499);
  expect(listRequests(up)).toBe(2);
  await up.clock.advance(1);
  expect(listRequests(up)).toBe(3);
  release();
  await up.clock.advance(5_000);
  expect(listRequests(up)).toBe(3);
});

test('a change told while the first list is read is not lost', async () => {
  let tools: unknown[] = [SOME_TOOL];
  const on: MemoryScript['on'] = {
    'tools/list': ({ id }, transport) => {
      const isFirst = transport.received('tools/list').length === 1;
      transport.answer(id, { tools });
      tools = [{ name: 'new', inputSchema: { type: 'object' } }];
      if (isFirst) transport.say(LIST_CHANGED);
    },
  };
  const up = new Started([{ on }]);
  await up.client.start();
  await up.clock.advance(1_000);
  expect(up.tools()).toEqual(['new']);
});

test('a relist that fails keeps the old list and is told', async () => {
  const on: MemoryScript['on'] = {
    'tools/list': (_, transport) =>
      transport.received('tools/list').length === 1 ? { tools: [SOME_TOOL] } : { nothing: true },
  };
  const up = new Started([{ on }]);
  await up.client.start();
  up.transport.say(LIST_CHANGED);
  await settled();
  expect(up.warnings()).toEqual(['relist-failed']);
  expect(up.client.state).toMatchObject({ kind: 'ready' });
  expect(up.lists).toHaveLength(1);
});

test('a relist whose upstream is lost right behind the answer changes nothing', async () => {
  const on: MemoryScript['on'] = {
    'tools/list': ({ id }, transport) => {
      transport.answer(id, { tools: [SOME_TOOL] });
      if (transport.received('tools/list').length === 2) transport.lose();
    },
  };
  const up = new Started([{ on }]);
  await up.client.start();
  up.transport.say(LIST_CHANGED);
  await settled();
  expect(up.client.state.kind).toBe('failed');
  expect(up.lists).toHaveLength(1);
});

test('a relist that hangs is given up in the time a start has, and the next change is heard', async () => {
  const on: MemoryScript['on'] = {
    'tools/list': (_, transport) =>
      transport.received('tools/list').length === 2 ? undefined : { tools: [SOME_TOOL] },
  };
  const up = new Started([{ on }]);
  await up.client.start();
  up.transport.say(LIST_CHANGED);
  await up.clock.advance(11_000);
  expect(up.warnings()).toEqual(['relist-failed']);
  up.transport.say(LIST_CHANGED);
  await up.clock.advance(1_000);
  expect(listRequests(up)).toBe(3);
});

test('closing while relisting tells nobody of a list', async () => {
  const on: MemoryScript['on'] = {
    'tools/list': (_, transport) =>
      transport.received('tools/list').length === 1 ? { tools: [SOME_TOOL] } : undefined,
  };
  const up = new Started([{ on }]);
  await up.client.start();
  up.transport.say(LIST_CHANGED);
  await settled();
  await up.client.close();
  await up.clock.advance(5_000);
  expect(up.lists).toHaveLength(1);
  expect(up.named('upstream.lost')).toEqual([]);
  expect(up.clock.waiting).toBe(0);
});
