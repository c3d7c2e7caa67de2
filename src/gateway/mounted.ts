import { type Caller, cacheKeyFor, DoorError, type JsonSlice, type Principal } from '../base/index.js';
import {
  isMounted,
  isNameOf,
  type ListedOffer,
  type MountedList,
  type MountedOffers,
  namePrefix,
  type OfferKind,
  type PrefixRule,
} from '../catalog/index.js';
import { askingOf, Client, definitionsOf, readCachedTools } from '../client/index.js';
import { type Era, findModernCodec } from '../protocol/index.js';
import type { FleetOptions } from './fleet-options.js';
import type { BrokenMount, Mount, UpstreamFailure, UpstreamState, Validation } from './types.js';

const DEFAULT_TIMEOUT_MS = 60_000;
const VALIDATION: Validation = {
  invalidArguments: 'protocol-error',
  outputs: 'warn',
  uncompilableOutput: 'exclude',
  elicitationFormats: 'warn',
  elicitationSchemas: 'warn',
};

/** What a mount tells the fleet it belongs to. */
export interface MountListener {
  /** It listed its tools, at first or anew. */
  listed(): void;
  /** It failed: for the first time, or again. */
  failed(): void;
  /** It is connected, at first or anew: what it was asked to remember it has forgotten. */
  connected(mount: MountedUpstream): void;
  /** A notification that is no answer to a request of ours; the params are lent for the time of the call. */
  notified(mount: MountedUpstream, method: string, params: JsonSlice | undefined, about: About | undefined): void;
}

/** The call that an upstream speaks of, where that can be told. */
export interface About {
  readonly caller?: Caller | undefined;
  readonly logLevel?: string | undefined;
}

/** What is known of its tools. */
type Listing =
  | { readonly kind: 'none' }
  | { readonly kind: 'remembered'; readonly list: MountedList }
  | { readonly kind: 'listed'; readonly list: MountedList; readonly atMs: number };

/** One mount at work in one fleet: its client, what it listed last, and whether that is known to hold. */
export class MountedUpstream {
  readonly id: string;
  readonly validation: Validation;
  /** Where calls of its tools go, as events tell. */
  readonly transport: 'local' | 'proxied';
  /** What it offers besides tools, by kind, as far as that was asked for. */
  readonly offers = new Map<OfferKind, readonly ListedOffer[]>();

  #listing: Listing = { kind: 'none' };
  readonly #prefix: PrefixRule;
  readonly #options: FleetOptions;
  readonly #mount: Mount | undefined;
  readonly #toldPatterns = new Set<string>();
  readonly #listeners: Set<MountListener>;
  /** Principals for whom anything was ever done here, and the last of them. */
  readonly #served = new Set<string>();
  #lastServed: string | undefined;
  /** By URI, the fleets that want to be told when the resource changes. */
  readonly #wanted = new Map<string, Set<MountListener>>();
  readonly #client: Client | undefined;
  readonly #error: DoorError | undefined;

  constructor(mount: Mount | BrokenMount, options: FleetOptions, listener: MountListener) {
    const { gateway } = options;
    this.id = mount.id;
    this.#options = options;
    this.transport = 'isLocal' in mount && mount.isLocal ? 'local' : 'proxied';
    this.#listeners = new Set([listener]);
    this.#prefix = ('prefix' in mount ? mount.prefix : undefined) ?? gateway.prefix ?? 'always';
    if ('error' in mount) {
      this.validation = { ...VALIDATION, ...gateway.validation };
      this.#error = mount.error;
      return;
    }
    this.#mount = mount;
    this.validation = { ...VALIDATION, ...gateway.validation, ...mount.validation };
    this.#client = this.#makeClient(mount);
  }

  #makeClient(mount: Mount): Client {
    const { gateway, limits, clock, events, caller, capabilities, parked } = this.#options;
    const { elicitationFormats: formats, elicitationSchemas: schemas } = this.validation;
    return new Client({
      upstream: mount.id,
      connect: mount.connect,
      events,
      clock,
      validation: this.validation,
      startTimeoutMs: mount.startTimeoutMs ?? DEFAULT_TIMEOUT_MS,
      callTimeoutMs: mount.callTimeoutMs ?? DEFAULT_TIMEOUT_MS,
      maxCallMs: limits.maxCallMs,
      maxMessageBytes: limits.maxMessageBytes,
      maxDepth: limits.maxDepth,
      maxInFlight: limits.maxInFlight,
      info: gateway.info ?? { name: 'doorward', version: '0.0.0' },
      ...(gateway.random !== undefined && { random: gateway.random }),
      ...(mount.era !== undefined && { era: mount.era }),
      ...(capabilities !== undefined && {
        capabilities,
        ask: askingOf({ upstream: mount.id, ...(caller && { caller }), events, clock, parked, formats, schemas }),
      }),
      listed: ({ tools, exclusions }) => {
        const list = { mount: mount.id, prefix: this.#prefix, filter: mount.tools ?? {}, tools, exclusions };
        this.#listing = { kind: 'listed', list, atMs: clock.nowMs() };
        this.#warnOfIdlePatterns(list);
        this.#remember(list);
        this.#tell((listener) => listener.listed());
      },
      failed: () => this.#tell((listener) => listener.failed()),
      connected: () => this.#tell((listener) => listener.connected(this)),
      notified: (method, params, about) => this.#tell((listener) => listener.notified(this, method, params, about)),
    });
  }

