import {
  type Clock,
  Coalescer,
  decodeText,
  JsonScanner,
  type JsonSlice,
  joinPieces,
  onOneLine,
  type Piece,
  type Principal,
  type Scheduled,
  sliceOf,
  splice,
} from '../base/index.js';
import { type OfferRoute, STATUS_URI } from '../catalog/index.js';
import { isLogLevel, LOG_LEVELS, type LogLevel } from '../protocol/index.js';
import type { About, MountedUpstream } from './mounted.js';

/** Who may hear what upstreams say unasked. */
export interface Recipient {
  /** The least severe log messages it wants; undefined where it has not said, which means whatever there is. */
  readonly logLevel: LogLevel | undefined;
  readonly principal: Principal | undefined;
  tell(method: string, params?: Piece): void;
}

/** What is subscribed to, and by whom. */
interface Subscribed {
  readonly route: OfferRoute;
  /** How many wishes of each are under way or granted. */
  readonly recipients: Map<Recipient, number>;
}

const SET_LEVEL_EVERY_MS = 100;
/** So long a request waits for its upstream to take the level that it asks for. */
const HEAR_MS = 1_000;
/** A restarted upstream is not to be flooded with what its callers had subscribed to. */
const RESUBSCRIBE_AT_ONCE = 16;

/** What somebody hears who never said, once another one asked for more than servers send by themselves. */
const UNASKED_LEVEL: LogLevel = 'info';

/** Where the status resource leads: to no upstream, but to ourselves. */
export const OWN_STATUS: OfferRoute = { mount: '', key: STATUS_URI };

const scanner = new JsonScanner();

/** What the upstreams of one fleet say unasked, and who of its callers hears it. */
export class Notifications {
  readonly #recipients = new Set<Recipient>();
  readonly #subscribers = new Map<string, Subscribed>();
  readonly #publicUri: (mount: string, uri: string) => string;
  /** Asking each upstream for the level: one request at once, whatever callers do. */
  readonly #levels = new Map<MountedUpstream, Coalescer>();
  /** Of which it is not known yet that they have been asked. */
  readonly #asked = new Map<MountedUpstream, Promise<void>>();
  readonly #clock: Clock;
  /** The level upstreams are asked for: the most verbose that anybody wants. */
  #level: LogLevel | undefined;
  /** The most verbose that a passing request has wanted. */
  #passingLevel: LogLevel | undefined;

  constructor(mounts: readonly MountedUpstream[], clock: Clock, publicUri: (mount: string, uri: string) => string) {
    this.#publicUri = publicUri;
    this.#clock = clock;
    for (const mount of mounts) {
      this.#levels.set(mount, new Coalescer(clock, SET_LEVEL_EVERY_MS, () => this.#setLevel(mount)));
    }
  }

