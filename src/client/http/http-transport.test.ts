import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemoryWire } from '../../../test/fixtures/memory-wire.js';
import { TransportEar } from '../../../test/fixtures/transport-ear.js';
import { settled, VirtualClock } from '../../../test/fixtures/virtual-clock.js';
import { type DoorError, encodeText } from '../../base/index.js';
import { findCodec, MODERN, NEWEST } from '../../protocol/index.js';
import type { Transport } from '../transport.js';
import { isNoModernEvidence } from './http-errors.js';
import { type HttpTransportOptions, httpTransport } from './http-transport.js';

const URL_OF_IT = 'https://up.test/mcp?key=hidden';

interface Open {
  readonly wire: MemoryWire;
  readonly ear: TransportEar;
  readonly clock: VirtualClock;
  readonly transport: Transport;
}

async function opened(options: Partial<HttpTransportOptions> = {}): Promise<Open> {
  const wire = new MemoryWire();
  const ear = new TransportEar();
  const clock = new VirtualClock();
  const transport = httpTransport({ url: URL_OF_IT, wire, clock, maxMessageBytes: 10_000, server: 'up', ...options });
  await transport.open(ear);
  return { wire, ear, clock, transport };
}

async function inModernEra(options: Partial<HttpTransportOptions> = {}): Promise<Open> {
  const open = await opened(options);
  open.transport.agreed?.(MODERN);
  return open;
}

/** A handshake has been made; the server gave the session id `s1`. */
async function inSession(options: Partial<HttpTransportOptions> = {}, revision = '2025-11-25'): Promise<Open> {
  const open = await opened(options);
  request(open.transport, 1, 'initialize');
  open.wire.last.answer(200, answer(1), { 'mcp-session-id': 's1' });
  open.transport.agreed?.(findCodec(revision)!);
  open.transport.send([notification('notifications/initialized')], { method: 'notifications/initialized' });
  open.wire.last.answer(202);
  open.ear.messages.length = 0;
  open.ear.story.length = 0;
  return open;
}

function request(transport: Transport, id: number, method = 'tools/call'): void {
  transport.send([`{"jsonrpc":"2.0","id":${id},"method":"${method}"`, '}'], { id, method });
}

const answer = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":{"n":12345678901234567890}}`;
const notification = (method: string): string => `{"jsonrpc":"2.0","method":"${method}"}`;
const PROGRESS = notification('notifications/progress');

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

describe('refusals', () => {
  const explained = '{"jsonrpc":"2.0","error":{"code":-32022,"message":"no","data":{"n":1.0}},"id":null}';

  test.each([400, 403, 404, 405, 429, 500])('HTTP %i with a JSON-RPC error is the answer', async (status) => {
    const { wire, ear, transport } = await inModernEra();
    request(transport, 5);
    wire.last.answer(status, explained);
    expect(ear.texts).toEqual([explained.replace('null', '5')]);
    expect(ear.failures).toEqual([]);
  });

  test.each([
    [400, 'UPSTREAM_UNREACHABLE', 'not-executed', true],
    [404, 'UPSTREAM_UNREACHABLE', 'not-executed', true],
    [405, 'UPSTREAM_UNREACHABLE', 'not-executed', true],
    [401, 'AUTH_REQUIRED', 'not-executed', false],
    [403, 'FORBIDDEN', 'not-executed', false],
    [408, 'UPSTREAM_UNREACHABLE', 'unknown', false],
    [429, 'UPSTREAM_UNREACHABLE', 'not-executed', false],
    [500, 'UPSTREAM_LOST', 'unknown', false],
    [503, 'UPSTREAM_LOST', 'unknown', false],
  ])('HTTP %i is %s, %s; a sign of an older server: %s', async (status, code, outcome, isSign) => {
    const { wire, ear, transport } = await inModernEra();
    request(transport, 1);
    wire.last.answer(status, 'Sorry', { 'retry-after': '30' });
    const { reason } = ear.failures[0]!;
    expect(reason).toMatchObject({ code, data: { httpStatus: status, outcome } });
    expect(reason.data.retryAfter).toBe(status === 429 || status === 503 ? '30' : undefined);
    expect(reason.message).toContain(`HTTP ${status}`);
    expect(isNoModernEvidence(reason)).toBe(isSign);
  });

  test('what is said of it holds no secret of ours', async () => {
    const { wire, ear, transport } = await inModernEra({
      headers: { Authorization: 'Bearer topsecret', 'X-Key': 'key-12345' },
    });
    request(transport, 1);
    wire.last.answer(400, 'bad token topsecret, key key-12345 at https://up.test/mcp?key=hidden');
    const { message } = ear.failures[0]!.reason;
    expect(message).toContain('https://up.test/mcp answered HTTP 400: bad token (secret), key (secret)');
    expect(message).not.toMatch(/topsecret|12345/);
  });

  test('of an endless refusal only the beginning is read', async () => {
    const { wire, ear, transport } = await inModernEra();
    request(transport, 1);
    wire.last.head(500).data('x'.repeat(70_000));
    expect(wire.last.isAborted).toBe(true);
    expect(ear.failures[0]!.reason.message.length).toBeLessThan(300);
  });

  test('nobody reached: as the wire says', async () => {
    const { wire, ear, transport } = await inModernEra();
    request(transport, 1);
    wire.last.fail('UPSTREAM_UNREACHABLE');
    request(transport, 2);
    wire.last.fail('UPSTREAM_LOST');
    expect(ear.story).toEqual(['failed 1 UPSTREAM_UNREACHABLE not-executed', 'failed 2 UPSTREAM_LOST unknown']);
  });
});

