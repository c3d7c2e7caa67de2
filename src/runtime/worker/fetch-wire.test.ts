import { afterEach, describe, expect, test } from 'vitest';
import { bodyOf, echo, endHttpServers, serveHttp } from '../../../test/fixtures/http-server.js';
import { type DoorError, encodeText } from '../../base/index.js';
import type { HttpWire, WireExchange, WireRequest } from '../../client/index.js';
import { fetchWire } from './fetch-wire.js';

afterEach(endHttpServers);

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly header: (name: string) => string | undefined;
}

function ask(
  request: Partial<WireRequest> & { url: string },
  { wire = fetchWire(), begun }: { wire?: HttpWire; begun?: (exchange: WireExchange) => void } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let header: Answer['header'] = () => undefined;
    const chunks: Uint8Array[] = [];
    const body = ['{"a":', { bytes: encodeText('#1#'), start: 1, end: 2 }, '}'];
    const exchange = wire.send(
      { method: 'POST', headers: { 'content-type': 'application/json' }, body, ...request },
      {
        head: (code, find) => {
          status = code;
          header = find;
          begun?.(exchange);
        },
        data: (chunk) => chunks.push(chunk),
        end: () => resolve({ status, header, body: Buffer.concat(chunks).toString() }),
        failed: reject,
      },
    );
  });
}

async function failureOf(answer: Promise<Answer>): Promise<DoorError> {
  try {
    await answer;
  } catch (thrown) {
    return thrown as DoorError;
  }
  throw new Error('it did not fail');
}

describe('a request', () => {
  test('goes out in one piece and comes back whole', async () => {
    const served = await serveHttp(echo);
    expect(await ask({ url: served.url })).toMatchObject({ status: 200, body: '{"a":1}' });
  });

  test('method, path, query and headers arrive as they were given', async () => {
    const served = await serveHttp((request, response) => {
      const { method, url, headers } = request;
      response
        .setHeader('x-seen', 'a')
        .end(JSON.stringify([method, url, headers['mcp-name'], headers['content-type']]));
    });
    const { body, header } = await ask({
      url: `${served.url}?q=%20`,
      headers: { 'mcp-name': 'x', 'content-type': 'application/json' },
    });
    expect(JSON.parse(body)).toEqual(['POST', '/mcp?q=%20', 'x', 'application/json']);
    expect(header('x-seen')).toBe('a');
    expect(header('x-other')).toBeUndefined();
  });

  test.each([
    [{}, 'Basic dTpwIHc='],
    [{ authorization: 'Bearer t' }, 'Bearer t'],
  ])('user and password of the URL, unless there are better credentials: %j', async (headers, expected) => {
    const served = await serveHttp((request, response) => response.end(request.headers.authorization));
    expect((await ask({ url: served.url.replace('//', '//u:p%20w@'), headers })).body).toBe(expected);
  });

  test('a redirect is an answer like any other', async () => {
    const served = await serveHttp((_, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end());
    const { status, header } = await ask({ url: served.url });
    expect([status, header('location')]).toEqual([307, 'http://127.0.0.1:1/']);
  });

  test('one without a body', async () => {
    const served = await serveHttp((request, response) =>
      response.writeHead(204, { 'x-method': request.method }).end(),
    );
    const wire = fetchWire();
    const answer = await new Promise<[number, string | undefined]>((resolve, reject) => {
      let seen: [number, string | undefined] = [0, undefined];
      wire.send(
        { method: 'DELETE', url: served.url, headers: {} },
        {
          head: (status, header) => {
            seen = [status, header('x-method')];
          },
          data: () => {},
          end: () => resolve(seen),
          failed: reject,
        },
      );
    });
    expect(answer).toEqual([204, 'DELETE']);
  });

  test('is paused and resumed', async () => {
    const served = await serveHttp((_, response) => {
      response.write('one ');
      setTimeout(() => response.end('two'), 30);
    });
    const seen: string[] = [];
    const { body } = await ask(
      { url: served.url },
      {
        begun: (exchange) => {
          exchange.pause();
          setTimeout(() => {
            seen.push('resumed');
            exchange.resume();
          }, 80);
        },
      },
    );
    expect([body, seen]).toEqual(['one two', ['resumed']]);
  });

  test('that is aborted calls no handler any more, and its server sees it go', async () => {
    let gone: () => void = () => {};
    const closed = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const served = await serveHttp((request, response) => {
      response.on('close', gone);
      void bodyOf(request).then(() => response.write('begun'));
    });
    const heard: string[] = [];
    const exchange = fetchWire().send(
      { method: 'POST', url: served.url, headers: {}, body: ['{}'] },
      {
        head: () => {
          heard.push('head');
          exchange.abort();
        },
        data: () => heard.push('data'),
        end: () => heard.push('end'),
        failed: () => heard.push('failed'),
      },
    );
    await closed;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(heard).toEqual(['head']);
  });
});

describe('a request that fails', () => {
  test('where nobody listens', async () => {
    const { url } = await serveHttp(echo);
    await endHttpServers();
    const failure = await failureOf(ask({ url: `${url}?token=secret` }));
    expect(failure).toMatchObject({
      code: 'UPSTREAM_UNREACHABLE',
      data: { reason: 'refused', outcome: 'not-executed' },
    });
    expect(failure.message).not.toContain('secret');
  });

  test('for want of an address', async () => {
    const failure = await failureOf(ask({ url: 'http://nosuch.invalid/mcp' }));
    expect(failure).toMatchObject({ code: 'UPSTREAM_UNREACHABLE', data: { reason: 'dns', outcome: 'not-executed' } });
  });

  test('because of a header that cannot be sent', async () => {
    const failure = await failureOf(ask({ url: 'http://127.0.0.1:1/', headers: { 'x-a': 'line\nbreak' } }));
    expect(failure).toMatchObject({
      code: 'UPSTREAM_UNREACHABLE',
      data: { reason: 'unusable', outcome: 'not-executed' },
    });
  });

  test.each([
    ['before an answer came', false],
    ['before the answer was whole', true],
  ])('%s: it may have run', async (when, hasHead) => {
    const served = await serveHttp((request, response) => {
      if (hasHead) response.write('begun');
      setTimeout(() => request.socket.destroy(), 20);
    });
    const failure = await failureOf(ask({ url: served.url }));
    expect(failure).toMatchObject({ code: 'UPSTREAM_LOST', data: { reason: 'reset', outcome: 'unknown' } });
    expect(failure.message).toContain(when);
  });

  test('because the runtime dropped it', async () => {
    const served = await serveHttp((request) => request.resume());
    let drop: () => void = () => {};
    const hold = (lost: () => void) => {
      drop = lost;
      return () => {};
    };
    const failure = failureOf(ask({ url: served.url }, { wire: fetchWire({ hold }) }));
    await new Promise((resolve) => setTimeout(resolve, 20));
    drop();
    expect(await failure).toMatchObject({ code: 'UPSTREAM_LOST', data: { outcome: 'unknown' } });
  });
});

test('a request is held from its beginning to its end, whatever that is', async () => {
  const served = await serveHttp(echo);
  const held: string[] = [];
  const wire = fetchWire({
    hold: () => {
      held.push('held');
      return () => held.push('released');
    },
  });
  await ask({ url: served.url }, { wire });
  await failureOf(ask({ url: 'http://127.0.0.1:1/' }, { wire }));
  wire
    .send(
      { method: 'GET', url: served.url, headers: {} },
      {
        head: () => {},
        data: () => {},
        end: () => {},
        failed: () => {},
      },
    )
    .abort();
  expect(held).toEqual(['held', 'released', 'held', 'released', 'held', 'released']);
});