  close(): void {
    for (const level of this.#levels.values()) level.close();
  }

  /** How many callers there are. */
  get count(): number {
    return this.#recipients.size;
  }

  add(recipient: Recipient): void {
    this.#recipients.add(recipient);
  }

  /** It hears nothing more. @returns what nobody is subscribed to any longer */
  remove(recipient: Recipient): readonly OfferRoute[] {
    this.#recipients.delete(recipient);
    this.levelChanged();
    const forgotten: OfferRoute[] = [];
    for (const { route, recipients } of [...this.#subscribers.values()]) {
      if (recipients.has(recipient) && this.unsubscribe(route, recipient)) forgotten.push(route);
    }
    return forgotten;
  }

  /** One more wish to hear of it; what comes of none of a recipient's wishes ends with the last `withdraw`. */
  subscribe(route: OfferRoute, recipient: Recipient): void {
    const key = keyOf(route);
    const known = this.#subscribers.get(key) ?? { route, recipients: new Map<Recipient, number>() };
    this.#subscribers.set(key, known);
    known.recipients.set(recipient, (known.recipients.get(recipient) ?? 0) + 1);
  }

  /** A wish has come to nothing; others of the same recipient hold. @returns whether nobody is left who wants to hear */
  withdraw(route: OfferRoute, recipient: Recipient): boolean {
    const recipients = this.#subscribers.get(keyOf(route))?.recipients;
    const left = (recipients?.get(recipient) ?? 1) - 1;
    if (left === 0) return this.unsubscribe(route, recipient);
    recipients?.set(recipient, left);
    return false;
  }

  /** The recipient wants to hear no more of it. @returns whether nobody is left who does */
  unsubscribe(route: OfferRoute, recipient: Recipient): boolean {
    const key = keyOf(route);
    const known = this.#subscribers.get(key);
    known?.recipients.delete(recipient);
    if (known !== undefined && known.recipients.size > 0) return false;
    this.#subscribers.delete(key);
    return true;
  }

  /**
   * A request that is about to be sent wants to hear what its upstream logs meanwhile. One that is told a level for good
   * is asked for as much as any request ever wanted; what is not wanted of it is not passed on.
   */
  async hear(mount: MountedUpstream, level: string | undefined): Promise<void> {
    if (!isLogLevel(level)) return;
    if (this.#passingLevel === undefined || severityOf(level) < severityOf(this.#passingLevel)) {
      this.#passingLevel = level;
      this.levelChanged();
    }
    const asked = this.#asked.get(mount);
    if (asked !== undefined) await this.#waitFor(asked);
  }

  /** One that is slow to take the level loses log messages of a request, not the request. */
  async #waitFor(asked: Promise<void>): Promise<void> {
    let timer: Scheduled | undefined;
    const late = new Promise<void>((resolve) => {
      timer = this.#clock.schedule(HEAR_MS, resolve);
    });
    await Promise.race([asked, late]).finally(() => timer?.cancel());
  }

  /** Somebody wants another level, or has left. */
  levelChanged(): void {
    const wanted = [...this.#recipients].flatMap(({ logLevel }) => (logLevel === undefined ? [] : [logLevel]));
    if (this.#passingLevel !== undefined) wanted.push(this.#passingLevel);
    // Who asked for much may be gone: the others never did.
    if (wanted.length === 0 && this.#level !== undefined) wanted.push(UNASKED_LEVEL);
    if (wanted.length === 0) return;
    const level = wanted.reduce((most, each) => (severityOf(each) < severityOf(most) ? each : most));
    if (level === this.#level) return;
    this.#level = level;
    for (const mount of this.#levels.keys()) this.#askAnew(mount);
  }

  #askAnew(mount: MountedUpstream): void {
    const asked = Promise.resolve(this.#levels.get(mount)?.want()).finally(() => {
      if (this.#asked.get(mount) === asked) this.#asked.delete(mount);
    });
    this.#asked.set(mount, asked);
  }

  /** A connection is new: what its upstream had been asked to remember is asked for again. */
  connected(mount: MountedUpstream): void {
    if (this.#level !== undefined) this.#askAnew(mount);
    const own = [...this.#subscribers.values()].filter(({ route }) => route.mount === mount.id);
    for (let i = 0; i < RESUBSCRIBE_AT_ONCE; i++) void this.#resubscribe(mount, own);
  }

  /** Subscribes anew, one after the other, to what is left of `subscribed`. */
  async #resubscribe(mount: MountedUpstream, subscribed: Subscribed[]): Promise<void> {
    for (let next = subscribed.pop(); next !== undefined; next = subscribed.pop()) {
      const { route, recipients } = next;
      await mount.readyClient?.request('resources/subscribe', `{"uri":${JSON.stringify(route.key)}}`).catch(() => {});
      // It may have changed while nobody could tell.
      this.#tellUpdated(recipients, route);
    }
  }

  /** A mount has another server behind it: what was subscribed to was of the one before. */
  replaced(mount: MountedUpstream): void {
    for (const [key, { route }] of [...this.#subscribers]) if (route.mount === mount.id) this.#subscribers.delete(key);
  }

  /** `doorward://status` says something else now. */
  statusChanged(): void {
    const recipients = this.#subscribers.get(keyOf(OWN_STATUS))?.recipients;
    if (recipients !== undefined) this.#tellUpdated(recipients, OWN_STATUS);
  }

  /**
   * Passes on a notification of an upstream; one that is nobody's concern ends here.
   *
   * @param about the call it is about, where that can be told
   */
  notified(mount: MountedUpstream, method: string, params: JsonSlice | undefined, about: About | undefined): void {
    switch (method) {
      case 'notifications/message':
        return this.#log(mount, params, about);
      case 'notifications/resources/updated':
        return this.#updated(mount, params);
      case 'notifications/elicitation/complete':
        for (const recipient of this.#recipients) recipient.tell(method, params && onOneLine(params));
        return;
      default:
        return;
    }
  }

  async #setLevel(mount: MountedUpstream): Promise<void> {
    const client = mount.readyClient;
    if (client?.offers('logging'))
      await client.request('logging/setLevel', `{"level":"${this.#level}"}`).catch(() => {});
  }

  #log(mount: MountedUpstream, params: JsonSlice | undefined, about: About | undefined): void {
    if (params === undefined) return;
    const { caller, logLevel } = about ?? {};
    // What is said about one call is said to its caller alone.
    if (caller !== undefined) {
      // A request that says nothing of logs hears none (MCP 2026-07-28 server/utilities/logging).
      if (!caller.takesRequests && logLevel === undefined) return;
      if (this.#isWanted(params, logLevel)) caller.tell('notifications/message', onOneLine(params));
      return;
    }
    // It may be about anything that anybody ever called: strangers are not to hear of each other's.
    const heard = [...this.#recipients].flatMap(({ principal }) => (principal === undefined ? [] : [principal.id]));
    if (new Set([...mount.served, ...heard]).size > 1) return;
    const line = onOneLine(params);
    for (const recipient of this.#recipients) {
      if (this.#isWanted(params, recipient.logLevel)) recipient.tell('notifications/message', line);
    }
  }

  #isWanted(params: JsonSlice, logLevel: string | undefined): boolean {
    const severity = severityOf(readText('level', params));
    const least = logLevel ?? (this.#level === undefined ? undefined : UNASKED_LEVEL);
    // A severity that we do not know is not ours to drop.
    return severity < 0 || least === undefined || severity >= severityOf(least);
  }

  #updated(mount: MountedUpstream, params: JsonSlice | undefined): void {
    const uri = params && readText('uri', params);
    if (params === undefined || uri === undefined) return;
    const route = { mount: mount.id, key: uri };
    const recipients = this.#subscribers.get(keyOf(route))?.recipients;
    if (recipients !== undefined) this.#tellUpdated(recipients, route, params);
  }

  #tellUpdated(recipients: ReadonlyMap<Recipient, number>, { mount, key }: OfferRoute, params?: JsonSlice): void {
    const uri = mount === '' ? key : this.#publicUri(mount, key);
    const text =
      params === undefined
        ? `{"uri":${JSON.stringify(uri)}}`
        : onOneLine(uri === key ? params : sliceOf(joinPieces(withUri(params, uri))));
    for (const recipient of recipients.keys()) recipient.tell('notifications/resources/updated', text);
  }
}

/** The rank of a level, least severe first; -1 for one that we do not know. */
function severityOf(level: string | undefined): number {
  return (LOG_LEVELS as readonly (string | undefined)[]).indexOf(level);
}

function keyOf({ mount, key }: OfferRoute): string {
  return `${mount}\0${key}`;
}

function readText(name: string, { bytes, start, end }: JsonSlice): string | undefined {
  if (!scanner.scan(bytes, start, end)) return undefined;
  const at = scanner.find(name, bytes);
  if (at < 0 || bytes[scanner.valueStart[at]!] !== 0x22) return undefined;
  return JSON.parse(decodeText(bytes, scanner.valueStart[at]!, scanner.valueEnd[at]!)) as string;
}

/** The params, which have a `uri`, with another one. */
function withUri({ bytes, start, end }: JsonSlice, uri: string): Piece[] {
  scanner.scan(bytes, start, end);
  const at = scanner.find('uri', bytes);
  const edit = { start: scanner.valueStart[at]!, end: scanner.valueEnd[at]!, by: JSON.stringify(uri) };
  return splice(bytes, start, end, [edit]);
}
