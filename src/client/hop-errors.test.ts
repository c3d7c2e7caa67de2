/** Errors that an upstream has with our connection to it stay between the two; all others are passed as they are. */
import { describe, expect, test } from 'vitest';
import type { MemoryScript } from '../../test/fixtures/memory-transport.js';
import { Started } from '../../test/fixtures/started-client.js';
import { decodeText, encodeText, JsonScanner } from '../base/index.js';
import { locateRequestParams, type RequestParams } from '../protocol/index.js';

const ME = { principal: { id: 'me', kind: 'local' } } as const;

/** Answers calls and prompts with this error. */
async function failing(error: string): Promise<Started> {
  const fail = ({ id }: { readonly id?: unknown }): string => `{"jsonrpc":"2.0","id":${id},"error":${error}}`;
  const on: MemoryScript['on'] = { 'tools/call': fail, 'prompts/get': fail };
  const up = new Started([{ on }]);
  await up.client.start();
  return up;
}

function promptParams(): RequestParams {
  const bytes = encodeText('{"params":{"name":"p"}}');
  const scanner = new JsonScanner();
  scanner.scan(bytes, 0, bytes.length);
  return locateRequestParams(scanner, bytes, scanner.find('params', bytes), 'prompt') as RequestParams;
}

const getPrompt = (up: Started) => up.client.relay('prompts/get', promptParams(), 'p', ME);

describe.each([-32020, -32021, -32022])('error %i', (code) => {
  const error = `{ "message":"not \\"so\\"\\u0021", "data":{"secret":1},"code":${code}}`;
  const shown = {
    code: 'UPSTREAM_BROKE_PROTOCOL',
    data: { upstream: 'up', upstreamError: { code, message: 'not "so"!' } },
  };

  test('of a call is not passed on', async () => {
    const up = await failing(error);
    await expect(up.call('some')).rejects.toMatchObject({ ...shown, message: expect.stringMatching(/^up: some: /) });
  });

  test('of a request that was relayed is not passed on', async () => {
    const up = await failing(error);
    await expect(getPrompt(up)).rejects.toMatchObject({
      ...shown,
      message: expect.stringMatching(/^up: prompts\/get: /),
    });
  });
});

test('a message without end is told in part', async () => {
  const up = await failing(`{"code":-32021,"message":"${'m'.repeat(2_000)}"}`);
  await expect(up.call('some')).rejects.toMatchObject({
    data: { upstreamError: { message: 'm'.repeat(1_000) } },
  });
});

test.each([-32019, -32023, -32602, -32002, 32021, -320210, 7])('error %i is passed as it is', async (code) => {
  const error = `{"code":${code},"message":"m","data":{"n":12345678901234567890}}`;
  const up = await failing(error);
  expect(await up.call('some')).toMatchObject({ code, message: 'm' });
  const { kind, bytes, start, end } = await getPrompt(up);
  expect([kind, decodeText(bytes, start, end)]).toEqual(['error', error]);
});
