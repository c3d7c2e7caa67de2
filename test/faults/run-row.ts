/** Plays one row and holds it to what every row promises, whatever its behaviour. */
import { findProcess } from '../fixtures/processes.js';
import { nowMs } from './journal.js';
import { type Actor, type CallChoices, type ServerEntry, Stage, sleep } from './stage.js';

/** One line of the table: a behaviour, what is promised when an upstream has it, and the play that shows it. */
export interface Row {
  readonly name: string;
  /** What is promised, with its time. */
  readonly promise: string;
  /** What the hostile upstream does from its start. */
  readonly mood?: string;
  /** Fields of the hostile upstream's entry. */
  readonly entry?: ServerEntry;
  readonly isWrapped?: boolean;
  /** Upstreams beside the hostile one and its healthy neighbour. */
  readonly others?: Readonly<Record<string, Actor>>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly capabilities?: object;
  /** Whether the play ends the door itself: then nothing is called afterwards. */
  readonly endsDoor?: true;
  /** Whether nothing is asked of the door while it plays: what happens then happens by itself. */
  readonly isQuiet?: true;
  /** Whether some upstream is still wrong when the play is over. */
  readonly staysIll?: true;
  /** How long after the play the hostile upstream may need until it works and the status is gone. Default 3 s. */
  readonly wellWithinMs?: number;
  /** Whether it runs among the first: a row that waits for half a minute is what the whole run waits for. */
  readonly isLong?: true;
  readonly act: (stage: Stage) => Promise<void>;
}

export interface RowResult {
  readonly name: string;
  readonly promise: string;
  readonly measured: readonly string[];
  readonly misses: readonly string[];
  /** Every miss is a figure past its bound: on a busy machine, that may be the machine. */
  readonly isOnlyLate: boolean;
  /** What earlier plays of it missed, each by time alone. */
  readonly earlier: readonly string[];
  readonly tookMs: number;
  /** How the neighbour fared meanwhile. */
  readonly healthy: { readonly calls: number; readonly medianMs: number; readonly maxMs: number };
  /** Where to look when it missed. */
  readonly evidence: { readonly journal: readonly string[]; readonly stderr: readonly string[] };
}

const BEAT_EVERY_MS = 40;
const LIST_EVERY_BEATS = 10;
/** A median of fewer says nothing. */
const MIN_BEATS = 10;
const MIN_LISTS = 3;
const HEALTHY_MEDIAN_MS = 100;
const HEALTHY_MAX_MS = 2_000;
const WELL_WITHIN_MS = 3_000;
const END_WITHIN_MS = 10_000;

export async function runRow(row: Row): Promise<RowResult> {
  const beganAtMs = nowMs();
  const { mood = '', entry = {}, isWrapped = false } = row;
  const actors = { hostile: { mood, entry, isWrapped }, healthy: {}, ...row.others };
  const stage = new Stage({ actors, config: row.config ?? {}, capabilities: row.capabilities ?? {} });
  const heart = new Heart(stage);
  try {
    await guard(stage, 'the play', async () => {
      await stage.initialize();
      await stage.until(() => stage.journal('healthy').of('sent').length >= 2, 5_000);
      heart.start();
      if (row.endsDoor || row.isQuiet) {
        // A neighbour cannot be called through a door that ends, either.
        await sleep(500);
        await heart.stop();
      }
      await row.act(stage);
      if (!row.endsDoor && !row.staysIll) await endsWell(stage, row.wellWithinMs ?? WELL_WITHIN_MS);
    });
    await heart.stop();
    await end(stage, row.endsDoor === true);
    checkAll(stage, row, heart);
    const { measured, misses } = stage;
    const isOnlyLate = misses.length > 0 && stage.late === misses.length;
    const evidence = { journal: stage.journal().tail(12), stderr: stage.door.stderr.trimEnd().split('\n').slice(-12) };
    const tookMs = nowMs() - beganAtMs;
    return {
      name: row.name,
      promise: row.promise,
      measured,
      misses,
      isOnlyLate,
      earlier: [],
      tookMs,
      healthy: heart.figures(),
      evidence,
    };
  } finally {
    await stage.door.stop(0).catch(() => undefined);
    stage.clear();
  }
}

