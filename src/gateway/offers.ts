import { type CancelSignal, Coalescer, type DoorError, toDoorError } from '../base/index.js';
import { buildOffers, type Offer, type OfferKind, type OfferRoute, type OfferSnapshot } from '../catalog/index.js';
import type { RequestParams } from '../protocol/index.js';
import type { FleetOptions } from './fleet-options.js';
import { isSameList, LISTED_AS } from './list-watch.js';
import type { MountedUpstream } from './mounted.js';
import { promptNotFound, resourceNotFound } from './not-found.js';
import type { ListName } from './types.js';
import { waitForLists } from './waiting.js';

/** One relist of a mount at once, the next ones this far apart. */
const RELIST_EVERY_MS = 500;

/** What can be named that is listed. */
type Named = Exclude<RequestParams['names'], 'task'>;

/** What a request about each kind of thing has to know first. */
const NEEDED: Readonly<Record<Named, readonly OfferKind[]>> = {
  prompt: ['prompts'],
  resource: ['resources', 'templates'],
  template: ['templates'],
};

/** One kind that callers have asked for: since when, when an upstream first listed it, and the lists by mount. */
interface Asked {
  readonly sinceMs: number;
  firstListedAtMs: number | undefined;
  /** Fetching it from each mount: one at once, so that no older answer comes after a newer one. */
  readonly lists: ReadonlyMap<MountedUpstream, Coalescer>;
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
  async find(names: Named, key: string, signal?: CancelSignal): Promise<OfferRoute> {
    const kinds = NEEDED[names];
    // All of them first: a resource that is listed goes before a template that would match it.
    await Promise.all(kinds.map((kind) => this.#whenListed(kind, signal)));
    const listed = this.#lookUp(names, key);
    if (listed !== undefined) return listed;
    // A server may tell of a new resource and of its list's change in one breath: look again before saying no.
    await this.#whenAll(kinds, signal, (list) => list.running);
    const fetched = this.#lookUp(names, key);
    if (fetched !== undefined) return fetched;
    // However many unknown things are asked for at once, each mount is asked one more time.
    await this.#whenAll(kinds, signal, (list) => list.want());
    const found = this.#lookUp(names, key) ?? (await this.#findAmongDown(names, key, signal));
    if (found !== undefined) return found;
    const owner = this.#onlyOwner(names);
    if (owner !== undefined) return { mount: owner.id, key };
    throw this.#notFound(names, key);
  }

  /** An upstream that is down may have it: it is started for it, as it would be for a call. */
  async #findAmongDown(names: Named, key: string, signal: CancelSignal | undefined): Promise<OfferRoute | undefined> {
    const down = this.#mounts.filter((mount) => mount.isDown && (names !== 'prompt' || mount.mayOwn(key)));
    if (down.length === 0) return undefined;
    const kinds = NEEDED[names];
    const back = down.map((mount) => mount.settle());
    const { clock } = this.#options;
    const nowMs = clock.monotonicMs();
    await waitForLists(back, { clock, startedAtMs: nowMs, firstListedAtMs: () => undefined, signal });
    // Being connected, they are listed anew by themselves, or are about to be.
    await this.#whenAll(kinds, signal, (list) => list.running ?? list.want());
    return this.#lookUp(names, key);
  }

  #notFound(names: Named, key: string): DoorError {
    const down = this.#mounts.filter((mount) => mount.isDown);
    if (names !== 'prompt') {
      return resourceNotFound(
        key,
        down.map(({ id }) => id),
      );
    }
    const refusal = down.find((mount) => mount.hasPrefixOf(key))?.refusal;
    if (refusal !== undefined) return refusal;
    return promptNotFound(
      key,
      this.#snapshot.prompts.map((offer) => offer.key),
    );
  }

  /** The URI under which callers know a resource of a mount. */
  publicUri(mount: string, uri: string): string {
    return this.#snapshot.publicUri(mount, uri);
  }

