import type { Clock } from '../base/index.js';

/** At most one warning of a kind in this many milliseconds: an upstream must not fill the log of its operator. */
const WARN_EVERY_MS = 30_000;
/** Warnings about tools beyond so many are not told in that time: an upstream can list tools without end. */
const MAX_TOLD = 500;

/** Tells of what keeps happening now and then, not each time. */
export class RareWarnings {
  readonly #clock: Clock;
  readonly #warn: (warning: string, message: string, tool?: string) => void;
  /** When each was told of last, the longest ago first. */
  readonly #toldAtMs = new Map<string, number>();

  constructor(clock: Clock, warn: (warning: string, message: string, tool?: string) => void) {
    this.#clock = clock;
    this.#warn = warn;
  }

  /**
   * @param warning the kind, kebab-case
   * @param messages what there is to say of one occasion, all of it or nothing
   * @param tool what it is about; each tool is told of by itself
   */
  tell(warning: string, messages: string | readonly string[], tool?: string): void {
    if (messages.length === 0) return;
    const nowMs = this.#clock.monotonicMs();
    for (const [key, atMs] of this.#toldAtMs) {
      if (nowMs - atMs < WARN_EVERY_MS) break;
      this.#toldAtMs.delete(key);
    }
    const key = tool === undefined ? warning : `${warning} ${tool}`;
    if (this.#toldAtMs.has(key) || (tool !== undefined && this.#toldAtMs.size >= MAX_TOLD)) return;
    this.#toldAtMs.set(key, nowMs);
    for (const message of typeof messages === 'string' ? [messages] : messages) this.#warn(warning, message, tool);
  }
}
