import { type Clock, Coalescer, type EventBus, guarded } from '../base/index.js';
import type { CatalogEntry, CatalogSnapshot, OfferKind } from '../catalog/index.js';
import type { ListName } from './types.js';

/** Which kinds a caller is told of under each name. */
export const LISTED_AS: Readonly<Record<ListName, readonly (OfferKind | 'tools')[]>> = {
  tools: ['tools'],
  resources: ['resources', 'templates'],
  prompts: ['prompts'],
};

/** Callers are told of changes of one list at most this often. */
const NOTIFY_EVERY_MS = 500;

/** Tells doors that a list has changed: at once, then at most every 500 ms. */
export class ListWatch {
  readonly #clock: Clock;
  readonly #listeners = new Set<(list: ListName) => void>();
  readonly #tellers = new Map<ListName, Coalescer>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  on(listener: (list: ListName) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  changed(list: ListName): void {
    let teller = this.#tellers.get(list);
    if (teller === undefined) {
      teller = new Coalescer(this.#clock, NOTIFY_EVERY_MS, () => {
        for (const listener of this.#listeners) guarded(() => listener(list));
      });
      this.#tellers.set(list, teller);
    }
    teller.want();
  }

  close(): void {
    for (const teller of this.#tellers.values()) teller.close();
    this.#listeners.clear();
  }
}

export interface ToolChanges {
  readonly before: CatalogSnapshot;
  readonly after: CatalogSnapshot;
  readonly events: EventBus;
  /** Mounts that list nothing now: what they listed has gone with them. */
  readonly gone: ReadonlySet<string>;
}

/**
 * Tells the event bus what changed from one snapshot to the next. What a mount lists at first is a new list, but no
 * change of its tools; nor is it one when the mount goes.
 *
 * @returns whether callers would see any difference
 */
export function reportToolChanges({ before, after, events, gone }: ToolChanges): boolean {
  let hasChanged = false;
  const known = new Set(before.entries.map((entry) => entry.mount));
  const emit = (entry: CatalogEntry, change: 'added' | 'removed' | 'changed'): void => {
    hasChanged = true;
    const isNews = known.has(entry.mount) && !gone.has(entry.mount);
    if (isNews) events.emit('tool.changed', { upstream: entry.mount, tool: entry.tool.name, change });
  };
  for (const entry of after.entries) {
    const old = before.find(entry.name);
    if (old === undefined) emit(entry, 'added');
    else if (old.advertised !== entry.advertised) emit(entry, 'changed');
  }
  for (const entry of before.entries) if (after.find(entry.name) === undefined) emit(entry, 'removed');
  return hasChanged;
}

/** Tells which tools are left out since the earlier snapshot, or for another reason than in it; not of those still are. */
export function reportExclusions(before: CatalogSnapshot, after: CatalogSnapshot, events: EventBus): void {
  if (after.exclusions.length === 0) return;
  const told = new Set(before.exclusions.map((exclusion) => JSON.stringify(exclusion)));
  for (const exclusion of after.exclusions) {
    const { mount, ...facts } = exclusion;
    if (!told.has(JSON.stringify(exclusion))) events.emit('tool.excluded', { upstream: mount, ...facts });
  }
}

/** What can be listed: its definition as JSON text, and under which public key. */
export interface Advertised {
  readonly advertised: string;
}

/** Whether a caller would see no difference. */
export function isSameList(before: readonly Advertised[], after: readonly Advertised[]): boolean {
  return before.length === after.length && before.every(({ advertised }, at) => advertised === after[at]!.advertised);
}
