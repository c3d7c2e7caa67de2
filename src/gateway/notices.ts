import {
  type Clock,
  Coalescer,
  decodeText,
  JsonScanner,
  type JsonSlice,
  joinPieces,
  onOneLine,
  type Piece,
  sliceOf,
  splice,
} from '../base/index.js';
import { type OfferRoute, STATUS_URI } from '../catalog/index.js';
import { LOG_LEVELS, type LogLevel } from '../protocol/index.js';
import type { MountedUpstream } from './mounted.js';

/** Who may hear what upstreams say unasked. */
export interface Hearer {
  /** The least severe log messages it wants; undefined where it has not said, which means whatever there is. */
  readonly logLevel: LogLevel | undefined;
  tell(method: string, params?: Piece): void;
}

/** What is subscribed to, and by whom. */
interface Subscribed {
  readonly route: OfferRoute;
  readonly hearers: Set<Hearer>;
}

const SET_LEVEL_EVERY_MS = 100;
/** A restarted upstream is not to be flooded with what its callers had subscribed to. */
const RESUBSCRIBE_AT_ONCE = 16;

/** What somebody hears who never said, once another one asked for more than servers send by themselves. */
const UNASKED_LEVEL: LogLevel = 'info';

/** Where the status resource leads: to no upstream, but to ourselves. */
export const OWN_STATUS: OfferRoute = { mount: '', key: STATUS_URI };

const scanner = new JsonScanner();

/** What the upstreams of one fleet say unasked, and who of its callers hears it. */
export class Notices {
  readonly #hearers = new Set<Hearer>();
  readonly #subscribers = new Map<string, Subscribed>();
  readonly #publicUri: (mount: string, uri: string) => string;
  /** Asking each upstream for the level: one request at once, whatever callers do. */
  readonly #levels = new Map<MountedUpstream, Coalescer>();
  /** The level upstreams are asked for: the most verbose that anybody wants. */
  #level: LogLevel | undefined;

  constructor(mounts: readonly MountedUpstream[], clock: Clock, publicUri: (mount: string, uri: string) => string) {
    this.#publicUri = publicUri;
    for (const mount of mounts) {
      this.#levels.set(mount, new Coalescer(clock, SET_LEVEL_EVERY_MS, () => this.#setLevel(mount)));
    }
  }

