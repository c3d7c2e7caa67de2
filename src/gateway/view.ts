import type { Caller, CallOptions, CancelSignal, JsonSlice, Piece, Principal } from '../base/index.js';
import type { CatalogEntry, Offer, OfferKind } from '../catalog/index.js';
import { type CallParams, type LogLevel, type RequestParams, resourceParams } from '../protocol/index.js';
import type { Fleet } from './fleet.js';
import { type Advertised, isSameList, LISTED_AS } from './list-watch.js';
import type { Recipient } from './notifications.js';
import type {
  ListName,
  ListToolsOptions,
  RelayedAnswer,
  RelayedMethod,
  TaskMethod,
  ToolAnswer,
  ToolCall,
  View,
} from './types.js';

/** What one caller sees of its fleet. */
export class FleetView implements View, Recipient {
  protected readonly fleet: Fleet;
  readonly #caller: Caller | undefined;
  readonly #unwatch = new Set<() => void>();
  /** What this caller was shown when it listed last. */
  readonly #seen = new Map<OfferKind | 'tools', readonly Advertised[]>();
  #logLevel: LogLevel | undefined;

  constructor(fleet: Fleet, caller: Caller | undefined) {
    this.fleet = fleet;
    this.#caller = caller;
    if (caller !== undefined) fleet.join(this);
  }

  get logLevel(): LogLevel | undefined {
    return this.#logLevel;
  }

  get principal(): Principal | undefined {
    return this.#caller?.principal;
  }

  tell(method: string, params?: Piece): void {
    this.#caller?.tell(method, params);
  }

  start(): void {
    this.fleet.start();
  }

  async listTools({ signal, principal }: ListToolsOptions = {}): Promise<readonly CatalogEntry[]> {
    const entries = await this.fleet.listTools(signal, this.#caller?.principal ?? principal);
    // A list that its caller gave up is one that it does not see.
    if (signal?.aborted) throw signal.reason;
    this.#seen.set('tools', entries);
    return entries;
  }

  findTool(name: string, principal = this.principal): CatalogEntry | undefined {
    return this.fleet.findVisible(name, principal);
  }

  staleMounts(): readonly string[] {
    return this.fleet.mounts.filter((mount) => mount.isStale).map(({ id }) => id);
  }

  call(params: CallParams, options: CallOptions): Promise<ToolAnswer> {
    return this.fleet.call(params, this.#optionsOf(options));
  }

  callTool(call: ToolCall, options: CallOptions): Promise<ToolAnswer> {
    return this.fleet.callTool(call, options);
  }

  async listOffers(kind: OfferKind, { signal }: { readonly signal?: CancelSignal } = {}): Promise<readonly Offer[]> {
    const offers = await this.fleet.listOffers(kind, signal);
    if (signal?.aborted) throw signal.reason;
    this.#seen.set(kind, offers);
    return offers;
  }

  relay(method: RelayedMethod, params: RequestParams, options: CallOptions): Promise<RelayedAnswer> {
    return this.fleet.relay(method, params, this.#optionsOf(options));
  }

  subscribe(params: RequestParams, options: CallOptions): Promise<RelayedAnswer> {
    return this.fleet.subscribe(this, params, options);
  }

  unsubscribe(params: RequestParams, options: CallOptions): Promise<RelayedAnswer> {
    return this.fleet.unsubscribe(this, params, options);
  }

  async task(method: TaskMethod, params: JsonSlice, options: CallOptions): Promise<RelayedAnswer> {
    return this.fleet.task(method, params, options);
  }

  async watchResource(uri: string, options: CallOptions): Promise<boolean> {
    const answer = await this.fleet.subscribe(this, resourceParams(uri), options);
    return answer.kind === 'result';
  }

  watchLists(lists: readonly ListName[]): void {
    // What was never listed cannot be seen to change.
    for (const list of lists) {
      for (const kind of LISTED_AS[list]) {
        const listed: Promise<unknown> =
          kind === 'tools' ? this.fleet.listTools(undefined) : this.fleet.listOffers(kind, undefined);
        listed.catch(() => {});
      }
    }
  }

  /** A caller's level goes with each of its requests: there are upstreams that know it by request only. */
  #optionsOf(options: CallOptions): CallOptions {
    return this.#logLevel === undefined || options.logLevel !== undefined
      ? options
      : { ...options, logLevel: this.#logLevel };
  }

  setLogLevel(level: LogLevel): void {
    this.#logLevel = level;
    this.fleet.logLevelChanged();
  }

  rootsChanged(): void {
    if (this.#caller?.capabilities.roots === undefined) return;
    for (const mount of this.fleet.mounts) mount.readyClient?.rootsChanged();
  }

  onListChanged(listener: (list: ListName) => void): () => void {
    const stop = this.fleet.watch.on((list) => {
      if (!this.#hasSeen(list)) listener(list);
    });
    this.#unwatch.add(stop);
    return () => {
      stop();
      this.#unwatch.delete(stop);
    };
  }

  /**
   * Whether there is nothing to tell a caller of: it never listed, or when it listed last it was shown just what there is
   * now, for a change that is told late it may have seen meanwhile.
   */
  #hasSeen(list: ListName): boolean {
    const kinds = LISTED_AS[list].filter((kind) => this.#seen.has(kind));
    // A request of the modern era says which changes it wants to be told of, whatever it has listed.
    if (kinds.length === 0 || this.#caller?.takesRequests === false) return this.#caller?.takesRequests === true;
    return kinds.every((kind) => isSameList(this.#seen.get(kind)!, this.fleet.listNow(kind, this.principal)));
  }

  pause(): void {
    this.fleet.pause(this);
  }

  resume(): void {
    this.fleet.resume(this);
  }

  /** Ends what is kept for this caller; a fleet that others use goes on. */
  async close(): Promise<void> {
    for (const stop of this.#unwatch) stop();
    this.fleet.leave(this);
  }
}
