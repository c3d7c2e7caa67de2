/** Tools: lists, calls, what answers hold, progress, cancelling, errors. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from './expect.mjs';
import { failureOf } from './session.mjs';

const callOf =
  (member) =>
  ({ full, offer }) =>
    full.call(...offer[member]);

/** The type of a content block must be there, or the row proves nothing. */
const contentOf =
  (member, type) =>
  async ({ full, offer }) => {
    const result = await full.call(...offer[member]);
    expect(
      result.content.some((block) => block.type === type),
      `${type} in the answer`,
    );
    return result;
  };

export const TOOL_FEATURES = [
  { title: 'tools/list: definitions as the server wrote them', observe: ({ full }) => full.tools() },
  { title: 'tools/call', observe: ({ full }) => full.call('echo', { message: 'héllo ✓ "\n' }) },
  { title: 'structuredContent, with an outputSchema', observe: callOf('structured') },
  { title: 'content: image', observe: contentOf('image', 'image') },
  { title: 'content: audio', lacks: 'no tool gives audio', observe: contentOf('audio', 'audio') },
  { title: 'content: embedded resource, text', observe: contentOf('embedded', 'resource') },
  { title: 'content: embedded resource, blob', observe: contentOf('embeddedBlob', 'resource') },
  { title: 'content: resource_link', observe: contentOf('link', 'resource_link') },
  { title: 'result with isError', observe: callOf('failing') },
  {
    title: "the server's own answer for a tool that it no longer has",
    lacks: 'no tool goes unannounced',
    observe: async ({ full }) => {
      const before = await full.call('ghost');
      await full.call('banish-ghost');
      // Version 1 answers with an isError result, version 2 with a protocol error.
      const after = await full.call('ghost').catch(({ code, message, data }) => ({ code, message, data }));
      expect(after.isError ?? after.code !== undefined, 'an error');
      return { before, after };
    },
  },
  { title: 'progress, all of it before the result', observe: seeProgress },
  { title: 'cancelled: reaches the server, for the right request', observe: cancel },
  {
    title: 'tools/list_changed',
    lacks: 'no tool adds a tool',
    observe: async ({ full }) => {
      const heard = await full.hearing('notifications/tools/list_changed', 1, () =>
        full.call('add-tool', { name: 'grown' }),
      );
      return { isTold: heard.length > 0, tools: await full.tools(), result: await full.call('grown') };
    },
  },
  {
    title: 'unknown `_meta` keys, to the server',
    observe: async ({ full, offer }) => {
      const start = full.shown().length;
      const meta = { 'example.com/trace': { list: [1, null] }, plain: 'kept' };
      await full.call('echo', { message: 'meta' }, { meta });
      await full.client.readResource({ uri: offer.textUri, _meta: meta });
      await full.client.getPrompt({ name: full.name(offer.prompt[0]), arguments: offer.prompt[1], _meta: meta });
      const shown = full.shown().slice(start);
      return ['tools/call', 'resources/read', 'prompts/get'].map((method) => {
        const { progressToken: _, ...kept } = shown.find((message) => message.method === method).params._meta ?? {};
        expect(kept.plain === 'kept', `_meta of ${method}`);
        return { method, kept };
      });
    },
  },
  {
    title: 'unknown `_meta` keys, from the server',
    lacks: 'no answer of it has any',
    observe: async ({ full }) => {
      const result = await full.call('get-meta', {}, { meta: { 'example.com/asked': true } });
      expect(result._meta.plain === 'kept', '_meta in the answer');
      return { result, prompt: await full.getPrompt('hello') };
    },
  },
  {
    title: 'protocol error with data (-32042)',
    observe: async ({ full, offer }) => {
      await full.requireTool(offer.requireUrl[0]);
      const failure = await failureOf(full.call(...offer.requireUrl));
      expect(failure.code === -32042, `code ${failure.code}`);
      return failure;
    },
  },
];

/**
 * Looks at the messages as they came: the SDK's client forgets its listener at the result, before it has heard the
 * progress that came in the same chunk.
 */
async function seeProgress({ full, offer }) {
  const start = full.received.length;
  const [name, args] = offer.progress;
  const result = await full.call(name, args, { onprogress: () => {} });
  const received = full.received.slice(start);
  const end = received.findIndex((message) => message.result?.content !== undefined);
  const progress = received
    .slice(0, end)
    .filter(({ method }) => method === 'notifications/progress')
    .map(({ params: { progressToken: _, ...params } }) => params);
  expect(progress.length === 3, `3 progress notifications before the result, not ${progress.length}`);
  return { progress, result };
}

async function cancel({ full, offer }) {
  const [name, args] = offer.slow;
  await full.requireTool(name);
  const start = full.shown().length;
  const shown = (method) =>
    full
      .shown()
      .slice(start)
      .find((message) => message.method === method);
  const controller = new AbortController();
  const failure = failureOf(full.call(name, args, { signal: controller.signal }));
  failure.catch(() => {}); // It is awaited below; until then a row that fails must not end the run.
  const call = await full.until(() => shown('tools/call'), 'the call to reach the server');
  controller.abort('enough');
  await failure;
  const cancelled = await full.until(() => shown('notifications/cancelled'), 'the server to be told');
  // What the server still says for it must not reach the client, nor disturb what follows.
  await sleep(100);
  return { isOfCall: cancelled.params.requestId === call.id, next: await full.call('echo', { message: 'after' }) };
}