  #tell(tell: (listener: MountListener) => void): void {
    for (const listener of [...this.#listeners]) tell(listener);
  }

  /** Another fleet uses it too. */
  join(listener: MountListener): void {
    this.#listeners.add(listener);
  }

  /** It does no longer; what it alone wanted to be told of nobody is told of any more. */
  leave(listener: MountListener): void {
    this.#listeners.delete(listener);
    for (const uri of [...this.#wanted.keys()]) {
      if (!this.release(uri, listener)) continue;
      this.readyClient?.request('resources/unsubscribe', `{"uri":${JSON.stringify(uri)}}`).catch(() => {});
    }
  }

  /** A fleet wants to be told when a resource changes. */
  retain(uri: string, listener: MountListener): void {
    const wanting = this.#wanted.get(uri) ?? new Set();
    this.#wanted.set(uri, wanting.add(listener));
  }

  /** It does no longer. @returns whether that leaves nobody who does, where there was somebody */
  release(uri: string, listener: MountListener): boolean {
    const wanting = this.#wanted.get(uri);
    if (!wanting?.delete(listener) || wanting.size > 0) return false;
    this.#wanted.delete(uri);
    return true;
  }

  /** Something is done for a principal: what it says from now on may be about that. */
  serve({ id }: Principal): void {
    if (id === this.#lastServed) return;
    this.#lastServed = id;
    this.#served.add(id);
  }

  /** Principals for whom anything was ever done here. */
  get served(): ReadonlySet<string> {
    return this.#served;
  }

  /** Shows what it listed in an earlier process, until it has listed in this one. @returns whether there was anything */
  recall(): boolean {
    const key = this.#cacheKey;
    if (key === undefined || this.list !== undefined) return false;
    const cached = this.#options.gateway.cache?.read(key);
    if (cached === undefined) return false;
    const era = findModernCodec(cached.revision) === undefined ? 'handshake' : 'modern';
    this.#client?.recallEra(era, cached.savedAtMs);
    const tools = readCachedTools(this.id, cached.tools, era);
    const list = { mount: this.id, prefix: this.#prefix, filter: this.#mount?.tools ?? {}, tools, exclusions: [] };
    this.#listing = { kind: 'remembered', list };
    return true;
  }

  #remember(list: MountedList): void {
    const key = this.#cacheKey;
    const { cache } = this.#options.gateway;
    const state = this.#client?.state;
    if (key === undefined || cache === undefined || state?.kind !== 'ready') return;
    const { codec, name, instructions } = state.hello;
    cache.write(key, {
      savedAtMs: this.#options.clock.nowMs(),
      revision: codec.revision,
      serverName: name,
      instructions,
      tools: definitionsOf(list),
    });
  }

  /** A server may list other tools to a caller it can ask more of: what it listed to whom is kept apart. */
  get #cacheKey(): string | undefined {
    const key = this.#mount?.cacheKey;
    return key === undefined ? undefined : cacheKeyFor(key, this.#options.capabilities ?? {});
  }

  /** What it listed last, in this process or an earlier one; kept when the upstream is lost. */
  get list(): MountedList | undefined {
    return this.#listing.kind === 'none' ? undefined : this.#listing.list;
  }

  /** The list is remembered from an earlier process: shown, but nothing is refused by it. */
  get isStale(): boolean {
    return this.#listing.kind === 'remembered';
  }

  /** Whether it has listed its tools in this process. */
  get hasListed(): boolean {
    return this.#listing.kind === 'listed';
  }

  /** When it last listed in this process; epoch milliseconds. */
  get listedAtMs(): number | undefined {
    return this.#listing.kind === 'listed' ? this.#listing.atMs : undefined;
  }

  /** Whether a public name begins as the prefixed names of this mount do. */
  hasPrefixOf(name: string): boolean {
    return name.startsWith(namePrefix(this.id));
  }

  /** Whether a public name could be that of a tool of this mount, listed or not. */
  mayOwn(name: string): boolean {
    return this.#prefix !== 'always' || this.hasPrefixOf(name);
  }

  /** Whether it lists a tool that its filter keeps out; `name` is a public name, or its own where `mount` is given. */
  hides(name: string, mount: string | undefined): boolean {
    const { list } = this;
    return (
      list?.tools.some((tool) => {
        if (isMounted(tool.name, list.filter)) return false;
        return mount === undefined ? isNameOf(name, list.prefix, list.mount, tool.name) : tool.name === name;
      }) ?? false
    );
  }

  /** A pattern that matches nothing is nearly always a typo, and hides every tool when it is the only one allowed. */
  #warnOfIdlePatterns({ mount, filter, tools, exclusions }: MountedList): void {
    const names = [...tools.map((tool) => tool.name), ...exclusions.map((exclusion) => exclusion.tool)];
    for (const [field, patterns] of Object.entries({ allow: filter.allow ?? [], deny: filter.deny ?? [] })) {
      for (const pattern of patterns) {
        if (this.#toldPatterns.has(pattern) || names.some((name) => isMounted(name, { allow: [pattern] }))) continue;
        this.#toldPatterns.add(pattern);
        const message = `${mount}: tools.${field} names ${JSON.stringify(pattern)}, which matches no tool of this server`;
        this.#options.events.emit('server.warning', { upstream: mount, warning: 'idle-pattern', message });
      }
    }
  }

  /** @throws {DoorError} why this mount has no client: its configuration is bad or not supported yet */
  getClient(): Client {
    if (this.#client === undefined) throw this.#error ?? new DoorError('INTERNAL', `${this.id}: no client`);
    return this.#client;
  }

  /** Why it cannot be used now; undefined where it can, or is being started for the first time. */
  get failure(): UpstreamFailure | undefined {
    const { state } = this;
    return state.kind === 'failed' ? state : state.kind === 'connecting' ? state.failure : undefined;
  }

  /** What a call is refused with while it cannot be used. */
  get refusal(): DoorError | undefined {
    return this.#client === undefined ? this.#error : this.#client.refusal;
  }

  /** It was up, or was to be, and is started again; one whose configuration is bad is not down but absent. */
  get isDown(): boolean {
    return this.#client !== undefined && this.failure !== undefined;
  }

  /** Calls of it are under way. */
  get hasCalls(): boolean {
    const state = this.#client?.state;
    return state?.kind === 'ready' && state.connection.callsInFlight > 0;
  }

  /** Which era it speaks; undefined while it is not connected. */
  get era(): Era | undefined {
    const state = this.#client?.state;
    return state?.kind === 'ready' ? state.hello.codec.era : undefined;
  }

  /** The client, where it is connected now. */
  get readyClient(): Client | undefined {
    return this.#client?.state.kind === 'ready' ? this.#client : undefined;
  }

  /** What the catalog makes of it. */
  get mountedOffers(): MountedOffers {
    const { id: mount, offers } = this;
    return {
      mount,
      prefix: this.#prefix,
      resources: offers.get('resources'),
      templates: offers.get('templates'),
      prompts: offers.get('prompts'),
    };
  }

  /**
   * Asks it what it offers.
   *
   * @returns false where there is nobody to ask
   * @throws {DoorError} why it cannot be asked, or what is wrong with its answer
   */
  async loadOffers(kind: OfferKind): Promise<boolean> {
    if (this.#client === undefined) return false;
    this.offers.set(kind, await this.#client.listOffers(kind));
    return true;
  }

  /** Starts it unless it was started before: then it starts anew by itself. */
  start(): void {
    if (this.#client?.state.kind === 'idle') void this.settle();
  }

  /** Starts it unless it is started. Never rejects: what went wrong is in `state`. */
  async settle(): Promise<void> {
    await this.#client?.start().catch(() => {});
  }

  /** Whether there is nothing to wait for: it has listed in this process, or it failed. */
  get isSettled(): boolean {
    if (this.hasListed || this.#client === undefined) return true;
    const { state } = this.#client;
    return (
      state.kind === 'failed' || state.kind === 'closed' || (state.kind === 'connecting' && state.failed !== undefined)
    );
  }

  get state(): UpstreamState {
    if (this.#client === undefined) return { kind: 'failed', error: this.#error!, isFlapping: false };
    const { state } = this.#client;
    switch (state.kind) {
      case 'ready':
        return {
          kind: 'ready',
          revision: state.hello.codec.revision,
          serverName: state.hello.name,
          tools: state.list.tools.length,
        };
      case 'connecting':
        return {
          kind: 'connecting',
          sinceMs: state.sinceMs,
          ...(state.failed !== undefined && { failure: state.failed }),
        };
      default:
        return state;
    }
  }

  pause(): void {
    this.#client?.pause();
  }

  resume(): void {
    this.#client?.resume();
  }

  async close(): Promise<void> {
    await this.#client?.close();
  }
}
