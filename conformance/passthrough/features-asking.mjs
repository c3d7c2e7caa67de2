/** What a server asks its client, and whom: roots, sampling, elicitation, ping, capabilities, several callers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from './expect.mjs';
import { NotOffered } from './session.mjs';

const ELICIT = 'elicitation/create';
const FORM_TOOL = 'trigger-elicitation-request';
const URL_TOOL = 'trigger-url-elicitation';

export const ASKING_FEATURES = [
  // It calls again and again until the change shows: what the server was shown is then no fact to compare.
  { title: 'roots/list, and again after roots/list_changed', observe: changeRoots, leavesOutShown: true },
  { title: 'sampling/createMessage', observe: sample },
  ...['accept', 'decline', 'cancel'].map((action) => ({
    title: `elicitation, form: ${action}`,
    observe: async ({ full, offer }) => {
      full.answers[ELICIT] = () => (action === 'accept' ? { action, content: offer.form } : { action });
      const seen = await full.asking(ELICIT, () => full.call(FORM_TOOL));
      expect(seen.asked.length === 1, 'one form');
      return seen;
    },
  })),
  { title: 'elicitation, url mode, and its completion', observe: openUrl },
  {
    title: 'cancelled: reaches the client, for what the server asked',
    lacks: 'no tool takes a question back',
    observe: takeBack,
  },
  { title: 'ping to the server', observe: ({ full }) => full.client.ping() },
  { title: 'ping to the client', lacks: 'no tool pings its client', observe: ({ full }) => full.call('ping-client') },
];

export const CALLER_FEATURES = [
  { title: 'capabilities: everything the client has, nothing else', observe: ({ full }) => declaredTo(full) },
  { title: 'capabilities: a client without any', observe: async ({ bare }) => lacking(bare) },
  { title: 'capabilities: forms only', observe: async ({ form }) => lacking(form, URL_TOOL) },
  { title: 'three callers at once, each asked for itself', observe: severalCallers },
  { title: 'the same server twice: shared URIs reach the right one', observe: besideTwin, leavesOutShown: true },
  {
    title: 'instructions, from the second start on',
    observe: async ({ full, reopen }) => {
      const session = full.isThrough ? await reopen() : full;
      try {
        const text = session.client.getInstructions();
        expect(typeof text === 'string' && text !== '', 'instructions');
        return text;
      } finally {
        if (session !== full) await session.close();
      }
    },
    // doorward gives those of every server, each under a heading that puts the server's own headings lower.
    isSame: (direct, through) => {
      const level = (text) => text.replaceAll(/^#+/gm, '#').trim();
      return level(through).includes(level(direct));
    },
  },
];

async function changeRoots({ full, offer }) {
  await full.requireTool('get-roots-list');
  // The reference server asks by itself soon after its start, while no call is under way.
  const answeredUnasked = full.shown().filter(({ result }) => result?.roots !== undefined).length;
  full.answers['roots/list'] = () => ({ roots: [] });
  const before = await full.call('get-roots-list');
  // A call that has nothing to do with it is under way when the server asks, and over when the client answers.
  const roots = [{ uri: 'file:///one', name: 'One' }, { uri: 'file:///two%20words' }];
  const other = full.call(...offer.progress);
  full.answers['roots/list'] = async () => {
    await other;
    await sleep(50);
    return { roots };
  };
  const start = full.asked.length;
  await full.client.sendRootsListChanged();
  const after = await full.until(async () => {
    const result = await full.call('get-roots-list');
    return result.content[0].text.includes('file:///two') && result;
  }, 'the new roots to arrive');
  expect(full.asked.length > start, 'roots/list after the change');
  return { answeredUnasked, before, after };
}

async function takeBack({ full }) {
  await full.requireTool('ask-briefly');
  full.answers[ELICIT] = () => sleep(600, { action: 'cancel' });
  const start = full.received.length;
  const result = await full.call('ask-briefly');
  const received = () => full.received.slice(start);
  const cancelled = await full.until(
    () => received().find(({ method }) => method === 'notifications/cancelled'),
    'the client to be told',
  );
  const question = received().find(({ method }) => method === ELICIT);
  await sleep(500);
  return { isOfQuestion: cancelled.params.requestId === question.id, result };
}

async function sample({ full }) {
  full.answers['sampling/createMessage'] = () => ({
    role: 'assistant',
    model: 'model-1',
    content: { type: 'text', text: 'sampled ✓' },
    stopReason: 'endTurn',
  });
  const act = () => full.call('trigger-sampling-request', { prompt: 'Say it', maxTokens: 9 });
  const seen = await full.asking('sampling/createMessage', act);
  expect(seen.asked.length === 1, 'one sampling request');
  return seen;
}

async function openUrl({ full }) {
  full.answers[ELICIT] = () => ({ action: 'accept' });
  let seen;
  const completed = await full.hearing('notifications/elicitation/complete', 0, async () => {
    const args = { url: 'https://example.com/a?b=c', elicitationId: 'e-7' };
    seen = await full.asking(ELICIT, () => full.call(URL_TOOL, args));
  });
  expect(seen.asked.length === 1, 'one address');
  return { ...seen, completed };
}

function declaredTo(session) {
  return session.shown().find(({ method }) => method === 'initialize').params.capabilities;
}

/** What a client that lacks something sees, and what the server knows of it. */
async function lacking(session, tool = FORM_TOOL) {
  const outcome = await session.call(tool, { url: 'https://example.com', elicitationId: 'e' }).catch((error) => {
    if (error instanceof NotOffered) return 'not listed';
    throw error;
  });
  const names = (await session.tools()).map(({ name }) => name);
  return { declared: declaredTo(session), names, outcome, asked: session.asked };
}

