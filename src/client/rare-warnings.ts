import type { Clock } from '../base/index.js';

/** At most one warning of a kind in this many milliseconds: an upstream must not fill the log of its operator. */
const WARN_EVERY_MS = 30_000;

/** Tells of what keeps happening now and then, not each time. */
export class RareWarnings {
  readonly #clock: Clock;
  readonly #warn: (warning: string, message: string) => void;
  readonly #warnedAtMs = new Map<string, number>();

  constructor(clock: Clock, warn: (warning: string, message: string) => void) {
    this.#clock = clock;
    this.#warn = warn;
  }

  /** @param warning the kind, kebab-case */
  tell(warning: string, message: string): void {
    const nowMs = this.#clock.monotonicMs();
    const lastMs = this.#warnedAtMs.get(warning);
    if (lastMs !== undefined && nowMs - lastMs < WARN_EVERY_MS) return;
    this.#warnedAtMs.set(warning, nowMs);
    this.#warn(warning, message);
  }
}
