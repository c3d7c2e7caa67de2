/** A caller of 2026-07-28 before a door in memory, and the upstream of the older era that most tests put behind it. */
import { expect } from 'vitest';
import { MemoryDoor, request } from '../fixtures/memory-door.js';
import { type MemoryMount, toolNamed } from '../fixtures/memory-gateway.js';
import type { MemoryScript } from '../fixtures/memory-transport.js';
import { modernMeta } from '../fixtures/modern-meta.js';

/** What a caller declares who can be asked by form and by URL. */
export const ELICITS = { elicitation: { form: {}, url: {} } };

/** A request that says of itself what requests of this era say. */
export const modern = (id: unknown, method: string, params: object = {}, capabilities = {}, more = {}): string =>
  request(id, method, { ...params, _meta: modernMeta(capabilities, more) });
export const callOf = (id: unknown, name: string, args: object = {}, capabilities = {}, more = {}): string =>
  modern(id, 'tools/call', { name, arguments: args }, capabilities, more);

/** An upstream of the older era with `x`, whose calls the test answers, and `lists` that change when the test says so. */
export const older: MemoryScript = {
  tools: [toolNamed('x'), toolNamed('y')],
  on: {
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
      },
      serverInfo: { name: 'older', version: '1' },
    }),
    'resources/list': () => ({
      resources: [
        { uri: 'x:1', name: 'one' },
        { uri: 'x:2', name: 'two' },
      ],
    }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'resources/subscribe': () => ({}),
    'resources/unsubscribe': () => ({}),
    'prompts/list': () => ({ prompts: [] }),
    'resources/read': ({ id, params }) =>
      params?.uri === 'x:1'
        ? { contents: [] }
        : JSON.stringify({
            jsonrpc: '2.0',
            id,
            error: { code: -32002, message: 'Resource not found', data: { uri: params?.uri } },
          }),
    'tools/call': () => undefined,
  },
};
export const OLDER: Readonly<Record<string, MemoryMount>> = { a: { scripts: [older] } };

/** Lets time pass until everything that was asked for is under way. */
export async function settledDoor(opened: MemoryDoor, ms = 3_000): Promise<void> {
  await opened.clock.advance(ms);
  await opened.write();
}

/** A door that has listed its tools once. */
export async function listed(mounts: Readonly<Record<string, MemoryMount>> = OLDER, options = {}): Promise<MemoryDoor> {
  const opened = new MemoryDoor(mounts, options);
  await opened.write(modern('first', 'tools/list'));
  await settledDoor(opened);
  expect(opened.taken()).toMatchObject([{ id: 'first', result: { resultType: 'complete' } }]);
  return opened;
}

/** The connection on which a call of this tool is under way. */
export const underCall = (opened: MemoryDoor, mount = 'a') =>
  opened.attempts(mount).find((transport) => transport.received('tools/call').length > 0)!;
