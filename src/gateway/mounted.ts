import { type Clock, DoorError, type EventBus } from '../base/index.js';
import { isMounted, isNameOf, type MountedList, namePrefix, type PrefixRule } from '../catalog/index.js';
import { Client } from '../client/index.js';
import type { BrokenMount, GatewayLimits, GatewayOptions, Mount, UpstreamState, Validation } from './types.js';

const DEFAULT_TIMEOUT_MS = 60_000;
const VALIDATION: Validation = {
  invalidArguments: 'protocol-error',
  outputs: 'warn',
  uncompilableOutput: 'exclude',
};

export interface MountedOptions {
  readonly mount: Mount | BrokenMount;
  readonly gateway: GatewayOptions;
  readonly limits: GatewayLimits;
  readonly clock: Clock;
  readonly events: EventBus;
  /** This mount listed its tools, at first or anew. */
  readonly listed: () => void;
}

/** One mount at work: its client, what it listed last, and whether it has settled (listed or failed) yet. */
export class MountedUpstream {
  readonly id: string;
  readonly validation: Validation;
  /** What it listed last; undefined until it has listed once. Kept when the upstream is lost: a call restarts it. */
  list: MountedList | undefined;

  readonly #prefix: PrefixRule;
  readonly #toldPatterns = new Set<string>();
  readonly #client: Client | undefined;
  readonly #error: DoorError | undefined;

  constructor(options: MountedOptions) {
    const { mount, gateway, limits } = options;
    this.id = mount.id;
    this.#prefix = ('prefix' in mount ? mount.prefix : undefined) ?? gateway.prefix ?? 'always';
    if ('error' in mount) {
      this.validation = { ...VALIDATION, ...gateway.validation };
      this.#error = mount.error;
      return;
    }
    this.validation = { ...VALIDATION, ...gateway.validation, ...mount.validation };
    this.#client = new Client({
      upstream: mount.id,
      connect: mount.connect,
      events: options.events,
      clock: options.clock,
      validation: this.validation,
      startTimeoutMs: mount.startTimeoutMs ?? DEFAULT_TIMEOUT_MS,
      callTimeoutMs: mount.callTimeoutMs ?? DEFAULT_TIMEOUT_MS,
      maxCallMs: limits.maxCallMs,
      maxMessageBytes: limits.maxMessageBytes,
      maxDepth: limits.maxDepth,
      maxInFlight: limits.maxInFlight,
      info: gateway.info ?? { name: 'doorward', version: '0.0.0' },
      listed: ({ tools, exclusions }) => {
        this.list = { mount: mount.id, prefix: this.#prefix, filter: mount.tools ?? {}, tools, exclusions };
        this.#warnOfIdlePatterns(this.list, options.events);
        options.listed();
      },
    });
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
  #warnOfIdlePatterns({ mount, filter, tools, exclusions }: MountedList, events: EventBus): void {
    const names = [...tools.map((tool) => tool.name), ...exclusions.map((exclusion) => exclusion.tool)];
    for (const [field, patterns] of Object.entries({ allow: filter.allow ?? [], deny: filter.deny ?? [] })) {
      for (const pattern of patterns) {
        if (this.#toldPatterns.has(pattern) || names.some((name) => isMounted(name, { allow: [pattern] }))) continue;
        this.#toldPatterns.add(pattern);
        const message = `${mount}: tools.${field} names ${JSON.stringify(pattern)}, which matches no tool of this server`;
        events.emit('server.warning', { upstream: mount, warning: 'idle-pattern', message });
      }
    }
  }

  /** @throws {DoorError} why this mount has no client: its configuration is bad or not supported yet */
  getClient(): Client {
    if (this.#client === undefined) throw this.#error ?? new DoorError('INTERNAL', `${this.id}: no client`);
    return this.#client;
  }

  /** Starts it unless it is started. Never rejects: what went wrong is in `state`. */
  async settle(): Promise<void> {
    await this.#client?.start().catch(() => {});
  }

  /** Whether there is nothing to wait for: it has listed once, or it failed. */
  get isSettled(): boolean {
    if (this.list !== undefined || this.#client === undefined) return true;
    const { kind } = this.#client.state;
    return kind === 'failed' || kind === 'closed';
  }

  get state(): UpstreamState {
    if (this.#client === undefined) return { kind: 'failed', error: this.#error! };
    const state = this.#client.state;
    switch (state.kind) {
      case 'ready':
        return {
          kind: 'ready',
          revision: state.revision,
          serverName: state.serverName,
          tools: state.list.tools.length,
        };
      case 'connecting':
        return { kind: 'connecting', sinceMs: state.sinceMs };
      case 'failed':
        return { kind: 'failed', error: state.error };
      default:
        return { kind: state.kind };
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
