/** What the upstreams of the router's test offer besides tools: lists that change and may be held back, and subscriptions. */
import type { MemoryScript, MemoryTransport, Sent } from '../fixtures/memory-transport.js';
import type { VirtualClock } from '../fixtures/virtual-clock.js';
import type { Link, Routed, RouterModel } from './router-model.js';
import type { Listed, Listing } from './router-offers.js';

export const MOUNTS = ['a', 'b'] as const;

/** What each lists at first, and may list; `c://1` is the resource of both, `s://1` of one and the other's template. */
const RESOURCES: Readonly<Record<string, { readonly listed: readonly string[]; readonly more: readonly string[] }>> = {
  a: { listed: ['a://1', 'c://1'], more: ['a://2'] },
  b: { listed: ['b://1', 'c://1'], more: ['b://2', 's://1'] },
};
const TEMPLATES: Readonly<Record<string, readonly string[]>> = { a: ['a://t/{id}', 's://{id}'], b: ['b://t/{id}'] };

/** What callers ask for: what is listed, or may be, what a template makes, what nobody knows, and what is named by its mount. */
export const URIS = [
  'a://1',
  'a://2',
  'b://1',
  'b://2',
  'c://1',
  's://1',
  'a://t/1',
  'b://t/1',
  's://2',
  'u://1',
  'doorward://b/c://1',
  'doorward://a/u://2',
  'doorward://status',
] as const;
/** What may come and go, by mount. */
export const CHANGING = MOUNTS.flatMap((mount) =>
  [...RESOURCES[mount]!.listed, ...RESOURCES[mount]!.more].map((uri) => ({ mount, uri })),
);

const METHODS: readonly string[] = ['tools/call', 'resources/read', 'resources/subscribe', 'resources/unsubscribe'];
const RESOURCES_CHANGED = '{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}';

export class StagedOffers {
  /** Lists that upstreams were asked for and answer when the test says so. */
  readonly held: Listing[] = [];
  readonly #model: RouterModel;
  readonly #clock: VirtualClock;
  readonly #transports: ReadonlyMap<Link, MemoryTransport>;
  readonly #listed = new Map(MOUNTS.map((mount) => [mount as string, new Set(RESOURCES[mount]!.listed)]));
  /** What each connection was asked to tell of, and by whom. */
  readonly #keys = new Map<Link, Map<string, Set<string>>>();
  /** What it may go on telling of, since somebody gave up, or was refused the end of it. */
  readonly #strays = new Map<Link, Set<string>>();

  constructor(model: RouterModel, clock: VirtualClock, transports: ReadonlyMap<Link, MemoryTransport>) {
    this.#model = model;
    this.#clock = clock;
    this.#transports = transports;
  }

  reactions(link: Link): NonNullable<MemoryScript['on']> {
    return {
      'resources/list': (sent) => this.#list(link, 'resources', sent),
      'resources/templates/list': (sent) => this.#list(link, 'templates', sent),
      'resources/read': (sent) => this.#asked(link, sent),
      'resources/subscribe': (sent) => this.#asked(link, sent),
      'resources/unsubscribe': (sent) => this.#asked(link, sent),
      'notifications/cancelled': ({ params }) => this.#gaveUp(link, Number(params?.requestId)),
    };
  }

