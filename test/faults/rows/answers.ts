/** Answers that are wrong, late, doubled, cut or in bad company: one call pays for each, and only with an error. */
import { AT_ONCE_MS, claimAnswered, claimFailed, claimSameProcess, textOf } from '../claims.js';
import type { Row } from '../run-row.js';
import { sleep } from '../stage.js';

/** A whole answer through everything that can slow it on a busy machine. */
const ANSWER_WITHIN_MS = 250;

/** The right answer comes all the same. */
const harmless: readonly Row[] = [
  { name: 'garbage', promise: 'lines between messages are skipped, warned about once in a while; the answer is right' },
  { name: 'split', promise: 'an answer one byte a write is put together' },
  { name: 'duplicate', promise: 'the first answer counts, the second goes nowhere' },
  { name: 'stray', promise: 'answers to nobody go nowhere, the right one arrives' },
  { name: 'self-request', promise: 'a request to doorward is refused with -32601, the answer is right' },
].map(({ name, promise }) => ({
  name,
  promise: `${promise}; ${ANSWER_WITHIN_MS} ms`,
  act: async (stage) => {
    await stage.prime();
    const { pid } = stage.journal();
    for (const tag of ['first', 'second']) {
      const outcome = await stage.hostile(name, { tag });
      claimAnswered(stage, outcome, tag);
      stage.measure(tag, outcome.tookMs, ANSWER_WITHIN_MS);
    }
    const warned = stage.door.stderr.split('\n').filter((line) => line.includes('noise-on-stdout')).length;
    stage.expect(warned <= 1, 'noise is warned about once in 30 s', warned);
    if (name === 'garbage') stage.expect(warned === 1, 'noise is warned about', warned);
    if (name === 'self-request') {
      const replied = (): boolean =>
        stage
          .journal()
          .of('received')
          .some(({ id, error }) => id === 'self' && error?.code === -32601);
      stage.expect((await stage.until(replied, 1_000)) !== undefined, 'its request is answered with -32601');
    }
    claimSameProcess(stage, pid);
  },
}));

/** The id can be read, so the call need not wait for its deadline. */
const malformed: readonly Row[] = [
  { name: 'truncate', what: 'half an answer and a line end' },
  { name: 'result-no-object', what: 'a result that is no object' },
  { name: 'error-no-code', what: 'an error without a code' },
  { name: 'result-and-error', what: 'a result and an error at once' },
  { name: 'invalid-utf8', what: 'bytes that are no UTF-8' },
  { name: 'deep', what: 'an answer nested 10,000 deep' },
].map(({ name, what }) => ({
  name,
  promise: `${what}: UPSTREAM_BROKE_PROTOCOL within ${AT_ONCE_MS} ms, not at the deadline; others on it go on`,
  entry: { callTimeoutMs: 2_000 },
  act: async (stage) => {
    await stage.prime();
    const beside = stage.call('hostile', { tag: 'beside', ms: 300 });
    const outcome = await stage.hostile(name);
    claimFailed(stage, outcome, ['UPSTREAM_BROKE_PROTOCOL']);
    stage.measure('failed after', outcome.tookMs, AT_ONCE_MS);
    claimAnswered(stage, await beside, 'beside');
  },
}));

const DEADLINE = { callTimeoutMs: 800 };
/** One timer serves all deadlines, so each may come a little late. */
const DEADLINE_WITHIN_MS = 800 + 100;

/** Nothing usable comes before the deadline, but the upstream is well. */
const overdue: readonly Row[] = [
  { name: 'mute', what: 'one call is never answered' },
  { name: 'late', what: 'the answer comes after the deadline and is swallowed' },
  { name: 'double-id', what: "an answer with two ids is neither call's" },
  { name: 'string-id', what: 'an answer under a string id is not taken for it' },
].map(({ name, what }) => ({
  name,
  promise: `${what}: TIMEOUT within ${DEADLINE_WITHIN_MS} ms of an 800 ms deadline, cancelled upstream, not restarted`,
  entry: DEADLINE,
  act: async (stage) => {
    await stage.prime();
    const { pid } = stage.journal();
    const beside = stage.call('hostile', { tag: 'beside', ms: 300 });
    const outcome = await stage.hostile(name, { ms: 1_200 });
    claimAnswered(stage, await beside, 'beside');
    claimFailed(stage, outcome, ['TIMEOUT']);
    stage.measure('failed after', outcome.tookMs, DEADLINE_WITHIN_MS);
    stage.expect(outcome.tookMs >= DEADLINE.callTimeoutMs - 5, 'not before its deadline', outcome.tookMs);
    const cancelled = (): boolean => stage.journal().of('received', 'notifications/cancelled').length === 1;
    stage.expect((await stage.until(cancelled, 500)) !== undefined, 'the upstream is told that nobody waits');
    await sleep(600);
    if (name === 'late') {
      stage.expect(/late-or-duplicate/.test(stage.door.stderr), 'the late answer is counted in a warning');
    }
    claimSameProcess(stage, pid);
  },
}));

const oversize: Row = {
  name: 'oversize',
  promise: `an answer of 2 MB under a limit of 1 MiB: MESSAGE_TOO_LARGE within 500 ms, others on it go on`,
  config: { limits: { maxMessageBytes: 1024 * 1024 } },
  act: async (stage) => {
    await stage.prime();
    const { pid } = stage.journal();
    const beside = stage.call('hostile', { tag: 'beside', ms: 300 });
    const outcome = await stage.hostile('oversize');
    claimFailed(stage, outcome, ['MESSAGE_TOO_LARGE']);
    stage.measure('failed after', outcome.tookMs, 500);
    claimAnswered(stage, await beside, 'beside');
    claimSameProcess(stage, pid);
  },
};

const strayBatch: Row = {
  name: 'batch',
  promise: `a batch in a revision without batches: its answer or UPSTREAM_BROKE_PROTOCOL within ${AT_ONCE_MS} ms, not at the deadline`,
  entry: { callTimeoutMs: 2_000 },
  act: async (stage) => {
    await stage.prime();
    const outcome = await stage.hostile('batch', { tag: 'in an array' });
    if (textOf(outcome) === 'in an array') stage.note('answered');
    else claimFailed(stage, outcome, ['UPSTREAM_BROKE_PROTOCOL']);
    stage.measure('settled after', outcome.tookMs, AT_ONCE_MS);
  },
};

const batches: Row = {
  name: 'batch-2025-03-26',
  promise: `a batch in the revision that has them is an answer; ${ANSWER_WITHIN_MS} ms`,
  mood: 'old-version',
  act: async (stage) => {
    await stage.prime();
    const outcome = await stage.hostile('batch', { tag: 'in an array' });
    claimAnswered(stage, outcome, 'in an array');
    stage.measure('answered', outcome.tookMs, ANSWER_WITHIN_MS);
  },
};

export const ANSWERS: readonly Row[] = [...harmless, ...malformed, ...overdue, oversize, strayBatch, batches];
