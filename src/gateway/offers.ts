import { type CancelSignal, Coalescer, toDoorError } from '../base/index.js';
import { buildOffers, type Offer, type OfferKind, type OfferRoute, type OfferSnapshot } from '../catalog/index.js';
import type { RequestParams } from '../protocol/index.js';
import type { FleetOptions } from './fleet-options.js';
import { isSameList } from './list-watch.js';
import type { MountedUpstream } from './mounted.js';
import { promptNotFound, resourceNotFound } from './not-found.js';
import type { ListName } from './types.js';
import { waitForLists } from './waiting.js';

/** One relist of a mount at once, the next ones this far apart. */
const RELIST_EVERY_MS = 500;

const LIST_OF: Readonly<Record<OfferKind, ListName>> = {
  resources: 'resources',
  templates: 'resources',
  prompts: 'prompts',
};

/** What a request about each kind of thing has to know first. */
const NEEDED: Readonly<Record<RequestParams['names'], readonly OfferKind[]>> = {
  prompt: ['prompts'],
  resource: ['resources', 'templates'],
  template: ['templates'],
};

/** One kind that callers have asked for: when that was, and when the first upstream listed it. */
interface Asked {
  readonly sinceMs: number;
  firstListedAtMs: number | undefined;
  /** By mount: the list being fetched. */
  readonly loading: Map<string, Promise<void>>;
}

/**
 * What the upstreams of one fleet offer besides tools. A list is fetched when a caller first asks for its kind, then
 * kept, and fetched anew when the upstream says that it changed, reconnects, or is asked for something unknown.
 */
export class OfferShelf {
  readonly #options: FleetOptions;
  readonly #mounts: readonly MountedUpstream[];
  readonly #changed: (list: ListName) => void;
  readonly #asked = new Map<OfferKind, Asked>();
  readonly #relists = new Map<string, Coalescer>();
  readonly #told = new Set<string>();
  #snapshot: OfferSnapshot;

  constructor(options: FleetOptions, mounts: readonly MountedUpstream[], changed: (list: ListName) => void) {
    this.#options = options;
    this.#mounts = mounts;
    this.#changed = changed;
    this.#snapshot = this.#build();
  }

  /** What there is now, as far as it was asked for. */
  get snapshot(): OfferSnapshot {
    return this.#snapshot;
  }

  /** All of one kind, by the waiting rule of lists. */
  async list(kind: OfferKind, signal?: CancelSignal): Promise<readonly Offer[]> {
    await this.#whenListed(kind, signal);
    return this.#show(kind);
  }

  /**
   * Where a name or URI leads.
   *
   * @throws {DoorError} PROMPT_UNKNOWN, RESOURCE_UNKNOWN
   */
  async find(names: RequestParams['names'], key: string, signal?: CancelSignal): Promise<OfferRoute> {
    const kinds = NEEDED[names];
    for (const kind of kinds) await this.#whenListed(kind, signal);
    const known = this.#lookUp(names, key);
    if (known !== undefined) return known;
    // A server may tell of a new resource and of its list's change in one breath: look again before saying no.
    await this.#listAnew(kinds, signal);
    const found = this.#lookUp(names, key) ?? this.#onlyOwner(names, key);
    if (found !== undefined) return found;
    throw names === 'prompt'
      ? promptNotFound(
          key,
          this.#snapshot.prompts.map((offer) => offer.key),
        )
      : resourceNotFound(key);
  }

  /** The URI under which callers know a resource of a mount. */
  publicUri(mount: string, uri: string): string {
    return this.#snapshot.publicUri(mount, uri);
  }