describe('redirects', () => {
  test.each([307, 308])('%i within the origin is followed with the same message', async (status) => {
    const { wire, ear, transport } = await inModernEra({ headers: { authorization: 'Bearer x' } });
    request(transport, 1);
    wire.last.answer(status, '', { location: '/mcp/' });
    expect(wire.last).toMatchObject({ method: 'POST', url: 'https://up.test/mcp/', body: wire.exchanges[0]!.body });
    wire.last.answer(200, answer(1));
    expect(ear.story).toEqual(['message 1']);
    request(transport, 2);
    expect(wire.last.url, 'moved for good, or not').toBe(status === 308 ? 'https://up.test/mcp/' : URL_OF_IT);
  });

  test.each([
    { why: 'another origin', status: 307, location: 'https://evil.test/mcp?token=x', says: 'another origin' },
    { why: 'the same host without TLS', status: 308, location: 'http://up.test/mcp', says: 'another origin' },
    { why: 'another method', status: 302, location: '/login', says: 'would not be sent along' },
    { why: 'no place', status: 307, location: undefined, says: 'names no place' },
  ])('$why is not followed', async ({ status, location, says }) => {
    const { wire, ear, transport } = await inModernEra({ headers: { authorization: 'Bearer x' } });
    request(transport, 1);
    wire.last.answer(status, '', location === undefined ? {} : { location });
    expect(wire.exchanges).toHaveLength(1);
    expect(ear.failures[0]!.reason.message).toContain(says);
    expect(ear.failures[0]!.reason.message).not.toContain('token');
  });

  test('a circle ends', async () => {
    const { wire, ear, transport } = await inModernEra();
    request(transport, 1);
    for (let i = 0; i < 10 && ear.failures.length === 0; i++) wire.last.answer(307, '', { location: '/mcp' });
    expect(wire.exchanges).toHaveLength(4);
    expect(ear.failures[0]!.reason.message).toContain('more than 3');
  });
});

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

describe('leave', () => {
  type Refused = readonly [status: number, challenge: string, used: string | undefined];

  async function withAuthorizer(give: (asked: number) => boolean | DoorError): Promise<Open & { asked: Refused[] }> {
    const asked: Refused[] = [];
    const authorizer = {
      headers: async () => ({ Authorization: `Bearer t${asked.length}` }),
      refused: async (...refused: Refused) => {
        asked.push(refused);
        const given = give(asked.length);
        if (typeof given !== 'boolean') throw given;
        return given;
      },
    };
    return { ...(await inModernEra({ authorizer })), asked };
  }

  test.each([
    { status: 401, challenge: 'Bearer realm="x"' },
    { status: 403, challenge: 'Bearer error="insufficient_scope", scope="b"' },
  ])('HTTP $status: new credentials, the very same message once more', async ({ status, challenge }) => {
    const { wire, ear, transport, asked } = await withAuthorizer(() => true);
    request(transport, 1);
    await settled();
    wire.last.answer(status, '', { 'www-authenticate': challenge });
    await settled();
    expect(asked).toEqual([[status, challenge, 'Bearer t0']]);
    expect(wire.last.headers.authorization).toBe('Bearer t1');
    expect(wire.last.body).toBe(wire.exchanges[0]!.body);
    wire.last.answer(200, answer(1));
    expect(ear.story).toEqual(['message 1']);
  });

  test('but once only', async () => {
    const { wire, ear, transport } = await withAuthorizer(() => true);
    request(transport, 1);
    for (let i = 0; i < 5; i++) {
      await settled();
      if (ear.failures.length === 0) wire.last.answer(401);
    }
    expect(wire.exchanges).toHaveLength(2);
    expect(ear.failures[0]!.reason.code).toBe('AUTH_REQUIRED');
  });

  test('another 403 is no matter of scope', async () => {
    const { wire, ear, transport, asked } = await withAuthorizer(() => true);
    request(transport, 1);
    await settled();
    wire.last.answer(403, 'No');
    await settled();
    expect(asked).toEqual([]);
    expect(ear.failures[0]!.reason.code).toBe('FORBIDDEN');
  });

  test('without any to be had the request fails, and says what to do', async () => {
    const { wire, ear, transport } = await withAuthorizer(() => false);
    request(transport, 1);
    await settled();
    wire.last.answer(401);
    await settled();
    expect(ear.failures[0]!.reason).toMatchObject({
      code: 'AUTH_REQUIRED',
      hint: expect.stringContaining('doorward login up'),
      data: { httpStatus: 401, outcome: 'not-executed' },
    });
  });

  test('a request that is abandoned meanwhile is not sent', async () => {
    const { wire, transport } = await withAuthorizer(() => true);
    request(transport, 1);
    transport.abandon?.(1);
    await settled();
    expect(wire.exchanges).toHaveLength(0);
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
