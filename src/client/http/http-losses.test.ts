import { describe, expect, test } from 'vitest';
import { answer, inModernEra, inSession, opened, PROGRESS, request } from '../../../test/fixtures/http-transports.js';
import { NEWEST } from '../../protocol/index.js';

describe('a session that the server has lost (case c22)', () => {
  test('the request has not run, then the connection is over', async () => {
    const { wire, ear, transport, clock } = await inSession();
    request(transport, 2);
    wire.last.answer(404, '{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}');
    expect(ear.story).toEqual(['failed 2 UPSTREAM_LOST not-executed', 'closed']);
    await transport.close();
    await clock.advance(10_000);
    expect(wire.ofMethod('DELETE'), 'nothing is left to end').toHaveLength(0);
  });

  test('of parallel requests each gets its own verdict', async () => {
    const { wire, ear, transport } = await inSession();
    for (const id of [2, 3, 4]) request(transport, id);
    const [, , two, three, four] = wire.exchanges;
    two!.answer(404);
    expect(ear.story, 'the others may tell that they have not run').toEqual([]);
    request(transport, 5);
    expect(wire.exchanges, 'nothing more is sent into it').toHaveLength(5);
    three!.answer(200, answer(3));
    four!.answer(404);
    expect(ear.story).toEqual([
      'message 3',
      'failed 2 UPSTREAM_LOST not-executed',
      'failed 5 UPSTREAM_LOST not-executed',
      'failed 4 UPSTREAM_LOST not-executed',
      'closed',
    ]);
  });

  test('a request that says nothing is not waited for', async () => {
    const { wire, ear, transport, clock } = await inSession();
    request(transport, 2);
    request(transport, 3);
    wire.exchanges[2]!.answer(404);
    await clock.advance(1_000);
    expect(ear.story).toEqual(['failed 2 UPSTREAM_LOST not-executed', 'closed']);
    expect(wire.exchanges[3]!.isAborted).toBe(true);
  });

  test('without a session 404 is a refusal like others', async () => {
    const { wire, ear, transport } = await opened();
    transport.agreed?.(NEWEST);
    request(transport, 2);
    wire.last.answer(404);
    expect(ear.story).toEqual(['failed 2 UPSTREAM_UNREACHABLE not-executed']);
  });
});

