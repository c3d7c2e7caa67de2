/** Runs every feature once against one server: straight ("direct") or through doorward. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ASKING_FEATURES, CALLER_FEATURES } from './features-asking.mjs';
import { NUMBER_FEATURES, RawClient } from './features-numbers.mjs';
import { LOGGING_FEATURES, PROMPT_FEATURES, RESOURCE_FEATURES } from './features-offers.mjs';
import { TOOL_FEATURES } from './features-tools.mjs';
import { doorwardCommand, entryOf, NotOffered, openSession, publicToolName } from './session.mjs';

/** In the order in which they run: what changes a list comes after what reads it. */
export const FEATURES = [
  ...TOOL_FEATURES,
  ...NUMBER_FEATURES,
  ...RESOURCE_FEATURES,
  ...PROMPT_FEATURES,
  ...LOGGING_FEATURES,
  ...ASKING_FEATURES,
  ...CALLER_FEATURES,
];

const FEATURE_WITHIN_MS = 20_000;
const FULL = { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } };

/** Requests that the server must be shown as the client wrote them. */
const RELAYED = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
]);

/**
 * @param {{ sdk: string, subject: object, neighbour: object | undefined, features: object[], folder: string }} options
 *   `neighbour` makes it the run through doorward
 * @returns {Promise<object[]>} for each feature `{ kind: 'seen', value } | { kind: 'absent' | 'failed', why }`
 */
export async function runSide({ sdk, subject, neighbour, features, folder: parent }) {
  const folder = mkdtempSync(join(parent, neighbour === undefined ? 'direct-' : 'through-'));
  const open = (label, capabilities, more = {}) =>
    openSession({ sdk, subject, neighbour, folder, label, capabilities, ...more });
  const cache = join(folder, 'cache');
  const openings = await Promise.allSettled([
    open('full', FULL, { cache }),
    open('form', { elicitation: { form: {} } }),
    open('bare', {}),
  ]);
  const sessions = openings.filter(({ status }) => status === 'fulfilled').map(({ value }) => value);
  let raw;
  try {
    const failed = openings.find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    const [full, form, bare] = sessions;
    const run = {
      full,
      form,
      bare,
      offer: subject.makeOffer(),
      reopen: () => open('again', FULL, { cache, again: full }),
      openTwin: () => open('twin', {}, { neighbour: subject }),
      openRaw: () => {
        raw ??= openRaw({ subject, neighbour, folder });
        return raw;
      },
    };
    const outcomes = [];
    for (const feature of features) outcomes.push(await observe(feature, run));
    return outcomes;
  } catch (error) {
    return features.map(() => ({ kind: 'failed', why: `could not start: ${error.message}` }));
  } finally {
    await Promise.allSettled([...sessions, ...(raw ? [raw] : [])].map((opened) => opened.close()));
  }
}

async function observe(feature, run) {
  const { full } = run;
  const start = full.shown().length;
  const startBeside = full.shownToNeighbour().length;
  const relayed = (messages) => messages.filter(({ method }) => RELAYED.has(method)).map(describeShown);
  try {
    const client = await within(FEATURE_WITHIN_MS, feature.observe(run));
    const server = relayed(full.shown().slice(start));
    const beside = relayed(full.shownToNeighbour().slice(startBeside));
    if (beside.length > 0) throw new Error(`the server beside it was shown ${beside[0].method}`);
    return { kind: 'seen', value: plain({ client, server }) };
  } catch (error) {
    if (error instanceof NotOffered) return { kind: 'absent', why: error.message };
    return { kind: 'failed', why: error.message };
  }
}

/** Without progress tokens: doorward gives every call one of its own, whether or not the client asked for progress. */
function describeShown({ method, params }) {
  const { _meta: { progressToken: _, ...meta } = {}, ...rest } = params;
  return { method, params: Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta } };
}

/** JSON only, without what differs from run to run whoever is in the middle: times of day and random ids. */
function plain(value) {
  const text = JSON.stringify(value)
    .replaceAll(/\d{1,2}:\d\d:\d\d\s[AP]M/g, 'a time')
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'an id');
  return JSON.parse(text, (key, held) => (key === 'blob' ? maskBlob(held) : held));
}

function maskBlob(blob) {
  const text = Buffer.from(blob, 'base64').toString('latin1');
  return /\d{1,2}:\d\d:\d\d/.test(text) ? text.replaceAll(/\d{1,2}:\d\d:\d\d.[AP]M/g, 'a time') : blob;
}

async function within(ms, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function openRaw({ subject, neighbour, folder }) {
  const tapFile = join(folder, 'subject.log');
  const command = neighbour ? doorwardCommand({ subject, neighbour, folder, tapFile }) : entryOf(subject, tapFile);
  return new RawClient({
    command,
    nameOf: neighbour ? publicToolName : (tool) => tool,
    shown: () => readFileSync(tapFile, 'utf8').split('\n'),
  });
}
