import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import {
  type Caller,
  type CallerAnswer,
  type CallerRequest,
  type CallOptions,
  CallSignal,
  DoorError,
  decodeText,
  encodeText,
  JsonScanner,
  type JsonSlice,
  type Principal,
  sliceOf,
} from '../../base/index.js';
import { defineContract, defineTool, type HandlerContext, implement, type Reply } from '../../contract/index.js';
import { makeCallParams, resourceParams } from '../../protocol/index.js';
import { createGateway } from '../gateway.js';
import { localMount } from './local-mount.js';

const ME: Principal = { id: 'local:1', kind: 'local' };
const textOf = ({ bytes, start, end }: JsonSlice) => JSON.parse(decodeText(bytes, start, end));

const run = defineTool({
  name: 'run',
  description: 'Does what the test says.',
  kind: 'write',
  input: z.object({ id: z.number().default(0) }),
  output: z.looseObject({}),
  aliases: ['do-it'],
});

/** A gateway before one tool, whose handler is the test's. */
function open(handler: (input: { id: number }, context: HandlerContext) => unknown) {
  const contract = defineContract({
    server: { name: 'io.example/own', description: 'A server.', version: '1.0.0' },
    tools: [run],
    resources: [
      { name: 'bytes', uri: 'own://bytes', mimeType: 'image/png' },
      { name: 'note', uriTemplate: 'own://notes/{id}' },
    ],
    prompts: [{ name: 'ask', description: 'Asks.', arguments: [{ name: 'about', required: true }] }],
  });
  const implementation = implement(contract, {
    tools: { run: handler as never },
    resources: {
      bytes: () => new Uint8Array([0, 255]),
      note: ({ variables }) => [
        { text: `note ${variables.id}` },
        { uri: 'own://notes/end', blob: new Uint8Array([1]) },
      ],
    },
    prompts: { ask: ({ about }) => [{ role: 'assistant', content: { type: 'text', text: `${about}?` } }] },
  });
  const gateway = createGateway({ mounts: [localMount(implementation)] });
  const call = (args: string, options: Partial<CallOptions> = {}, view = gateway as Pick<typeof gateway, 'callTool'>) =>
    view.callTool({ mount: 'own', tool: 'run', arguments: encodeText(args) }, { principal: ME, ...options });
  return { gateway, call };
}

/** A caller of the handshake era who answers questions. */
function callerWho(answer: (request: CallerRequest) => unknown, elicitation = '{"form":{},"url":{}}'): Caller {
  return {
    principal: ME,
    takesRequests: true,
    program: 'test',
    door: 'test',
    capabilities: { elicitation },
    ask: async (request): Promise<CallerAnswer> => ({
      kind: 'result',
      json: sliceOf(encodeText(JSON.stringify(answer(request)))),
    }),
    tell: () => {},
  };
}

test('cancelling a call ends the signal of its handler, and nobody else’s', async () => {
  const signals = new Map<number, AbortSignal>();
  const { gateway, call } = open(async ({ id }, { signal }) => {
    signals.set(id, signal);
    if (id === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    else await new Promise((resolve) => setTimeout(resolve, 20));
    return { id };
  });
  const signal = new CallSignal();
  const cancelled = call('{"id":1}', { signal });
  const other = call('{"id":2}');
  setTimeout(() => signal.abort(new Error('enough')), 5);
  await expect(cancelled).rejects.toThrow('enough');
  expect(textOf((await other).json).structuredContent).toEqual({ id: 2 });
  expect([1, 2].map((id) => signals.get(id)?.aborted)).toEqual([true, false]);
  await gateway.close();
});

test('closing the gateway ends the handlers that run', async () => {
  let ended: AbortSignal | undefined;
  const { gateway, call } = open(async (_, { signal }) => {
    ended = signal;
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return {};
  });
  const calling = call('{}');
  calling.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 10));
  await gateway.close();
  await expect(calling).rejects.toMatchObject({ code: 'UPSTREAM_LOST' });
  expect(ended?.aborted).toBe(true);
});

test('progress is told while it grows and before the answer, and not to those who did not ask', async () => {
  let late: HandlerContext | undefined;
  const { gateway, call } = open((_, context) => {
    late = context;
    for (const progress of [Number.POSITIVE_INFINITY, 1, 1, 0.5, '7' as never, 2, Number.NaN])
      context.progress({ progress, total: 2, message: `at ${progress}` });
    return {};
  });
  const told: unknown[] = [];
  await call('{}', { progress: (params) => void told.push(textOf(params)) });
  late?.progress({ progress: 3 });
  expect(told).toMatchObject([
    { progress: 1, total: 2, message: 'at 1' },
    { progress: 2, total: 2, message: 'at 2' },
  ]);
  await call('{}');
  expect(told).toHaveLength(2);
  await gateway.close();
});

test('a loop that tells of every step is heard at its beginning and at its end, and in what order it went', async () => {
  const { gateway, call } = open(async (_, { progress }) => {
    for (let step = 1; step <= 50_000; step++) progress({ progress: step });
    await new Promise((resolve) => setTimeout(resolve, 5));
    for (let step = 50_001; step <= 100_000; step++) progress({ progress: step });
    return {};
  });
  const told: number[] = [];
  await call('{}', { progress: (params) => void told.push(textOf(params).progress) });
  expect(told.length).toBeLessThan(300);
  expect(told.slice(0, 2)).toEqual([1, 2]);
  expect(told).toContain(50_000);
  expect(told.at(-1)).toBe(100_000);
  expect(told).toEqual([...told].sort((a, b) => a - b));
  await gateway.close();
});

