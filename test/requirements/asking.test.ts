/** What doorward does with questions on the way, and what it keeps its hands off. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { MemoryCaller } from '../fixtures/memory-caller.js';
import { call, MemoryDoor, request } from '../fixtures/memory-door.js';
import { MemoryGateway, toolNamed } from '../fixtures/memory-gateway.js';
import { modernMeta } from '../fixtures/modern-meta.js';
import { until } from '../fixtures/open-door.js';
import { settled } from '../fixtures/virtual-clock.js';
import { expectWireMessage, needWireSchemas } from '../fixtures/wire-schemas.js';

const QUESTION = { mode: 'url', message: 'Sign in', elicitationId: 'e-1' };

/** A server that counts who comes to it, by whatever way. */
async function startListening() {
  let visits = 0;
  const server = createServer((_, response) => response.end());
  server.on('connection', () => visits++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/sign-in?for=someone#here`,
    visits: () => visits,
    close: () => server.close(),
  };
}

describe('the URL of a question is shown whole to the caller who takes URLs, and never opened by us', () => {
  const script = { tools: [toolNamed('x')], on: { 'tools/call': () => undefined } };
  const capabilities = { elicitation: { url: {} } };

  /** An upstream with a call under way asks; what the caller was written of it. */
  async function askedAt(url: string, opened: MemoryDoor) {
    await opened.clock.advance(3_000);
    const transport = opened.attempts('a').find((each) => each.received('tools/call').length > 0)!;
    const params = { ...QUESTION, url };
    transport.say(JSON.stringify({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params }));
    await opened.clock.advance(1_000);
    await opened.write();
    // Sealing takes real time, whatever our clock says.
    await until(() => opened.lines.length > 0, 'the question');
    return { transport, params, asked: opened.taken()[0] };
  }

  test('to one of 2025-11-25', async () => {
    const { url, visits, close } = await startListening();
    const opened = new MemoryDoor({ a: { scripts: [script] } });
    await opened.initialize('2025-11-25', capabilities);
    await opened.write(call(1));
    const { transport, params, asked } = await askedAt(url, opened);
    expect(asked).toMatchObject({ method: 'elicitation/create', params });
    await opened.write(JSON.stringify({ jsonrpc: '2.0', id: asked?.id, result: { action: 'accept' } }));
    expect(transport.sent.at(-1)?.message).toEqual({ jsonrpc: '2.0', id: 'q', result: { action: 'accept' } });
    await opened.gateway.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(visits()).toBe(0);
    close();
  });

  test('to one of 2026-07-28', async () => {
    const { url, visits, close } = await startListening();
    const opened = new MemoryDoor({ a: { scripts: [script] } });
    const _meta = modernMeta(capabilities);
    await opened.write(request(1, 'tools/call', { name: 'a__x', arguments: {}, _meta }));
    const { asked } = await askedAt(url, opened);
    expect(asked).toMatchObject({ id: 1, result: { resultType: 'input_required' } });
    const [question] = Object.values(asked!.result!.inputRequests as Record<string, { readonly params: object }>);
    expect(question?.params).toMatchObject({ mode: 'url', message: 'Sign in', url });
    await opened.gateway.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(visits()).toBe(0);
    close();
  });
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
