import {
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

/** What somebody hears who never said, once another one asked for more than servers send by themselves. */
const UNASKED_LEVEL: LogLevel = 'info';

/** Where the status resource leads: to no upstream, but to ourselves. */
export const OWN_STATUS: OfferRoute = { mount: '', key: STATUS_URI };

const scanner = new JsonScanner();

/** What the upstreams of one fleet say unasked, and who of its callers hears it. */
export class Notices {
  readonly #mounts: readonly MountedUpstream[];
  readonly #hearers = new Set<Hearer>();
  readonly #subscribers = new Map<string, { readonly route: OfferRoute; readonly hearers: Set<Hearer> }>();
  readonly #publicUri: (mount: string, uri: string) => string;
  /** The level upstreams were asked for: the most verbose that anybody wants. */
  #level: LogLevel | undefined;

  constructor(mounts: readonly MountedUpstream[], publicUri: (mount: string, uri: string) => string) {
    this.#mounts = mounts;
    this.#publicUri = publicUri;
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

  subscribe(route: OfferRoute, hearer: Hearer): void {
    const key = keyOf(route);
    const known = this.#subscribers.get(key);
    if (known === undefined) this.#subscribers.set(key, { route, hearers: new Set([hearer]) });
    else known.hearers.add(hearer);
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
    const wanted = [...this.#hearers].flatMap(({ logLevel }) =>
      logLevel === undefined ? [] : [LOG_LEVELS.indexOf(logLevel)],
    );
    const level = wanted.length === 0 ? undefined : LOG_LEVELS[Math.min(...wanted)];
    if (level === this.#level) return;
    this.#level = level;
    if (level !== undefined) for (const mount of this.#mounts) this.#setLevel(mount, level);
  }

  /** A connection is new: what its upstream had been asked to remember is asked for again. */
  connected(mount: MountedUpstream): void {
    if (this.#level !== undefined) this.#setLevel(mount, this.#level);
    for (const { route, hearers } of this.#subscribers.values()) {
      if (route.mount !== mount.id) continue;
      mount.readyClient?.request('resources/subscribe', `{"uri":${JSON.stringify(route.key)}}`).catch(() => {});
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

  #setLevel(mount: MountedUpstream, level: LogLevel): void {
    const client = mount.readyClient;
    if (client?.offers('logging')) client.request('logging/setLevel', `{"level":"${level}"}`).catch(() => {});
  }

  #log(params: JsonSlice | undefined): void {
    if (params === undefined || this.#hearers.size === 0) return;
    const severity = LOG_LEVELS.indexOf(readText('level', params) as LogLevel);
    const line = onOneLine(params);
    for (const hearer of this.#hearers) {
      const least = hearer.logLevel ?? (this.#level === undefined ? undefined : UNASKED_LEVEL);
      // A severity that we do not know is not ours to drop.
      if (severity < 0 || least === undefined || severity >= LOG_LEVELS.indexOf(least)) {
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
