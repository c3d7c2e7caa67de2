import {
  CallSignal,
  type Clock,
  DoorError,
  decodeText,
  type JsonSlice,
  type Scheduled,
  toDoorError,
} from '../base/index.js';
import { errorCodeOf, META, RPC } from '../protocol/index.js';
import type { Connection } from './connection.js';
import { type Hello, optionsOf } from './handshake.js';
import type { OwnMethod } from './methods.js';

export interface ListeningOptions {
  readonly upstream: string;
  readonly connection: Connection;
  readonly hello: Hello;
  readonly clock: Clock;
  /** How long an upstream may take to acknowledge, in milliseconds. */
  readonly timeoutMs: number;
  readonly warn: (warning: string, message: string) => void;
  /** It tells again after it had stopped: what changed meanwhile nobody was told of. */
  readonly missed: () => void;
  /** The stream has ended, and not because it was not wanted any more. */
  readonly ended?: () => void;
}

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 30_000;
/** A stream that lasted so long worked. Some hosts end each after a while. */
const STABLE_MS = 5_000;
const STOPPED = Symbol('not wanted any more');

/** Somebody wants to hear of a resource. */
interface Wish {
  /** What comes of saying so. */
  readonly added: Promise<void>;
  /** The upstream has agreed to it once. */
  isHeld: boolean;
}

/** One stream of notifications, open until either side ends it. */
interface Stream {
  readonly id: number;
  /** Monotonic. */
  readonly openedAtMs: number;
  readonly signal: CallSignal;
  /** What it was asked for, by resource. */
  readonly wishes: ReadonlyMap<string, Wish>;
  /** What its upstream agreed to tell of. */
  readonly agreed: Promise<ReadonlySet<string>>;
}

const NOTHING: ReadonlySet<string> = new Set();

/** What is read of a notification; its upstream may have said anything. */
interface Notice {
  readonly _meta?: Record<string, unknown> | null;
  readonly notifications?: { readonly resourceSubscriptions?: unknown } | null;
}

function readNotice(params: JsonSlice | undefined): Notice {
  if (params === undefined) return {};
  return (JSON.parse(decodeText(params.bytes, params.start, params.end)) as Notice | null) ?? {};
}

/**
 * What an upstream of the modern era tells unasked: it is asked to, by one long request (MCP 2026-07-28
 * basic/patterns/subscriptions). What is to be told of is part of that request: when it changes there is a new one, and
 * the old one ends when the new one holds, so that nothing is missed between.
 */
export class Listening {
  readonly #options: ListeningOptions;
  /** By resource. */
  readonly #wanted = new Map<string, Wish>();
  #stream: Stream | undefined;
  /** The request that is under way: it was made before, and knows nothing of what is wanted since. */
  #opening: Promise<unknown> = Promise.resolve();
  /** The one that is made when that has come to an end, not worded yet. */
  #next: Promise<ReadonlySet<string>> | undefined;
  /** By the id of the request that was made: who waits for its acknowledgment. */
  readonly #waiting = new Map<number, (agreed: ReadonlySet<string>) => void>();
  #again: Scheduled | undefined;
  #failures = 0;
  /** Nothing has been told for a while, though it was asked for. */
  #hasStopped = false;
  #isOffered = true;

  constructor(options: ListeningOptions) {
    this.#options = options;
  }

