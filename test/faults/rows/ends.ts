/** Upstreams that end, or are as good as ended, with and without calls on them. */
import {
  claimAnswered,
  claimFailed,
  claimLost,
  claimNamed,
  claimProcessEnds,
  claimRestarted,
  codeOf,
  LOST_WITHIN_MS,
  textOf,
} from '../claims.js';
import { nowMs } from '../journal.js';
import type { Row } from '../run-row.js';
import type { Stage } from '../stage.js';

const NAMED_WITHIN_MS = 150;

/** When the process that was there first ended, or did what is as good. */
function goneAtMs(stage: Stage, event = 'exit'): number | undefined {
  return stage.journal().of(event)[0]?.atMs;
}

const crashes: readonly Row[] = [
  { name: 'crash-mid-call', what: 'exits with calls on it' },
  { name: 'kill-mid-call', what: 'is killed with calls on it' },
  { name: 'truncate-exit', what: 'exits in the middle of an answer' },
  { name: 'crash-wrapped', behave: 'crash-mid-call', what: 'exits behind a shell', isWrapped: true },
  { name: 'close-stdout', event: 'closed-stdout', what: 'closes its stdout and lives on' },
  {
    name: 'crash-grandchild',
    behave: 'crash-mid-call',
    what: 'exits; a deaf grandchild holds its stdout',
    mood: 'grandchild',
  },
].map(({ name, what, behave = name, event = 'exit', ...rest }) => ({
  name,
  promise: `${what}: each call fails within ${LOST_WITHIN_MS} ms, outcome unknown, none sent again; restarted by itself`,
  ...rest,
  wellWithinMs: 4_000,
  act: async (stage) => {
    await stage.prime();
    const { pid } = stage.journal();
    const waiting = Array.from({ length: 20 }, () => stage.hostile('mute'));
    const outcomes = await Promise.all([...waiting, stage.hostile(behave)]);
    const atMs = goneAtMs(stage, event);
    claimLost(stage, outcomes, atMs);
    await claimNamed(stage, ['failed', 'starting'], NAMED_WITHIN_MS);
    // A grandchild that has to be killed first takes the graces of an orderly end.
    await claimRestarted(stage, atMs ?? nowMs(), rest.mood === undefined ? 1_000 : 3_000);
    await claimProcessEnds(stage, pid, 4_000);
  },
}));

const hangs: readonly Row[] = [
  { name: 'hang', what: 'reads and answers nothing any more' },
  { name: 'sigstop', what: 'stops itself' },
  { name: 'stop-reading', what: 'reads nothing any more' },
].map(({ name, what }) => ({
  name,
  promise: `${what}: TIMEOUT within 900 ms of an 800 ms deadline, then pinged in vain and restarted by itself within 15 s`,
  entry: { callTimeoutMs: 800 },
  wellWithinMs: 10_000,
  act: async (stage) => {
    await stage.prime();
    const { pid } = stage.journal();
    const outcome = await stage.hostile(name);
    claimFailed(stage, outcome, ['TIMEOUT']);
    stage.measure('failed after', outcome.tookMs, 900);
    await claimRestarted(stage, outcome.atMs, 15_000);
    await claimProcessEnds(stage, pid, 5_000);
  },
}));

const exitsBetween: Row = {
  name: 'exit-after',
  promise: 'exits between two calls, and nobody asks for anything: restarted by itself within 1 s, no call fails',
  isQuiet: true,
  act: async (stage) => {
    await stage.prime();
    claimAnswered(stage, await stage.hostile('exit-after', { tag: 'last words' }), 'last words');
    await stage.until(() => goneAtMs(stage) !== undefined, 1_000);
    await claimRestarted(stage, goneAtMs(stage) ?? nowMs());
  },
};

const crashBeforeCall: Row = {
  name: 'crash-before-call',
  promise: 'dies as a call goes out: answered by the next process, or lost within 100 ms; not both',
  act: async (stage) => {
    await stage.prime();
    const killedAtMs = nowMs();
    process.kill(stage.journal().pid, 'SIGKILL');
    const outcome = await stage.call('hostile', { tag: 'on the way' });
    if (textOf(outcome) === 'on the way') return stage.note('answered by the next process');
    claimFailed(stage, outcome, ['UPSTREAM_LOST']);
    stage.measure('lost after', outcome.atMs - killedAtMs, LOST_WITHIN_MS);
    await claimRestarted(stage, killedAtMs);
  },
};

const callStartsAnew: Row = {
  name: 'crash-then-call',
  promise: 'a call on an upstream that has died starts it at once, and is answered within 1 s',
  act: async (stage) => {
    await stage.prime();
    process.kill(stage.journal().pid, 'SIGKILL');
    await stage.whenStatus((found) => found !== undefined, 500);
    const outcome = await stage.call('hostile', { tag: 'woken' });
    claimAnswered(stage, outcome, 'woken');
    stage.measure('answered', outcome.tookMs, 1_000);
  },
};

const respawnStorm: Row = {
  name: 'respawn-storm',
  promise:
    'lists and exits, again and again: at most 8 starts in 30 s, named flapping, calls refused at once; well by itself within 45 s of being mended',
  mood: 'respawn-storm',
  isLong: true,
  wellWithinMs: 45_000,
  act: async (stage) => {
    await claimNamed(stage, ['flapping'], 20_000);
    const starts = stage.journal().of('start').length;
    const refused = await stage.call('hostile', { tag: 'meanwhile' });
    stage.expect(
      /^UPSTREAM_/.test(codeOf(refused) ?? ''),
      'a call meanwhile is refused with the reason',
      refused.answer.message,
    );
    stage.measure('refused after', refused.tookMs, 100);
    const openedAtMs = nowMs();
    stage.expect(stage.journal().of('start').length === starts, 'a call does not start it while the breaker is open');
    const beganAtMs = stage.journal().of('start')[0]?.atMs ?? openedAtMs;
    await stage.until(() => nowMs() - beganAtMs > 30_000, 31_000);
    const within = stage
      .journal()
      .of('start')
      .filter(({ atMs }) => atMs - beganAtMs <= 30_000).length;
    stage.note(`${within} starts in 30 s`);
    stage.expect(within <= 8, 'at most 8 starts in 30 s', within);
    const healedAtMs = nowMs();
    stage.heal();
    const clearedMs = await stage.whenStatus((found) => found === undefined, 45_000);
    stage.measure('well after', clearedMs === undefined ? undefined : nowMs() - healedAtMs, 45_000);
  },
};

export const ENDS: readonly Row[] = [respawnStorm, ...crashes, ...hangs, exitsBetween, crashBeforeCall, callStartsAnew];
