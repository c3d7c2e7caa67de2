import {
  type CallOptions,
  type CancelSignal,
  DoorError,
  JsonScanner,
  type JsonSlice,
  orAborted,
  type Principal,
  toDoorError,
  unsent,
} from '../base/index.js';
import {
  buildSnapshot,
  type CatalogEntry,
  type CatalogSnapshot,
  type MountedList,
  type Offer,
  type OfferKind,
  type OfferRoute,
  STATUS_URI,
} from '../catalog/index.js';
import { type CallParams, makeCallParams, type RequestParams } from '../protocol/index.js';
import { Access } from './access.js';
import { StatusBoard } from './advisory.js';
import { resultOf } from './answers.js';
import { type CallArguments, CallRecord } from './call-record.js';
import type { FleetOptions } from './fleet-options.js';
import { type Advertised, ListWatch, reportExclusions, reportToolChanges } from './list-watch.js';
import { withoutShadowed } from './local-wins.js';
import { type About, MountedUpstream, type MountListener } from './mounted.js';
import { MAX_SHOWN, mountNotFound, toolNotFound } from './not-found.js';
import { Notifications, OWN_STATUS, type Recipient } from './notifications.js';
import { OfferShelf } from './offers.js';
import { Sending } from './sending.js';
import type { BrokenMount, Mount, RelayedAnswer, RelayedMethod, TaskMethod, ToolAnswer, ToolCall } from './types.js';
import { waitForLists } from './waiting.js';

/** Finds an upstream of another fleet that one may use as well; undefined where it needs its own. */
export type Lend = (mount: Mount | BrokenMount) => MountedUpstream | undefined;

/** One set of connections to all upstreams, with the catalog that they make: what some callers share, or one has alone. */
export class Fleet {
  readonly options: FleetOptions;
  readonly mounts: readonly MountedUpstream[];
  readonly watch: ListWatch;

