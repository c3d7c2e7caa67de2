import {
  type Caller,
  type CallOptions,
  type CancelSignal,
  encodeText,
  type Piece,
  SCAN,
  sliceOf,
} from '../base/index.js';
import { type CatalogEntry, type Offer, type OfferKind, type OfferRoute, STATUS_URI } from '../catalog/index.js';
import type { RawAnswer } from '../client/index.js';
import type { CallParams, LogLevel, RequestParams } from '../protocol/index.js';
import type { Fleet } from './fleet.js';
import { type Advertised, isSameList } from './list-watch.js';
import { type Hearer, OWN_STATUS } from './notices.js';
import type { ListName, RelayedAnswer, RelayedMethod, ToolAnswer, ToolCall, View } from './types.js';

/** What one caller sees of its fleet. */
export class FleetView implements View, Hearer {
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

  tell(method: string, params?: Piece): void {
    this.#caller?.tell(method, params);
  }

  start(): void {
    this.fleet.start();
  }

  async listTools({ signal }: { readonly signal?: CancelSignal } = {}): Promise<readonly CatalogEntry[]> {
    const entries = await this.fleet.listTools(signal);
    this.#seen.set('tools', entries);
    return entries;
  }

  staleMounts(): readonly string[] {
    return this.fleet.mounts.filter((mount) => mount.isStale).map(({ id }) => id);
  }

  call(params: CallParams, options: CallOptions): Promise<ToolAnswer> {
    return this.fleet.call(params, options);
  }

  callTool(call: ToolCall, options: CallOptions): Promise<ToolAnswer> {
    return this.fleet.callTool(call, options);
  }

  async listOffers(kind: OfferKind, { signal }: { readonly signal?: CancelSignal } = {}): Promise<readonly Offer[]> {
    this.fleet.start();
    const offers = await this.fleet.offers.list(kind, signal);
    const all = this.#withStatus(kind, offers);
    this.#seen.set(kind, all);
    return all;
  }

  #withStatus(kind: OfferKind, offers: readonly Offer[]): readonly Offer[] {
    const status = kind === 'resources' ? this.fleet.status.offer : undefined;
    return status === undefined ? offers : [...offers, status];
  }

  async relay(method: RelayedMethod, params: RequestParams, options: CallOptions): Promise<RelayedAnswer> {
    if (method === 'resources/read' && params.key === STATUS_URI) return this.fleet.status.read();
    const route = await this.#find(params, options);
    // All upstreams hide behind one set of capabilities: a caller cannot know that this one completes nothing.
    const client = this.fleet.getMount(route.mount).readyClient;
    if (method === 'completion/complete' && client?.offers('completions') === false) return NO_COMPLETION;
    return this.#pass(method, params, route, options);
  }

  async subscribe(params: RequestParams, options: CallOptions): Promise<RelayedAnswer> {
    if (params.key === STATUS_URI) {
      this.fleet.notices.subscribe(OWN_STATUS, this);
      return NOTHING;
    }
    const route = await this.#find(params, options);
    // Before it is sent: an update may come ahead of the answer.
    const isNew = this.fleet.notices.subscribe(route, this);
    let isDone = false;
    try {
      const answer = await this.#pass('resources/subscribe', params, route, options);
      isDone = answer.kind === 'result';
      return answer;
    } finally {
      if (isNew && !isDone) this.fleet.notices.unsubscribe(route, this);
    }
  }

  async unsubscribe(params: RequestParams, options: CallOptions): Promise<RelayedAnswer> {
    const route = params.key === STATUS_URI ? OWN_STATUS : await this.#find(params, options);
    const isLast = this.fleet.notices.unsubscribe(route, this);
    // Others still want to hear of it.
    if (!isLast || route === OWN_STATUS) return NOTHING;
    return this.#pass('resources/unsubscribe', params, route, options);
  }

  setLogLevel(level: LogLevel): void {
    this.#logLevel = level;
    this.fleet.notices.levelChanged();
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

  /** Whether this caller, when it listed last, was shown just what there is now: told late, it has listed meanwhile. */
  #hasSeen(list: ListName): boolean {
    const kinds = SHOWN_AS[list].filter((kind) => this.#seen.has(kind));
    return kinds.length > 0 && kinds.every((kind) => isSameList(this.#seen.get(kind)!, this.#now(kind)));
  }

  #now(kind: OfferKind | 'tools'): readonly Advertised[] {
    if (kind === 'tools') return this.fleet.snapshot.entries;
    return this.#withStatus(kind, this.fleet.offers.snapshot[kind]);
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
    for (const { mount, key } of this.fleet.leave(this)) {
      if (mount === OWN_STATUS.mount) continue;
      const client = this.fleet.getMount(mount).readyClient;
      client?.request('resources/unsubscribe', `{"uri":${JSON.stringify(key)}}`).catch(() => {});
    }
  }

  #find(params: RequestParams, options: CallOptions): Promise<OfferRoute> {
    this.fleet.start();
    return this.fleet.offers.find(params.names, params.key, options.signal);
  }

  async #pass(
    method: RelayedMethod | 'resources/subscribe' | 'resources/unsubscribe',
    params: RequestParams,
    route: OfferRoute,
    options: CallOptions,
  ): Promise<RelayedAnswer> {
    const client = this.fleet.getMount(route.mount).getClient();
    return relayed(await client.relay(method, params, route.key, options));
  }
}

/** Which lists a caller is told of under each name. */
const SHOWN_AS: Readonly<Record<ListName, readonly (OfferKind | 'tools')[]>> = {
  tools: ['tools'],
  resources: ['resources', 'templates'],
  prompts: ['prompts'],
};

const NOTHING = resultOf('{}');
const NO_COMPLETION = resultOf('{"completion":{"values":[]}}');

function resultOf(text: string): RelayedAnswer {
  return { kind: 'result', json: sliceOf(encodeText(text)), hasLineBreaks: false };
}

function relayed(raw: RawAnswer): RelayedAnswer {
  return { kind: raw.kind, json: raw, hasLineBreaks: (raw.flags & SCAN.lineBreak) !== 0 };
}
