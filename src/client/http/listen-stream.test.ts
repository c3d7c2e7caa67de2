import { describe, expect, test } from 'vitest';
import { answer, inModernEra, made, type Open } from '../../../test/fixtures/http-transports.js';
import type { MemoryExchange } from '../../../test/fixtures/memory-wire.js';
import { NEWEST } from '../../protocol/index.js';

const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

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

  test.each([
    { why: 'has nothing to say', events: 'retry: 0\nid: 1\ndata:\n\n' },
    { why: 'says something each time', events: `retry: 0\nid: 1\ndata: ${CHANGED}\n\n` },
    { why: 'is not there any more', events: '' },
  ])('a server that wants us back at once and $why keeps nobody busy', async ({ events }) => {
    const { gets, wire, clock } = await listening();
    gets()[0]!.stream().data('retry: 0\nid: 1\ndata:\n\n').end();
    for (let ms = 0; ms < 10_000; ms += 50) {
      await clock.advance(50);
      const last = wire.last;
      if (last.isAborted || last === gets()[0]) continue;
      if (events === '') last.fail('UPSTREAM_UNREACHABLE');
      else last.stream().data(events).end();
    }
    expect(gets().length).toBeGreaterThan(2);
    expect(gets().length).toBeLessThan(60);
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
    const { wire, transport } = await inModernEra();
    transport.listen?.();
    expect(wire.exchanges).toHaveLength(0);
  });
});
