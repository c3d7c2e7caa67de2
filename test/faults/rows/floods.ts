/** Too much of something: bytes, lines, progress, questions. */
import { residentMb } from '../../fixtures/processes.js';
import { claimAnswered, claimFailed, claimRestarted, claimSameProcess } from '../claims.js';
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

const LINES = 10_000;

const messageFloods: readonly Row[] = [
  { name: 'log-flood', what: `${LINES} log messages` },
  { name: 'ping-flood', what: `${LINES} pings from one who does not read` },
].map(({ name, what }) => ({
  name,
  promise: `${what}: the answer comes within 3 s, at most ${MAX_GROWTH_MB} MB`,
  act: async (stage) => {
    await stage.prime();
    const { pid } = stage.journal();
    await claimFlat(stage, async () => {
      const outcome = await stage.hostile(name, { tag: 'done', count: LINES });
      claimAnswered(stage, outcome, 'done');
      stage.measure('answered', outcome.tookMs, 3_000);
    });
    if (name === 'log-flood') stage.note(`${stage.door.notifications('notifications/message').length} passed on`);
    else await claimPingsAnswered(stage);
    claimSameProcess(stage, pid);
  },
}));

/** A reply may be dropped where it is not read, never given twice. */
async function claimPingsAnswered(stage: Stage): Promise<void> {
  const replies = (): Set<unknown> =>
    new Set(
      stage
        .journal()
        .of('received')
        .flatMap(({ id, method }) => (method ? [] : [id])),
    );
  const allMs = await stage.until(() => replies().size >= LINES, 3_000);
  stage.note(allMs === undefined ? `${replies().size} replies` : 'all replied to');
  const given = stage
    .journal()
    .of('received')
    .filter(({ method }) => method === undefined).length;
  stage.expect(given > 0 && given === replies().size, 'no ping is answered twice', given);
}

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

export const FLOODS: readonly Row[] = [endless, stderrFlood, ...messageFloods, progressFlood, slowCaller];