/** What throws is a miss like any other, and the row goes on to its end. */
async function guard(stage: Stage, what: string, task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (thrown) {
    stage.misses.push(`${what}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

/** The hostile upstream works again, by itself, and the status that named it is gone. */
async function endsWell(stage: Stage, withinMs: number): Promise<void> {
  const clearedMs = await stage.whenStatus((found) => found === undefined, withinMs);
  stage.expect(clearedMs !== undefined, `the status is clear within ${withinMs} ms after the play`);
  if (clearedMs === undefined) stage.expect(false, 'it is clear', await stage.status());
  stage.expect(!(await stage.isStatusListed()), 'doorward://status is not listed once all is well');
  const { answer } = await stage.call('hostile', { tag: 'afterwards' });
  const content = answer.message?.result?.content as readonly { readonly text?: string }[] | undefined;
  stage.expect(content?.[0]?.text === 'afterwards', 'the upstream answers again after the play', answer.message);
}

async function end(stage: Stage, isEnding: boolean): Promise<void> {
  const beganAtMs = nowMs();
  stage.door.remember();
  if (!isEnding) stage.door.endInput();
  await guard(stage, 'the end', async () => void (await stage.door.ended(END_WITHIN_MS)));
  const leftovers = await stage.door.leftovers(END_WITHIN_MS - Math.min(nowMs() - beganAtMs, END_WITHIN_MS));
  const names = leftovers.map(({ pid, command }) => `${pid} ${command.slice(0, 120)}`);
  stage.expect(names.length === 0, 'no process is left 10 s after the end', names);
  const tookMs = nowMs() - beganAtMs;
  if (names.length === 0 && tookMs > 5_000) stage.note(`all gone ${Math.round(tookMs)} ms after the end`);
}

function checkAll(stage: Stage, row: Row, heart: Heart): void {
  if (!row.endsDoor) stage.expect(stage.unevenAnswers().length === 0, 'exactly one answer each', stage.unevenAnswers());
  for (const id of ['hostile', 'healthy', ...Object.keys(row.others ?? {})]) {
    const repeated = stage.journal(id).repeatedTags();
    stage.expect(repeated.length === 0, `no call reached ${id} twice`, repeated);
  }
  stage.expect(stage.door.pollution().length === 0, 'nothing but messages on stdout', stage.door.pollution());
  const { calls, medianMs, maxMs } = heart.figures();
  stage.misses.push(...heart.faults);
  if (heart.faults.length === 0) stage.expect(calls > 0, 'the healthy upstream was called meanwhile');
  // A neighbour that waits longer was not left alone, however busy the machine.
  if (medianMs > HEALTHY_MEDIAN_MS) stage.measure('healthy calls, median', medianMs, HEALTHY_MEDIAN_MS);
  if (heart.listMedianMs > HEALTHY_MEDIAN_MS) stage.measure('lists, median', heart.listMedianMs, HEALTHY_MEDIAN_MS);
  if (maxMs > HEALTHY_MAX_MS) stage.measure('slowest healthy call', maxMs, HEALTHY_MAX_MS);
}

/** Calls the healthy upstream all the while, and lists now and then: what happens beside it must not show. */
class Heart {
  readonly faults: string[] = [];
  readonly #stage: Stage;
  readonly #callMs: number[] = [];
  readonly #listMs: number[] = [];
  #isBeating = false;
  #done: Promise<void> = Promise.resolve();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get listMedianMs(): number {
    return this.#listMs.length < MIN_LISTS ? 0 : median(this.#listMs);
  }

  start(): void {
    this.#isBeating = true;
    this.#done = this.#beat();
  }

  async stop(): Promise<void> {
    this.#isBeating = false;
    await this.#done;
  }

  figures(): RowResult['healthy'] {
    return { calls: this.#callMs.length, medianMs: median(this.#callMs), maxMs: Math.max(0, ...this.#callMs) };
  }

  async #beat(): Promise<void> {
    const { door } = this.#stage;
    // The first list may wait for upstreams by its own rule; later ones must not.
    await this.#stage.list().catch((thrown: unknown) => this.#fault(thrown));
    // What is loaded and compiled at first use is not what is measured.
    await this.#call({ tag: 'beat-0' }).catch((thrown: unknown) => this.#fault(thrown));
    this.#callMs.length = 0;
    for (let beat = 1; (this.#isBeating || beat <= MIN_BEATS) && this.faults.length < 3; beat++) {
      const isListing = beat % LIST_EVERY_BEATS === 0;
      try {
        if (isListing) await this.#list();
        else await this.#call({ tag: `beat-${beat}` });
      } catch (thrown) {
        // A play may end the door under us: then nothing is owed any more.
        if (!this.#isBeating || findProcess(door.pid) === undefined) return;
        this.#fault(thrown);
      }
      await sleep(BEAT_EVERY_MS);
    }
  }

  async #call({ tag = '' }: CallChoices): Promise<void> {
    const { answer, tookMs } = await this.#stage.call('healthy', { tag });
    const content = answer.message?.result?.content as readonly { readonly text?: string }[] | undefined;
    if (content?.[0]?.text !== tag) throw new Error(`the healthy upstream answered ${answer.raw.slice(0, 300)}`);
    this.#callMs.push(tookMs);
  }

  async #list(): Promise<void> {
    const { names, tookMs } = await this.#stage.list();
    if (!names.includes('healthy__work')) throw new Error(`tools/list misses healthy__work: ${names.join(', ')}`);
    this.#listMs.push(tookMs);
  }

  #fault(thrown: unknown): void {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    this.faults.push(`healthy upstream: ${message.slice(0, 600)}`);
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
