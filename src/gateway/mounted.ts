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
import { type Client, definitionsOf, type Hello, readCachedTools, type ToolList } from '../client/index.js';
import { type Era, findModernCodec } from '../protocol/index.js';
import type { FleetOptions } from './fleet-options.js';
import { warnOfIdlePatterns } from './idle-patterns.js';
import { mountClient } from './mount-client.js';
import { ALWAYS, type Attendance } from './presence.js';
import type { BrokenMount, Mount, UpstreamFailure, UpstreamState, Validation } from './types.js';
import { upstreamStateOf } from './upstream-state.js';

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
  /** What it lists is shown again, or not any more: it has come or gone. */
  refitted(): void;
  /** It is another server, or another account there: what callers wanted of the one before is not to be asked of it. */
  replaced(mount: MountedUpstream): void;
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
  | { readonly kind: 'none'; readonly atMs?: undefined }
  | { readonly kind: 'remembered'; readonly list: MountedList; readonly atMs?: undefined }
  | { readonly kind: 'listed'; readonly list: MountedList; readonly atMs: number };

const NOTHING_LISTED: Listing = { kind: 'none' };

/** One mount at work in one fleet: its client, what it listed last, and whether that is known to hold. */
export class MountedUpstream {
  readonly id: string;
  readonly validation: Validation;
  /** Where calls of its tools go, as events tell. */
  readonly transport: 'local' | 'proxied';
  /** What it offers besides tools, by kind, as far as that was asked for. */
  readonly offers = new Map<OfferKind, readonly ListedOffer[]>();

  #listing: Listing = NOTHING_LISTED;
  /** What it listed last, shown or not. */
  #known: MountedList | undefined;
  readonly #ownPrefix: PrefixRule;
  /** Of the contract it serves, as it said last. */
  #fingerprint: string | undefined;
  #attendance: Attendance = ALWAYS;
  /** Names the server and the account that was there last. */
  #lastKey: string | undefined;
  #wasShown = false;
  #isStarted = false;
  readonly #stopFollowing: () => void = () => {};
  /** Clients of earlier logins that have not ended yet. */
  readonly #endings = new Set<Promise<void>>();
  readonly #options: FleetOptions;
  readonly #mount: Mount | undefined;
  readonly #toldPatterns = new Set<string>();
  readonly #listeners: Set<MountListener>;
  /** Principals for whom anything was ever done here, and the last of them. */
  readonly #served = new Set<string>();
  #lastServed: string | undefined;
  /** By URI, the fleets that want to be told when the resource changes. */
  readonly #wanted = new Map<string, Set<MountListener>>();
  #client: Client | undefined;
  readonly #error: DoorError | undefined;

  constructor(mount: Mount | BrokenMount, options: FleetOptions, listener: MountListener) {
    const { gateway } = options;
    this.id = mount.id;
    this.#options = options;
    this.transport = 'isLocal' in mount && mount.isLocal ? 'local' : 'proxied';
    this.#listeners = new Set([listener]);
    this.#ownPrefix = ('prefix' in mount ? mount.prefix : undefined) ?? gateway.prefix ?? 'always';
    if ('error' in mount) {
      this.validation = { ...VALIDATION, ...gateway.validation };
      this.#error = mount.error;
      return;
    }
    this.#mount = mount;
    this.validation = { ...VALIDATION, ...gateway.validation, ...mount.validation };
    const { presence } = mount;
    if (presence !== undefined) {
      // Followed first: what is followed need not be looked up.
      this.#stopFollowing = presence.onChange(() => this.#attend(mount, presence.now));
      this.#attendance = presence.now;
    }
    if (this.#attendance.kind !== 'here') return;
    this.#lastKey = this.#attendance.cacheKey;
    this.#client = this.#makeClient(mount);
  }

  /** It is there while somebody is signed in; what it lists is shown while it can be used. */
  get comesAndGoes(): boolean {
    return this.#mount?.presence !== undefined;
  }

  /** Somebody has named it: an upstream that comes and goes may be none yet. */
  get isNamed(): boolean {
    return this.#attendance.kind !== 'none';
  }

  /** How to sign in, where it comes and goes. */
  get login(): string | undefined {
    return this.#mount?.presence?.login;
  }

  get #prefix(): PrefixRule {
    const ours = this.#mount?.presence?.fingerprint;
    return ours !== undefined && ours === this.#fingerprint ? 'never' : this.#ownPrefix;
  }

