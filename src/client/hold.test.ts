/** What happens while somebody does not read: the caller, or the upstream. */
import { expect, test } from 'vitest';
import { SOME_TOOL } from '../../test/fixtures/memory-transport.js';
import { Started } from '../../test/fixtures/started-client.js';
import { settled } from '../../test/fixtures/virtual-clock.js';

const LISTED = { on: { 'tools/list': () => ({ tools: [SOME_TOOL] }) } };

test('deadlines stand still while the caller does not read, and go on after it', async () => {
  const up = new Started([LISTED]);
  await up.client.start();
  const call = up.call('some');
  const failed = call.then(
    () => 'answered',
    (thrown: { code: string }) => thrown.code,
  );
  await up.clock.advance(4_000);
  up.client.pause();
  await up.clock.advance(60_000);
  await settled();
  up.client.resume();
  expect(up.transport.received('notifications/cancelled')).toHaveLength(0);
  await up.clock.advance(900);
  await settled();
  expect(up.transport.received('notifications/cancelled')).toHaveLength(0);
  await up.clock.advance(200);
  expect(await failed).toBe('TIMEOUT');
});

test('a call that begins while the caller does not read has its whole time left afterwards', async () => {
  const up = new Started([LISTED]);
  await up.client.start();
  up.client.pause();
  const failed = up.call('some').catch((thrown: { code: string }) => thrown.code);
  await up.clock.advance(60_000);
  expect(up.transport.received('notifications/cancelled')).toHaveLength(0);
  up.client.resume();
  await up.clock.advance(4_900);
  expect(up.transport.received('notifications/cancelled')).toHaveLength(0);
  await up.clock.advance(200);
  expect(await failed).toBe('TIMEOUT');
});

test('a connection that comes while the caller does not read is not read from, and runs no deadlines', async () => {
  const up = new Started([LISTED]);
  await up.client.start();
  up.client.pause();
  up.transport.lose();
  await up.client.start();
  expect(up.transports).toHaveLength(2);
  expect(up.transport.paused).toBe(1);
  const call = up.call('some');
  await up.clock.advance(60_000);
  up.client.resume();
  expect(up.transport.paused).toBe(0);
  up.transport.answer(up.transport.received('tools/call')[0]!.id, { content: [] });
  await expect(call).resolves.toEqual({ content: [] });
});

test('an upstream that does not read gets no more calls, and no replies, until it does', async () => {
  const up = new Started([LISTED]);
  await up.client.start();
  const sentBefore = up.transport.sent.length;
  up.transport.backlogBytes = 65 * 1024 * 1024;
  await expect(up.call('some')).rejects.toMatchObject({ code: 'BUSY', data: { upstream: 'up' } });
  expect(up.transport.sent).toHaveLength(sentBefore);
  up.transport.backlogBytes = 0;
  const call = up.call('some');
  up.transport.answer(up.transport.sent.at(-1)!.id, { content: [] });
  await expect(call).resolves.toEqual({ content: [] });
});

test('a server that chatters on stderr and never starts is given up in the end', async () => {
  const up = new Started([{ on: { initialize: () => undefined } }], { startTimeoutMs: 1_000, maxCallMs: 5_000 });
  const failed = up.client.start().catch((thrown: { code: string }) => thrown.code);
  await settled();
  for (let i = 0; i < 20; i++) {
    await up.clock.advance(400);
    up.transport.stir();
    await settled();
  }
  expect(await failed).toBe('TIMEOUT');
});
