import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  answer,
  inModernEra,
  inSession,
  opened,
  PROGRESS,
  request,
  URL_OF_IT,
} from '../../../test/fixtures/http-transports.js';
import { TransportEar } from '../../../test/fixtures/transport-ear.js';
import { encodeText } from '../../base/index.js';
import { MODERN, NEWEST } from '../../protocol/index.js';

describe('what is sent', () => {
  test('each message is a POST of its own; nothing is sent to open', async () => {
    const { wire, transport } = await inModernEra();
    expect(wire.exchanges).toHaveLength(0);
    transport.send(['{"id":1,', { bytes: encodeText('##"x":"é"}'), start: 2, end: 11 }], {
      id: 1,
      method: 'tools/call',
    });
    expect(wire.last).toMatchObject({ method: 'POST', url: URL_OF_IT, body: '{"id":1,"x":"é"}' });
  });

  test('modern era: the message is mirrored in headers', async () => {
    const { wire, transport } = await inModernEra({
      headers: { 'X-Team': 'a', 'MCP-Protocol-Version': 'no', Accept: 'no' },
    });
    const headers = [['Mcp-Param-Region', 'us-west1']] as const;
    transport.send(['{}'], { id: 1, method: 'tools/call', name: 'sächsisch', headers });
    expect(wire.last.headers).toEqual({
      'user-agent': 'doorward',
      'x-team': 'a',
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': '=?base64?c8OkY2hzaXNjaA==?=',
      'mcp-param-region': 'us-west1',
    });
  });

  test('a probe is of its own revision before any is agreed on', async () => {
    const { wire, transport } = await opened();
    transport.send(['{}'], { id: 1, method: 'server/discover', codec: MODERN });
    expect(wire.last.headers).toMatchObject({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' });
    transport.send(['{}'], { id: 2, method: 'initialize', codec: NEWEST });
    expect(wire.last.headers).toEqual({
      'user-agent': 'doorward',
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    });
  });

  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', undefined],
  ])('handshake era, %s: session id, and the revision where it is one that names itself', async (revision, named) => {
    const { wire, transport } = await inSession({}, revision);
    const [initialize, initialized] = wire.exchanges;
    expect(initialize!.headers['mcp-session-id']).toBeUndefined();
    expect(initialized!.headers).toMatchObject({ 'mcp-session-id': 's1' });
    request(transport, 2);
    expect(wire.last.headers['mcp-session-id']).toBe('s1');
    expect(wire.last.headers['mcp-protocol-version']).toBe(named);
    expect(wire.last.headers['mcp-method'], 'modern only').toBeUndefined();
  });

  test('a modern request names no session', async () => {
    const { wire, transport } = await inSession();
    transport.send(['{}'], { id: 2, method: 'server/discover', codec: MODERN });
    expect(wire.last.headers['mcp-session-id']).toBeUndefined();
  });

  test('an empty session id is none', async () => {
    const { wire, ear, transport } = await opened();
    request(transport, 1, 'initialize');
    wire.last.answer(200, answer(1), { 'mcp-session-id': '' });
    request(transport, 2);
    expect(wire.last.headers['mcp-session-id']).toBeUndefined();
    expect(ear.failures).toEqual([]);
  });

  test('a session id that no header can carry fails the handshake', async () => {
    const { wire, ear, transport } = await opened();
    request(transport, 1, 'initialize');
    wire.last.answer(200, answer(1), { 'mcp-session-id': 'a b' });
    expect(ear.story).toEqual(['failed 1 UPSTREAM_BROKE_PROTOCOL unknown']);
  });

  test('what follows notifications/initialized waits until that has arrived', async () => {
    const { wire, transport, clock } = await opened();
    transport.agreed?.(NEWEST);
    transport.send(['{}'], { method: 'notifications/initialized' });
    request(transport, 2);
    request(transport, 3);
    transport.abandon?.(3);
    expect(wire.exchanges).toHaveLength(1);
    wire.last.head(202);
    expect(wire.exchanges.map((exchange) => exchange.body)).toHaveLength(2);
    transport.send(['{}'], { method: 'notifications/initialized' });
    request(transport, 4);
    await clock.advance(999);
    expect(wire.exchanges).toHaveLength(3);
    await clock.advance(1);
    expect(wire.exchanges, 'not for ever').toHaveLength(4);
  });

  test('bytes wait until the server has begun to answer', async () => {
    const { wire, transport } = await inModernEra();
    transport.send(['12345'], { id: 1, method: 'm' });
    transport.send(['123'], { id: 2, method: 'm' });
    expect(transport.backlogBytes).toBe(8);
    wire.exchanges[0]!.stream();
    expect(transport.backlogBytes).toBe(3);
    transport.abandon?.(2);
    expect(transport.backlogBytes).toBe(0);
  });
});

