/** What the callers of the soak do: drawn from the seed alone, so that a run can be had again. */
import { createHash } from 'node:crypto';
import { Seeded } from './soak-seeded.js';

export const HEALTHY = ['one', 'two', 'three'] as const;
export const UPSTREAMS = [...HEALTHY, 'hostile'] as const;
export type UpstreamName = (typeof UPSTREAMS)[number];

/** Of all steps. What an upstream does wrong happens at the hostile one only; what a caller does, anywhere. */
export const FAULT_SHARE = 0.05;

/**
 * How often the hostile upstream does what, of its faults. What ends it is rare: it would be down most of the time, and
 * nothing else could be tried on it.
 */
const UPSTREAM_FAULTS = {
  hang: 4,
  late: 4,
  duplicate: 6,
  stray: 6,
  garbage: 6,
  cut: 5,
  split: 5,
  stderr: 2,
  'list-changed': 4,
  crash: 0.4,
  'answer-crash': 0.2,
  truncate: 0.4,
  freeze: 0.2,
  grandchild: 0.3,
} as const;
const CALLER_FAULTS = { cancel: 12, invalid: 3, vanish: 0.7 } as const;

export type UpstreamFault = keyof typeof UPSTREAM_FAULTS;
export const ALL_FAULTS: readonly string[] = [...Object.keys(UPSTREAM_FAULTS), ...Object.keys(CALLER_FAULTS)];

/** `list` and `vanish` are no calls. */
export type StepKind = 'call' | 'list' | 'vanish';
export type Act = UpstreamFault | 'answer' | 'error' | 'ask';
export type Reply = 'accept' | 'decline' | 'cancel' | 'silence';

export interface Step {
  readonly kind: StepKind;
  /** Before the step. */
  readonly thinkMs: number;
  readonly upstream: UpstreamName;
  readonly tool: 'work' | 'typed';
  readonly act: Act;
  /** How long the upstream works. */
  readonly afterMs: number;
  readonly textLength: number;
  readonly hasProgress: boolean;
  /** The caller gives the call up after this. */
  readonly cancelAfterMs: number | undefined;
  /** Arguments that break the tool's schema. */
  readonly isInvalid: boolean;
  /** What it says when it is asked. */
  readonly reply: Reply;
  /** Which fault this step is, for the count. */
  readonly fault: string | undefined;
}

/** One caller's steps, in order; `asks`: upstreams may ask it. */
export class Plan {
  readonly #seeded: Seeded;
  readonly #asks: boolean;
  readonly #digest = createHash('sha256');

  constructor(seed: number, caller: number, asks: boolean) {
    this.#seeded = Seeded.of(seed, caller);
    this.#asks = asks;
  }

  next(): Step {
    const step = this.#draw();
    this.#digest.update(JSON.stringify(step));
    return step;
  }

  /** Names the steps drawn so far. */
  digest(): string {
    return this.#digest.copy().digest('hex').slice(0, 16);
  }

  #draw(): Step {
    const seeded = this.#seeded;
    const fault = seeded.chance(FAULT_SHARE) ? this.#fault() : undefined;
    const isCallerFault = fault !== undefined && fault in CALLER_FAULTS;
    const atHostile = fault !== undefined && !isCallerFault;
    const quiet = seeded.chance(0.02) ? 'error' : this.#asks && seeded.chance(0.03) ? 'ask' : 'answer';
    return {
      kind: fault === 'vanish' ? 'vanish' : fault === undefined && seeded.chance(0.02) ? 'list' : 'call',
      thinkMs: seeded.below(70),
      upstream: atHostile ? 'hostile' : seeded.pick(UPSTREAMS),
      tool: seeded.pick(['work', 'typed']),
      act: atHostile ? (fault as UpstreamFault) : quiet,
      // A cancellation is of use only while the call is under way.
      afterMs: seeded.chance(fault === 'cancel' ? 0.8 : 0.3) ? seeded.below(60) : 0,
      textLength: seeded.chance(0.02) ? 70_000 + seeded.below(200_000) : seeded.below(400),
      hasProgress: seeded.chance(0.2),
      cancelAfterMs: fault === 'cancel' ? seeded.below(30) : undefined,
      isInvalid: fault === 'invalid',
      reply: seeded.weighted({ accept: 6, decline: 2, cancel: 1, silence: 1 }),
      fault,
    };
  }

  #fault(): string {
    const seeded = this.#seeded;
    return seeded.chance(0.3) ? seeded.weighted(CALLER_FAULTS) : seeded.weighted(UPSTREAM_FAULTS);
  }
}
