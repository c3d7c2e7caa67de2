/** Too much of something: bytes, lines, progress, questions. */
import { residentMb } from '../../fixtures/processes.js';
import { claimAnswered, claimFailed, claimRestarted } from '../claims.js';
import { nowMs } from '../journal.js';
import type { Row } from '../run-row.js';
import { type Stage, sleep } from '../stage.js';

const MAX_GROWTH_MB = 96;

/** Follows the resident memory of the door while `task` runs. */
async function claimFlat(stage: Stage, task: () => Promise<void>): Promise<void> {
  const beforeMb = residentMb(stage.door.pid);
  let peakMb = beforeMb;
  const timer = setInterval(() => {
    peakMb = Math.max(peakMb, residentMb(stage.door.pid));
  }, 25);
  try {
    await task();
  } finally {
    clearInterval(timer);
  }
  const grownMb = Math.round(peakMb - beforeMb);
  stage.note(`+${grownMb} MB`);
  stage.expect(grownMb <= MAX_GROWTH_MB, `memory grows by at most ${MAX_GROWTH_MB} MB`, grownMb);
}

const endless: Row = {
  name: 'flood',
  promise: `a line without end: closed at four times the limit (1 MiB here) within 2 s, at most ${MAX_GROWTH_MB} MB; restarted by itself`,
  config: { limits: { maxMessageBytes: 1024 * 1024 } },
  act: async (stage) => {
    await stage.prime();
    await claimFlat(stage, async () => {
      const outcome = await stage.hostile('flood');
      claimFailed(stage, outcome, ['UPSTREAM_LOST', 'MESSAGE_TOO_LARGE']);
      stage.measure('failed after', outcome.tookMs, 2_000);
      await claimRestarted(stage, outcome.atMs, 3_000);
    });
  },
};

const stderrFlood: Row = {
  name: 'stderr-flood',
  promise: `5 MB on stderr: read and dropped, the answer comes within 2 s, at most ${MAX_GROWTH_MB} MB`,
  act: async (stage) => {
    await stage.prime();
    await claimFlat(stage, async () => {
      const outcome = await stage.hostile('stderr-flood', { tag: 'heard' });
      claimAnswered(stage, outcome, 'heard');
      stage.measure('answered', outcome.tookMs, 2_000);
    });
  },
};

const PROGRESS = 10_000;

const progressFlood: Row = {
  name: 'progress-flood',
  promise: `${PROGRESS} progress notifications: each under the caller's own token or dropped, the answer comes within 3 s`,
  act: async (stage) => {
    await stage.prime();
    await claimFlat(stage, async () => {
      const choices = { tag: 'done', count: PROGRESS, progressToken: 'mine' };
      const outcome = await stage.hostile('progress-flood', choices);
      claimAnswered(stage, outcome, 'done');
      stage.measure('answered', outcome.tookMs, 3_000);
    });
    const told = stage.door.notifications('notifications/progress');
    stage.note(`${told.length} passed on`);
    stage.expect(told.length > 0, 'progress is passed on');
    const foreign = told.filter(({ message }) => message?.params?.progressToken !== 'mine').length;
    stage.expect(foreign === 0, "all of it under the caller's token", foreign);
    // One that asked for none hears none.
    await stage.hostile('progress-flood', { count: 100 });
    const later = stage.door.notifications('notifications/progress').length;
    stage.expect(later === told.length, 'a call without a token brings no progress', later - told.length);
  },
};

const slowCaller: Row = {
  name: 'slow-caller',
  promise: `64 MB of progress to a caller who reads nothing for 3 s: at most ${MAX_GROWTH_MB} MB, then the answer within 5 s`,
  isQuiet: true,
  act: async (stage) => {
    await stage.prime();
    await claimFlat(stage, async () => {
      stage.door.pauseReading();
      const choices = { tag: 'read at last', count: 1_000, bytes: 65_536, progressToken: 'mine' };
      const call = stage.hostile('progress-flood', choices);
      await sleep(3_000);
      stage.door.resumeReading();
      const resumedAtMs = nowMs();
      const outcome = await call;
      claimAnswered(stage, outcome, 'read at last');
      stage.measure('answered', outcome.atMs - resumedAtMs, 5_000);
    });
  },
};

const ASKED = 50;
const CALLER_METHODS = ['elicitation/create', 'sampling/createMessage', 'roots/list'];

function asksOf(stage: Stage) {
  const asks = stage.door.notifications().filter(({ message }) => message?.id !== undefined);
  return asks.map(({ message }) => ({ id: message?.id, method: message?.method ?? '' }));
}

/** The ids of the upstream's own requests that were answered, and with which error code if any. */
function repliesOf(stage: Stage) {
  const replies = stage
    .journal()
    .of('received')
    .filter(({ method, id }) => method === undefined && /-(elicit|sample|roots)-/.test(String(id)));
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
  promise: `${ASKED * 2} questions to a caller who could answer: ${MAX_PARKED} wait, the others are refused at once; each gets one answer`,
  capabilities: { elicitation: {}, sampling: {}, roots: {} },
  act: async (stage) => {
    await stage.prime();
    const outcome = await stage.hostile('ask-flood', { tag: 'asked', count: ASKED });
    claimAnswered(stage, outcome, 'asked');
    await sleep(500);
    const parked = asksOf(stage).filter(({ method }) => method !== 'roots/list').length;
    stage.note(`${parked} waited`);
    stage.expect(parked > 0 && parked <= MAX_PARKED, `at most ${MAX_PARKED} questions wait for the caller`, parked);
    const refused = repliesOf(stage).filter(({ id, code }) => code !== undefined && !id.includes('roots')).length;
    stage.expect(refused === ASKED * 2 - parked, 'the others are refused meanwhile', { refused, parked });
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
    stage.expect(answered === parked, "what waited gets the caller's answer", { answered, parked });
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

export const FLOODS: readonly Row[] = [endless, stderrFlood, progressFlood, slowCaller, askUndeclared, askFlood];
