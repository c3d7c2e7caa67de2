/** Judging from the text alone, where a judge is warm and the tokens are at hand; and not where they are not. */
import { beforeAll, describe, expect, test } from 'vitest';
import { MemoryTransport } from '../../test/fixtures/memory-transport.js';
import { VirtualClock } from '../../test/fixtures/virtual-clock.js';
import { DoorError, EventBus, encodeText, JsonScanner } from '../base/index.js';
import type { ListedTool } from '../catalog/index.js';
import { type CallParams, locateCallParams } from '../protocol/index.js';
import { prepareEngine } from '../schema/index.js';
import { Client } from './client.js';

const schema = (title: string) => ({
  type: 'object',
  title,
  properties: { n: { type: 'integer', maximum: 9 }, more: {} },
  required: ['n'],
});
const TOOL = { name: 't', inputSchema: schema('in'), outputSchema: schema('out') };

/** @param answers texts of structuredContent; they are given in one chunk, once there is a call for each */
async function connected(answers: readonly string[] = []) {
  const ids: unknown[] = [];
  const violated: string[] = [];
  const transport = new MemoryTransport({
    tools: [TOOL],
    on: {
      'tools/call': ({ id }) => {
        ids.push(id);
        if (ids.length < answers.length) return;
        const result = (at: number): string => `{"content":[],"structuredContent":${answers[at] ?? '{"n":1}'}}`;
        transport.say(...ids.map((each, at) => `{"jsonrpc":"2.0","id":${each},"result":${result(at)}}`));
      },
    },
  });
  const events = new EventBus();
  events.on('output.violation', ({ issues }) => violated.push(issues.map(({ path }) => path).join()));
  let tools: readonly ListedTool[] = [];
  const client = new Client({
    era: 'handshake',
    upstream: 'up',
    connect: () => transport,
    events,
    clock: new VirtualClock(),
    validation: { uncompilableOutput: 'exclude' },
    startTimeoutMs: 1_000,
    callTimeoutMs: 1_000,
    maxCallMs: 1_000,
    maxMessageBytes: 10_000_000,
    maxDepth: 20,
    maxInFlight: 10,
    info: { name: 'doorward', version: '0' },
    listed: (list) => {
      tools = list.tools;
    },
  });
  await client.start();
  const call = (params: CallParams) => client.call(tools[0]!, params, { principal: { id: 'me', kind: 'local' } });
  return { call, transport, violated };
}

const scanner = new JsonScanner({ nestingLimit: 22 });

function located(text: string): CallParams {
  const message = encodeText(`{"params":{"name":"t","arguments":${text}}}`);
  scanner.scan(message, 0, message.length);
  return locateCallParams(scanner, message, 0) as CallParams;
}

beforeAll(async () => {
  await prepareEngine();
});

describe('arguments', () => {
  test.each([
    { why: 'a number', text: '{"n":10}' },
    { why: 'a type', text: '{"n":"1"}' },
    { why: 'a name twice', text: '{"n":1,"n":1}' },
    { why: 'a number that no double holds', text: '{"n":9007199254740993}' },
    { why: 'an exponent', text: '{"n":1e1}' },
    { why: 'nesting', text: `{"n":1,"more":${'['.repeat(30)}${']'.repeat(30)}}` },
  ])('are refused for $why', async ({ text }) => {
    const { call, transport } = await connected();
    await expect(call(located(text))).rejects.toThrow(DoorError);
    expect(transport.received('tools/call')).toEqual([]);
  });

  test.each(['{"n":1}', '{"n":1.0}', '{"n":1e0}', '{"\\u006e":1}', '{"more":[1e400],"n":-5}'])(
    'pass: %s',
    async (text) => {
      const { call, transport } = await connected();
      await call(located(text));
      expect(transport.received('tools/call')[0]?.line).toContain(text);
    },
  );

  test('are judged by their own text, though another has been scanned since', async () => {
    const { call, transport } = await connected();
    const bad = located('{"n":10}');
    const good = located('{"n":1}');
    await expect(call(bad)).rejects.toThrow('<= 9');
    await call(good);
    expect(transport.received('tools/call')).toHaveLength(1);
  });
});

test('answers that come in one chunk are judged each by its own text', async () => {
  const { call, violated } = await connected(['{"n":1}', '{"n":10}', '{"n":1.0}', '{"n":2}', '{"m":3}']);
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => call(located('{"n":1}'))));
  expect(answers.map(({ violations }) => violations.length)).toEqual([0, 1, 0, 0, 1]);
  expect(violated).toEqual(['$.n', '$']);
});
