/** The handshake, where it must keep quiet. */
import { expect, test } from 'vitest';
import { call, MemoryDoor, request } from '../fixtures/memory-door.js';
import { SILENT } from '../fixtures/memory-gateway.js';
import type { Reaction } from '../fixtures/memory-transport.js';
import { Started } from '../fixtures/started-client.js';
import { settled } from '../fixtures/virtual-clock.js';

/** Answers initialize once the test says so. */
function lateHandshake() {
  let answer = (): void => {};
  const initialize: Reaction = ({ id }, transport) => {
    answer = () =>
      transport.answer(id, {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'u', version: '1' },
      });
    return undefined;
  };
  return { script: { on: { initialize } }, shakeHands: () => answer() };
}

test('an upstream is sent nothing beside initialize until it has answered, and notifications/initialized first after that', async () => {
  const { script, shakeHands } = lateHandshake();
  const opened = new MemoryDoor({ a: { scripts: [script] } });
  await opened.initialize();
  await opened.write(request(1, 'tools/list'), request(2, 'prompts/list'), call(3, 'a__some'));
  // What tells the eras apart comes first, and is no message of this one.
  const methods = () =>
    opened.transport('a').sent.flatMap(({ method }) => (method === 'server/discover' ? [] : [method]));
  expect(methods()).toEqual(['initialize']);
  shakeHands();
  await settled();
  expect(methods().slice(0, 3)).toEqual(['initialize', 'notifications/initialized', 'tools/list']);
  await opened.gateway.close();
});

test('initialize is never cancelled, though nobody waits for its answer any more', async () => {
  const started = new Started([SILENT], { startTimeoutMs: 1_000 });
  const start = started.client.start().catch((reason: unknown) => reason);
  await settled();
  const { transport } = started;
  await started.clock.advance(2_000);
  await start;
  await started.client.close();
  const methods = started.transports.flatMap(({ sent }) => sent.map(({ method }) => method));
  expect(transport.sent.map(({ method }) => method)).toContain('initialize');
  expect(methods).not.toContain('notifications/cancelled');
});