  /** What it lists is not shown: it comes and goes, and is not known to be there. */
  get #isWithheld(): boolean {
    if (!this.comesAndGoes) return false;
    const state = this.#client?.state;
    if (state?.kind === 'ready') return false;
    // What is remembered is shown while it is connected to for the first time.
    return state?.kind !== 'idle' && (state?.kind !== 'connecting' || state.failed !== undefined);
  }

  #makeClient(mount: Mount): Client {
    return mountClient(mount, this.validation, this.#options, {
      listed: (list, hello) => this.#listed(mount, list, hello),
      failed: () => this.#failed(),
      connected: () => this.#tell((listener) => listener.connected(this)),
      notified: (method, params, about) => this.#tell((listener) => listener.notified(this, method, params, about)),
    });
  }

  #listed(mount: Mount, { tools, exclusions }: ToolList, hello: Hello): void {
    const { clock } = this.#options;
    this.#fingerprint = hello.fingerprint;
    const list = { mount: mount.id, prefix: this.#prefix, filter: mount.tools ?? {}, tools, exclusions };
    this.#listing = { kind: 'listed', list, atMs: clock.nowMs() };
    this.#known = list;
    warnOfIdlePatterns(list, this.#toldPatterns, this.#options.events);
    this.#remember(list, hello);
    this.#tell((listener) => listener.listed());
    this.#tellShown();
  }

  #failed(): void {
    this.#tell((listener) => listener.failed());
    if (!this.comesAndGoes) return;
    // What it had to offer may be another by the time it is back.
    this.offers.clear();
    this.#tell((listener) => listener.refitted());
    this.#tellShown();
  }

  /** Somebody has signed in, or out, or in again. */
  #attend(mount: Mount, now: Attendance): void {
    const before = this.#attendance;
    const left = this.#client;
    this.#attendance = now;
    this.#client = undefined;
    this.#listing = NOTHING_LISTED;
    this.#fingerprint = undefined;
    this.offers.clear();
    if (left !== undefined) this.#end(left);
    const key = before.kind === 'here' ? before.cacheKey : undefined;
    if (key !== undefined && !(now.kind === 'here' && now.cacheKey === key)) this.#options.gateway.cache?.remove?.(key);
    if (now.kind === 'here') {
      if (now.cacheKey !== this.#lastKey) this.#replaced(now.cacheKey);
      this.#client = this.#makeClient(mount);
    }
    this.#tell((listener) => listener.refitted());
    this.#tellShown();
    if (this.#isStarted) this.start();
  }

  #replaced(key: string | undefined): void {
    this.#lastKey = key;
    this.#wanted.clear();
    this.#tell((listener) => listener.replaced(this));
  }

  #end(client: Client): void {
    const ended = client.close().finally(() => this.#endings.delete(ended));
    this.#endings.add(ended);
  }

  /** Tells of tools that have come, or are gone, with the upstream they are of. */
  #tellShown(): void {
    const isShown = this.comesAndGoes && this.hasListed;
    if (isShown === this.#wasShown) return;
    this.#wasShown = isShown;
    const { id: upstream, failure } = this;
    const tools = this.#known!.tools.length;
    const reason = isShown ? undefined : (failure?.error.message ?? `${upstream} is not there any more`);
    const change = isShown ? 'mounted' : 'unmounted';
    this.#options.events.emit('mount.changed', { upstream, change, tools, ...(reason !== undefined && { reason }) });
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
    this.#fingerprint = cached.fingerprint;
    const tools = readCachedTools(this.id, cached.tools, era);
    const list = { mount: this.id, prefix: this.#prefix, filter: this.#mount?.tools ?? {}, tools, exclusions: [] };
    this.#listing = { kind: 'remembered', list };
    this.#known = list;
    return true;
  }

  #remember(list: MountedList, { codec, name, instructions, fingerprint }: Hello): void {
    const key = this.#cacheKey;
    if (key === undefined) return;
    this.#options.gateway.cache?.write(key, {
      savedAtMs: this.#options.clock.nowMs(),
      revision: codec.revision,
      serverName: name,
      instructions,
      ...(fingerprint !== undefined && { fingerprint }),
      tools: definitionsOf(list),
    });
  }

  /** A server may list other tools to a caller it can ask more of: what it listed to whom is kept apart. */
  get #cacheKey(): string | undefined {
    const attendance = this.#attendance;
    const key = this.comesAndGoes
      ? attendance.kind === 'here'
        ? attendance.cacheKey
        : undefined
      : this.#mount?.cacheKey;
    return key === undefined ? undefined : cacheKeyFor(key, this.#options.capabilities ?? {});
  }

  /** What it listed last, in this process or an earlier one; kept when the upstream is lost. */
  get list(): MountedList | undefined {
    return this.#listing.kind === 'none' || this.#isWithheld ? undefined : this.#listing.list;
  }

  /** The list is remembered from an earlier process: shown, but nothing is refused by it. */
  get isStale(): boolean {
    return this.#listing.kind === 'remembered' && !this.#isWithheld;
  }

  /** Whether it has listed its tools in this process, and can still be taken at its word. */
  get hasListed(): boolean {
    return this.#listing.kind === 'listed' && !this.#isWithheld;
  }

  /** When it last listed in this process; epoch milliseconds. */
  get listedAtMs(): number | undefined {
    return this.#listing.atMs;
  }

  /** Whether a public name begins as the prefixed names of this mount do. */
  hasPrefixOf(name: string): boolean {
    return name.startsWith(namePrefix(this.id));
  }

  /** Whether a public name must be of this mount: by its beginning, or since it listed it before it went. */
  claims(name: string): boolean {
    if (this.hasPrefixOf(name)) return true;
    const known = this.#isWithheld ? this.#known : undefined;
    return known?.tools.some((tool) => isNameOf(name, known.prefix, known.mount, tool.name)) ?? false;
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

  /** @throws {DoorError} why this mount has no client: its configuration is bad, or nobody is signed in */
  getClient(): Client {
    if (this.#client === undefined) throw this.#absence ?? this.#gone();
    return this.#client;
  }

  /** What it was asked for it offered before; somebody has forgotten it since. */
  #gone(): DoorError {
    const { id: upstream } = this;
    return new DoorError('UPSTREAM_UNREACHABLE', `${upstream} is not there any more`, { data: { upstream } });
  }

  /** Why there is no client. */
  get #absence(): DoorError | undefined {
    if (this.#attendance.kind !== 'signed-out') return this.#error;
    return new DoorError('AUTH_REQUIRED', this.#attendance.reason, {
      data: { upstream: this.id },
      ...(this.login !== undefined && { hint: this.login }),
    });
  }

  /** Why it cannot be used now; undefined where it can, or is being started for the first time. */
  get failure(): UpstreamFailure | undefined {
    const { state } = this;
    return state.kind === 'failed' ? state : state.kind === 'connecting' ? state.failure : undefined;
  }

  /** What a call is refused with while it cannot be used. */
  get refusal(): DoorError | undefined {
    return this.#client === undefined ? this.#absence : this.#client.refusal;
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
    const { id: mount } = this;
    const offers: ReadonlyMap<OfferKind, readonly ListedOffer[]> = this.#isWithheld ? new Map() : this.offers;
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
    const client = this.#client;
    if (client === undefined) return false;
    const listed = await client.listOffers(kind);
    if (this.#client !== client) return false;
    this.offers.set(kind, listed);
    return true;
  }

  /** Starts it unless it was started before: then it starts anew by itself. */
  start(): void {
    this.#isStarted = true;
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
    if (this.#client === undefined) return this.#stateOfNone();
    return upstreamStateOf(this.#client.state);
  }

  #stateOfNone(): UpstreamState {
    const error = this.#absence;
    if (error === undefined) return { kind: 'idle' };
    const { sinceMs } = this.#attendance as { readonly sinceMs?: number };
    return { kind: 'failed', error, isFlapping: false, ...(sinceMs !== undefined && { sinceMs }) };
  }

  pause(): void {
    this.#client?.pause();
  }

  resume(): void {
    this.#client?.resume();
  }

  async close(): Promise<void> {
    this.#stopFollowing();
    await Promise.all([this.#client?.close(), ...this.#endings]);
  }
}
