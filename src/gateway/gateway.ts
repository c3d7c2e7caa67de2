import { closest, distance } from 'fastest-levenshtein';
import {
  type CallOptions,
  type CancelSignal,
  DoorError,
  EventBus,
  JsonScanner,
  orAborted,
  systemClock,
  toDoorError,
} from '../base/index.js';
import {
  buildSnapshot,
  type CatalogEntry,
  type CatalogSnapshot,
  type Exclusion,
  type MountedList,
  NameBook,
} from '../catalog/index.js';
import { type CallParams, makeCallParams } from '../protocol/index.js';
import { answerOf, refusalAsResult, violationAsResult } from './answers.js';
import { CallRecord } from './call-record.js';
import { ListWatch } from './list-watch.js';
import { MountedUpstream } from './mounted.js';
import type { Gateway, GatewayLimits, GatewayOptions, ToolAnswer, ToolCall, UpstreamStatus } from './types.js';
import { waitForLists } from './waiting.js';

const LIMITS: GatewayLimits = {
  maxMessageBytes: 32 * 1024 * 1024,
  maxDepth: 512,
  maxCallMs: 600_000,
  maxInFlight: 1_024,
  pageSize: 0,
};

/** A name that nobody knows is shown up to this length. */
const MAX_SHOWN = 200;

/** Puts many upstreams behind one catalog. Nothing starts before `start`, or before a mount is asked for. */
export function createGateway(options: GatewayOptions): Gateway {
  return new MountGateway(options);
}

class MountGateway implements Gateway {
  readonly events = new EventBus();
  readonly limits: GatewayLimits;

  readonly #mounts = new Map<string, MountedUpstream>();
  readonly #names = new NameBook();
  readonly #clock;
  readonly #watch: ListWatch;
  #snapshot: CatalogSnapshot;
  /** The snapshot whose names a caller saw last. */
  #shown: CatalogSnapshot | undefined;
  #startedAtMs: number | undefined;
  #firstListedAtMs: number | undefined;