  close(): void {
    for (const level of this.#levels.values()) level.close();
  }

  /** How many callers there are. */
  get count(): number {
    return this.#hearers.size;
  }

  add(hearer: Hearer): void {
    this.#hearers.add(hearer);
  }

  /** It hears nothing more. @returns what nobody is subscribed to any longer */
  remove(hearer: Hearer): readonly OfferRoute[] {
    this.#hearers.delete(hearer);
    this.levelChanged();
    const forgotten: OfferRoute[] = [];
    for (const { route, hearers } of [...this.#subscribers.values()]) {
      if (hearers.has(hearer) && this.unsubscribe(route, hearer)) forgotten.push(route);
    }
    return forgotten;
  }

  /** @returns false where it was subscribed before */
  subscribe(route: OfferRoute, hearer: Hearer): boolean {
    const key = keyOf(route);
    const known = this.#subscribers.get(key);
    if (known?.hearers.has(hearer)) return false;
    if (known === undefined) this.#subscribers.set(key, { route, hearers: new Set([hearer]) });
    else known.hearers.add(hearer);
    return true;
  }

  /** @returns whether nobody is left who wants it */
  unsubscribe(route: OfferRoute, hearer: Hearer): boolean {
    const key = keyOf(route);
    const known = this.#subscribers.get(key);
    known?.hearers.delete(hearer);
    if (known !== undefined && known.hearers.size > 0) return false;
    this.#subscribers.delete(key);
    return true;
  }

  /** Somebody wants another level, or has left. */
  levelChanged(): void {
    const wanted = [...this.#hearers].flatMap(({ logLevel }) => (logLevel === undefined ? [] : [logLevel]));
    // Who asked for much may be gone: the others never did.
    if (wanted.length === 0 && this.#level !== undefined) wanted.push(UNASKED_LEVEL);
    if (wanted.length === 0) return;
    const level = wanted.reduce((most, each) => (severityOf(each) < severityOf(most) ? each : most));
    if (level === this.#level) return;
    this.#level = level;
    for (const setLevel of this.#levels.values()) void setLevel.want();
  }

  /** A connection is new: what its upstream had been asked to remember is asked for again. */
  connected(mount: MountedUpstream): void {
    if (this.#level !== undefined) void this.#levels.get(mount)?.want();
    const own = [...this.#subscribers.values()].filter(({ route }) => route.mount === mount.id);
    for (let i = 0; i < RESUBSCRIBE_AT_ONCE; i++) void this.#resubscribe(mount, own);
  }

  /** Subscribes anew, one after the other, to what is left of `subscribed`. */
  async #resubscribe(mount: MountedUpstream, subscribed: Subscribed[]): Promise<void> {
    for (let next = subscribed.pop(); next !== undefined; next = subscribed.pop()) {
      const { route, hearers } = next;
      await mount.readyClient?.request('resources/subscribe', `{"uri":${JSON.stringify(route.key)}}`).catch(() => {});
      // It may have changed while nobody could tell.
      this.#tellUpdated(hearers, route);
    }
  }

  /** `doorward://status` says something else now. */
  statusChanged(): void {
    const hearers = this.#subscribers.get(keyOf(OWN_STATUS))?.hearers;
    if (hearers !== undefined) this.#tellUpdated(hearers, OWN_STATUS);
  }

  /** Passes on a notification of an upstream; one that is nobody's concern ends here. */
  notified(mount: MountedUpstream, method: string, params: JsonSlice | undefined): void {
    switch (method) {
      case 'notifications/message':
        return this.#log(params);
      case 'notifications/resources/updated':
        return this.#updated(mount, params);
      case 'notifications/elicitation/complete':
        for (const hearer of this.#hearers) hearer.tell(method, params && onOneLine(params));
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

  #log(params: JsonSlice | undefined): void {
    if (params === undefined || this.#hearers.size === 0) return;
    const severity = severityOf(readText('level', params));
    const line = onOneLine(params);
    for (const hearer of this.#hearers) {
      const least = hearer.logLevel ?? (this.#level === undefined ? undefined : UNASKED_LEVEL);
      // A severity that we do not know is not ours to drop.
      if (severity < 0 || least === undefined || severity >= severityOf(least)) {
        hearer.tell('notifications/message', line);
      }
    }
  }

  #updated(mount: MountedUpstream, params: JsonSlice | undefined): void {
    const uri = params && readText('uri', params);
    if (params === undefined || uri === undefined) return;
    const route = { mount: mount.id, key: uri };
    const hearers = this.#subscribers.get(keyOf(route))?.hearers;
    if (hearers !== undefined) this.#tellUpdated(hearers, route, params);
  }

  #tellUpdated(hearers: ReadonlySet<Hearer>, { mount, key }: OfferRoute, params?: JsonSlice): void {
    const uri = mount === '' ? key : this.#publicUri(mount, key);
    const text =
      params === undefined
        ? `{"uri":${JSON.stringify(uri)}}`
        : onOneLine(uri === key ? params : sliceOf(joinPieces(withUri(params, uri))));
    for (const hearer of hearers) hearer.tell('notifications/resources/updated', text);
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

/** The params with another `uri`; the scanner has just found the one they have. */
function withUri({ bytes, start, end }: JsonSlice, uri: string): Piece[] {
  const at = scanner.find('uri', bytes);
  const edit = { start: scanner.valueStart[at]!, end: scanner.valueEnd[at]!, by: JSON.stringify(uri) };
  return splice(bytes, start, end, [edit]);
}
