/** What waits for the stream of a session while there is none. */
import { expect, test } from 'vitest';
import { EventReader } from '../../../test/fixtures/http-caller.js';
import { openTestDoor } from '../../../test/fixtures/http-door.js';
import { toolNamed } from '../../../test/fixtures/memory-gateway.js';
import type { MemoryScript } from '../../../test/fixtures/memory-transport.js';
import { until } from '../../../test/fixtures/open-door.js';

const patient: MemoryScript = { tools: [toolNamed('x')], on: { 'tools/call': () => undefined } };
const CALL = { id: 1, method: 'tools/call', params: { name: 'a__x', arguments: {} } };
const JSON_ALONE = { accept: 'application/json' };

const question = (id: string, message: string) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'elicitation/create',
    params: { message, requestedSchema: { type: 'object', properties: {} } },
  });

/** A caller who can be asked, takes no stream, and has a call under way. */
async function callerAsked(context: Parameters<typeof openTestDoor>[0]) {
  const { caller, memory } = await openTestDoor(context, { mounts: { a: { scripts: [patient, patient] } } });
  const one = caller();
  await one.initialize('2025-11-25', { elicitation: {} });
  const called = one.post(CALL, JSON_ALONE);
  const isCalled = () => memory.attempts('a').some((each) => each.received('tools/call').length > 0);
  await until(isCalled, 'the call arrived');
  const upstream = memory.attempts('a').find((each) => each.received('tools/call').length > 0)!;
  return { one, called, upstream };
}

test('a question is kept, however many notifications are', async (context) => {
  const { one, called, upstream } = await callerAsked(context);
  for (let i = 0; i < 150; i++) {
    const params = { level: 'error', data: `${i} ${'x'.repeat(2_000)}` };
    upstream.say(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params }));
  }
  upstream.say(question('q', 'What?'));
  await new Promise((resolve) => setTimeout(resolve, 50));
  const reader = new EventReader(await one.begin({ method: 'GET' }));
  const asked = () => reader.events.find(({ method }) => method === 'elicitation/create');
  await until(() => asked() !== undefined, 'it came');
  await one.post({ id: asked()!.id, result: { action: 'decline' } });
  await until(() => upstream.sent.some(({ message }) => message.id === 'q' && 'result' in message), 'it was answered');
  upstream.answer(upstream.received('tools/call')[0]!.id, { content: [] });
  expect((await called).status).toBe(200);
});

test('a question that is too large to be kept is refused, not lost', async (context) => {
  const { one, called, upstream } = await callerAsked(context);
  upstream.say(question('q', 'x'.repeat(2 * 1024 * 1024)));
  await until(() => upstream.sent.some(({ message }) => message.id === 'q' && 'error' in message), 'it was refused');
  // Whoever asked is not left with anything of it.
  upstream.say(question('r', 'What?'));
  const reader = new EventReader(await one.begin({ method: 'GET' }));
  await until(() => reader.events.length > 0, 'another one came');
  expect(reader.events[0]).toMatchObject({ params: { message: 'What?' } });
  upstream.answer(upstream.received('tools/call')[0]!.id, { content: [] });
  expect((await called).status).toBe(200);
});
