import { type Clock, type EventBus, guarded, type Scheduled } from '../base/index.js';
import type { CatalogEntry, CatalogSnapshot } from '../catalog/index.js';

/** Callers are told of changes at most this often. */
const NOTIFY_EVERY_MS = 500;

/** Tells doors that the list has changed, and the event bus what changed in it. */
export class ListWatch {
  readonly #clock: Clock;
  readonly #events: EventBus;
  readonly #listeners = new Set<() => void>();
  #pause: Scheduled | undefined;
  #isOwed = false;

  constructor(clock: Clock, events: EventBus) {
    this.#clock = clock;
    this.#events = events;
  }

  on(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Compares what was with what is; nobody is told of a relist that changed nothing. */
  changed(before: CatalogSnapshot, after: CatalogSnapshot): void {
    if (!this.#report(before, after)) return;
    if (this.#pause !== undefined) {
      this.#isOwed = true;
      return;
    }
    this.#tell();
  }

  close(): void {
    this.#pause?.cancel();
    this.#listeners.clear();
  }

  #tell(): void {
    for (const listener of this.#listeners) guarded(listener);
    this.#pause = this.#clock.schedule(NOTIFY_EVERY_MS, () => {
      this.#pause = undefined;
      if (!this.#isOwed) return;
      this.#isOwed = false;
      this.#tell();
    });
  }

  /** @returns whether anything changed */
  #report(before: CatalogSnapshot, after: CatalogSnapshot): boolean {
    let hasChanged = false;
    const known = new Set(before.entries.map((entry) => entry.mount));
    const emit = (entry: CatalogEntry, change: 'added' | 'removed' | 'changed'): void => {
      hasChanged = true;
      // What a mount lists at first is no change of its tools.
      if (known.has(entry.mount))
        this.#events.emit('tool.changed', { upstream: entry.mount, tool: entry.tool.name, change });
    };
    for (const entry of after.entries) {
      const old = before.find(entry.name);
      if (old === undefined) emit(entry, 'added');
      else if (old.advertised !== entry.advertised) emit(entry, 'changed');
    }
    for (const entry of before.entries) if (after.find(entry.name) === undefined) emit(entry, 'removed');
    return hasChanged;
  }
}