  /** Listens for changes of the upstream's lists, where it tells of any. */
  start(): void {
    if (!this.#isUpToDate) this.#renew().catch(() => {});
  }

  /** From now on it is told when this resource changes. @throws {DoorError} RESOURCE_UNKNOWN where the upstream does not agree */
  add(uri: string): Promise<void> {
    const known = this.#wanted.get(uri);
    if (known !== undefined) return known.added;
    const wish = { added: this.#add(uri), isHeld: false };
    this.#wanted.set(uri, wish);
    wish.added.catch(() => this.#drop(uri, wish));
    return wish.added;
  }

  async #add(uri: string): Promise<void> {
    const agreed = await this.#renew();
    if (agreed.has(uri)) return;
    const { upstream } = this.#options;
    throw new DoorError('RESOURCE_UNKNOWN', `${upstream} does not tell when ${uri.slice(0, 200)} changes`, {
      data: { upstream, uri: uri.slice(0, 200) },
    });
  }

  #drop(uri: string, wish: Wish): void {
    if (this.#wanted.get(uri) === wish) this.#wanted.delete(uri);
  }

  remove(uri: string): void {
    if (this.#wanted.delete(uri)) this.#renew().catch(() => {});
  }

  /**
   * Does what the handshake era has requests for: what is to be told is listened for, and how much is logged each request
   * says by itself.
   */
  async request(method: OwnMethod, params: string): Promise<void> {
    if (method === 'logging/setLevel') return;
    const { uri } = JSON.parse(params) as { readonly uri: string };
    if (method === 'resources/subscribe') await this.add(uri);
    else this.remove(uri);
  }

  /** Whether a notification belongs to a stream of ours: others do not count (MCP 2026-07-28 subscriptions). */
  owns(params: JsonSlice | undefined): boolean {
    const id = readNotice(params)._meta?.[META.subscriptionId];
    return typeof id === 'number' && (id === this.#stream?.id || this.#waiting.has(id));
  }

  /** The upstream agrees to a request of ours. */
  acknowledged(params: JsonSlice | undefined): void {
    const { _meta, notifications } = readNotice(params);
    const id = Number(_meta?.[META.subscriptionId]);
    const uris = notifications?.resourceSubscriptions;
    this.#waiting.get(id)?.(new Set(Array.isArray(uris) ? (uris as string[]) : []));
  }

  /** Makes the request anew, once one that is under way has come to an end; those who want it at the same time share it. */
  #renew(): Promise<ReadonlySet<string>> {
    if (this.#next !== undefined) return this.#next;
    const next = this.#opening.then(() => {
      this.#next = undefined;
      return this.#replace();
    });
    this.#next = next;
    this.#opening = next.catch(() => {});
    return next;
  }

  async #replace(): Promise<ReadonlySet<string>> {
    const { upstream, clock, timeoutMs } = this.#options;
    if (!this.#isOffered)
      throw new DoorError('RESOURCE_UNKNOWN', `${upstream} tells of no changes`, { data: { upstream } });
    const before = this.#stream;
    if (!this.#isAnythingWanted) {
      this.#stream = undefined;
      before?.signal.abort(STOPPED);
      return NOTHING;
    }
    const stream = this.#open();
    const timer = clock.schedule(timeoutMs, () =>
      stream.signal.abort(new DoorError('TIMEOUT', `${upstream}: subscriptions/listen was not acknowledged`)),
    );
    try {
      const agreed = await stream.agreed;
      if (this.#hasStopped) this.#options.missed();
      this.#hasStopped = false;
      this.#stream = stream;
      this.#again?.cancel();
      before?.signal.abort(STOPPED);
      this.#settle(stream, agreed);
      return agreed;
    } catch (thrown) {
      this.#settle(stream, NOTHING);
      throw thrown;
    } finally {
      timer.cancel();
      this.#waiting.delete(stream.id);
    }
  }

  /** What was agreed to for the first time holds from now on; what was not is not asked for by the next request, which may come at once. */
  #settle({ wishes }: Stream, agreed: ReadonlySet<string>): void {
    for (const [uri, wish] of wishes) {
      if (agreed.has(uri)) wish.isHeld = true;
      else if (!wish.isHeld) this.#drop(uri, wish);
    }
  }

  get #isAnythingWanted(): boolean {
    const { tools, resources, prompts } = this.#options.hello.capabilities.changes;
    return tools || resources || prompts || this.#wanted.size > 0;
  }

  get #isUpToDate(): boolean {
    if (this.#stream === undefined) return !this.#isAnythingWanted;
    const { wishes } = this.#stream;
    return wishes.size === this.#wanted.size && [...wishes.keys()].every((uri) => this.#wanted.has(uri));
  }

  #open(): Stream {
    const { connection, hello, clock } = this.#options;
    const { tools, resources, prompts } = hello.capabilities.changes;
    const openedAtMs = clock.monotonicMs();
    const wishes = new Map(this.#wanted);
    const filter = {
      ...(tools && { toolsListChanged: true }),
      ...(prompts && { promptsListChanged: true }),
      ...(resources && { resourcesListChanged: true }),
      ...(wishes.size > 0 && { resourceSubscriptions: [...wishes.keys()] }),
    };
    const signal = new CallSignal();
    const params = `{"notifications":${JSON.stringify(filter)}}`;
    const { id, answer } = connection.begin('subscriptions/listen', params, optionsOf('subscriptions/listen', signal));
    const acknowledged = new Promise<ReadonlySet<string>>((resolve) => this.#waiting.set(id, resolve));
    const ended = answer.then((raw) => {
      if (raw.kind === 'error') this.#refused(raw);
      throw new DoorError('UPSTREAM_LOST', 'the stream of notifications ended');
    });
    const stream: Stream = { id, openedAtMs, signal, wishes, agreed: Promise.race([acknowledged, ended]) };
    ended.catch((reason: unknown) => this.#ended(stream, reason));
    return stream;
  }

  #refused(error: JsonSlice): void {
    if (errorCodeOf(error) === RPC.methodNotFound) this.#isOffered = false;
  }

  /** It ended, and not because we wanted it to: what is missing for that is asked for again after a while. */
  #ended(stream: Stream, reason: unknown): void {
    const { connection, clock, warn } = this.#options;
    if (reason === STOPPED || !connection.isOpen || !this.#isOffered) return;
    this.#options.ended?.();
    if (this.#stream === stream) this.#stream = undefined;
    this.#hasStopped = this.#stream === undefined;
    // One that agrees and ends at once is not well: whoever asks it again each second reads its lists each second, too.
    if (clock.monotonicMs() - stream.openedAtMs >= STABLE_MS) this.#failures = 0;
    this.#failures++;
    if (this.#failures === 3) warn('listen-failed', `keeps ending its notifications: ${toDoorError(reason).message}`);
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (this.#failures - 1), LONGEST_DELAY_MS);
    this.#again?.cancel();
    this.#again = clock.schedule(delayMs, () => {
      if (connection.isOpen && !this.#isUpToDate) this.#renew().catch(() => {});
    });
  }
}
