/** The outcome of a soak as a table: each figure beside the figure asked for. */
import type { ProcessFacts } from '../fixtures/processes.js';
import type { SoakCaller } from './soak-caller.js';
import type { Miss, SoakCheck } from './soak-check.js';
import type { HostCount } from './soak-host.js';
import { describeProcess, type Holdings, type Point, quantile, slopePerMinute } from './soak-measure.js';
import { ALL_FAULTS } from './soak-plan.js';

const MAX_DESCRIPTORS = 4;
const MAX_RSS_SLOPE_MB = 1;
const MAX_CRASH_MS = 100;
/** Below this a slope says more about the moment than about the program. */
const SLOPE_NEEDS_SECONDS = 40;
const MAX_SHOWN_MISSES = 15;

export interface RunFacts {
  /** The time asked for, in which memory is looked at; `workedSeconds` with the warm-up before it. */
  readonly seconds: number;
  readonly workedSeconds: number;
  readonly callers: readonly SoakCaller[];
  readonly before: Holdings & HostCount;
  readonly after: Holdings & HostCount & { readonly timers: number };
  readonly rss: readonly Point[];
  readonly heap: readonly Point[];
  readonly buffers: readonly Point[];
  readonly zombiesWhileRunning: readonly number[];
  readonly zombies: readonly number[];
  readonly orphans: readonly ProcessFacts[];
  readonly endedMs: number;
}

export interface Row {
  readonly what: string;
  readonly value: string;
  /** What was asked for; '' where the figure is for reading only. */
  readonly asked: string;
  readonly isGood: boolean;
}

export interface Report {
  readonly isGood: boolean;
  readonly rows: readonly Row[];
  readonly faults: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly misses: readonly Miss[];
  readonly missCount: number;
}

export function makeReport(check: SoakCheck, facts: RunFacts): Report {
  const { callers, before, after, rss, heap, buffers, orphans, zombies, seconds } = facts;
  const calls = callers.flatMap((caller) => caller.calls);
  const faults: Record<string, Record<string, number>> = Object.fromEntries(
    ALL_FAULTS.map((fault) => [fault, Object.fromEntries(check.outcomes.get(fault) ?? [])]),
  );
  const vanished = callers.reduce((sum, caller) => sum + caller.vanished, 0);
  faults.vanish = { 'came back': vanished };
  const faultCount = calls.filter(({ step }) => step.fault !== undefined).length + vanished;
  const slope = slopePerMinute(rss);
  const isSlopeJudged = seconds >= SLOPE_NEEDS_SECONDS;
  const lists = callers.flatMap((caller) => caller.lists);
  const asked = calls.filter(({ askedAtMs }) => askedAtMs !== undefined).length;
  const none = (what: string, count: number): Row => ({ what, value: `${count}`, asked: '0', isGood: count === 0 });
  const read = (what: string, value: string): Row => ({ what, value, asked: '', isGood: true });
  const crashMs = check.crashAnsweredMs;
  const rows: Row[] = [
    read('calls', `${calls.length}, ${(calls.length / facts.workedSeconds).toFixed(0)} a second`),
    read('faults', `${faultCount} (${((100 * faultCount) / Math.max(1, calls.length)).toFixed(1)} %)`),
    read('callers that left and came back', `${vanished}`),
    read('callers asked by upstreams', `${asked}`),
    none('lost', check.count('lost')),
    none('wrong', check.count('wrong')),
    none('answered twice', check.count('answered twice')),
    none('executed twice', check.count('executed twice')),
    none('executed after cancel', check.count('executed after cancel')),
    none('failures on healthy upstreams', check.count('healthy failed')),
    none('orphans', orphans.length),
    none('zombies', zombies.length),
    {
      what: 'descriptors, children and callers apart',
      value: `${before.own} -> ${after.own}`,
      asked: `within ${MAX_DESCRIPTORS}`,
      isGood: Math.abs(after.own - before.own) <= MAX_DESCRIPTORS,
    },
    {
      what: 'doors and connections held',
      value: `${before.doors}, ${before.connections} -> ${after.doors}, ${after.connections}`,
      asked: 'no more',
      isGood: after.doors <= before.doors && after.connections <= before.connections,
    },
    read(
      'descriptors and children',
      `${before.descriptors}, ${before.children} -> ${after.descriptors}, ${after.children}`,
    ),
    {
      what: 'RSS slope after the warm-up, MB a minute',
      value: `${slope.toFixed(2)}${isSlopeJudged ? '' : ' (too short to judge)'}`,
      asked: `< ${MAX_RSS_SLOPE_MB}`,
      isGood: !isSlopeJudged || slope < MAX_RSS_SLOPE_MB,
    },
    read(
      'slopes of heap and buffers, MB a minute',
      [heap, buffers].map((each) => slopePerMinute(each).toFixed(2)).join(', '),
    ),
    read(
      'RSS, heap, buffers at the end, MB',
      [rss, heap, buffers].map((each) => (each.at(-1)?.value ?? 0).toFixed(1)).join(', '),
    ),
    {
      what: 'a crash to its answer, ms (median, 95 %, most)',
      value: [0.5, 0.95, 1].map((q) => quantile(crashMs, q).toFixed(0)).join(', '),
      // The rest of them is told for reading: a busy machine alone can take that long to read a pipe.
      asked: `median <= ${MAX_CRASH_MS}`,
      isGood: quantile(crashMs, 0.5) <= MAX_CRASH_MS,
    },
    read(
      'tools/list, ms (median, most)',
      [0.5, 1]
        .map((q) =>
          quantile(
            lists.map(({ tookMs }) => tookMs),
            q,
          ).toFixed(0),
        )
        .join(', '),
    ),
    read('timers left, ms to end everything', `${after.timers}, ${facts.endedMs.toFixed(0)}`),
  ];
  const misses = [
    ...check.misses,
    ...orphans.map((orphan): Miss => ({ kind: 'wrong', about: 'orphan', what: describeProcess(orphan) })),
  ];
  return {
    isGood: rows.every(({ isGood }) => isGood),
    rows,
    faults,
    misses: misses.slice(0, 200),
    missCount: misses.length,
  };
}

export function printReport(
  report: Report,
  { seed, folder, replay }: { readonly seed: number; readonly folder: string | undefined; readonly replay: string },
): void {
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  say(`\nsoak, seed ${seed}`);
  for (const { what, value, asked, isGood } of report.rows) {
    say(`  ${isGood ? ' ' : '!'} ${what.padEnd(48)} ${value.padEnd(24)} ${asked}`);
  }
  say('\nfaults and how they ended');
  for (const [fault, outcomes] of Object.entries(report.faults)) {
    const ends = Object.entries(outcomes).map(([outcome, count]) => `${outcome} ${count}`);
    say(`    ${fault.padEnd(14)} ${ends.join(', ') || '-'}`);
  }
  for (const { kind, about, what } of report.misses.slice(0, MAX_SHOWN_MISSES)) say(`\n! ${kind}: ${about}: ${what}`);
  if (report.missCount > MAX_SHOWN_MISSES) say(`\n! and ${report.missCount - MAX_SHOWN_MISSES} more`);
  if (report.isGood) say('\nall as promised');
  else say(`\nnot as promised. The same decisions again:\n  ${replay}\nJournals: ${folder}`);
}
