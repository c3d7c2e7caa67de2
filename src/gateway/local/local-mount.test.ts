import { expect, test } from 'vitest';
import * as z from 'zod';
import { type CallEvent, EventBus, type Principal } from '../../base/index.js';
import { defineContract, defineTool, implement, ToolError, withContent } from '../../contract/index.js';
import { createGateway } from '../gateway.js';
import { localMount } from './local-mount.js';

const ME: Principal = { id: 'local:1', kind: 'local' };
const NOBODY: Principal = { id: 'anonymous', kind: 'anonymous' };
const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

const greet = defineTool({
  name: 'greet',
  description: 'Greets.',
  kind: 'read',
  input: z.object({ name: z.string(), times: z.int().min(1).default(2) }),
  output: z.object({ text: z.string() }),
  aliases: ['hello'],
});
const fail = defineTool({
  name: 'fail',
  description: 'Fails.',
  kind: 'write',
  input: z.object({ how: z.enum(['tool-error', 'error', 'wrong-output', 'nothing']) }),
  output: z.object({ ok: z.boolean() }),
});
const secret = defineTool({
  name: 'secret',
  description: 'Is private.',
  kind: 'read',
  visibility: 'private',
  input: z.object({}),
  output: z.object({ ok: z.boolean() }),
});
const scoped = defineTool({
  name: 'scoped',
  description: 'Needs a scope.',
  kind: 'read',
  auth: { scopes: ['notes:read'] },
  input: z.object({ id: z.number().refine((id) => id !== 13, 'thirteen is never there') }),
  output: z.object({ ok: z.boolean() }),
});
const contract = defineContract({
  server: { name: 'io.example/own', description: 'A server.', version: '1.2.3' },
  tools: [greet, fail, secret, scoped],
  resources: [{ name: 'note', uriTemplate: 'note://{id}', mimeType: 'text/plain' }],
  prompts: [{ name: 'ask', arguments: [{ name: 'about', required: true }] }],
});
const implementation = implement(contract, {
  tools: {
    greet: ({ name, times }) => withContent({ text: name.repeat(times) }, [{ type: 'text', text: 'hi' }]),
    fail: ({ how }) => {
      if (how === 'tool-error') throw new ToolError('the reason');
      if (how === 'error') throw new Error('/secret/path');
      return (how === 'nothing' ? undefined : { ok: 'no' }) as never;
    },
    secret: () => ({ ok: true }),
    scoped: () => ({ ok: true }),
  },
  resources: { note: ({ variables }) => `note ${variables.id}` },
  prompts: { ask: ({ about }) => `What about ${about}?` },
});

function open() {
  const events = new EventBus();
  const calls: CallEvent[] = [];
  const failures: string[] = [];
  events.on('call.completed', (event) => void calls.push(event));
  events.on('call.rejected', (event) => void calls.push(event));
  events.on('handler.failed', ({ reason }) => void failures.push(reason));
  const gateway = createGateway({ mounts: [localMount(implementation, { events })], events });
  const call = async (tool: string, args: unknown, principal = ME) => {
    const answer = await gateway.callTool({ mount: 'own', tool, arguments: bytes(args) }, { principal });
    const { bytes: text, start, end } = answer.json;
    return JSON.parse(new TextDecoder().decode(text.subarray(start, end)));
  };
  return { gateway, call, calls, failures };
}

test('a handler gets judged arguments with defaults, and what it returns is the structured content', async () => {
  const { gateway, call, calls } = open();
  expect(await call('greet', { name: 'a' })).toEqual({
    content: [{ type: 'text', text: 'hi' }],
    structuredContent: { text: 'aa' },
  });
  expect(calls).toMatchObject([{ tool: 'greet', transport: 'local', outcome: 'ok' }]);
  await expect(call('greet', { name: 'a', tmes: 3 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  await gateway.close();
});

test.each([
  { how: 'tool-error', says: 'the reason', logged: 0 },
  { how: 'error', says: 'fail failed unexpectedly; the log of its server says why', logged: 1 },
])('a handler that throws ($how) answers with an error that its caller may read', async ({ how, says, logged }) => {
  const { gateway, call, failures } = open();
  expect(await call('fail', { how })).toEqual({ isError: true, content: [{ type: 'text', text: says }] });
  expect(failures).toHaveLength(logged);
  await gateway.close();
});

test('an output that violates its own schema is an error', async () => {
  const { gateway, call } = open();
  expect(await call('fail', { how: 'wrong-output' })).toMatchObject({ isError: true });
  await gateway.close();
});

test('private tools are there for those who are known, and scopes are asked for', async () => {
  const { gateway, call } = open();
  const names = async (principal: Principal) => (await gateway.listTools({ principal })).map(({ name }) => name);
  expect(await names(ME)).toEqual(['greet', 'fail', 'secret', 'scoped']);
  expect(await names(NOBODY)).toEqual(['greet', 'fail', 'scoped']);
  expect(await gateway.listTools({ principal: NOBODY })).toBe(await gateway.listTools({ principal: NOBODY }));
  await expect(call('secret', {}, NOBODY)).rejects.toMatchObject({ code: 'TOOL_UNKNOWN' });
  await expect(call('scoped', { id: 1 }, NOBODY)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  const granted: Principal = { id: 'x', kind: 'token', scopes: ['notes:read'] };
  expect(await call('scoped', { id: 1 }, granted)).toMatchObject({ structuredContent: { ok: true } });
  await gateway.close();
});

test('a refinement that JSON Schema cannot say refuses as the judge would', async () => {
  const { gateway, call } = open();
  expect(await call('scoped', { id: 13 })).toMatchObject({
    code: -32602,
    data: { code: 'INVALID_ARGUMENTS', issues: [{ path: '$.id', pointer: '/id', message: 'thirteen is never there' }] },
  });
  await gateway.close();
});