async function severalCallers({ full, form, bare, offer }) {
  const askFor = async (session) => {
    session.answers[ELICIT] = () => ({ action: 'accept', content: { ...offer.form, name: session.label } });
    const calls = Array.from({ length: 4 }, () => session.call(FORM_TOOL));
    const { asked, result } = await session.asking(ELICIT, () => Promise.all(calls));
    expect(asked.length === 4 && JSON.stringify(result).includes(session.label), 'the answer of each caller');
    return result;
  };
  const echo = () => Promise.all([1, 2, 3, 4].map((n) => bare.call('echo', { message: `bare ${n}` })));
  return Promise.all([askFor(full), askFor(form), echo()]);
}

/** Every URI of the second server is one of the first as well; which was reached is told by what each was shown. */
async function besideTwin({ full, openTwin, offer }) {
  const session = full.isThrough ? await openTwin() : full;
  try {
    const { client } = session;
    const start = session.shown().length;
    const { uri, argument, filled } = offer.template;
    const [subscribable] = offer.subscribable;
    const read = [];
    for (const own of [offer.textUri, filled]) read.push(await client.readResource({ uri: session.uri(own) }));
    await client.subscribeResource({ uri: session.uri(subscribable) });
    const updates = await session.hearing('notifications/resources/updated', 1, () =>
      offer.touch(session, subscribable),
    );
    expect(updates[0]?.uri === session.uri(subscribable), 'an update under the URI that was subscribed to');
    await client.unsubscribeResource({ uri: session.uri(subscribable) });
    const ref = { type: 'ref/resource', uri: session.uri(uri) };
    const listed = (await client.listResources()).resources.map((resource) => resource.uri);
    // doorward answers by itself who unsubscribes, and then tells the server, if nobody else wants to hear of it.
    const isUnsubscribed = () =>
      session
        .shown()
        .slice(start)
        .some(({ method }) => method === 'resources/unsubscribe');
    await session.until(isUnsubscribed, 'the server to hear of the unsubscribing');
    const shown = session
      .shown()
      .slice(start)
      .filter(({ method }) => method?.startsWith('resources/') && !method.endsWith('list'));
    return {
      isListed: listed.includes(session.uri(offer.textUri)),
      read,
      completion: await client.complete({ ref, argument }),
      shown: shown.map(({ method, params }) => `${method} ${params.uri}`).sort(),
      astray: session.shownToNeighbour().filter(({ method }) => /read|subscribe|complete|call/.test(method)).length,
    };
  } finally {
    if (session !== full) await session.close();
  }
}