  readonly #offers: OfferShelf;
  readonly #notifications: Notifications;
  readonly #sending: Sending;
  readonly #status: StatusBoard;
  readonly #access: Access;
  readonly #byId: ReadonlyMap<string, MountedUpstream>;
  #snapshot: CatalogSnapshot;
  /** The snapshot whose names a caller saw last. */
  #shown: CatalogSnapshot | undefined;
  /** Upstreams that belong to another fleet. */
  readonly #lent = new Set<MountedUpstream>();
  readonly #listener: MountListener = {
    listed: () => this.#rebuild(),
    failed: () => this.#status.look(),
    refitted: () => this.#refit(),
    replaced: (mounted) => this.#notifications.replaced(mounted),
    connected: (mounted) => this.#connected(mounted),
    notified: (mounted, method, params, about) => this.#notified(mounted, method, params, about),
  };
  readonly #paused = new Set<Recipient>();
  #isPaused = false;
  #startedAtMs: number | undefined;
  #firstListedAtMs: number | undefined;

  /** @param lend finds what it may use of another fleet */
  constructor(options: FleetOptions, lend?: Lend) {
    const { gateway, clock } = options;
    this.options = options;
    this.mounts = gateway.mounts.map((mount) => {
      const lent = lend?.(mount);
      if (lent === undefined) return new MountedUpstream(mount, options, this.#listener);
      lent.join(this.#listener);
      this.#lent.add(lent);
      return lent;
    });
    this.#byId = new Map(this.mounts.map((mount) => [mount.id, mount]));
    this.watch = new ListWatch(clock);
    this.#access = new Access(gateway.mounts);
    this.#offers = new OfferShelf(options, this.mounts, (list) => this.watch.changed(list));
    this.#notifications = new Notifications(this.mounts, clock, (mount, uri) => this.#offers.publicUri(mount, uri));
    this.#sending = new Sending(options, this.#notifications);
    this.#status = new StatusBoard(this.mounts, clock, ({ isListed, wasListed }) => {
      if (isListed !== wasListed) this.watch.changed('resources');
      this.#notifications.statusChanged();
    });
    this.#snapshot = this.#build();
  }

  get snapshot(): CatalogSnapshot {
    return this.#snapshot;
  }

  /** Starts every mount that was never started. @returns when that was first done, in monotonic milliseconds */
  start(): number {
    const isFirst = this.#startedAtMs === undefined;
    if (this.#startedAtMs === undefined) {
      this.#startedAtMs = this.options.clock.monotonicMs();
      const recalled = this.mounts.filter((mount) => mount.recall());
      if (recalled.length > 0) {
        this.#snapshot = this.#build();
        // There is something to be shown already: others are waited for as when the first has listed.
        this.#firstListedAtMs = this.#startedAtMs;
      }
    }
    for (const mount of this.mounts) mount.start();
    if (isFirst) this.#status.look();
    return this.#startedAtMs;
  }

  async listTools(signal: CancelSignal | undefined, principal?: Principal): Promise<readonly CatalogEntry[]> {
    const startedAtMs = this.start();
    for (const mount of this.mounts) mount.readyClient?.refresh();
    const waiting = this.mounts.filter((mount) => mount.list === undefined && !mount.isSettled);
    if (waiting.length > 0) {
      await waitForLists(
        waiting.map((mount) => mount.settle()),
        { clock: this.options.clock, startedAtMs, firstListedAtMs: () => this.#firstListedAtMs, signal },
      );
      for (const mount of waiting) if (!mount.isSettled) this.#tellUnlisted(mount.id);
    }
    return this.#access.visibleTo(this.#show().entries, principal);
  }

  call(params: CallParams, options: CallOptions): Promise<ToolAnswer> {
    const entry = this.#find(params.name, this.#show());
    if (entry !== undefined) return this.#send(entry, params, options);
    return this.#lookUpAgain(params.name, options).then(
      (found) => this.#send(found, params, options),
      (thrown: unknown) => this.#refuse(params, options, unsent(thrown)),
    );
  }

  async callTool(call: ToolCall, options: CallOptions): Promise<ToolAnswer> {
    const scanner = new JsonScanner({ nestingLimit: this.options.limits.maxDepth + 2 });
    const params = makeCallParams(scanner, call.tool, call.arguments);
    if (typeof params === 'string') {
      const refusal = new DoorError('INVALID_ARGUMENTS', `Invalid arguments for ${call.tool}: ${params}`, {
        data: { upstream: call.mount, tool: call.tool, issues: [] },
      });
      const bytes = call.arguments ?? new Uint8Array(0);
      const whole = { name: call.tool, bytes, argumentsStart: 0, argumentsEnd: bytes.length };
      return this.#refuse(whole, options, refusal);
    }
    try {
      const mount = this.getMount(call.mount);
      if (!mount.hasListed) await orAborted(mount.settle(), options.signal);
    } catch (thrown) {
      return this.#refuse(params, options, thrown, call.mount);
    }
    const entry = this.#snapshot.findTool(call.mount, call.tool);
    if (entry !== undefined) return this.#send(entry, params, options);
    return this.#refuse(params, options, this.#notFound(call.tool, options.principal, call.mount));
  }

  async listOffers(kind: OfferKind, signal: CancelSignal | undefined): Promise<readonly Offer[]> {
    this.start();
    return this.#withStatus(kind, await this.#offers.list(kind, signal));
  }

  /** The tool of a public name, for somebody who may know of it. */
  findVisible(name: string, principal: Principal | undefined): CatalogEntry | undefined {
    const entry = this.#snapshot.find(name);
    return entry !== undefined && principal !== undefined && this.#access.isHidden(entry, principal)
      ? undefined
      : entry;
  }

  /** What there is of a list now, as far as it is known; never waits. */
  listNow(kind: OfferKind | 'tools', principal?: Principal): readonly Advertised[] {
    return kind === 'tools'
      ? this.#access.visibleTo(this.#snapshot.entries, principal)
      : this.#withStatus(kind, this.#offers.snapshot[kind]);
  }

  #withStatus(kind: OfferKind, offers: readonly Offer[]): readonly Offer[] {
    const status = kind === 'resources' ? this.#status.offer : undefined;
    return status === undefined ? offers : [...offers, status];
  }

  async relay(method: RelayedMethod, params: RequestParams, options: CallOptions): Promise<RelayedAnswer> {
    if (method === 'resources/read' && params.key === STATUS_URI) return this.#status.read();
    const route = await this.#findOffer(params, options);
    // All upstreams hide behind one set of capabilities: a caller cannot know that this one completes nothing.
    const client = this.getMount(route.mount).readyClient;
    if (method === 'completion/complete' && client?.offers('completions') === false) return NO_COMPLETION;
    return this.#pass(method, params, route, options);
  }

  async subscribe(recipient: Recipient, params: RequestParams, options: CallOptions): Promise<RelayedAnswer> {
    const route = await this.#findOffer(params, options);
    // Before it is sent: an update may come ahead of the answer.
    this.#notifications.subscribe(route, recipient);
    if (route.mount !== OWN_STATUS.mount) this.getMount(route.mount).retain(route.key, this.#listener);
    let isDone = false;
    let isAnswered = false;
    try {
      const answer = await this.#pass('resources/subscribe', params, route, options);
      isAnswered = true;
      isDone = answer.kind === 'result';
      return answer;
    } catch (thrown) {
      isAnswered = !(options.signal?.aborted || isTimeout(thrown));
      throw thrown;
    } finally {
      if (!isDone && this.#notifications.withdraw(route, recipient) && route.mount !== OWN_STATUS.mount) {
        // One that was given up may have come to something all the same, and would be told of for ever.
        if (isAnswered) this.getMount(route.mount).release(route.key, this.#listener);
        else this.#unsubscribe(route);
      }
    }
  }

  async unsubscribe(recipient: Recipient, params: RequestParams, options: CallOptions): Promise<RelayedAnswer> {
    const route = await this.#findOffer(params, options);
    this.#forget(route, recipient);
    return NOTHING;
  }

  /** An upstream is told that nobody wants to hear of it by us, not for its caller: who unsubscribes does not wait, nor cancel. */
  #forget(route: OfferRoute, recipient: Recipient): void {
    const isLast = this.#notifications.unsubscribe(route, recipient);
    if (isLast && route.mount !== OWN_STATUS.mount) this.#unsubscribe(route);
  }

  #unsubscribe({ mount, key }: OfferRoute): void {
    const mounted = this.getMount(mount);
    if (!mounted.release(key, this.#listener)) return;
    const client = mounted.readyClient;
    client?.request('resources/unsubscribe', `{"uri":${JSON.stringify(key)}}`).catch(() => {});
  }

  #findOffer({ names, key }: RequestParams, { signal }: CallOptions): Promise<OfferRoute> {
    this.start();
    if (names === 'task') throw new DoorError('INTERNAL', 'a task is found by what its id says');
    return key === STATUS_URI ? Promise.resolve(OWN_STATUS) : this.#offers.find(names, key, signal);
  }

  async #pass(
    method: RelayedMethod | 'resources/subscribe',
    params: RequestParams,
    { mount, key }: OfferRoute,
    options: CallOptions,
  ): Promise<RelayedAnswer> {
    if (mount === OWN_STATUS.mount) return NOTHING;
    return this.#sending.pass(this.getMount(mount), method, params, key, options);
  }

  /** The log level that somebody wants has changed. */
  logLevelChanged(): void {
    this.#notifications.levelChanged();
  }

  /** Passes on what a caller asks about a task of its own. @throws {DoorError} as `relay` */
  task(method: TaskMethod, params: JsonSlice, options: CallOptions): Promise<RelayedAnswer> {
    return this.#sending.task(method, params, options, (upstream, tool) => ({
      mounted: this.getMount(upstream),
      output: this.#snapshot.findTool(upstream, tool)?.tool.output,
    }));
  }

  /** Something goes on in it, or somebody listens. */
  get isBusy(): boolean {
    return this.#notifications.count > 0 || this.#ownMounts.some((mount) => mount.hasCalls);
  }

  get #ownMounts(): readonly MountedUpstream[] {
    return this.mounts.filter((mount) => !this.#lent.has(mount));
  }

  /** @throws {DoorError} TOOL_UNKNOWN */
  getMount(id: string): MountedUpstream {
    const mount = this.#byId.get(id);
    if (mount === undefined) throw mountNotFound(id, this.mounts);
    return mount;
  }

  /**
   * Stops reading from upstreams while no caller of this fleet can take more. One slow caller among several does not hold
   * up the others: what waits for it is its door's to bound.
   */
  pause(recipient: Recipient): void {
    this.#paused.add(recipient);
    this.#flow();
  }

  resume(recipient: Recipient): void {
    this.#paused.delete(recipient);
    this.#flow();
  }

  /** A caller comes; it can take what there is, whoever cannot. */
  join(recipient: Recipient): void {
    this.#notifications.add(recipient);
    this.#flow();
  }

  /** A caller goes: upstreams need not tell any longer what only it wanted to hear. */
  leave(recipient: Recipient): void {
    for (const route of this.#notifications.remove(recipient)) {
      if (route.mount !== OWN_STATUS.mount) this.#unsubscribe(route);
    }
    this.resume(recipient);
  }

  #flow(): void {
    const isPaused = this.#paused.size > 0 && this.#paused.size >= this.#notifications.count;
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    // What is lent to us others read from as well.
    for (const mount of this.#ownMounts) isPaused ? mount.pause() : mount.resume();
  }

  async close(): Promise<void> {
    this.watch.close();
    this.#offers.close();
    this.#notifications.close();
    this.#status.close();
    for (const mount of this.#lent) mount.leave(this.#listener);
    await Promise.all(this.#ownMounts.map((mount) => mount.close()));
  }

  /** The tool of a public name, or of one that it had before. */
  #find(name: string, snapshot: CatalogSnapshot): CatalogEntry | undefined {
    const entry = snapshot.find(name);
    if (entry !== undefined) return entry;
    for (const mount of this.options.gateway.mounts) {
      const tool = 'aliases' in mount ? mount.aliases?.get(name) : undefined;
      if (tool !== undefined) return snapshot.findTool(mount.id, tool);
    }
    return undefined;
  }

  #send(entry: CatalogEntry, params: CallParams, options: CallOptions): Promise<ToolAnswer> {
    const { principal } = options;
    try {
      if (this.#access.isHidden(entry, principal)) throw this.#notFound(params.name, principal);
      this.#access.hold(entry, principal);
    } catch (thrown) {
      return this.#reject(params, options, thrown, entry.mount);
    }
    return this.#sending.call(this.getMount(entry.mount), entry, params, options);
  }

  async #reject(params: CallParams, options: CallOptions, thrown: unknown, owner: string): Promise<never> {
    return this.#refuse(params, options, thrown, owner);
  }

  /** A call that reaches no client leaves its event too; `owner` is the upstream it was meant for, where it is known. */
  #refuse(params: CallArguments & Pick<CallParams, 'name'>, options: CallOptions, thrown: unknown, owner = ''): never {
    const { upstream, tool } = toDoorError(thrown).data;
    const target = {
      upstream: String(upstream ?? owner),
      tool: String(tool ?? params.name.slice(0, MAX_SHOWN)),
      transport: this.#byId.get(String(upstream ?? owner))?.transport ?? 'proxied',
    };
    CallRecord.begin(this.options.events, this.options.clock, target, params, options)?.failed(thrown);
    throw thrown;
  }

  /** A name that is not in the catalog may belong to an upstream that has not listed yet: list it, then look again. */
  async #lookUpAgain(name: string, { signal, principal }: CallOptions): Promise<CatalogEntry> {
    this.start();
    // One that must have it is started anew for it, where it is down.
    const unlisted = this.mounts.filter((mount) => {
      return !mount.hasListed && (mount.claims(name) || (!mount.isSettled && mount.mayOwn(name)));
    });
    if (unlisted.length > 0) await orAborted(this.#firstWith(name, unlisted), signal);
    // Shown, for its caller will use the name again: it must go on meaning the same tool.
    const entry = this.#find(name, this.#show());
    if (entry !== undefined) return entry;
    throw this.#notFound(name, principal);
  }

  /** Says the same of what is not there and of what its caller may not know of; neither is what is named instead of it. */
  #notFound(name: string, principal: Principal, mount?: string): DoorError {
    const snapshot = this.#snapshot;
    const entries = this.#access.visibleTo(snapshot.entries, principal);
    return toolNotFound(name, { mounts: this.mounts, snapshot, entries }, mount);
  }

  /** Resolves when the name has appeared, or when every mount that was waited for has settled. */
  #firstWith(name: string, mounts: readonly MountedUpstream[]): Promise<void> {
    return new Promise((resolve) => {
      let left = mounts.length;
      for (const mount of mounts) {
        void mount.settle().then(() => {
          left--;
          if (left === 0 || this.#snapshot.find(name) !== undefined) resolve();
        });
      }
    });
  }

  #connected(mount: MountedUpstream): void {
    this.#status.look();
    this.#notifications.connected(mount);
    this.#offers.connected(mount);
  }

  #notified(mount: MountedUpstream, method: string, params: JsonSlice | undefined, about: About | undefined): void {
    switch (method) {
      case 'notifications/resources/list_changed':
        return this.#offers.outdated(mount, ['resources', 'templates']);
      case 'notifications/prompts/list_changed':
        return this.#offers.outdated(mount, ['prompts']);
      case 'notifications/message':
        // The fleet that an upstream belongs to tells all who may hear of it.
        if (this.#lent.has(mount)) return;
        return this.#notifications.notified(mount, method, params, about);
      default:
        return this.#notifications.notified(mount, method, params, about);
    }
  }

  #tellUnlisted(upstream: string): void {
    this.options.events.emit('server.warning', {
      upstream,
      warning: 'still-starting',
      message: `${upstream} is still starting; the list went out without its tools, which follow when it is ready`,
    });
  }

  /** The snapshot, about to be seen by a caller: from now on its names keep their meaning. */
  #show(): CatalogSnapshot {
    if (this.#shown === this.#snapshot) return this.#snapshot;
    const { names } = this.options;
    if (!names.show(this.#snapshot.entries)) {
      // Another fleet has shown one of the names with another meaning meanwhile.
      this.#snapshot = this.#build();
      names.show(this.#snapshot.entries);
    }
    this.#shown = this.#snapshot;
    return this.#snapshot;
  }

  #rebuild(): void {
    this.#firstListedAtMs ??= this.options.clock.monotonicMs();
    this.#renew();
  }

  /** An upstream has come or gone, and its offers with it. */
  #refit(): void {
    this.#renew();
    this.#offers.refit();
  }

  #renew(): void {
    const before = this.#snapshot;
    this.#snapshot = this.#build();
    reportExclusions(before, this.#snapshot, this.options.events);
    const gone = new Set(this.mounts.flatMap(({ id, list }) => (list === undefined ? [id] : [])));
    const { events } = this.options;
    if (reportToolChanges({ before, after: this.#snapshot, events, gone })) this.watch.changed('tools');
    this.#status.look();
  }

  #build(): CatalogSnapshot {
    const lists: MountedList[] = [];
    for (const mount of this.mounts) if (mount.list !== undefined) lists.push(mount.list);
    const visiting = new Set(this.mounts.flatMap(({ id, comesAndGoes }) => (comesAndGoes ? [id] : [])));
    const { shadowed: told, events } = this.options;
    return buildSnapshot(
      withoutShadowed(lists, { visiting, told, events }),
      this.options.names,
      ({ name, mount, tool, instead }) =>
        events.emit('server.warning', {
          upstream: mount,
          warning: 'name-collision',
          tool,
          message: `${mount}: the name ${name} is taken; ${tool} is ${instead}`,
        }),
    );
  }
}

function isTimeout(thrown: unknown): boolean {
  return thrown instanceof DoorError && thrown.code === 'TIMEOUT';
}

const NOTHING = resultOf('{}');
const NO_COMPLETION = resultOf('{"completion":{"values":[]}}');
