// @ts-check
/** Features of prompts, resources, lists and what is told of their changes. */
import { promptDefinitions, resourceDefinitions, TEMPLATES } from '../../test/fixtures/feature-offers.mjs';
import { toolDefinitions } from '../../test/fixtures/feature-tools.mjs';
import { World } from '../../test/fixtures/feature-world.mjs';
import { ok } from './caller.mjs';
import { same, that } from './expect.mjs';

/** @typedef {import('./stage.mjs').Trial} Trial */
/** @typedef {import('./features-calls.mjs').Feature} Feature */

/** So long nothing must come before it is said that nothing comes. */
const QUIET_MS = 60;
const LISTS = /** @type {const} */ (['tools', 'prompts', 'resources']);
const COUNTER = 'feature://counter';

/** @type {readonly Feature[]} */
export const OFFER_FEATURES = [
  {
    id: 'prompts',
    title: 'prompts: definitions, prompts/get, errors',
    async run(trial) {
      const { entries } = await trial.caller.all('prompts/list', 'prompts');
      const own = entries.map((entry) => ({ ...entry, name: trial.ownName(entry.name) }));
      same(own, promptDefinitions(new World()), 'definitions');
      const input = { name: trial.name('greet'), arguments: { name: 'Ada', tone: 'dry' } };
      const { value } = ok(await trial.caller.request('prompts/get', input));
      same([value.messages[0].content.text, value['x-unknown']], ['Greet Ada, dry.', [1]], 'prompt');
      const { error } = await trial.caller.request('prompts/get', { name: trial.name('greet') });
      same([error?.code, error?.data], [-32602, { argument: 'name' }], "the server's own error");
      same((await trial.caller.request('prompts/get', { name: 'none' })).error?.code, -32602, 'unknown prompt');
    },
  },
  {
    id: 'completion',
    title: 'completion: a prompt argument with context, a template variable',
    async run(trial) {
      const complete = async (/** @type {object} */ params) =>
        ok(await trial.caller.request('completion/complete', { ...params })).value.completion;
      const ref = { type: 'ref/prompt', name: trial.name('greet') };
      const context = { arguments: { tone: 'dry' } };
      const names = await complete({ ref, argument: { name: 'name', value: 'A' }, context });
      same(names, { values: ['Ada', 'Alan', 'tone=dry'], total: 2, hasMore: false }, 'of a prompt');
      const item = { type: 'ref/resource', uri: 'feature://item/{id}' };
      same((await complete({ ref: item, argument: { name: 'id', value: '1' } })).values, ['10', '11'], 'of a template');
    },
  },
  {
    id: 'resources',
    title: 'resources and templates: definitions, text, blob, errors by era',
    async run(trial) {
      same(
        (await trial.caller.all('resources/list', 'resources')).entries,
        resourceDefinitions(new World()),
        'definitions',
      );
      same((await trial.caller.all('resources/templates/list', 'resourceTemplates')).entries, TEMPLATES, 'templates');
      const read = (/** @type {string} */ uri) => trial.caller.request('resources/read', { uri });
      const text = ok(await read('feature://text'));
      that(
        text.result?.includes('"x-unknown":1.0') && text.result.includes('12345678901234567890'),
        'members of the text',
      );
      same(Buffer.from(ok(await read('feature://blob')).value.contents[0].blob, 'base64').length, 256, 'blob');
      same(ok(await read('feature://item/10%2F11')).value.contents[0].text, 'feature://item/10%2F11', 'by a template');
      const { error } = await read('feature://item');
      same(error?.code, trial.caller.era === 'modern' ? -32602 : -32002, 'code of what is not there');
      same(error?.data?.uri, 'feature://item', 'data of what is not there');
    },
  },
  {
    id: 'subscriptions',
    title: 'subscriptions: what was asked for, until it is ended',
    async run(trial) {
      const start = trial.caller.heard.length;
      const updated = () =>
        trial.caller.heard
          .slice(start)
          .filter(({ method }) => method === 'notifications/resources/updated')
          .map(({ params }) => params.uri);
      const end = await trial.caller.watch([COUNTER]);
      ok(await trial.call('touch', { uri: 'feature://text' }));
      ok(await trial.call('touch', { uri: COUNTER }));
      await trial.caller.until(() => updated().length > 0, 'the update');
      await quiet();
      same(updated(), [COUNTER], 'updates');
      await end();
      await quiet();
      ok(await trial.call('touch', { uri: COUNTER }));
      await quiet();
      same(updated(), [COUNTER], 'updates after its end');
    },
  },
  {
    id: 'list-changes',
    title: 'list changes: told once for each list, and the new entry is there',
    async run(trial) {
      // Who never listed need not be told: nothing that he knows has changed.
      for (const list of LISTS) await trial.caller.all(`${list}/list`, list);
      const end = await trial.caller.watch();
      for (const isThere of [true, false]) {
        const start = trial.caller.heard.length;
        for (const list of LISTS) ok(await trial.call('change', { list }));
        const told = (/** @type {string} */ list) =>
          trial.caller.heard.slice(start).filter(({ method }) => method === `notifications/${list}/list_changed`)
            .length;
        for (const list of LISTS) {
          await trial.caller.until(() => told(list) > 0, `${list}/list_changed`);
          const { entries } = await trial.caller.all(`${list}/list`, list);
          const has = entries.some((entry) => entry.name === trial.name('extra') || entry.uri === 'feature://extra');
          same(has, isThere, `the new entry of ${list}`);
        }
        await quiet();
        same(LISTS.map(told), [1, 1, 1], 'how often it was told');
      }
      await end();
    },
  },
  {
    id: 'pagination',
    title: 'pagination: every page of the server, in pages of the door',
    async run(trial) {
      const { entries, pages } = await trial.caller.all('tools/list', 'tools');
      const wanted = toolDefinitions(trial.upstreamEra, new World()).map(({ name }) => trial.name(name));
      same(entries.map(({ name }) => name).sort(), wanted.sort(), 'tools');
      same(pages, Math.ceil(wanted.length / trial.pageSize), 'pages');
      const { error } = await trial.caller.request('tools/list', { cursor: 'no such cursor' });
      same(error?.code, -32602, 'a cursor that is none');
    },
  },
];

function quiet() {
  return new Promise((resolve) => setTimeout(resolve, QUIET_MS));
}