describe('what comes back', () => {
  test('a JSON body of one chunk is handed on uncopied', async () => {
    const { wire, transport } = await opened();
    transport.agreed?.(MODERN);
    const seen: Uint8Array[] = [];
    await transport.open({ ...new TransportEar(), message: (bytes: Uint8Array) => seen.push(bytes) } as never);
    request(transport, 1);
    const chunk = encodeText(answer(1));
    wire.last.head(200, { 'content-type': 'application/json' }).data(chunk).end();
    expect(seen[0]).toBe(chunk);
  });

  test('any chunking of a body or of a stream gives the same messages', async () => {
    const text = `{"jsonrpc":"2.0","id":1,"result":{"t":"é€😀","n":1.10}}`;
    const body = encodeText(text);
    const events = encodeText(`: hi\r\n\r\nevent: message\r\ndata: ${PROGRESS}\r\n\r\nid: 4\ndata: ${text}\n\n`);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(200)), fc.boolean(), async (places, isStream) => {
        const { wire, ear, transport } = await inModernEra();
        request(transport, 1);
        if (isStream) wire.last.stream();
        else wire.last.head(200, { 'content-type': 'application/json; charset=utf-8' });
        const bytes = isStream ? events : body;
        const cuts = [0, ...places.filter((at) => at < bytes.length).sort((a, b) => a - b), bytes.length];
        for (let i = 1; i < cuts.length; i++) wire.last.data(bytes.slice(cuts[i - 1], cuts[i]));
        wire.last.end();
        expect(ear.texts).toEqual(isStream ? [PROGRESS, text] : [text]);
        expect(ear.failures).toEqual([]);
      }),
    );
  });

  test('messages say on which request they came', async () => {
    const { wire, ear, transport } = await inModernEra();
    request(transport, 1);
    request(transport, 2);
    wire.exchanges[1]!.stream().data(`data: ${PROGRESS}\n\n`);
    wire.exchanges[0]!.answer(200, answer(1));
    wire.exchanges[1]!.data(`data: ${answer(2)}\n\n`).end();
    expect(ear.story).toEqual(['message 2', 'message 1', 'message 2']);
  });

  test('several messages in one body are one array, as they came (2025-03-26)', async () => {
    const { wire, ear, transport } = await inSession({}, '2025-03-26');
    request(transport, 2);
    const batch = `[${PROGRESS},${answer(2)}]`;
    wire.last.answer(200, batch);
    expect(ear.texts).toEqual([batch]);
    expect(ear.failures).toEqual([]);
  });

  test('notifications and answers of ours are taken without a word, or not at all', async () => {
    const { wire, ear, transport } = await inModernEra();
    for (const status of [202, 204, 200, 400, 500]) {
      transport.send(['{}'], { method: 'notifications/x' });
      wire.last.answer(status);
      transport.send(['{}'], {});
      wire.last.fail();
    }
    expect(ear.story).toEqual([]);
  });

  test.each([
    { why: 'nothing', status: 202, body: '', says: 'answered HTTP 202 without an answer' },
    {
      why: 'a page',
      status: 200,
      body: '<html><style>b{}</style><b>Log\n in</b></html>',
      says: 'no MCP message: Log in',
    },
    { why: 'another answer', status: 200, body: answer(9), says: 'no answer to the request' },
    { why: 'no answer', status: 200, body: PROGRESS, says: 'no answer to the request' },
  ])('$why instead of an answer fails the request at once', async ({ status, body, says }) => {
    const { wire, ear, transport } = await inModernEra();
    request(transport, 1);
    wire.last.head(status, { 'content-type': 'text/html' }).data(body).end();
    expect(ear.failures[0]!.reason.code).toBe('UPSTREAM_BROKE_PROTOCOL');
    expect(ear.failures[0]!.reason.message).toContain(says);
  });

  test.each([
    { why: 'announced', headers: { 'content-length': '20000' }, chunks: ['{'] },
    { why: 'in chunks', headers: {}, chunks: ['{'.padEnd(6_000), 'x'.repeat(6_000)] },
  ])('a body over the limit ($why) fails its request only', async ({ headers, chunks }) => {
    const { wire, ear, transport } = await inModernEra();
    request(transport, 1);
    request(transport, 2);
    const [first, second] = wire.exchanges;
    first!.head(200, { 'content-type': 'application/json', ...headers });
    for (const chunk of chunks) first!.data(chunk);
    second!.answer(200, answer(2));
    expect(ear.story).toEqual(['failed 1 MESSAGE_TOO_LARGE unknown', 'message 2']);
    expect(first!.isAborted).toBe(true);
  });

  test('an event over the limit fails its request only', async () => {
    const { wire, ear, transport } = await inModernEra();
    request(transport, 1);
    wire.last.stream().data(`data: ${PROGRESS}\n\ndata: ${'x'.repeat(20_000)}`);
    expect(ear.story).toEqual(['message 1', 'failed 1 MESSAGE_TOO_LARGE unknown']);
    expect(wire.last.isAborted).toBe(true);
  });

  test('a stream left open behind the answer is left', async () => {
    const { wire, ear, transport, clock } = await inModernEra();
    request(transport, 1);
    wire.last.stream().data(`data: ${answer(1)}\n\n`);
    await clock.advance(5_000);
    expect(wire.last.isAborted).toBe(true);
    expect(ear.story).toEqual(['message 1']);
  });

  test('a request nobody wants any more is ended without a word', async () => {
    const { wire, ear, transport } = await inModernEra();
    request(transport, 1);
    wire.last.stream();
    transport.abandon?.(1);
    expect(wire.last.isAborted).toBe(true);
    expect(ear.story).toEqual([]);
  });

  test('a slow reader stops all streams, also those that begin meanwhile', async () => {
    const { wire, transport } = await inModernEra();
    request(transport, 1);
    transport.pause();
    request(transport, 2);
    expect(wire.exchanges.map((exchange) => exchange.isPaused)).toEqual([true, true]);
    transport.resume();
    expect(wire.exchanges.map((exchange) => exchange.isPaused)).toEqual([false, false]);
  });
});