  /** The mounts that list a URI by now, whoever knows. */
  listing(uri: string): Set<string> {
    return new Set(MOUNTS.filter((mount) => this.#listed.get(mount)!.has(uri)));
  }

  /** A resource comes or goes, and its upstream may say so. */
  change({ mount, uri }: (typeof CHANGING)[number], isTold: boolean): void {
    const listed = this.#listed.get(mount)!;
    if (!listed.delete(uri)) listed.add(uri);
    for (const { about, listedBy } of this.#model.requests) if (about === uri) listedBy.delete(mount);
    if (!isTold) return;
    for (const [link, transport] of this.#transports) {
      if (link.mount !== mount || !link.isLive) continue;
      this.#model.offers.changed(link, this.#clock.monotonicMs());
      transport.say(RESOURCES_CHANGED);
    }
  }

  /** A list that was held back comes, as it was when it was asked for or as it is now. */
  release(listing: Listing, isFresh: boolean): void {
    this.held.splice(this.held.indexOf(listing), 1);
    const { link, wireId } = listing;
    const keys = isFresh ? this.#now(link, listing.kind) : listing.keys;
    this.#model.offers.listed(listing, keys, this.#clock.monotonicMs());
    this.#transports.get(link)?.answer(wireId, this.#resultOf(listing, keys));
  }

  /** The upstream answers lists at once again, and all that it owes. */
  flow(link: Link): void {
    link.holdsLists = false;
    for (const listing of this.held.filter((each) => each.link === link)) this.release(listing, true);
  }

  /** The upstream tells of a resource: one that it was asked to tell of, if there is any, or just so. */
  update(link: Link, pick: number, isAsked: boolean): void {
    if (!this.#model.offers.isUp(link)) return;
    const keys = [...this.#keysOf(link).keys()];
    const all = isAsked && keys.length > 0 ? keys : CHANGING.map(({ uri }) => uri);
    const uri = all[pick % all.length]!;
    this.#model.subscriptions.updated(link, uri, this.#clock.monotonicMs());
    const params = { uri, note: { kept: true } };
    this.#transports
      .get(link)
      ?.say(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params }));
  }

  /** The upstream refuses what it was asked. */
  refused({ link, sort, where, token }: Routed): void {
    if (link === undefined || where === undefined) return;
    if (sort === 'unsubscribe') this.#straysOf(link).add(where.key);
    const askers = this.#keysOf(link).get(where.key);
    if (sort !== 'subscribe' || askers === undefined) return;
    askers.delete(token);
    if (askers.size === 0) this.#keysOf(link).delete(where.key);
  }

  /** What an upstream tells of now is what the model says. */
  atEnd(): void {
    for (const link of this.#transports.keys()) {
      const keys = new Set(this.#keysOf(link).keys());
      if (link.isLive) this.#model.subscriptions.atEnd(link, keys, this.#straysOf(link));
    }
  }

  #list(link: Link, kind: Listed, { id }: Sent): unknown {
    const sinceMs = this.#clock.monotonicMs();
    const listing: Listing = { link, kind, wireId: Number(id), sinceMs, keys: this.#now(link, kind) };
    this.#model.offers.listing(listing);
    if (link.holdsLists || link.isDeaf) {
      link.hasHeldLists = true;
      this.held.push(listing);
      return undefined;
    }
    this.#model.offers.listed(listing, listing.keys, sinceMs);
    return this.#resultOf(listing, listing.keys);
  }

  #now({ mount }: Link, kind: Listed): readonly string[] {
    return kind === 'templates' ? TEMPLATES[mount]! : [...this.#listed.get(mount)!];
  }

  #resultOf({ link, kind }: Listing, keys: readonly string[]): unknown {
    const items = keys.map((key) => ({
      [kind === 'resources' ? 'uri' : 'uriTemplate']: key,
      name: 'n',
      // So that it can be told where it comes from, whatever it is called.
      description: `${link.mount} ${key}`,
    }));
    return { [kind === 'resources' ? 'resources' : 'resourceTemplates']: items };
  }

  #asked(link: Link, { id, method, params }: Sent): unknown {
    const { uri, _meta } = params as { readonly uri: string; readonly _meta?: { readonly token?: string } };
    const token = _meta?.token;
    const keys = this.#keysOf(link);
    if (method === 'resources/unsubscribe') keys.delete(uri);
    if (method === 'resources/subscribe') keys.set(uri, new Set([...(keys.get(uri) ?? []), token ?? 'the gateway']));
    // What nobody asked for is the gateway's own wish, and granted.
    if (token === undefined) return {};
    this.#model.begun(link, token, Number(id), uri, this.#clock.monotonicMs());
    return undefined;
  }

  #gaveUp(link: Link, wireId: number): void {
    this.#model.offers.gaveUp(link, wireId, this.#clock.monotonicMs());
    const request = this.#model.requests.find((each) => each.link === link && each.wireId === wireId);
    if (request?.where !== undefined) this.#straysOf(link).add(request.where.key);
  }

  #keysOf(link: Link): Map<string, Set<string>> {
    const keys = this.#keys.get(link) ?? new Map<string, Set<string>>();
    this.#keys.set(link, keys);
    return keys;
  }

  #straysOf(link: Link): Set<string> {
    const strays = this.#strays.get(link) ?? new Set<string>();
    this.#strays.set(link, strays);
    return strays;
  }
}

/** The requests of callers that an upstream was told to give up, by the ids it knows; a ping or a list is nobody's. */
export function cancelledIds(transport: MemoryTransport): number[] {
  const calls = new Set(METHODS.flatMap((method) => transport.received(method)).map(({ id }) => id));
  const told = transport.received('notifications/cancelled').map(({ params }: Sent) => Number(params?.requestId));
  return told.filter((id) => calls.has(id));
}
