// @ts-check
/** The features as the official SDK's clients can try them. Ids are those of the raw caller's features. */
import { createHash } from 'node:crypto';
import { toolDefinitions } from '../../test/fixtures/feature-tools.mjs';
import { World } from '../../test/fixtures/feature-world.mjs';
import { same, that } from './expect.mjs';

/** @typedef {import('./sdk.mjs').SdkTrial} SdkTrial */

const ADA = { action: 'accept', content: { name: 'Ada', age: 36 } };
const COUNTER = 'feature://counter';

/** @type {readonly { id: string, run: (trial: SdkTrial) => Promise<void> }[]} */
export const SDK_FEATURES = [
  {
    id: 'call',
    async run(trial) {
      const { structuredContent } = await trial.call('mirror', { a: [1, 'é'] });
      same(structuredContent.arguments, { a: [1, 'é'] }, 'arguments');
      same((await trial.call('fail_tool')).isError, true, 'isError');
    },
  },
  {
    id: 'errors',
    async run(trial) {
      const error = await trial.call('fail_protocol').catch((/** @type {any} */ thrown) => thrown);
      same([error.code, error.data?.why], [4711, ['a', 1]], 'error');
    },
  },
  {
    id: 'progress',
    async run(trial) {
      /** @type {number[]} */
      const seen = [];
      await trial.call(
        'report_progress',
        // Version 2 of the SDK forgets what came in one read with the result: nothing may.
        { steps: 3, everyMs: 40 },
        { onprogress: (/** @type {any} */ { progress }) => seen.push(progress) },
      );
      same(seen, [1, 2, 3], 'progress');
    },
  },
  {
    id: 'cancel',
    async run(trial) {
      const controller = new AbortController();
      const key = `sdk-${trial.sdk.title}`;
      const held = trial.call(
        'hold',
        { key },
        { signal: controller.signal, onprogress: () => controller.abort('enough') },
      );
      const outcome = await held.then(
        () => 'answered',
        () => 'ended',
      );
      same(outcome, 'ended', 'the cancelled call');
      const { structuredContent } = await trial.call('what_was_cancelled', { key });
      that(
        structuredContent.cancelled.some((/** @type {any} */ one) => one.key === key),
        'the server did not hear of it',
      );
    },
  },
  {
    id: 'binary',
    async run(trial) {
      const { content } = await trial.call('binary');
      same(
        content.map((/** @type {any} */ { type }) => type),
        ['image', 'audio', 'resource', 'resource_link'],
        'content',
      );
    },
  },
  {
    id: 'payload',
    async run(trial) {
      const text = 'wörd '.repeat(200_000);
      const { structuredContent } = await trial.call('payload', { bytes: 1_000_000, text });
      same(structuredContent.heard.sha256, createHash('sha256').update(text).digest('hex'), 'digest');
    },
  },
  {
    id: 'form',
    async run(trial) {
      trial.answers['elicitation/create'] = () => ADA;
      same((await trial.call('ask_form')).structuredContent.answers, { form: ADA }, 'answer');
    },
  },
  {
    id: 'url',
    async run(trial) {
      trial.answers['elicitation/create'] = ({ mode }) => ({ action: mode === 'url' ? 'accept' : 'decline' });
      same((await trial.call('ask_url')).structuredContent.answers, { url: { action: 'accept' } }, 'answer');
    },
  },
  {
    id: 'sampling',
    async run(trial) {
      const word = { role: 'assistant', model: 'm-1', content: { type: 'text', text: 'word' } };
      trial.answers['sampling/createMessage'] = () => word;
      const { sampling } = (await trial.call('ask_sampling')).structuredContent.answers;
      same([sampling.model, sampling.content.text], ['m-1', 'word'], 'answer');
    },
  },
  {
    id: 'roots',
    async run(trial) {
      const roots = [{ uri: 'file:///a', name: 'a' }];
      trial.answers['roots/list'] = () => ({ roots });
      same((await trial.call('ask_roots')).structuredContent.answers.roots.roots, roots, 'answer');
    },
  },
  {
    id: 'rounds',
    async run(trial) {
      trial.answers['elicitation/create'] = ({ message }) => ({ action: 'accept', content: { name: message, age: 1 } });
      const { first, second } = (await trial.call('ask_twice')).structuredContent.answers;
      same([first.content.name, second.content.name], ['first', 'second'], 'answers');
    },
  },
  {
    id: 'prompts',
    async run(trial) {
      const { prompts } = await trial.client.listPrompts();
      that(
        prompts.some((/** @type {any} */ { name }) => name === trial.name('greet')),
        'the prompt is not listed',
      );
      const { messages } = await trial.client.getPrompt({ name: trial.name('greet'), arguments: { name: 'Ada' } });
      same(messages[0].content.text, 'Greet Ada.', 'prompt');
    },
  },
  {
    id: 'completion',
    async run(trial) {
      const ref = { type: 'ref/prompt', name: trial.name('greet') };
      const { completion } = await trial.client.complete({ ref, argument: { name: 'name', value: 'A' } });
      same(completion.values, ['Ada', 'Alan'], 'values');
    },
  },
  {
    id: 'resources',
    async run(trial) {
      const { contents } = await trial.client.readResource({ uri: 'feature://text' });
      same(contents[0].text, 'plain', 'text');
      const { resourceTemplates } = await trial.client.listResourceTemplates();
      same(resourceTemplates[0].uriTemplate, 'feature://item/{id}', 'template');
    },
  },
  {
    id: 'subscriptions',
    async run(trial) {
      const updates = () =>
        trial.heard.filter(({ method, params }) => method.endsWith('/updated') && params.uri === COUNTER).length;
      const before = updates();
      const stream = await listen(trial, { resourceSubscriptions: [COUNTER] });
      await trial.call('touch', { uri: COUNTER });
      await trial.until(() => updates() > before, 'the update');
      await stream.close();
    },
  },
  {
    id: 'list-changes',
    async run(trial) {
      // Who never listed need not be told: nothing that he knows has changed.
      await allTools(trial);
      const stream = await listen(trial, { toolsListChanged: true });
      for (const isThere of [true, false]) {
        const changes = () => trial.heard.filter(({ method }) => method === 'notifications/tools/list_changed').length;
        const before = changes();
        await trial.call('change', { list: 'tools' });
        await trial.until(() => changes() > before, 'the change');
        const names = await allTools(trial);
        same(names.includes(trial.name('extra')), isThere, 'the new tool');
      }
      await stream.close();
    },
  },
  {
    id: 'pagination',
    async run(trial) {
      const wanted = toolDefinitions(trial.upstreamEra, new World()).map(({ name }) => trial.name(name));
      // A client of the newer era may leave out a tool whose headers it cannot say.
      const seen = await allTools(trial);
      same(seen.sort(), wanted.sort(), 'tools');
    },
  },
];

/** Pages, whether the client follows them by itself (version 2) or not. @param {SdkTrial} trial @returns {Promise<string[]>} */
async function allTools(trial) {
  const names = [];
  /** @type {string | undefined} */
  let cursor;
  for (let page = 0; page < 50; page++) {
    /** @type {{ tools: any[], nextCursor?: string }} */
    const { tools, nextCursor } = await trial.client.listTools(cursor === undefined ? undefined : { cursor });
    names.push(...tools.map(({ name }) => name));
    if (nextCursor === undefined) return names;
    cursor = nextCursor;
  }
  throw new Error('there is no last page');
}

/** @param {SdkTrial} trial @param {{ resourceSubscriptions?: string[], toolsListChanged?: boolean }} filter @returns {Promise<{ close(): Promise<unknown> }>} */
async function listen(trial, filter) {
  if (trial.era === 'modern') return trial.client.listen(filter);
  const uris = filter.resourceSubscriptions ?? [];
  for (const uri of uris) await trial.client.subscribeResource({ uri });
  return {
    close: async () => {
      for (const uri of uris) await trial.client.unsubscribeResource({ uri });
    },
  };
}
