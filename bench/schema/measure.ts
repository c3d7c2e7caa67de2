/** Work to be timed; it returns what it did, so that nobody can leave it out. */
export type Task = () => unknown;

/** CPU microseconds a unit of work, one figure a round. */
export type Series = Readonly<Record<string, readonly number[]>>;

export interface MeasureOptions {
  readonly rounds: number;
  /** Units of work that one run of a task does. */
  readonly units: number;
  /** A task is repeated in each round until it took this long, so that the clock's grain does not matter. */
  readonly sliceMs: number;
  /** Before the rounds, each task runs this long: some thousand calls of each function until its code is the final one. */
  readonly warmMs: number;
}

/** Times tasks by turns, in an order that differs from round to round. The CPU of all threads counts: collector and compiler too. */
export async function measure(
  tasks: Readonly<Record<string, Task>>,
  { rounds, units, sliceMs, warmMs }: MeasureOptions,
): Promise<Series> {
  const entries = Object.entries(tasks);
  const series: Record<string, number[]> = Object.fromEntries(entries.map(([name]) => [name, []]));
  for (const [, task] of entries) await runFor(task, warmMs);
  for (let round = 0; round < rounds; round++) {
    const turn = round % entries.length;
    for (const [name, task] of [...entries.slice(turn), ...entries.slice(0, turn)]) {
      const before = process.cpuUsage();
      const runs = await runFor(task, sliceMs);
      const { user, system } = process.cpuUsage(before);
      series[name]!.push((user + system) / (runs * units));
    }
  }
  return series;
}

async function runFor(task: Task, sliceMs: number): Promise<number> {
  const end = performance.now() + sliceMs;
  let runs = 0;
  do {
    const result = task();
    if (result instanceof Promise) await result;
    // Never so; it keeps the result, and with it the work, from being optimised away.
    if (result === task) throw new Error('a task returned itself');
    runs += 1;
  } while (performance.now() < end);
  return runs;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The median of the rounds' ratios: both figures of a ratio were taken in the same moment. */
export function ratio(series: Series, upper: string, lower: string): number {
  return median(series[upper]!.map((value, round) => value / series[lower]![round]!));
}
