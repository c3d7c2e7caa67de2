import { describe, expect, test } from 'vitest';
import { answer, made, type Open, URL_OF_IT } from '../../../test/fixtures/http-transports.js';
import type { MemoryExchange } from '../../../test/fixtures/memory-wire.js';
import { settled } from '../../../test/fixtures/virtual-clock.js';
import type { HttpTransportOptions } from './http-transport.js';

describe('HTTP+SSE (2024-11-05)', () => {
  async function open(
    endpoint = '/messages?sessionId=abc',
    options: Partial<HttpTransportOptions> = {},
  ): Promise<Open> {
    const it = made({ type: 'sse', ...options });
    const opened = it.transport.open(it.ear);
    it.wire.last.stream().data(`event: endpoint\ndata: ${endpoint}\n\n`);
    await opened;
    return it;
  }

  test.each([
    ['/messages?sessionId=abc', 'https://up.test/messages?sessionId=abc'],
    ['messages', 'https://up.test/messages'],
    ['https://up.test/m', 'https://up.test/m'],
  ])('messages go to %s, answers come on the stream', async (endpoint, url) => {
    const { wire, ear, transport } = await open(endpoint);
    expect(wire.exchanges[0]).toMatchObject({ method: 'GET', url: URL_OF_IT });
    transport.send(['{"id":1}'], { id: 1, method: 'initialize' });
    expect(wire.last).toMatchObject({ method: 'POST', url, body: '{"id":1}' });
    wire.last.head(202).data('Accepted').end();
    expect(ear.story, 'a POST that was taken says nothing of the answer').toEqual([]);
    wire.exchanges[0]!.data(`event: message\ndata: ${answer(1)}\n\n`);
    expect(ear.messages).toEqual([{ text: answer(1), stream: undefined }]);
  });

  test('a message that is refused fails its request', async () => {
    const { wire, ear, transport } = await open();
    transport.send(['{"id":1}'], { id: 1, method: 'm' });
    wire.last.answer(400, 'no');
    expect(ear.story).toEqual(['failed 1 UPSTREAM_UNREACHABLE not-executed']);
  });

  test('an answer over the limit fails its request only', async () => {
    const { wire, ear, transport } = await open();
    transport.send(['{"id":1}'], { id: 1, method: 'm' });
    wire.last.answer(202);
    wire.exchanges[0]!.data(
      `data: {"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(20_000)}"}\n\ndata: ${answer(2)}\n\n`,
    );
    expect(ear.story).toEqual(['failed 1 MESSAGE_TOO_LARGE unknown', 'message -']);
  });

  test('the end of the stream is the end of the connection', async () => {
    const { wire, ear, transport } = await open();
    wire.exchanges[0]!.fail();
    expect(ear.story).toEqual(['closed']);
    transport.send(['{}'], { id: 1, method: 'm' });
    expect(wire.exchanges).toHaveLength(1);
  });

  test('closing ends the stream', async () => {
    const { wire, ear, transport } = await open();
    await transport.close();
    expect(wire.exchanges[0]!.isAborted).toBe(true);
    expect(ear.story).toEqual(['closed']);
  });

  test.each([
    {
      why: 'another origin',
      react: (get: MemoryExchange) => get.stream().data('event: endpoint\ndata: https://evil.test/m\n\n'),
    },
    { why: 'refused', react: (get: MemoryExchange) => get.answer(405) },
    { why: 'no stream', react: (get: MemoryExchange) => get.answer(200, { a: 1 }) },
    { why: 'ended at once', react: (get: MemoryExchange) => get.stream().end() },
    { why: 'not reached', react: (get: MemoryExchange) => get.fail('UPSTREAM_UNREACHABLE') },
  ])('it cannot be opened: $why', async ({ react }) => {
    const { wire, ear, transport } = made({ type: 'sse' });
    const opened = transport.open(ear);
    react(wire.last);
    await expect(opened).rejects.toMatchObject({ name: 'DoorError' });
    expect(ear.story).toEqual([]);
    expect(wire.exchanges).toHaveLength(1);
  });

  test('a server that names no endpoint is not waited for for ever', async () => {
    const { wire, ear, transport, clock } = made({ type: 'sse' });
    const opened = transport.open(ear);
    const failed = expect(opened).rejects.toThrow('named no endpoint');
    wire.last.stream().data('data: {}\n\n');
    await clock.advance(15_000);
    await failed;
    expect(wire.last.isAborted).toBe(true);
  });

  test('auto goes over to it when asked, and says why it cannot', async () => {
    const { wire, ear, transport } = made();
    await transport.open(ear);
    const refused = transport.fallBack!();
    wire.last.answer(405);
    await expect(refused).rejects.toMatchObject({ data: { httpStatus: 405 } });
    const opened = transport.fallBack!();
    wire.last.stream().data('event: endpoint\ndata: /m\n\n');
    await opened;
    transport.send(['{}'], { id: 1, method: 'initialize' });
    await settled();
    expect(wire.last.url).toBe('https://up.test/m');
  });

  test('streamable-http never does', () => {
    expect(made({ type: 'streamable-http' }).transport.fallBack).toBeUndefined();
  });
});
