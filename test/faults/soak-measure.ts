/** What the process under test holds, seen from outside. */
import { readdirSync, readFileSync } from 'node:fs';
import { findDescendants, type ProcessFacts } from '../fixtures/processes.js';

/** A child's stdin, stdout and stderr at its parent. */
const PIPES_A_CHILD = 3;

export interface Holdings {
  readonly descriptors: number;
  readonly children: number;
  /** Descriptors that belong to neither a child nor a caller. */
  readonly own: number;
}

export function holdingsOf(pid: number, callers: number): Holdings {
  const descriptors = readdirSync(`/proc/${pid}/fd`).length;
  const children = findDescendants(pid).filter(({ parent }) => parent === pid).length;
  return { descriptors, children, own: descriptors - PIPES_A_CHILD * children - callers };
}

/** Processes that ended and that nobody has taken note of, of those given by pid or by parent. */
export function findZombies(pids: ReadonlySet<number>): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return state === 'Z' && (pids.has(Number(name)) || pids.has(Number(parent))) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

export interface Point {
  readonly atMs: number;
  readonly value: number;
}

/**
 * The slope of the line that fits best, a minute: the median of the slopes between all pairs of points (Theil and Sen).
 * Least squares would take one step at an end of a short stretch, be it a burst of large messages, for a slope.
 */
export function slopePerMinute(points: readonly Point[]): number {
  const slopes = points.flatMap((from, i) =>
    points.slice(i + 1).map((to) => (to.value - from.value) / (to.atMs - from.atMs)),
  );
  return quantile(slopes, 0.5) * 60_000;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function describeProcess({ pid, command }: ProcessFacts): string {
  return `${pid} ${command.slice(0, 120)}`;
}
