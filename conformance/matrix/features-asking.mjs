// @ts-check
/** Features in which the server asks the caller: pushed requests of the older revisions, rounds of the newer one. */
import { ok } from './caller.mjs';
import { same, that } from './expect.mjs';

/** @typedef {import('./stage.mjs').Trial} Trial */
/** @typedef {import('./features-calls.mjs').Feature} Feature */

const URL_ASKED = 'https://example.com/visit';
const WORD = { role: 'assistant', model: 'm-1', content: { type: 'text', text: 'word' }, stopReason: 'endTurn' };
const ROOTS = { roots: [{ uri: 'file:///a%20b', name: 'a', 'x-unknown': 1 }] };
const ADA = { action: 'accept', content: { name: 'Ada', age: 36 } };

/**
 * @param {Trial} trial @param {string} tool @param {Record<string, (params: any) => unknown>} answers @param {object} [input]
 */
async function asking(trial, tool, answers, input = {}) {
  trial.caller.answers = answers;
  const start = trial.caller.asked.length;
  const answer = await trial.call(tool, input);
  return { ...answer, asked: trial.caller.asked.slice(start), answers: answer.value?.structuredContent?.answers };
}

/** @type {readonly Feature[]} */
export const ASKING_FEATURES = [
  {
    id: 'form',
    title: 'elicitation, form: accept (defaults filled in), decline, cancel',
    async run(trial) {
      const accepted = await asking(trial, 'ask_form', { 'elicitation/create': () => ADA }, { message: 'Your name?' });
      ok(accepted);
      same(accepted.answers, { form: ADA }, 'accept');
      const [{ params }] = /** @type {[any]} */ (accepted.asked);
      same([params.message, params.requestedSchema.required], ['Your name?', ['name']], 'what was asked');
      if (!trial.isDirect) {
        const sparse = { action: 'accept', content: { name: 'Ada' } };
        const filled = await asking(trial, 'ask_form', { 'elicitation/create': () => sparse });
        same(filled.answers, { form: { action: 'accept', content: { name: 'Ada', age: 30 } } }, 'defaults');
      }
      for (const action of ['decline', 'cancel']) {
        const { answers } = await asking(trial, 'ask_form', { 'elicitation/create': () => ({ action }) });
        same(answers, { form: { action } }, action);
      }
    },
  },
  {
    id: 'form-judged',
    title: 'elicitation, form: an answer that breaks the schema goes nowhere',
    absent: ({ isDirect }) => (isDirect ? 'no judge in between' : undefined),
    async run(trial) {
      const wrong = { action: 'accept', content: { name: '', age: -1 } };
      const { error, asked } = await asking(trial, 'ask_form', { 'elicitation/create': () => wrong });
      that(asked.length >= 1, 'the caller was not asked');
      const isPushed = trial.caller.era === 'handshake' && trial.upstreamEra === 'handshake';
      // The older server is told, and says so; the newer era's caller is told by itself.
      if (isPushed) same([error?.code, error?.data?.code], [4713, -32602], 'what the server was told');
      else same(error?.code, -32602, 'what the caller is told');
    },
  },
  {
    id: 'url',
    title: 'elicitation, URL',
    async run(trial) {
      const { asked, answers } = ok(
        await asking(trial, 'ask_url', { 'elicitation/create': () => ({ action: 'accept' }) }),
      );
      same(answers, { url: { action: 'accept' } }, 'answer');
      const [{ params }] = /** @type {[any]} */ (asked);
      same([params.mode, params.url, params.message], ['url', URL_ASKED, 'Visit this.'], 'what was asked');
      same(
        typeof params.elicitationId,
        trial.caller.era === 'handshake' ? 'string' : typeof params.elicitationId,
        'elicitationId',
      );
      if (trial.caller.era === 'modern' || trial.upstreamEra === 'modern') return;
      const isDone = (/** @type {any} */ heard) =>
        heard.method === 'notifications/elicitation/complete' && heard.params.elicitationId === params.elicitationId;
      await trial.caller.until(() => trial.caller.heard.some(isDone), 'the notification that it is done');
    },
  },
  {
    id: 'url-error',
    title: 'URL elicitation as an error (-32042) of an older server',
    async run(trial) {
      const accept = { 'elicitation/create': () => ({ action: 'accept' }) };
      const input = { key: `sign-in-${trial.caller.era}` };
      let { error, value, asked } = await asking(trial, 'sign_in', accept, input);
      if (trial.caller.era === 'handshake' && trial.upstreamEra === 'handshake') {
        same([error?.code, error?.data?.elicitations?.[0]?.url], [-32042, URL_ASKED], 'error');
        ({ error, value } = await asking(trial, 'sign_in', accept, input));
      } else
        same(
          asked.map(({ params }) => params.url),
          [URL_ASKED],
          'what was asked',
        );
      same([error, value?.content?.[0].text], [undefined, 'signed in'], 'at last');
    },
  },
  {
    id: 'sampling',
    title: 'sampling',
    async run(trial) {
      const { asked, answers } = ok(await asking(trial, 'ask_sampling', { 'sampling/createMessage': () => WORD }));
      same(answers, { sampling: WORD }, 'answer');
      same(
        [asked[0]?.params.maxTokens, asked[0]?.params.messages[0].content.text],
        [10, 'Say a word.'],
        'what was asked',
      );
    },
  },
  {
    id: 'roots',
    title: 'roots',
    async run(trial) {
      same(ok(await asking(trial, 'ask_roots', { 'roots/list': () => ROOTS })).answers, { roots: ROOTS }, 'answer');
    },
  },
  {
    id: 'rounds',
    title: 'several questions at once, and one after the other',
    async run(trial) {
      const all = { 'elicitation/create': () => ADA, 'sampling/createMessage': () => WORD, 'roots/list': () => ROOTS };
      const once = ok(await asking(trial, 'ask_all', all));
      same(once.answers, { form: ADA, sampling: WORD, roots: ROOTS }, 'answers at once');
      const named = (/** @type {any} */ { message }) => ({ action: 'accept', content: { name: message, age: 1 } });
      const twice = ok(await asking(trial, 'ask_twice', { 'elicitation/create': named }));
      const { first, second } = twice.answers;
      same([first.content.name, second.content.name], ['first', 'second'], 'answers one after the other');
      same(twice.asked.length, 2, 'questions');
    },
  },
  {
    id: 'side-by-side',
    title: 'calls side by side, some of which ask: each gets its own answer',
    async run(trial) {
      trial.caller.answers = {
        'elicitation/create': ({ message }) => soon({ action: 'accept', content: { name: message, age: 1 } }),
      };
      const names = ['a', 'b', 'c', 'd', 'e', 'f'];
      const calls = names.map((name, index) =>
        trial.call('whoami', { name, asks: index % 2 === 0, waitMs: (index * 37) % 60 }),
      );
      const seen = (await Promise.all(calls)).map(({ value }) => value?.structuredContent);
      same(
        seen.map((one) => one?.answers?.form.content.name ?? one?.name),
        names,
        'whose answers',
      );
    },
  },
  {
    id: 'asking-elsewhere',
    title: 'questions of prompts/get and resources/read',
    async run(trial) {
      trial.caller.answers = { 'elicitation/create': () => ADA };
      const prompt = ok(await trial.caller.request('prompts/get', { name: trial.name('ask_greet') }));
      same(prompt.value.messages[0].content.text, 'Hello, Ada!', 'prompt');
      const resource = ok(await trial.caller.request('resources/read', { uri: 'feature://ask' }));
      same(JSON.parse(resource.value.contents[0].text), ADA, 'resource');
    },
  },
  {
    id: 'gating',
    title: 'the server is shown what this caller declared, no more',
    async run(trial) {
      const { value } = ok(await trial.call('mirror', {}));
      same(Object.keys(value.structuredContent.capabilities).sort(), ['elicitation', 'roots', 'sampling'], 'declared');
      const bare = await trial.openBare();
      const shown = ok(await bare.call('mirror', {})).value.structuredContent.capabilities;
      same(
        ['elicitation', 'roots', 'sampling'].filter((name) => name in shown),
        [],
        'of a caller that declares nothing',
      );
      const { error } = await bare.call('ask_form', {});
      that(error !== undefined, 'a caller that cannot be asked got a result');
      same(bare.caller.asked, [], 'questions to it');
      if (bare.caller.era === 'modern' && trial.upstreamEra === 'modern') same(error.code, -32021, 'code');
    },
  },
];

/** As somebody who thinks a moment. @param {unknown} answer */
function soon(answer) {
  return new Promise((resolve) => setTimeout(resolve, 15, answer));
}
