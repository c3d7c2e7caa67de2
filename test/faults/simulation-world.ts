/** Everything of a simulation together: upstreams that flap and change, callers that come and go, and what is left. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createGateway, type Gateway } from '../../src/gateway/index.js';
import { prepareEngine } from '../../src/schema/index.js';
import { SimulatedCaller } from './simulation-caller.js';
import { SimulationClock } from './simulation-clock.js';
import { SimulationJournal } from './simulation-journal.js';
import { resourcesOf } from './simulation-offers.js';
import { SimulatedUpstream } from './simulation-upstream.js';
import { Seeded } from './soak-seeded.js';

export interface SimulationOptions {
  readonly seed: number;
  readonly minutes: number;
  readonly upstreams: number;
  readonly callers: number;
  /** How many of the callers can be asked; each has upstream connections of its own. */
  readonly declaring: number;
  readonly tools: number;
  /** Between two calls of a caller, on average. */
  readonly thinkMs: number;
  /** How many of the upstreams ever break; the others are never lost. */
  readonly breaking: number;
  readonly flapEveryMs: number;
  readonly changeEveryMs: number;
  readonly timeoutShare: number;
  readonly vanishShare: number;
}

/** Case g12 of cases.json: 30 upstreams for seven days. */
export const SEVEN_DAYS: Omit<SimulationOptions, 'seed'> = {
  minutes: 7 * 24 * 60,
  upstreams: 30,
  callers: 10,
  declaring: 2,
  tools: 2,
  thinkMs: 60_000,
  breaking: 30,
  flapEveryMs: 60 * 60_000,
  changeEveryMs: 10 * 60_000,
  timeoutShare: 0.05,
  vanishShare: 0.05,
};

export interface SimulationResult {
  readonly seed: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly misses: readonly string[];
  readonly missCount: number;
  /** Calls without an end, once everything had time to end. */
  readonly pending: number;
  /** Timers once all callers have left, before and after the load. */
  readonly timersBefore: number;
  readonly timersAfter: number;
  /** Connections to upstreams once all callers have left: one each. */
  readonly connections: number;
  /** Of the whole run, the first day (or tenth) left out as warm-up, after a collection each. */
  readonly heapGrowthMb: number;
  readonly heapMb: number;
  readonly tasks: number;
  readonly minutesPerSecond: number;
}

const MINUTE_MS = 60_000;
/** Past every deadline and every wait the gateway knows. */
const CALM_MS = 20 * MINUTE_MS;
const MAX_DOWN_MS = 40_000;
const CHANGES_AGAIN = 0.3;
const CHANGES_WITHIN_MS = 3_000;
const SWEEP_EVERY_MS = 10 * MINUTE_MS;

export class SimulatedWorld {
  readonly clock = new SimulationClock();
  readonly journal = new SimulationJournal();
  readonly gateway: Gateway;
  readonly upstreams: readonly SimulatedUpstream[];
  readonly callers: readonly SimulatedCaller[];
  readonly #options: SimulationOptions;
  #isCalm = false;

  constructor(options: SimulationOptions) {
    this.#options = options;
    const { clock, journal } = this;
    const { seed } = options;
    this.upstreams = Array.from({ length: options.upstreams }, (_, i) => {
      const seeded = Seeded.of(seed, i);
      return new SimulatedUpstream({
        name: `up${i}`,
        clock,
        seeded,
        journal,
        tools: options.tools,
        breaks: i < options.breaking,
      });
    });
    const jitter = Seeded.of(seed, -2);
    this.gateway = createGateway({
      mounts: this.upstreams.map((upstream) => ({ id: upstream.options.name, connect: () => upstream.connect() })),
      clock,
      random: () => jitter.next(),
    });
    // As a log does: some events are not even made while nobody listens.
    this.gateway.events.onAny((name) => journal.count(`event ${name}`));
    this.callers = Array.from({ length: options.callers }, (_, i) => {
      const { gateway, upstreams } = this;
      const { thinkMs, timeoutShare, vanishShare, declaring } = options;
      const declaresElicitation = i < declaring;
      const seeded = Seeded.of(seed, 1_000 + i);
      const shares = { thinkMs, timeoutShare, vanishShare };
      return new SimulatedCaller({
        name: `caller${i}`,
        clock,
        seeded,
        journal,
        gateway,
        upstreams,
        declaresElicitation,
        ...shares,
      });
    });
  }