test.each<{ why: string; answer: unknown; reply: Reply }>([
  {
    why: 'accepted, with the defaults of the form',
    answer: { action: 'accept', content: { name: 'Ada' } },
    reply: { action: 'accept', content: { name: 'Ada', loud: true } },
  },
  { why: 'declined', answer: { action: 'decline' }, reply: { action: 'decline' } },
  { why: 'put off', answer: { action: 'cancel' }, reply: { action: 'cancel' } },
])('a question that is $why', async ({ answer, reply }) => {
  const asked: unknown[] = [];
  const { gateway, call } = open(async (_, { elicit }) => {
    const form = z.object({ name: z.string(), loud: z.boolean().default(true) });
    return { reply: await elicit({ message: 'Who?', form }) };
  });
  const caller = callerWho((request) => {
    asked.push(request.params && textOf(request.params));
    return answer;
  });
  const view = gateway.admit(caller);
  const result = await call('{}', { caller }, view);
  expect(textOf(result.json).structuredContent).toEqual({ reply });
  expect(asked).toMatchObject([
    { message: 'Who?', mode: 'form', requestedSchema: { type: 'object', required: ['name'] } },
  ]);
  await view.close();
  await gateway.close();
});

test('a page to open is asked for as such', async () => {
  const { gateway, call } = open(async (_, { elicit }) => ({
    reply: await elicit({ message: 'Pay', url: 'https://pay.example/1' }),
  }));
  const caller = callerWho(({ params }) => {
    const { mode, url } = textOf(params!);
    return { action: mode === 'url' && url === 'https://pay.example/1' ? 'accept' : 'cancel' };
  });
  const view = gateway.admit(caller);
  expect(textOf((await call('{}', { caller }, view)).json).structuredContent).toEqual({ reply: { action: 'accept' } });
  await view.close();
  await gateway.close();
});

test('a caller who cannot be asked in that way: the handler is told, and may do without', async () => {
  const { gateway, call } = open(async (_, { elicit }) => {
    const failed = await elicit({ message: 'Pay', url: 'https://pay.example/1' }).catch((thrown: unknown) => thrown);
    return { code: failed instanceof DoorError ? failed.code : 'none' };
  });
  const caller = callerWho(() => ({ action: 'accept' }), '{}');
  const view = gateway.admit(caller);
  for (const result of [await call('{}'), await call('{}', { caller }, view)]) {
    expect(textOf(result.json).structuredContent).toEqual({ code: 'CAPABILITY_MISSING' });
  }
  await view.close();
  await gateway.close();
});

test('a number that JavaScript would round does not reach a handler', async () => {
  const { gateway, call } = open(({ id }) => ({ id }));
  const refused = await call('{"id":12345678901234567890}');
  expect(textOf(refused.json)).toMatchObject({
    code: -32602,
    data: { code: 'INVALID_ARGUMENTS', issues: [{ path: '$.id', pointer: '/id' }] },
  });
  expect(textOf((await call('{"id":9007199254740991}')).json).structuredContent).toEqual({ id: 9007199254740991 });
  await gateway.close();
});

test('what a handler returns is said as text too', async () => {
  const { gateway, call } = open(({ id }) => ({ id, more: ['ü', null] }));
  const { content, structuredContent } = textOf((await call('{"id":7}')).json);
  expect(structuredContent).toEqual({ id: 7, more: ['ü', null] });
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
  await gateway.close();
});

test('an old name still works, and is in no list', async () => {
  const { gateway } = open(({ id }) => ({ id }));
  expect((await gateway.listTools()).map(({ name }) => name)).toEqual(['run']);
  const params = makeCallParams(new JsonScanner(), 'do-it', encodeText('{"id":7}'));
  if (typeof params === 'string') throw new Error(params);
  const result = await gateway.call(params, { principal: ME });
  expect(textOf(result.json).structuredContent).toEqual({ id: 7 });
  await gateway.close();
});

test('resources and prompts are served from their handlers', async () => {
  const { gateway } = open(() => ({}));
  const uris = (await gateway.listOffers('resources')).map(({ key }) => key);
  expect(uris).toEqual(['own://bytes']);
  const read = async (uri: string) => {
    const answer = await gateway.relay('resources/read', resourceParams(uri), { principal: ME });
    return textOf(answer.json);
  };
  expect(await read('own://bytes')).toEqual({
    contents: [{ uri: 'own://bytes', mimeType: 'image/png', blob: 'AP8=' }],
  });
  await gateway.listOffers('templates');
  expect(await read('own://notes/a%20b')).toEqual({
    contents: [
      { uri: 'own://notes/a%20b', text: 'note a b' },
      { uri: 'own://notes/end', blob: 'AQ==' },
    ],
  });
  expect((await gateway.listOffers('prompts')).map(({ advertised }) => JSON.parse(advertised))).toMatchObject([
    { description: 'Asks.', arguments: [{ name: 'about', required: true }] },
  ]);
  await gateway.close();
});

test('any number of calls side by side, each with its own answer', async () => {
  const { gateway, call } = open(async ({ id }) => {
    await new Promise((resolve) => setTimeout(resolve, id % 7));
    return { id };
  });
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 0, max: 1e6 }), { maxLength: 60 }), async (ids) => {
      const answers = await Promise.all(ids.map((id) => call(JSON.stringify({ id }))));
      expect(answers.map(({ json }) => textOf(json).structuredContent.id)).toEqual(ids);
    }),
    { numRuns: 15 },
  );
  await gateway.close();
});
