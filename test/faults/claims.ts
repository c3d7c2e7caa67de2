/** Claims that many rows make, each said once. */
import { findProcess } from '../fixtures/processes.js';
import { nowMs } from './journal.js';
import type { Outcome, Stage } from './stage.js';

/** How long a call that was in flight may take to fail once its upstream is gone. */
export const LOST_WITHIN_MS = 100;
/** An error that can be told at once is told within this. */
export const AT_ONCE_MS = 100;
/** A first restart comes after a quarter of a second, give or take; the process needs its time to start as well. */
const RESTART_WITHIN_MS = 1_000;

export function textOf({ answer }: Outcome): string | undefined {
  const content = answer.message?.result?.content as readonly { readonly text?: string }[] | undefined;
  return content?.[0]?.text;
}

export function codeOf({ answer }: Outcome): string | undefined {
  return answer.message?.error?.data?.code as string | undefined;
}

/** The call failed with one of our own codes, and its caller is told that it may have run. */
export function claimFailed(stage: Stage, outcome: Outcome, codes: readonly string[]): void {
  const { error } = outcome.answer.message ?? {};
  stage.expect(codes.includes(codeOf(outcome) ?? ''), `fails with ${codes.join(' or ')}`, outcome.answer.message);
  stage.expect(error?.data?.outcome === 'unknown', 'says data.outcome "unknown"', error?.data);
}

export function claimAnswered(stage: Stage, outcome: Outcome, tag: string): void {
  stage.expect(textOf(outcome) === tag, `is answered with ${tag}`, outcome.answer.message);
}

/** The calls that were in flight failed within their time of `goneAtMs`, when the upstream was no more. */
export function claimLost(stage: Stage, outcomes: readonly Outcome[], goneAtMs: number | undefined): void {
  // Half an answer may have come before the end: then its call is told of that.
  for (const outcome of outcomes) claimFailed(stage, outcome, ['UPSTREAM_LOST', 'UPSTREAM_BROKE_PROTOCOL']);
  const lastMs = Math.max(...outcomes.map(({ atMs }) => atMs));
  stage.measure('lost after', goneAtMs === undefined ? undefined : lastMs - goneAtMs, LOST_WITHIN_MS);
}

/** `doorward://status` names the hostile upstream, with one of these states and a reason. */
export async function claimNamed(stage: Stage, states: readonly string[], withinMs: number): Promise<void> {
  const tookMs = await stage.whenStatus((found) => states.includes(found?.status ?? ''), withinMs);
  stage.expect(tookMs !== undefined, `the status names it ${states.join(' or ')} within ${withinMs} ms`);
  const seen = await stage.status();
  const found = seen.find(({ id }) => id === 'hostile');
  if (tookMs === undefined) return stage.expect(false, 'it names it', seen);
  stage.note(`named ${found?.status ?? ''}`.trim());
  stage.expect(!found || (found.reason ?? '') !== '', 'the status gives a reason', found);
  const others = seen.filter(({ id }) => id === 'healthy');
  stage.expect(others.length === 0, 'the status does not name the healthy upstream', others);
}

/** A new process of it is started with nobody calling it. */
export async function claimRestarted(stage: Stage, goneAtMs: number, withinMs = RESTART_WITHIN_MS): Promise<void> {
  const isBack = (): boolean =>
    stage
      .journal()
      .of('start')
      .some(({ atMs }) => atMs > goneAtMs);
  const isThere = await stage.until(isBack, withinMs + 2_000);
  const startedAtMs = stage
    .journal()
    .of('start')
    .find(({ atMs }) => atMs > goneAtMs)?.atMs;
  stage.measure('restarted after', isThere === undefined ? undefined : (startedAtMs ?? nowMs()) - goneAtMs, withinMs);
}

/** The process is the one it was: whatever it did was no reason to end it. */
export function claimSameProcess(stage: Stage, pid: number): void {
  stage.expect(stage.journal().pid === pid, 'the process is not restarted');
  stage.expect(findProcess(pid) !== undefined, 'the process lives on');
}

export async function claimProcessEnds(stage: Stage, pid: number, withinMs: number): Promise<void> {
  const tookMs = await stage.until(() => findProcess(pid) === undefined, withinMs);
  stage.expect(tookMs !== undefined, `its old process is gone within ${withinMs} ms`);
}
