/**
 * The core for seven simulated days (case g12), in seconds: the real gateway and doors, upstreams in memory, a virtual clock.
 *
 *   node tools/run-ts.mjs test/faults/simulation.ts [--minutes 10080] [--seed N] [--upstreams 30] [--callers 10] [--json]
 *
 * The same seed gives the same run, to the last count.
 */
import { parseArgs } from 'node:util';
import { SEVEN_DAYS, SimulatedWorld, type SimulationResult } from './simulation-world.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string' },
    upstreams: { type: 'string' },
    callers: { type: 'string' },
    declaring: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const MAX_HEAP_GROWTH_MB = 15;

const options = {
  ...SEVEN_DAYS,
  seed: Number(values.seed ?? Math.floor(Math.random() * 1e9)),
  minutes: Number(values.minutes ?? SEVEN_DAYS.minutes),
  upstreams: Number(values.upstreams ?? SEVEN_DAYS.upstreams),
  callers: Number(values.callers ?? SEVEN_DAYS.callers),
  declaring: Number(values.declaring ?? SEVEN_DAYS.declaring),
};
process.stderr.write(`simulation: seed ${options.seed}, ${options.minutes} minutes, ${options.upstreams} upstreams\n`);
const result = await new SimulatedWorld(options).run();
const bounds = boundsOf(result);
const isGood = bounds.every(({ isMet }) => isMet);
if (values.json) process.stdout.write(`${JSON.stringify({ isGood, ...result })}\n`);
else print(result);
process.exit(isGood ? 0 : 1);

interface Bound {
  readonly what: string;
  readonly value: string;
  readonly asked: string;
  readonly isMet: boolean;
}

function boundsOf({
  missCount,
  pending,
  timersBefore,
  timersAfter,
  connections,
  heapGrowthMb,
}: SimulationResult): Bound[] {
  return [
    { what: 'misses', value: `${missCount}`, asked: '0', isMet: missCount === 0 },
    { what: 'pending requests', value: `${pending}`, asked: '0', isMet: pending === 0 },
    {
      what: 'timers',
      value: `${timersBefore} -> ${timersAfter}`,
      asked: 'no more',
      isMet: timersAfter <= timersBefore,
    },
    {
      what: 'connections',
      value: `${connections}`,
      asked: `${options.upstreams}`,
      isMet: connections === options.upstreams,
    },
    {
      what: 'heap growth after warm-up, MB',
      value: heapGrowthMb.toFixed(2),
      asked: `< ${MAX_HEAP_GROWTH_MB}`,
      isMet: heapGrowthMb < MAX_HEAP_GROWTH_MB,
    },
  ];
}

function print({ counts, misses, missCount, heapMb, tasks, minutesPerSecond, seed }: SimulationResult): void {
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  say(
    `\nsimulation, seed ${seed}: ${Math.round(minutesPerSecond)} simulated minutes a second, ${tasks} tasks, heap ${heapMb.toFixed(1)} MB`,
  );
  for (const { what, value, asked, isMet } of bounds)
    say(`  ${isMet ? ' ' : '!'} ${what.padEnd(34)} ${value.padEnd(14)} ${asked}`);
  say('');
  for (const [what, count] of Object.entries(counts)) say(`    ${what.padEnd(40)} ${count}`);
  for (const miss of misses.slice(0, 15)) say(`\n! ${miss}`);
  if (missCount > 15) say(`\n! and ${missCount - 15} more`);
  if (!isGood)
    say(
      `\nThe same run again: node tools/run-ts.mjs test/faults/simulation.ts --seed ${seed} --minutes ${options.minutes}`,
    );
}
