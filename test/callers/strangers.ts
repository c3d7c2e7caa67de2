/**
 * Two principals, each with what is the other's: its session, its requestState, its subscription, the ids of its calls
 * and questions. Whoever is not meant is told what he would be told of something that never was, byte for byte.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Door } from './door.js';
import { type Delivery, type Era, HttpCaller, type Message } from './http-caller.js';

export interface Strangers {
  readonly compared: number;
  /** What differed, in words; empty is what is wanted. */
  readonly told: readonly string[];
}

const CAPABILITIES = { elicitation: {} };
const URI = 'feature://counter';
const UNKNOWN_SESSION = '0123456789abcdef0123456789abcdef';

/** @param mounts one of a handshake server, one of a modern one: both must hold states that are nobody else's */
export async function compareStrangers(
  door: Door,
  { owner, stranger, mounts }: { owner: string; stranger: string; mounts: readonly string[] },
): Promise<Strangers> {
  const told: string[] = [];
  let compared = 0;
  const same = (what: string, seen: Delivery, wanted: Delivery) => {
    compared++;
    const [own, unknown] = [seen, wanted].map(withoutDate);
    if (own !== unknown) told.push(`${what}: ${own} is not ${unknown}`);
  };
  const holds = (what: string, isTrue: boolean) => {
    compared++;
    if (!isTrue) told.push(what);
  };
  const open = async (name: string, era: Era) => {
    const caller = new HttpCaller({ url: door.url, era, name, token: door.token(name), capabilities: CAPABILITIES });
    await caller.open();
    return caller;
  };
  const callers = await Promise.all([
    open(owner, 'handshake'),
    open(stranger, 'handshake'),
    open(owner, 'modern'),
    open(stranger, 'modern'),
  ]);
  const [ours, theirs, oursModern, theirsModern] = callers;
  try {
    await compareSessions(ours, theirs, same);
    for (const mount of mounts) {
      await compareStates(oursModern, theirsModern, mount, { same, holds });
      await compareSubscriptions(ours, theirs, mount, { same, holds });
      await compareIds(ours, theirs, mount, { same, holds });
      await compareStreams(oursModern, theirsModern, mount, { same, holds });
    }
    return { compared, told };
  } finally {
    await Promise.all(callers.map((caller) => caller.close()));
  }
}

type Same = (what: string, seen: Delivery, wanted: Delivery) => void;
interface Checks {
  readonly same: Same;
  readonly holds: (what: string, isTrue: boolean) => void;
}

async function compareSessions(ours: HttpCaller, theirs: HttpCaller, same: Same): Promise<void> {
  const body = theirs.requestBody(9, 'tools/list', {});
  for (const method of ['POST', 'GET', 'DELETE']) {
    const ask = (session: string | undefined) =>
      theirs.exchange(method, { headers: { 'Mcp-Session-Id': session ?? '' }, ...(method === 'POST' && { body }) });
    same(`${method} with another's session`, await ask(ours.session), await ask(UNKNOWN_SESSION));
  }
  const listed = await ours.request(10, 'tools/list', {});
  if (listed.result === undefined) throw new Error('the session did not survive what a stranger did with its id');
}

async function compareStates(
  ours: HttpCaller,
  theirs: HttpCaller,
  mount: string,
  { same, holds }: Checks,
): Promise<void> {
  const params = { name: `${mount}__whoami`, arguments: { name: 'asked', asks: true } };
  const { result } = await ours.request(20, 'tools/call', params);
  const { requestState, inputRequests } = result as { requestState: string; inputRequests: object };
  const [key = ''] = Object.keys(inputRequests);
  const retry = (answeredBy: string, state: string) => ({
    ...params,
    inputResponses: { [key]: { action: 'accept', content: { name: answeredBy, age: 1 } } },
    requestState: state,
  });
  const ask = (state: string) =>
    theirs.exchange('POST', {
      body: theirs.requestBody(21, 'tools/call', retry('the stranger', state)),
      headers: { 'Mcp-Method': 'tools/call', 'Mcp-Name': params.name },
    });
  same(`a requestState of another's call at ${mount}`, await ask(requestState), await ask(changed(requestState)));
  const { result: end } = await ours.request(22, 'tools/call', retry('the owner', requestState));
  holds(
    `the owner's state at ${mount} did not survive: ${JSON.stringify(end)}`,
    JSON.stringify(end).includes('the owner'),
  );
}