  async run(): Promise<SimulationResult> {
    const { clock, journal } = this;
    const { seed, minutes } = this.#options;
    await prepareEngine();
    this.gateway.start();
    await clock.runUntil(CALM_MS);
    const timersBefore = clock.waiting;
    this.#begin();
    const beganMs = clock.monotonicMs();
    const untilMs = beganMs + minutes * MINUTE_MS;
    const warmMs = beganMs + Math.min(24 * 60, minutes / 10) * MINUTE_MS;
    const startedMs = performance.now();
    await clock.runUntil(warmMs);
    const before = heapMb();
    await clock.runUntil(untilMs);
    const tookMs = performance.now() - startedMs;
    const after = heapMb();
    await this.#calmDown();
    const result: SimulationResult = {
      seed,
      counts: Object.fromEntries([...journal.counts].sort(([a], [b]) => a.localeCompare(b))),
      misses: journal.misses,
      missCount: journal.missCount,
      pending: journal.open,
      timersBefore,
      timersAfter: clock.waiting,
      connections: this.upstreams.reduce((sum, { connections }) => sum + connections.size, 0),
      heapGrowthMb: after - before,
      heapMb: after,
      tasks: clock.ran,
      minutesPerSecond: minutes / (tookMs / 1_000),
    };
    await this.#end();
    return result;
  }

  #begin(): void {
    const { flapEveryMs, changeEveryMs, seed } = this.#options;
    const seeded = Seeded.of(seed, -3);
    for (const upstream of this.upstreams) {
      if (upstream.options.breaks)
        this.#every(flapEveryMs, seeded, () => upstream.flap(seeded.chance(0.5) ? 0 : seeded.below(MAX_DOWN_MS)));
      this.#every(changeEveryMs, seeded, () => {
        upstream.changeList();
        // Again, while the list that was asked for then may not have come yet.
        if (seeded.chance(CHANGES_AGAIN))
          this.clock.schedule(seeded.below(CHANGES_WITHIN_MS), () => upstream.changeList());
      });
    }
    this.#every(SWEEP_EVERY_MS, seeded, () => this.journal.sweep(this.clock.monotonicMs()));
    for (const caller of this.callers) caller.arrive();
  }

  #every(everyMs: number, seeded: Seeded, task: () => void): void {
    const again = (): void => {
      if (this.#isCalm) return;
      task();
      this.clock.schedule(everyMs, again);
    };
    this.clock.schedule(everyMs * seeded.next(), again);
  }

  /** Everybody leaves, nothing breaks any more, and there is time for all that waits. */
  async #calmDown(): Promise<void> {
    this.#isCalm = true;
    for (const caller of this.callers) caller.leave();
    await this.clock.runUntil(this.clock.monotonicMs() + Math.max(CALM_MS, this.#options.flapEveryMs + MINUTE_MS));
    this.journal.sweep(this.clock.monotonicMs());
    await this.#compareOffers();
  }

  /** What is listed after all that came and went, late lists among it, is what there is; and nobody hears of it any more. */
  async #compareOffers(): Promise<void> {
    const listing = this.gateway.listOffers('resources');
    await this.clock.runUntil(this.clock.monotonicMs() + MINUTE_MS);
    const listed = (await listing).filter(({ mount }) => mount !== '').map(({ key }) => key);
    const offered = this.upstreams.flatMap(({ options, edition }) => resourcesOf(options.name, edition));
    if (listed.join() !== offered.join()) this.journal.miss(`listed is ${listed.join()}, offered ${offered.join()}`);
    for (const { options, connections } of this.upstreams) {
      for (const { subscribed } of connections) {
        if (subscribed.size > 0) this.journal.miss(`${options.name} still tells of ${[...subscribed].join()}`);
      }
    }
  }

  async #end(): Promise<void> {
    let isClosed = false;
    const closed = this.gateway.close().then(() => {
      isClosed = true;
    });
    await this.clock.runUntil(this.clock.monotonicMs() + MINUTE_MS);
    if (!isClosed) this.journal.miss('the gateway did not close within a minute');
    else await closed;
    const left = this.upstreams.reduce((sum, { connections }) => sum + connections.size, 0);
    if (left > 0) this.journal.miss(`${left} connections outlived the gateway`);
  }
}

/** The heap in MB after a collection, whatever flags this process was started with. */
function heapMb(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
