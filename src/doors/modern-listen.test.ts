import { expect, test } from 'vitest';
import { MemoryGateway } from '../../test/fixtures/memory-gateway.js';
import type { MemoryScript } from '../../test/fixtures/memory-transport.js';
import { offering } from '../../test/fixtures/memory-view.js';
import { modernMeta } from '../../test/fixtures/modern-meta.js';
import { settled } from '../../test/fixtures/virtual-clock.js';
import { decodeText, encodeText, JsonScanner, joinPieces } from '../base/index.js';
import { ModernDoor } from './modern-door.js';

const URIS = Array.from({ length: 1_000 }, (_, at) => `x://t/${at}`);

/** A listener to a thousand resources of one upstream. */
async function listening(script: MemoryScript) {
  const memory = new MemoryGateway({ a: { scripts: [script] } });
  const scanner = new JsonScanner();
  const door = new ModernDoor({
    limits: memory.gateway.limits,
    door: 'test',
    info: { name: 'd', version: '1' },
    scanner,
  });
  door.attach(memory.gateway);
  const params = { notifications: { resourceSubscriptions: URIS }, _meta: modernMeta() };
  const bytes = encodeText(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }));
  const told: { readonly method: string; readonly params: { readonly notifications: object } }[] = [];
  const incoming = { bytes, start: 0, end: bytes.length, reply: () => {} };
  door.receive(
    { ...incoming, beside: (pieces) => told.push(JSON.parse(decodeText(joinPieces(pieces)))) },
    { principal: { id: 'me', kind: 'local' } },
  );
  await memory.clock.advance(600);
  await settled();
  return { memory, told };
}

test('a listener to many resources leaves room for what others call', async () => {
  const waiting: (() => void)[] = [];
  const { memory, told } = await listening(
    offering({ 'resources/subscribe': ({ id }, transport) => void waiting.push(() => transport.answer(id, {})) }),
  );
  expect(waiting).toHaveLength(16);
  let asked = 0;
  for (let answer = waiting.shift(); answer !== undefined; answer = waiting.shift()) {
    asked++;
    answer();
    if (waiting.length === 0) await settled();
  }
  expect(asked).toBe(URIS.length);
  expect(told).toMatchObject([{ params: { notifications: { resourceSubscriptions: URIS } } }]);
  await memory.gateway.close();
});

test('a listener to many resources of an upstream that says nothing is acknowledged all the same', async () => {
  const { memory, told } = await listening(offering({ 'resources/subscribe': () => undefined }));
  await memory.clock.advance(11_000);
  await settled();
  expect(told.map(({ params }) => params.notifications)).toEqual([{}]);
  await memory.gateway.close();
});