  constructor(options: GatewayOptions) {
    this.limits = { ...LIMITS, ...options.limits };
    this.#clock = options.clock ?? systemClock;
    this.#watch = new ListWatch(this.#clock, this.events);
    for (const mount of options.mounts) {
      const listed = (): void => this.#rebuild();
      const { limits, events } = this;
      this.#mounts.set(
        mount.id,
        new MountedUpstream({ mount, gateway: options, limits, clock: this.#clock, events, listed }),
      );
    }
    this.#snapshot = this.#build();
  }

  start(): void {
    this.#begin();
  }

  /** Starts every mount. @returns when that was first done, in monotonic milliseconds */
  #begin(): number {
    this.#startedAtMs ??= this.#clock.monotonicMs();
    for (const mount of this.#mounts.values()) void mount.settle();
    return this.#startedAtMs;
  }

  upstreams(): readonly UpstreamStatus[] {
    return [...this.#mounts.values()].map(({ id, state }) => ({ id, state }));
  }

  snapshot(): CatalogSnapshot {
    return this.#snapshot;
  }

  async whenSettled(mount: string, options: { readonly signal?: CancelSignal } = {}): Promise<UpstreamStatus> {
    const mounted = this.#getMount(mount);
    await orAborted(mounted.settle(), options.signal);
    return { id: mounted.id, state: mounted.state };
  }

  async listTools(options: { readonly signal?: CancelSignal } = {}): Promise<readonly CatalogEntry[]> {
    const startedAtMs = this.#begin();
    const waiting = [...this.#mounts.values()].filter((mount) => !mount.isSettled);
    if (waiting.length > 0) {
      const settled = waiting.map((mount) => mount.settle());
      await waitForLists(settled, {
        clock: this.#clock,
        startedAtMs,
        firstListedAtMs: () => this.#firstListedAtMs,
        signal: options.signal,
      });
      for (const mount of waiting) if (!mount.isSettled) this.#tellUnlisted(mount.id);
    }
    return this.#show().entries;
  }

  call(params: CallParams, options: CallOptions): Promise<ToolAnswer> {
    const entry = this.#show().find(params.name);
    if (entry !== undefined) return this.#send(entry, params, options);
    return this.#lookUpAgain(params.name, options.signal).then(
      (found) => this.#send(found, params, options),
      (thrown: unknown) => this.#refuse(params, options, thrown),
    );
  }

  async callTool(call: ToolCall, options: CallOptions): Promise<ToolAnswer> {
    const scanner = new JsonScanner({ nestingLimit: this.limits.maxDepth + 2 });
    const params = makeCallParams(scanner, call.tool, call.arguments);
    if (typeof params === 'string') {
      throw new DoorError('INVALID_ARGUMENTS', `Invalid arguments for ${call.tool}: ${params}`, {
        data: { upstream: call.mount, tool: call.tool, issues: [] },
      });
    }
    try {
      const mount = this.#getMount(call.mount);
      if (mount.list === undefined) await orAborted(mount.settle(), options.signal);
    } catch (thrown) {
      return this.#refuse(params, options, thrown, call.mount);
    }
    const entry = this.#snapshot.findTool(call.mount, call.tool);
    if (entry !== undefined) return this.#send(entry, params, options);
    const exclusion = this.#snapshot.findExclusion(call.mount, call.tool);
    return this.#refuse(params, options, this.#unknown(call.tool, exclusion, call.mount));
  }

  onListChanged(listener: () => void): () => void {
    return this.#watch.on(listener);
  }

  pause(): void {
    for (const mount of this.#mounts.values()) mount.pause();
  }

  resume(): void {
    for (const mount of this.#mounts.values()) mount.resume();
  }

  async close(): Promise<void> {
    this.#watch.close();
    await Promise.all([...this.#mounts.values()].map((mount) => mount.close()));
  }

  /** The one place where a call goes down to a client and its answer comes back. */
  #send(entry: CatalogEntry, params: CallParams, options: CallOptions): Promise<ToolAnswer> {
    const mount = this.#getMount(entry.mount);
    const target = { upstream: entry.mount, tool: entry.tool.name };
    const record = CallRecord.begin(this.events, this.#clock, target, params, options);
    return mount
      .getClient()
      .call(entry.tool, params, options)
      .then(
        ({ raw, violations }) => {
          record?.completed(raw);
          const isEnforced = violations.length > 0 && mount.validation.outputs === 'enforce';
          return isEnforced ? violationAsResult(entry, violations) : answerOf(raw, violations);
        },
        (thrown: unknown) => this.#failed(mount, record, thrown),
      );
  }

  /** A call of a tool that is not there leaves its event too; `owner` is the upstream it was meant for, where it is known. */
  #refuse(params: CallParams, options: CallOptions, thrown: unknown, owner = ''): never {
    const { upstream, tool } = toDoorError(thrown).data;
    const target = { upstream: String(upstream ?? owner), tool: String(tool ?? params.name.slice(0, MAX_SHOWN)) };
    CallRecord.begin(this.events, this.#clock, target, params, options)?.failed(thrown);
    throw thrown;
  }

  #failed(mount: MountedUpstream, record: CallRecord | undefined, thrown: unknown): ToolAnswer {
    record?.failed(thrown);
    const isRefusal = thrown instanceof DoorError && thrown.code === 'INVALID_ARGUMENTS';
    if (isRefusal && mount.validation.invalidArguments === 'tool-error') return refusalAsResult(thrown);
    throw thrown;
  }

  /** A name that is not in the catalog may belong to an upstream that has not listed yet: list it, then look again. */
  async #lookUpAgain(name: string, signal: CancelSignal | undefined): Promise<CatalogEntry> {
    this.start();
    const unlisted = [...this.#mounts.values()].filter((mount) => !mount.isSettled && mount.mayOwn(name));
    if (unlisted.length > 0) await orAborted(this.#firstWith(name, unlisted), signal);
    // Shown, for its caller will use the name again: it must go on meaning the same tool.
    const entry = this.#show().find(name);
    if (entry !== undefined) return entry;
    throw this.#unknown(name, this.#snapshot.findExcludedName(name));
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

  #getMount(id: string): MountedUpstream {
    const mount = this.#mounts.get(id);
    if (mount !== undefined) return mount;
    throw new DoorError('TOOL_UNKNOWN', `There is no server ${JSON.stringify(id)}`, {
      data: { upstream: id },
      hint: nearest(id, [...this.#mounts.keys()]) ?? 'Name a server of the configuration.',
    });
  }

  #unknown(name: string, exclusion: Exclusion | undefined, mount?: string): DoorError {
    if (exclusion !== undefined) {
      const { mount: upstream, tool, code, which, schemaPath, reason } = exclusion;
      return new DoorError('TOOL_EXCLUDED', `${tool} of ${upstream} is left out: ${which}${schemaPath}: ${reason}`, {
        data: { upstream, tool, reason: { code, which, schemaPath, message: reason } },
        hint: 'The server must mend the schema; `doorward check` shows every verdict.',
      });
    }
    const failed = this.#failedOwner(name, mount);
    if (failed !== undefined) return failed;
    const hider = [...this.#mounts.values()].find((each) => (mount ?? each.id) === each.id && each.hides(name, mount));
    if (hider !== undefined) {
      return new DoorError('TOOL_UNKNOWN', `${hider.id} has the tool, but tools.allow or tools.deny hides it`, {
        data: { upstream: hider.id, tool: name.slice(0, MAX_SHOWN) },
        hint: `Change tools.allow or tools.deny of ${hider.id} in the configuration.`,
      });
    }
    const names =
      mount === undefined
        ? this.#snapshot.entries.map((entry) => entry.name)
        : this.#snapshot.entries.filter((entry) => entry.mount === mount).map((entry) => entry.tool.name);
    const shown = name.slice(0, MAX_SHOWN);
    const quoted = JSON.stringify(shown);
    return new DoorError(
      'TOOL_UNKNOWN',
      mount === undefined ? `There is no tool ${quoted}` : `${mount} lists no tool ${quoted}`,
      {
        data: { tool: shown, ...(mount !== undefined && { upstream: mount }) },
        hint: nearest(name, names) ?? 'List the tools to see what there is.',
      },
    );
  }

  /** Where the tool would be an upstream's that failed before it ever listed, that failure is the answer. */
  #failedOwner(name: string, mount: string | undefined): DoorError | undefined {
    for (const mounted of this.#mounts.values()) {
      const isOwner = mount === undefined ? mounted.hasPrefixOf(name) : mounted.id === mount;
      const { list, state } = mounted;
      if (isOwner && list === undefined && state.kind === 'failed') return state.error;
    }
    return undefined;
  }

  #tellUnlisted(upstream: string): void {
    this.events.emit('server.warning', {
      upstream,
      warning: 'still-starting',
      message: `${upstream} is still starting; the list went out without its tools, which follow when it is ready`,
    });
  }

  /** The snapshot, about to be seen by a caller: from now on its names keep their meaning. */
  #show(): CatalogSnapshot {
    if (this.#shown !== this.#snapshot) {
      this.#shown = this.#snapshot;
      this.#names.show(this.#snapshot.entries);
    }
    return this.#snapshot;
  }

  #rebuild(): void {
    this.#firstListedAtMs ??= this.#clock.monotonicMs();
    const before = this.#snapshot;
    this.#snapshot = this.#build();
    this.#watch.changed(before, this.#snapshot);
  }

  #build(): CatalogSnapshot {
    const lists: MountedList[] = [];
    for (const mount of this.#mounts.values()) if (mount.list !== undefined) lists.push(mount.list);
    return buildSnapshot(lists, this.#names, ({ name, mount, tool, instead }) =>
      this.events.emit('server.warning', {
        upstream: mount,
        warning: 'name-collision',
        tool,
        message: `${mount}: the name ${name} is taken; ${tool} is ${instead}`,
      }),
    );
  }
}

function nearest(name: string, names: readonly string[]): string | undefined {
  if (names.length === 0 || name.length > MAX_SHOWN) return undefined;
  const best = closest(name, names);
  return distance(name, best) <= Math.max(2, name.length / 3) ? `Did you mean ${best}?` : undefined;
}
