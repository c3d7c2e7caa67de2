/** Any server over HTTP, of any revision, with nothing configured but its url. */
import { afterEach, describe, expect, test } from 'vitest';
import { endHttpServers } from '../fixtures/http-server.js';
import { serveModern, serveOlder, serveSessions, serveStateless, type Upstream } from '../fixtures/http-upstreams.js';
import { namesOf, openDoor, textOf } from '../fixtures/open-door.js';

afterEach(endHttpServers);

interface Row {
  readonly why: string;
  readonly type: string;
  readonly serve: () => Promise<Upstream>;
}

const ROWS: readonly Row[] = [
  { why: '2026-07-28', type: 'http', serve: serveModern },
  { why: '2025-11-25 with sessions and streams', type: 'http', serve: serveSessions },
  { why: '2025-11-25 with sessions and JSON', type: 'http', serve: () => serveSessions({ json: true }) },
  { why: '2025-11-25 without sessions', type: 'http', serve: serveStateless },
  { why: '2025-11-25, by its type', type: 'streamable-http', serve: serveSessions },
  { why: 'HTTP+SSE, found out', type: 'http', serve: serveOlder },
  { why: 'HTTP+SSE, by its type', type: 'sse', serve: serveOlder },
];

describe.each(ROWS)('$why', ({ type, serve }) => {
  test('listed, called many times at once, each call run once', async (context) => {
    const upstream = await serve();
    const { door } = await openDoor(context, { servers: { h: { type, url: upstream.url } } });
    expect(namesOf(await door.request('tools/list'))).toContain('h__echo');
    const answers = await Promise.all(Array.from({ length: 20 }, () => door.call('h__echo')));
    expect(answers.map(textOf)).toEqual(Array(20).fill('ok'));
    expect(upstream.runs()).toBe(20);
  });
});