  /** An upstream says that a list has changed, or has come back: what was fetched of it is fetched anew. */
  outdated(mount: MountedUpstream, kinds: readonly OfferKind[]): void {
    for (const kind of kinds) if (this.#asked.has(kind)) this.#relistOf(mount, kind).want();
  }

  close(): void {
    for (const relist of this.#relists.values()) relist.close();
  }

  async #whenListed(kind: OfferKind, signal: CancelSignal | undefined): Promise<void> {
    const asked = this.#ask(kind);
    const waiting = [...asked.loading.values()];
    if (waiting.length === 0) return;
    await waitForLists(waiting, {
      clock: this.#options.clock,
      startedAtMs: asked.sinceMs,
      firstListedAtMs: () => asked.firstListedAtMs,
      signal,
    });
  }

  /** Begins to fetch a kind from every mount, the first time it is asked for. */
  #ask(kind: OfferKind): Asked {
    const known = this.#asked.get(kind);
    if (known !== undefined) return known;
    const asked: Asked = { sinceMs: this.#options.clock.monotonicMs(), firstListedAtMs: undefined, loading: new Map() };
    this.#asked.set(kind, asked);
    for (const mount of this.#mounts) {
      const loading = this.#load(mount, kind).finally(() => asked.loading.delete(mount.id));
      asked.loading.set(mount.id, loading);
    }
    return asked;
  }

  /** Never rejects: a mount that cannot be listed costs its own offers only, and is asked again when it is back. */
  async #load(mount: MountedUpstream, kind: OfferKind, signal?: CancelSignal): Promise<void> {
    try {
      await mount.loadOffers(kind, signal);
    } catch (thrown) {
      this.#tellUnlisted(mount, kind, thrown);
      return;
    }
    const asked = this.#asked.get(kind);
    if (asked !== undefined) asked.firstListedAtMs ??= this.#options.clock.monotonicMs();
    this.#rebuild();
  }

  #tellUnlisted(mount: MountedUpstream, kind: OfferKind, thrown: unknown): void {
    // An upstream that is not there has its own event.
    if (mount.readyClient === undefined) return;
    const { code, message } = toDoorError(thrown);
    this.#options.events.emit('server.warning', {
      upstream: mount.id,
      warning: 'relist-failed',
      message: `${mount.id}: its ${kind} could not be listed: ${message}`,
      code,
    });
  }

  async #listAnew(kinds: readonly OfferKind[], signal: CancelSignal | undefined): Promise<void> {
    const loads = kinds.flatMap((kind) =>
      this.#mounts.filter((mount) => mount.readyClient?.lists(kind)).map((mount) => this.#load(mount, kind, signal)),
    );
    if (loads.length === 0) return;
    const nowMs = this.#options.clock.monotonicMs();
    const { clock } = this.#options;
    await waitForLists(loads, { clock, startedAtMs: nowMs, firstListedAtMs: () => nowMs, signal });
  }

  /** A thing nobody lists can still be somebody's, where only one could have it: its own answer is then the best. */
  #onlyOwner(names: RequestParams['names'], key: string): OfferRoute | undefined {
    if (names === 'prompt') return undefined;
    const owners = this.#mounts.filter((mount) => mount.readyClient?.lists('resources'));
    return owners.length === 1 && this.#mounts.every((mount) => mount.isSettled)
      ? { mount: owners[0]!.id, key }
      : undefined;
  }

  #lookUp(names: RequestParams['names'], key: string): OfferRoute | undefined {
    switch (names) {
      case 'prompt':
        return this.#snapshot.findPrompt(key);
      case 'resource':
        return this.#snapshot.findResource(key);
      case 'template':
        return this.#snapshot.findTemplate(key);
    }
  }

  #relistOf(mount: MountedUpstream, kind: OfferKind): Coalescer {
    const key = `${kind}\0${mount.id}`;
    let relist = this.#relists.get(key);
    if (relist === undefined) {
      relist = new Coalescer(this.#options.clock, RELIST_EVERY_MS, async () => {
        if (mount.readyClient !== undefined) await this.#load(mount, kind);
      });
      this.#relists.set(key, relist);
    }
    return relist;
  }

  /** A kind, about to be seen by a caller: from now on its keys keep their meaning. */
  #show(kind: OfferKind): readonly Offer[] {
    if (!this.#options.offerNames.show(kind, this.#snapshot[kind])) {
      this.#snapshot = this.#build();
      this.#options.offerNames.show(kind, this.#snapshot[kind]);
    }
    return this.#snapshot[kind];
  }

  #rebuild(): void {
    const before = this.#snapshot;
    this.#snapshot = this.#build();
    const changed = new Set<ListName>();
    for (const kind of this.#asked.keys()) {
      if (!isSameList(before[kind], this.#snapshot[kind])) changed.add(LIST_OF[kind]);
    }
    for (const list of changed) this.#changed(list);
  }

  #build(): OfferSnapshot {
    const mounts = this.#mounts.map((mount) => mount.mountedOffers);
    return buildOffers(mounts, this.#options.offerNames, ({ mount, warning, message }) => {
      if (this.#told.has(message)) return;
      this.#told.add(message);
      this.#options.events.emit('server.warning', { upstream: mount, warning, message });
    });
  }
}