describe('a stream that breaks off (case c42)', () => {
  const beginning = `id: e1\nretry: 250\ndata: ${PROGRESS}\n\n`;

  test('modern era: fails at once, is never taken up again, whatever ids it had', async () => {
    const { wire, ear, transport, clock } = await inModernEra();
    request(transport, 1);
    wire.last.stream().data(beginning).fail();
    expect(ear.story).toEqual(['message 1', 'failed 1 UPSTREAM_LOST unknown']);
    await clock.advance(60_000);
    expect(wire.exchanges).toHaveLength(1);
  });

  test('handshake era: a server that wants us back at once, and never has the answer, is not asked without a pause', async () => {
    const { wire, transport, clock } = await inSession();
    request(transport, 2);
    const nothing = 'id: e1\nretry: 0\ndata:\n\n';
    wire.last.stream().data(nothing).end();
    let seen = 0;
    for (let ms = 0; ms < 10_000; ms += 50) {
      await clock.advance(50);
      const gets = wire.ofMethod('GET');
      if (gets.length > seen) gets.at(-1)!.stream().data(nothing).end();
      seen = gets.length;
    }
    expect(seen).toBeGreaterThan(10);
    expect(seen).toBeLessThan(60);
  });

  test.each([
    { why: 'broke', broke: true },
    { why: 'ended', broke: false },
  ])(
    'handshake era ($why): one GET behind the last event after the time asked for, and the answer once',
    async ({ broke }) => {
      const { wire, ear, transport, clock } = await inSession();
      request(transport, 2);
      wire.last.stream().data(beginning);
      if (broke) wire.last.fail();
      else wire.last.end();
      await clock.advance(249);
      expect(wire.ofMethod('GET')).toHaveLength(0);
      await clock.advance(1);
      const [get] = wire.ofMethod('GET');
      expect(get!.headers).toEqual({
        'user-agent': 'doorward',
        accept: 'text/event-stream',
        'last-event-id': 'e1',
        'mcp-protocol-version': '2025-11-25',
        'mcp-session-id': 's1',
      });
      get!
        .stream()
        .data(`data: ${answer(2)}\n\n`)
        .end();
      await clock.advance(60_000);
      expect(ear.story).toEqual(['message 2', 'message 2']);
      expect(wire.ofMethod('GET')).toHaveLength(1);
      expect(wire.ofMethod('POST').some((exchange) => 'last-event-id' in exchange.headers)).toBe(false);
    },
  );

  test('handshake era: the server may send us away again and again, as long as something comes', async () => {
    const { wire, ear, transport, clock } = await inSession();
    request(transport, 2);
    wire.last.stream().data('id: e0\ndata:\n\n').end();
    for (let i = 1; i < 12; i++) {
      await clock.advance(1_000);
      expect(wire.last.headers['last-event-id']).toBe(`e${i - 1}`);
      wire.last
        .stream()
        .data(`id: e${i}\ndata: ${i === 11 ? answer(2) : ''}\n\n`)
        .end();
    }
    expect(ear.story).toEqual(['message 2']);
  });

  test('handshake era: but not for ever without', async () => {
    const { wire, ear, transport, clock } = await inSession();
    request(transport, 2);
    wire.last.stream().data(beginning).fail();
    for (let i = 0; i < 10; i++) {
      await clock.advance(250);
      if (!wire.last.isAborted) wire.last.fail('UPSTREAM_UNREACHABLE');
    }
    expect(wire.ofMethod('GET')).toHaveLength(3);
    expect(ear.story).toEqual(['message 2', 'failed 2 UPSTREAM_LOST unknown']);
  });

  test('handshake era without event ids: fails at once', async () => {
    const { wire, ear, transport } = await inSession();
    request(transport, 2);
    wire.last.stream().data(`data: ${PROGRESS}\n\n`).fail();
    expect(ear.story).toEqual(['message 2', 'failed 2 UPSTREAM_LOST unknown']);
  });

  test.each([
    { why: 'not offered', status: 405, story: ['message 2', 'failed 2 UPSTREAM_LOST unknown'] },
    { why: 'the session is gone', status: 404, story: ['message 2', 'failed 2 UPSTREAM_LOST unknown', 'closed'] },
  ])('handshake era: taking it up again refused ($why)', async ({ status, story }) => {
    const { wire, ear, transport, clock } = await inSession();
    request(transport, 2);
    wire.last.stream().data(beginning).fail();
    await clock.advance(250);
    wire.last.answer(status);
    expect(ear.story).toEqual(story);
  });

  test('nobody comes back for a request that nobody wants', async () => {
    const { wire, transport, clock } = await inSession();
    request(transport, 2);
    wire.last.stream().data(beginning).fail();
    transport.abandon?.(2);
    await clock.advance(10_000);
    expect(wire.ofMethod('GET')).toHaveLength(0);
  });
});

describe('the end', () => {
  test('a session is ended at the server, within a second', async () => {
    const { wire, ear, transport, clock } = await inSession();
    request(transport, 2);
    const closed = transport.close();
    expect(wire.exchanges[2]!.isAborted).toBe(true);
    expect(wire.last).toMatchObject({ method: 'DELETE', headers: { 'mcp-session-id': 's1' } });
    await clock.advance(1_000);
    await closed;
    expect(wire.last.isAborted).toBe(true);
    expect(ear.story).toEqual(['closed']);
    request(transport, 3);
    expect(wire.last.method, 'nothing is sent any more').toBe('DELETE');
  });

  test('without one there is nothing to say', async () => {
    const { wire, ear, transport } = await inModernEra();
    await transport.close();
    await transport.close();
    expect([wire.exchanges.length, ear.story]).toEqual([0, ['closed']]);
  });
});
