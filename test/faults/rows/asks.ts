/** Upstreams that ask their caller something: too much, too long, or to no end. */
import { claimAnswered, claimLost, claimRestarted } from '../claims.js';
import { nowMs } from '../journal.js';
import type { Row } from '../run-row.js';
import { type Stage, sleep } from '../stage.js';

const ASKED = 50;
const CALLER_METHODS = ['elicitation/create', 'sampling/createMessage', 'roots/list'];

function asksOf(stage: Stage) {
  const asks = stage.door.lines.filter(({ message }) => message?.method !== undefined && message.id !== undefined);
  return asks.map(({ message }) => ({ id: message?.id, method: message?.method ?? '' }));
}

/** The ids of the upstream's own requests that were answered, and with which error code if any. */
function repliesOf(stage: Stage) {
  const replies = stage
    .journal()
    .of('received')
    .filter(({ method, id }) => method === undefined && /-(elicit|sample|roots|once)/.test(String(id)));
  return replies.map(({ id, error }) => ({ id: String(id), code: error?.code }));
}

const askUndeclared: Row = {
  name: 'ask-undeclared',
  promise: `${ASKED * 3} questions to a caller who declared nothing: each -32601 within 1 s, the caller hears of none`,
  act: async (stage) => {
    await stage.prime();
    claimAnswered(stage, await stage.hostile('ask-flood', { tag: 'asked', count: ASKED }), 'asked');
    const tookMs = await stage.until(() => repliesOf(stage).length >= ASKED * 3, 3_000);
    stage.measure('all refused after', tookMs, 1_000);
    const others = repliesOf(stage).filter(({ code }) => code !== -32601);
    stage.expect(others.length === 0, 'all are refused with -32601', others);
    stage.expect(asksOf(stage).length === 0, 'the caller is asked nothing', asksOf(stage).length);
  },
};

const MAX_PARKED = 16;

const askFlood: Row = {
  name: 'ask-flood',
  promise: `${ASKED * 3} questions to a caller who could answer: ${MAX_PARKED} wait, the rest are refused within 1 s; each gets one answer`,
  capabilities: { elicitation: {}, sampling: {}, roots: {} },
  act: async (stage) => {
    await stage.prime();
    // Once the call is over, what was asked in it is nobody's concern: it lasts as long as the play.
    const call = stage.hostile('ask-flood', { tag: 'asked', count: ASKED, ms: 4_000 });
    const parked = (): number => asksOf(stage).filter(({ method }) => method !== 'roots/list').length;
    const refused = (): number => repliesOf(stage).filter(({ id }) => !id.includes('roots')).length;
    const settledMs = await stage.until(() => parked() > 0 && parked() + refused() >= ASKED * 2, 3_000);
    stage.measure('the rest refused after', settledMs, 1_000);
    stage.note(`${asksOf(stage).length} waited`);
    const isBounded = asksOf(stage).length > 0 && asksOf(stage).length <= MAX_PARKED;
    stage.expect(isBounded, `at most ${MAX_PARKED} questions wait for the caller`, asksOf(stage).length);
    const waiting = parked();
    stage.expect(
      asksOf(stage).every(({ method }) => CALLER_METHODS.includes(method)),
      'the caller is asked only what it declared',
    );
    for (const { id, method } of asksOf(stage)) answerAsk(stage, id, method);
    const tookMs = await stage.until(() => repliesOf(stage).length >= ASKED * 3, 7_000);
    stage.measure('all answered after', tookMs, 6_000);
    const ids = repliesOf(stage).map(({ id }) => id);
    stage.expect(new Set(ids).size === ids.length, 'no question is answered twice', ids.length - new Set(ids).size);
    const answered = repliesOf(stage).filter(({ id, code }) => code === undefined && !id.includes('roots')).length;
    stage.expect(answered === waiting, "what waited gets the caller's answer", { answered, waiting });
    claimAnswered(stage, await call, 'asked');
  },
};

function answerAsk(stage: Stage, id: unknown, method: string): void {
  const result =
    method === 'roots/list'
      ? { roots: [] }
      : method === 'elicitation/create'
        ? { action: 'decline' }
        : { role: 'assistant', model: 'm', content: { type: 'text', text: 's' } };
  stage.door.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

const slowAnswer: Row = {
  name: 'ask-and-wait',
  promise: 'the caller takes 1.5 s to answer, the deadline is 800 ms: it stands still meanwhile, the call is answered',
  capabilities: { elicitation: {} },
  entry: { callTimeoutMs: 800 },
  act: async (stage) => {
    await stage.prime();
    const call = stage.hostile('ask-and-wait', { tag: 'patient' });
    await stage.until(() => asksOf(stage).length > 0, 1_000);
    await sleep(1_500);
    const [ask] = asksOf(stage);
    stage.expect(ask !== undefined, 'the caller is asked');
    if (ask !== undefined) answerAsk(stage, ask.id, ask.method);
    const answeredAtMs = nowMs();
    const outcome = await call;
    claimAnswered(stage, outcome, 'decline');
    stage.measure('answered', outcome.atMs - answeredAtMs, 250);
  },
};

const lostAsker: Row = {
  name: 'ask-and-crash',
  promise:
    'it dies while the caller is asked: the call fails within 100 ms, the caller is told, its answer goes nowhere',
  capabilities: { elicitation: {} },
  act: async (stage) => {
    await stage.prime();
    const outcome = await stage.hostile('ask-and-crash', { tag: 'doomed' });
    const exit = stage.journal().of('exit')[0];
    claimLost(stage, [outcome], exit?.atMs);
    const [ask] = asksOf(stage);
    const isTold = (): boolean =>
      stage.door.lines.some(
        ({ message }) => message?.method === 'notifications/cancelled' && message.params?.requestId === ask?.id,
      );
    stage.expect(ask !== undefined, 'the caller is asked');
    stage.expect((await stage.until(isTold, 500)) !== undefined, 'the caller is told that nobody waits for its answer');
    await claimRestarted(stage, exit?.atMs ?? nowMs());
    if (ask !== undefined) answerAsk(stage, ask.id, ask.method);
    await sleep(300);
    stage.expect(repliesOf(stage).length === 0, 'the answer reaches no process of it', repliesOf(stage));
  },
};

export const ASKS: readonly Row[] = [askUndeclared, askFlood, slowAnswer, lostAsker];
