import { describe, expect, test } from 'vitest';
import { type MemoryExchange, MemoryWire } from '../../../test/fixtures/memory-wire.js';
import { TransportEar } from '../../../test/fixtures/transport-ear.js';
import { settled, VirtualClock } from '../../../test/fixtures/virtual-clock.js';
import { MODERN, NEWEST } from '../../protocol/index.js';
import type { Transport } from '../transport.js';
import { type HttpTransportOptions, httpTransport } from './http-transport.js';

interface Open {
  readonly wire: MemoryWire;
  readonly ear: TransportEar;
  readonly clock: VirtualClock;
  readonly transport: Transport;
}

function made(options: Partial<HttpTransportOptions> = {}): Open {
  const wire = new MemoryWire();
  const clock = new VirtualClock();
  const url = 'https://up.test/mcp';
  const transport = httpTransport({ url, wire, clock, maxMessageBytes: 10_000, ...options });
  return { wire, ear: new TransportEar(), clock, transport };
}

const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
const answer = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":{}}`;

describe('the stream of what belongs to no request', () => {
  async function listening(): Promise<Open & { gets: () => MemoryExchange[] }> {
    const open = made();
    await open.transport.open(open.ear);
    open.transport.send(['{}'], { id: 1, method: 'initialize' });
    open.wire.last.answer(200, answer(1), { 'mcp-session-id': 's1' });
    open.ear.story.length = 0;
    open.transport.agreed?.(NEWEST);
    open.transport.listen?.();
    return { ...open, gets: () => open.wire.ofMethod('GET') };
  }

  test('messages come on no stream of ours', async () => {
    const { gets, ear } = await listening();
    expect(gets()[0]!.headers).toEqual({
      'user-agent': 'doorward',
      accept: 'text/event-stream',
      'mcp-session-id': 's1',
      'mcp-protocol-version': '2025-11-25',
    });
    gets()[0]!.stream().data(`data: ${CHANGED}\n\n`);
    expect(ear.messages.at(-1)).toEqual({ text: CHANGED, stream: undefined });
  });

  test('it is opened again where it ended, behind the last event', async () => {
    const { gets, ear, clock } = await listening();
    gets()[0]!.stream().data(`id: 7\nretry: 3000\ndata: ${CHANGED}\n\n`).end();
    await clock.advance(2_999);
    expect(gets()).toHaveLength(1);
    await clock.advance(1);
    expect(gets()[1]!.headers['last-event-id']).toBe('7');
    gets()[1]!.stream().data(`data: ${CHANGED}\n\n`);
    expect(ear.story).toEqual(['message -', 'message -']);
  });

  test('trouble is waited out, ever longer, up to half a minute, without a word', async () => {
    const { gets, ear, clock } = await listening();
    const atMs: number[] = [];
    for (let seen = 0; atMs.length < 9; ) {
      if (gets().length > seen) {
        seen = gets().length;
        atMs.push(clock.monotonicMs());
        if (seen % 2 === 0) gets().at(-1)!.answer(503);
        else gets().at(-1)!.fail('UPSTREAM_UNREACHABLE');
      }
      await clock.advance(1_000);
    }
    const waits = atMs.slice(1).map((at, i) => Math.round((at - atMs[i]!) / 1_000));
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
    expect(ear.story).toEqual([]);
  });

  test.each([405, 400, 200])('HTTP %i: not offered is fine', async (status) => {
    const { gets, ear, clock } = await listening();
    gets()[0]!.answer(status, 'a page', { 'content-type': 'text/html' });
    await clock.advance(120_000);
    expect(gets()).toHaveLength(1);
    expect(ear.story).toEqual([]);
  });

  test('404 is the end of the session', async () => {
    const { gets, ear } = await listening();
    gets()[0]!.answer(404);
    expect(ear.story).toEqual(['closed']);
  });

  test('an event over the limit is dropped, the stream lives', async () => {
    const { gets, ear } = await listening();
    gets()[0]!
      .stream()
      .data(`data: ${'x'.repeat(20_000)}\n\ndata: ${CHANGED}\n\n`);
    expect(ear.texts.at(-1)).toBe(CHANGED);
    expect(gets()[0]!.isAborted).toBe(false);
  });

  test('it ends with the transport, also while it waits', async () => {
    const { gets, clock, transport } = await listening();
    gets()[0]!.stream().end();
    const closed = transport.close();
    await clock.advance(60_000);
    await closed;
    expect(gets()).toHaveLength(1);
  });

  test('there is none in the modern era', async () => {
    const { wire, ear, transport } = made();
    await transport.open(ear);
    transport.agreed?.(MODERN);
    transport.listen?.();
    expect(wire.exchanges).toHaveLength(0);
  });
});

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
    expect(wire.exchanges[0]).toMatchObject({ method: 'GET', url: 'https://up.test/mcp' });
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
