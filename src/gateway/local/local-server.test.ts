import { expect, test } from 'vitest';
import * as z from 'zod';
import { encodeText } from '../../base/index.js';
import type { Outgoing } from '../../client/index.js';
import { defineContract, defineTool, implement } from '../../contract/index.js';
import { localOffer } from './local-offer.js';
import { LocalServer } from './local-server.js';

const wait = defineTool({
  name: 'wait',
  description: 'Waits.',
  kind: 'read',
  input: z.object({}),
  output: z.object({}),
});
const server = { name: 'io.example/wait', description: 'Waits.', version: '1.0.0' };
const contract = defineContract({ server, tools: [wait] });

/** A server whose tool ends when `end` is called, whatever its signal says. */
function open() {
  let end = (): void => {};
  const implementation = implement(contract, {
    tools: { wait: () => new Promise((resolve) => (end = () => resolve({}))) },
  });
  const delivered: string[] = [];
  const options = { offer: localOffer(implementation, {}), failed: () => {} };
  const local = new LocalServer(options, (pieces) => void delivered.push(pieces));
  const body = encodeText('{"name":"wait","arguments":{}}');
  local.receive({ kind: 'request', id: '7', method: 'tools/call', body }, {} as Outgoing);
  return { local, delivered, end: () => end() };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

test.each<{ why: string; stop: (local: LocalServer) => void; answers: number }>([
  { why: 'that nobody cancelled is answered once', stop: () => {}, answers: 1 },
  { why: 'that was given up is answered no more', stop: (local) => local.cancel('7'), answers: 0 },
  { why: 'of a connection that has ended is answered no more', stop: (local) => local.close(), answers: 0 },
  {
    why: 'that a notification cancels is answered no more',
    stop: (local) =>
      local.receive(
        { kind: 'notification', id: '', method: 'notifications/cancelled', body: encodeText('{"requestId":7}') },
        {} as Outgoing,
      ),
    answers: 0,
  },
])('a call $why', async ({ stop, answers }) => {
  const { local, delivered, end } = open();
  await settled();
  stop(local);
  end();
  await settled();
  expect(delivered).toHaveLength(answers);
});
