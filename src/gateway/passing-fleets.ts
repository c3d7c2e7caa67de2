import { type Caller, DoorError, type Scheduled } from '../base/index.js';
import { Fleet, type Lend } from './fleet.js';
import type { FleetOptions } from './fleet-options.js';
import type { View } from './types.js';
import { FleetView } from './view.js';

/** A fleet that nobody has used for so long ends. */
const IDLE_MS = 300_000;
const LOOK_EVERY_MS = 60_000;
/** So many at once: each is a set of connections to all upstreams that are used through it. */
const MAX_FLEETS = 64;

interface Passing {
  readonly fleet: Fleet;
  readonly view: FleetView;
  usedAtMs: number;
}

/**
 * Fleets of callers who come with one request at a time (MCP 2026-07-28, Statelessness) and can be asked for something.
 * Requests of one program of one principal that declare the same share one: what an upstream of the handshake era asks over
 * stdio then reaches nobody but that program, whichever of its requests it is answered to.
 */
export class PassingFleets {
  readonly #options: FleetOptions;
  readonly #lend: Lend;
  readonly #byKey = new Map<string, Passing>();
  #look: Scheduled | undefined;
  #isClosed = false;

  constructor(options: FleetOptions, lend: Lend) {
    this.#options = options;
    this.#lend = lend;
  }

  fleetOf(caller: Caller): Fleet {
    return this.#find(caller).fleet;
  }

  /** @throws {DoorError} BUSY */
  viewOf(caller: Caller): View {
    return this.#find(caller).view;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#look?.cancel();
    const all = [...this.#byKey.values()];
    this.#byKey.clear();
    await Promise.all(all.map(({ fleet }) => fleet.close()));
  }

  #find(caller: Caller): Passing {
    const { principal, program, capabilities } = caller;
    const { elicitation, sampling, roots, extensions } = capabilities;
    const key = JSON.stringify([principal.id, program, elicitation, sampling, roots, extensions]);
    const nowMs = this.#options.clock.monotonicMs();
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      known.usedAtMs = nowMs;
      return known;
    }
    this.#makeRoom();
    const fleet = new Fleet({ ...this.#options, capabilities }, this.#lend);
    const passing = { fleet, view: new FleetView(fleet, undefined), usedAtMs: nowMs };
    if (this.#isClosed) {
      // Whoever comes too late finds what others find: upstreams that are closed.
      fleet.close().catch(() => {});
      return passing;
    }
    this.#byKey.set(key, passing);
    this.#look ??= this.#options.clock.schedule(LOOK_EVERY_MS, () => this.#endIdle());
    return passing;
  }

  #makeRoom(): void {
    if (this.#byKey.size < MAX_FLEETS) return;
    const idle = [...this.#byKey].filter(([, { fleet }]) => !fleet.isBusy);
    const [oldest] = idle.sort(([, a], [, b]) => a.usedAtMs - b.usedAtMs);
    if (oldest === undefined) {
      throw new DoorError('BUSY', `${MAX_FLEETS} callers who can be asked something are being served already`, {
        data: { limit: MAX_FLEETS },
        hint: 'Try again when others have finished.',
      });
    }
    this.#end(oldest[0]);
  }

  #endIdle(): void {
    this.#look = undefined;
    const { clock } = this.#options;
    const nowMs = clock.monotonicMs();
    for (const [key, passing] of [...this.#byKey]) {
      if (passing.fleet.isBusy) passing.usedAtMs = nowMs;
      else if (nowMs - passing.usedAtMs >= IDLE_MS) this.#end(key);
    }
    if (this.#byKey.size > 0) this.#look = clock.schedule(LOOK_EVERY_MS, () => this.#endIdle());
  }

  #end(key: string): void {
    const { fleet } = this.#byKey.get(key)!;
    this.#byKey.delete(key);
    // Nobody is left to be told what goes wrong with ending it.
    fleet.close().catch(() => {});
  }
}
