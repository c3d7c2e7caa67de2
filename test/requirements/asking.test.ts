/** What doorward does with questions on the way, and what it keeps its hands off. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { MemoryCaller } from '../fixtures/memory-caller.js';
import { call, MemoryDoor } from '../fixtures/memory-door.js';
import { MemoryGateway, toolNamed } from '../fixtures/memory-gateway.js';
import { settled } from '../fixtures/virtual-clock.js';
import { expectWireMessage, needWireSchemas } from '../fixtures/wire-schemas.js';

const QUESTION = { mode: 'url', message: 'Sign in', elicitationId: 'e-1' };

test('the URL of a question is shown whole to the caller who takes URLs, and never opened by us', async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    response.end();
  });
  server.on('connection', () => requests++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const params = { ...QUESTION, url: `http://127.0.0.1:${port}/sign-in?for=someone#here` };

  const opened = new MemoryDoor({
    a: { scripts: [{ tools: [toolNamed('x')], on: { 'tools/call': () => undefined } }] },
  });
  await opened.initialize('2025-11-25', { elicitation: { url: {} } });
  await opened.write(call(1));
  const transport = opened.attempts('a').find((each) => each.received('tools/call').length > 0)!;
  transport.say(JSON.stringify({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params }));
  await opened.write('{"jsonrpc":"2.0","method":"notifications/unknown"}');
  const [asked] = opened.taken();
  expect(asked).toMatchObject({ method: 'elicitation/create', params });
  await opened.write(JSON.stringify({ jsonrpc: '2.0', id: asked?.id, result: { action: 'accept' } }));
  expect(transport.sent.at(-1)?.message).toEqual({ jsonrpc: '2.0', id: 'q', result: { action: 'accept' } });

  transport.answer(transport.received('tools/call')[0]?.id, { content: [] });
  await opened.gateway.close();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(requests).toBe(0);
  server.close();
});

test('the end of what happens at a URL is told under its id, to the caller who was asked and to nobody else', async () => {
  const memory = new MemoryGateway({
    a: { scripts: [{ tools: [toolNamed('x')], on: { 'tools/call': () => undefined } }] },
  });
  const [alice, bob] = [new MemoryCaller(memory.gateway, 'alice'), new MemoryCaller(memory.gateway, 'bob')];
  for (const caller of [alice, bob]) {
    await caller.initialize({ elicitation: { url: {} } });
    await caller.call(1, 'a__x', { who: caller === alice ? 'alice' : 'bob' });
  }
  const transport = memory.attempts('a').find(({ sent }) => JSON.stringify(sent).includes('"alice"'))!;
  const complete = { jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId: 'e-1' } };
  transport.say(JSON.stringify(complete));
  await settled();
  expect(alice.taken()).toEqual([complete]);
  expect(bob.taken()).toEqual([]);
  await memory.gateway.close();
});

test('an upstream’s -32042 reaches a caller of 2025-11-25 with its list of questions, as it was written', async (context) => {
  const error = {
    code: -32042,
    message: 'Sign in first',
    data: { elicitations: [{ ...QUESTION, url: 'https://auth.example/start' }] },
  };
  const refuse = ({ id }: { readonly id: unknown }) => JSON.stringify({ jsonrpc: '2.0', id, error });
  const opened = new MemoryDoor({ a: { scripts: [{ tools: [toolNamed('x')], on: { 'tools/call': refuse } }] } });
  await opened.initialize('2025-11-25', { elicitation: { url: {} } });
  await opened.write(call(1));
  const [answer] = opened.taken();
  expect(answer).toEqual({ jsonrpc: '2.0', id: 1, error });
  needWireSchemas(context);
  expectWireMessage('2025-11-25', 'URLElicitationRequiredError', answer);
});