  /** An upstream says that its lists have changed: what was fetched of them is fetched anew. */
  outdated(mount: MountedUpstream, kinds: readonly OfferKind[]): void {
    for (const kind of kinds) void this.#asked.get(kind)?.lists.get(mount)?.want();
  }

  /** An upstream is connected. What waits for that anyway is not asked for twice. */
  connected(mount: MountedUpstream): void {
    for (const { lists } of this.#asked.values()) {
      const list = lists.get(mount);
      if (list?.running === undefined) void list?.want();
    }
  }

  /** What a mount listed is shown again, or not any more. */
  refit(): void {
    this.#rebuild();
  }

  close(): void {
    for (const { lists } of this.#asked.values()) for (const list of lists.values()) list.close();
  }

  async #whenListed(kind: OfferKind, signal: CancelSignal | undefined): Promise<void> {
    const asked = this.#ask(kind);
    // Once listed, a list is answered from what is known, however long fetching it anew takes.
    const waiting = [...asked.lists].flatMap(([mount, { running }]) =>
      running === undefined || mount.offers.has(kind) ? [] : [running],
    );
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
    const { clock } = this.#options;
    const lists = new Map<MountedUpstream, Coalescer>();
    const asked: Asked = { sinceMs: clock.monotonicMs(), firstListedAtMs: undefined, lists };
    this.#asked.set(kind, asked);
    for (const mount of this.#mounts) {
      const list = new Coalescer(clock, RELIST_EVERY_MS, () => this.#load(mount, kind, asked));
      lists.set(mount, list);
      void list.want();
    }
    return asked;
  }

  /** Never rejects: a mount that cannot be listed costs its own offers only, and is asked again when it is back. */
  async #load(mount: MountedUpstream, kind: OfferKind, asked: Asked): Promise<void> {
    try {
      if (!(await mount.loadOffers(kind))) return;
    } catch (thrown) {
      this.#tellUnlisted(mount, kind, thrown);
      return;
    }
    asked.firstListedAtMs ??= this.#options.clock.monotonicMs();
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

  /** Waits, by the rule of lists, for something of each mount that is up and has offers of these kinds. */
  async #whenAll(
    kinds: readonly OfferKind[],
    signal: CancelSignal | undefined,
    waitFor: (list: Coalescer) => Promise<void> | undefined,
  ): Promise<void> {
    const waiting: Promise<void>[] = [];
    for (const kind of kinds) {
      for (const [mount, list] of this.#asked.get(kind)?.lists ?? []) {
        const wait = mount.readyClient?.lists(kind) ? waitFor(list) : undefined;
        if (wait !== undefined) waiting.push(wait);
      }
    }
    if (waiting.length === 0) return;
    const { clock } = this.#options;
    const nowMs = clock.monotonicMs();
    await waitForLists(waiting, { clock, startedAtMs: nowMs, firstListedAtMs: () => nowMs, signal });
  }

  /** A thing nobody lists can still be somebody's, where only one could have it: its own answer is then the best. */
  #onlyOwner(names: Named): MountedUpstream | undefined {
    if (names === 'prompt' || !this.#mounts.every((mount) => mount.isSettled)) return undefined;
    const owners = this.#mounts.filter((mount) => mount.readyClient?.lists('resources'));
    return owners.length === 1 ? owners[0] : undefined;
  }

  #lookUp(names: Named, key: string): OfferRoute | undefined {
    switch (names) {
      case 'prompt':
        return this.#snapshot.findPrompt(key);
      case 'resource':
        return this.#snapshot.findResource(key);
      case 'template':
        return this.#snapshot.findTemplate(key);
    }
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
    const changed = [...this.#asked.keys()].filter((kind) => !isSameList(before[kind], this.#snapshot[kind]));
    for (const list of ['resources', 'prompts'] as const) {
      if (changed.some((kind) => LISTED_AS[list].includes(kind))) this.#changed(list);
    }
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