async function compareSubscriptions(
  ours: HttpCaller,
  theirs: HttpCaller,
  mount: string,
  { same, holds }: Checks,
): Promise<void> {
  const { result } = await ours.request(30, 'resources/list', {});
  const uris = ((result?.resources ?? []) as { uri: string }[]).map(({ uri }) => uri);
  // Where two servers have the same URI, the later one's is written with its mount.
  const uri = uris.find((each) => each.includes(mount) && each.endsWith(URI)) ?? URI;
  await ours.request(31, 'resources/subscribe', { uri });
  const end = (which: string) =>
    theirs.exchange('POST', { body: theirs.requestBody(32, 'resources/unsubscribe', { uri: which }) });
  const other = uri.replace('counter', 'text');
  const [seen, wanted] = [await end(uri), await end(other)];
  same(`ending another's subscription at ${mount}`, seen, wanted);
  const isUpdate = ({ method, params }: Message) => method === 'notifications/resources/updated' && params?.uri === uri;
  const heardBefore = theirs.outside.filter(isUpdate).length;
  await theirs.call(`${mount}__touch`, { uri: URI });
  for (let turn = 0; turn < 200 && !ours.outside.some(isUpdate); turn++) await wait(10);
  holds(`the owner at ${mount} was not told of the update`, ours.outside.some(isUpdate));
  holds(`the stranger at ${mount} was told of an update`, theirs.outside.filter(isUpdate).length === heardBefore);
  await ours.request(33, 'resources/unsubscribe', { uri });
}

async function compareIds(ours: HttpCaller, theirs: HttpCaller, mount: string, { same, holds }: Checks): Promise<void> {
  const call = ours.request(40, 'tools/call', { name: `${mount}__whoami`, arguments: { name: 'held', waitMs: 150 } });
  await wait(50);
  const cancel = (requestId: number) =>
    theirs.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'not mine' } });
  same(`cancelling another's call at ${mount}`, await cancel(40), await cancel(4_000));
  const answer = (id: number) => theirs.post({ jsonrpc: '2.0', id, result: { action: 'decline' } });
  same(`answering another's question at ${mount}`, await answer(1), await answer(4_000));
  const { result } = await call;
  holds(
    `the call of the owner at ${mount} was disturbed: ${JSON.stringify(result)}`,
    JSON.stringify(result).includes('held'),
  );
}

/** The newer era's subscription: a stream under the id of its request, which a stranger may have as well. */
async function compareStreams(
  ours: HttpCaller,
  theirs: HttpCaller,
  mount: string,
  { same, holds }: Checks,
): Promise<void> {
  const { result } = await ours.request(50, 'resources/list', {});
  const uris = ((result?.resources ?? []) as { uri: string }[]).map(({ uri }) => uri);
  const uri = uris.find((each) => each.includes(mount) && each.endsWith(URI)) ?? URI;
  const heard: Message[] = [];
  const ends = new AbortController();
  const method = 'subscriptions/listen';
  const stream = ours.exchange('POST', {
    body: ours.requestBody(51, method, { notifications: { resourceSubscriptions: [uri] } }),
    headers: { 'Mcp-Method': method },
    hear: (message) => heard.push(message),
    signal: ends.signal,
  });
  const told = async (wanted: string) => {
    for (let turn = 0; turn < 200 && !heard.some((message) => message.method === wanted); turn++) await wait(10);
    return heard.some((message) => message.method === wanted);
  };
  holds(`the stream at ${mount} was not acknowledged`, await told('notifications/subscriptions/acknowledged'));
  const cancel = (requestId: number) =>
    theirs.exchange('POST', {
      body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }),
      headers: { 'Mcp-Method': 'notifications/cancelled' },
    });
  same(`cancelling another's stream at ${mount}`, await cancel(51), await cancel(5_000));
  await theirs.call(`${mount}__touch`, { uri: URI });
  holds(`the stream at ${mount} was ended by a stranger`, await told('notifications/resources/updated'));
  ends.abort();
  await stream.catch(() => {});
}

/** The same state with one letter in its middle changed: one that never was. */
function changed(state: string): string {
  const middle = Math.floor(state.length / 2);
  return `${state.slice(0, middle)}${state[middle] === 'A' ? 'B' : 'A'}${state.slice(middle + 1)}`;
}

function withoutDate({ status, headers: { date: _, ...headers }, body }: Delivery): string {
  return JSON.stringify({ status, headers, body });
}
