/** Resources, prompts, completion, logging: what a server offers besides tools. */
import { expect } from './expect.mjs';
import { failureOf } from './session.mjs';

const UPDATED = 'notifications/resources/updated';
const MESSAGE = 'notifications/message';

export const RESOURCE_FEATURES = [
  { title: 'resources/list, all pages', observe: ({ full, offer }) => full.resources(offer.uriPrefix) },
  {
    title: 'resources/read: text',
    observe: async ({ full, offer }) => {
      const result = await full.client.readResource({ uri: offer.textUri });
      expect(typeof result.contents[0].text === 'string', 'text');
      return result;
    },
  },
  {
    title: 'resources/read: blob',
    observe: async ({ full, offer }) => {
      const result = await full.client.readResource({ uri: offer.blobUri });
      expect(typeof result.contents[0].blob === 'string', 'a blob');
      return result;
    },
  },
  {
    title: 'resources/templates/list',
    observe: async ({ full, offer }) => {
      const templates = await full.templates(offer.uriPrefix);
      expect(
        templates.some(({ uriTemplate }) => uriTemplate === offer.template.uri),
        offer.template.uri,
      );
      return templates;
    },
  },
  {
    title: 'resources/read through a template',
    observe: ({ full, offer }) => full.client.readResource({ uri: offer.template.filled }),
  },
  { title: 'subscribe, updated, unsubscribe', observe: subscribe },
  {
    title: 'resources/list_changed, and the new one can be read',
    observe: async ({ full, offer }) => {
      let result;
      const heard = await full.hearing('notifications/resources/list_changed', 1, async () => {
        result = await full.call(...offer.addResource);
      });
      const resources = await full.resources(offer.uriPrefix);
      expect(
        resources.some(({ uri }) => uri === offer.addedUri),
        `${offer.addedUri} in the list`,
      );
      const read = await full.client.readResource({ uri: offer.addedUri });
      return { isTold: heard.length > 0, result, resources, read };
    },
  },
  {
    title: "the server's own error for a resource it has not",
    observe: ({ full, offer }) => failureOf(full.client.readResource({ uri: offer.missingUri })),
  },
];

async function subscribe({ full, offer }) {
  const seen = [];
  for (const uri of offer.subscribable) {
    await full.client.subscribeResource({ uri });
    seen.push({ on: await full.hearing(UPDATED, 1, () => offer.touch(full, uri)) });
    await full.client.unsubscribeResource({ uri });
    seen.push({ off: await full.hearing(UPDATED, 0, () => offer.touch(full, uri)) });
  }
  expect(
    seen.every(({ on, off }) => (on ? on.length > 0 : off.length === 0)),
    'updates while subscribed, and none after',
  );
  return seen;
}

export const PROMPT_FEATURES = [
  { title: 'prompts/list', observe: ({ full }) => full.prompts() },
  { title: 'prompts/get with arguments', observe: ({ full, offer }) => full.getPrompt(...offer.prompt) },
  {
    title: 'prompts/list_changed',
    lacks: 'no tool adds a prompt',
    observe: async ({ full }) => {
      const heard = await full.hearing('notifications/prompts/list_changed', 1, () =>
        full.call('add-prompt', { name: 'added' }),
      );
      return { isTold: heard.length > 0, prompts: await full.prompts(), prompt: await full.getPrompt('added') };
    },
  },
  {
    title: "the server's own error for invalid prompt arguments",
    observe: ({ full, offer }) => failureOf(full.getPrompt(...offer.wrongPrompt)),
  },
  {
    title: 'completion of a prompt argument, with context',
    observe: async ({ full, offer }) => {
      const result = await full.completePrompt(...offer.promptCompletion);
      expect(result.completion.values.length > 0, 'values');
      return result;
    },
  },
  {
    title: 'completion of a template variable',
    observe: async ({ full, offer }) => {
      const { uri, argument } = offer.template;
      const result = await full.client.complete({ ref: { type: 'ref/resource', uri }, argument });
      expect(result.completion.values.length > 0, 'values');
      return result;
    },
  },
];

export const LOGGING_FEATURES = [
  {
    title: 'notifications/message before any level is set',
    observe: ({ full, offer }) => full.hearing(MESSAGE, 1, () => offer.logs(full)),
  },
  {
    title: 'logging/setLevel, messages by level',
    observe: async ({ full, offer }) => {
      await full.client.setLoggingLevel('error');
      const atError = await full.hearing(MESSAGE, 0, () => offer.logs(full));
      await full.client.setLoggingLevel('info');
      const atInfo = await full.hearing(MESSAGE, 1, () => offer.logs(full));
      expect(atInfo.length > atError.length, 'more at info than at error');
      return { atError, atInfo };
    },
  },
];
