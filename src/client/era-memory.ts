import type { Clock } from '../base/index.js';
import type { Era } from '../protocol/index.js';

/** How long it is believed that an upstream speaks an older era: it may be updated at any time. */
const HANDSHAKE_HOLDS_MS = 24 * 3_600_000;

/** What is known of the era that an upstream speaks (MCP 2026-07-28 basic/versioning: a property of the server). */
export class EraMemory {
  readonly #clock: Clock;
  readonly #told: 'auto' | Era;
  #learned: { readonly era: Era; readonly atMs: number } | undefined;

  /** @param told what the configuration says; `auto` leaves it to be found out */
  constructor(clock: Clock, told: 'auto' | Era) {
    this.#clock = clock;
    this.#told = told;
  }

  /** What it is to be spoken to in; `auto` where that is to be found out. */
  get era(): 'auto' | Era {
    if (this.#told !== 'auto') return this.#told;
    const learned = this.#learned;
    // One that spoke the newer era is asked all the same: the question is how it is greeted.
    if (learned === undefined || learned.era === 'modern') return 'auto';
    return this.#clock.nowMs() - learned.atMs < HANDSHAKE_HOLDS_MS ? 'handshake' : 'auto';
  }

  /** It was seen to speak the newer era. */
  get isModern(): boolean {
    return this.#learned?.era === 'modern';
  }

  /** @param atMs when that was seen; epoch milliseconds */
  learn(era: Era, atMs = this.#clock.nowMs()): void {
    this.#learned = { era, atMs };
  }

  /** What was believed has turned out wrong. */
  forget(): void {
    this.#learned = undefined;
  }
}
