/**
 * Which resources a router of several upstreams may know, show and lead to, as a model. It is told what upstreams list and
 * what callers are shown; each set of connections (a fleet) knows what its own connections were answered, no more and no less.
 */
import type { Link } from './router-model.js';

export type Listed = 'resources' | 'templates';
export const LISTED: readonly Listed[] = ['resources', 'templates'];

/** Where a URI leads. */
export interface Where {
  readonly mount: string;
  readonly key: string;
}

/** What an upstream was asked to list and has not answered yet. */
export interface Listing {
  readonly link: Link;
  readonly kind: Listed;
  readonly wireId: number;
  readonly sinceMs: number;
  /** As it was when it was asked. */
  readonly keys: readonly string[];
}

/** A list that a caller waits for. */
interface Wanted {
  readonly caller: string;
  readonly id: string;
  readonly kind: Listed;
  readonly sinceMs: number;
}

/** What a caller was shown last, and since when something else would be shown. */
interface Shown {
  readonly lists: Map<Listed, string>;
  readonly shownAtMs: Map<Listed, number>;
  differsSinceMs: number | undefined;
  toldAtMs: number;
}

/** What one fleet has been told. */
interface Known {
  readonly lists: Map<string, readonly string[]>;
  /** What each list was until it came last. */
  readonly before: Map<string, { readonly keys: readonly string[]; readonly atMs: number }>;
  readonly asked: Map<Listed, { readonly sinceMs: number; firstListedAtMs: number | undefined }>;
  listedAtMs: number;
  /** When the last listing of each mount and kind ended. */
  readonly endedAtMs: Map<string, number>;
}

/** Lists are asked for, and callers are told of them, this far apart. */
const APART_MS = 500;
/** A list is answered this long after the first upstream has listed, or after it was first asked for where none has. */
const AFTER_FIRST_MS = 1_500;
const WHEN_NONE_MS = 5_000;
/** A list that is not answered is given up after this. */
export const LISTING_MS = 5_000;
/** To be noticed between two beats. */
const SLACK_MS = 150;

export class OfferModel {
  readonly #mounts: readonly string[];
  readonly #fault: (what: string) => void;
  readonly #fleets = new Map<string, Known>();
  /** Public URIs that callers were shown, by kind: until the end each means the same. */
  readonly #meanings = new Map<string, { readonly where: Where; readonly fleets: Set<string> }>();
  readonly #wanted: Wanted[] = [];
  readonly #shown = new Map<string, Shown>();
  readonly #running: Listing[] = [];
  /** Links that are up, since when, and the lists each of them is still to be asked for. */
  readonly #links = new Map<Link, { readonly sinceMs: number; readonly owedSinceMs: Map<Listed, number> }>();
  /** Who has ever told of listing a URI. */
  readonly #ever = new Map<string, Set<string>>();
  /** Somebody gave up a list: whether its URIs count as shown is not said. */
  #hasGivenUp = false;
  /** Something began, ended or was lost: the status may have come or gone. */
  #troubledAtMs = 0;

  constructor(mounts: readonly string[], fault: (what: string) => void) {
    this.#mounts = mounts;
    this.#fault = fault;
  }

  get wanted(): readonly unknown[] {
    return this.#wanted;
  }

  troubled(nowMs: number): void {
    this.#troubledAtMs = nowMs;
  }

  linkReady(link: Link, nowMs: number): void {
    this.troubled(nowMs);
    const owed = [...this.#known(fleetOf(link)).asked.keys()].map((kind) => [kind, nowMs] as const);
    this.#links.set(link, { sinceMs: nowMs, owedSinceMs: new Map(owed) });
  }

  linkLost(link: Link, nowMs: number): void {
    this.troubled(nowMs);
    this.#links.delete(link);
    for (const listing of this.#running.filter((each) => each.link === link)) this.#over(listing, nowMs);
  }

  isUp(link: Link): boolean {
    return this.#links.has(link);
  }

  /** Whether this mount was up all the time since then, as far as a fleet can tell. */
  isUpSince(fleet: string, mount: string, sinceMs: number): boolean {
    return [...this.#links].some(
      ([link, up]) => fleetOf(link) === fleet && link.mount === mount && up.sinceMs < sinceMs && !link.hasHeldLists,
    );
  }

  /** Since when a fleet has connections to all; Infinity where it has not. */
  allUpSinceMs(fleet: string): number {
    const since = this.#mounts.map(
      (mount) => [...this.#links].find(([link]) => fleetOf(link) === fleet && link.mount === mount)?.[1].sinceMs,
    );
    return Math.max(...since.map((sinceMs) => sinceMs ?? Number.POSITIVE_INFINITY));
  }

  /** A caller asks for something that needs these lists: from now on they are kept. */
  needed(fleet: string, kinds: readonly Listed[], nowMs: number): void {
    const { asked } = this.#known(fleet);
    for (const kind of kinds) {
      if (asked.has(kind)) continue;
      asked.set(kind, { sinceMs: nowMs, firstListedAtMs: undefined });
      for (const [link, { owedSinceMs }] of this.#links) if (fleetOf(link) === fleet) owedSinceMs.set(kind, nowMs);
    }
  }

  /** An upstream says that its list has changed. */
  changed(link: Link, nowMs: number): void {
    const { asked } = this.#known(fleetOf(link));
    for (const kind of asked.keys()) this.#links.get(link)?.owedSinceMs.set(kind, nowMs);
  }

  /** An upstream is asked for a list. */
  listing(listing: Listing): void {
    const { link, kind, sinceMs } = listing;
    const place = placeOf(link.mount, kind);
    const { asked, endedAtMs } = this.#known(fleetOf(link));
    if (!asked.has(kind)) asked.set(kind, { sinceMs, firstListedAtMs: undefined });
    if (this.#running.some((each) => each.link === link && each.kind === kind)) {
      this.#fault(`${link.mount} is asked for its ${kind} while it is being asked for them`);
    }
    const apartMs = sinceMs - (endedAtMs.get(place) ?? Number.NEGATIVE_INFINITY);
    if (apartMs < APART_MS) this.#fault(`${link.mount} is asked for its ${kind} again after ${apartMs} ms`);
    this.#links.get(link)?.owedSinceMs.delete(kind);
    this.#running.push(listing);
  }

  /** An upstream answers; too late, or over a connection that ended, that is for nobody. */
  listed(listing: Listing, keys: readonly string[], nowMs: number): void {
    if (!this.#running.includes(listing)) return;
    this.#over(listing, nowMs);
    const fleet = fleetOf(listing.link);
    for (const key of keys) this.#ever.set(key, (this.#ever.get(key) ?? new Set<string>()).add(listing.link.mount));
    const known = this.#known(fleet);
    const place = placeOf(listing.link.mount, listing.kind);
    known.before.set(place, { keys: known.lists.get(place) ?? [], atMs: nowMs });
    known.lists.set(place, keys);
    known.listedAtMs = nowMs;
    known.asked.get(listing.kind)!.firstListedAtMs ??= nowMs;
    for (const [caller, shown] of this.#shown)
      if (fleetOf({ owner: caller }) === fleet) this.#compare(caller, shown, nowMs);
  }

  /** An upstream is told that nobody wants an answer any more. */
  gaveUp(link: Link, wireId: number, nowMs: number): void {
    const listing = this.#running.find((each) => each.link === link && each.wireId === wireId);
    if (listing === undefined) return;
    if (nowMs - listing.sinceMs < LISTING_MS) {
      this.#fault(`a list of ${listing.kind} was given up after ${nowMs - listing.sinceMs} ms, which others wait for`);
    }
    this.#over(listing, nowMs);
  }

  wants(caller: string, id: string, kind: Listed, nowMs: number): void {
    this.needed(fleetOf({ owner: caller }), [kind], nowMs);
    this.#wanted.push({ caller, id, kind, sinceMs: nowMs });
  }

  /** A caller asks for a list and gives that up in the same breath. */
  gaveUpList(): void {
    this.#hasGivenUp = true;
  }

  left(caller: string): void {
    this.#shown.delete(caller);
    for (const wanted of this.#wanted.filter((each) => each.caller === caller)) this.#forget(wanted);
  }

  /** @returns whether it was a list that this caller waits for */
  answered(caller: string, id: unknown, result: Readonly<Record<string, unknown>> | undefined, nowMs: number): boolean {
    const wanted = this.#wanted.find((each) => each.caller === caller && each.id === id);
    if (wanted === undefined) return false;
    this.#forget(wanted);
    const { kind } = wanted;
    const items = result?.[kind === 'resources' ? 'resources' : 'resourceTemplates'];
    if (!Array.isArray(items)) this.#fault(`${caller} was given no list of ${kind}`);
    else this.#show(caller, kind, items as readonly Readonly<Record<string, string>>[], nowMs);
    return true;
  }

  #show(caller: string, kind: Listed, items: readonly Readonly<Record<string, string>>[], nowMs: number): void {
    const fleet = fleetOf({ owner: caller });
    const seen: string[] = [];
    for (const { uri = '', uriTemplate = uri, description = '' } of items) {
      if (uriTemplate === 'doorward://status') continue;
      const [mount = '', key = ''] = description.split(' ');
      seen.push(description);
      this.#mean(kind, uriTemplate, { mount, key }, fleet);
    }
    const expected = this.#mayShow(fleet, kind, nowMs);
    if (!expected.includes(seen.join())) {
      this.#fault(`${caller} was shown ${kind} ${seen.join()}, not ${expected.join(' or ')}`);
    }
    const shown = this.#shownTo(caller);
    shown.lists.set(kind, seen.join());
    shown.shownAtMs.set(kind, nowMs);
    this.#compare(caller, shown, nowMs);
  }

  #compare(caller: string, shown: Shown, nowMs: number): void {
    if (!this.#differs(caller, shown)) shown.differsSinceMs = undefined;
    else shown.differsSinceMs ??= nowMs;
  }

  #mean(kind: Listed, uri: string, where: Where, fleet: string): void {
    if (uri !== where.key && uri !== prefixed(where)) this.#fault(`${where.mount} ${where.key} is shown as ${uri}`);
    const place = placeOf(uri, kind);
    const known = this.#meanings.get(place);
    if (known === undefined) this.#meanings.set(place, { where, fleets: new Set([fleet]) });
    else if (isSame(known.where, where)) known.fleets.add(fleet);
    else this.#fault(`${uri} meant ${prefixed(known.where)} and now means ${prefixed(where)}`);
  }

  /** A caller is told that its resources have changed. */
  toldChanged(caller: string, nowMs: number): void {
    const shown = this.#shownTo(caller);
    if (shown.lists.size === 0) this.#fault(`${caller} was told of changes in what it was never shown`);
    else if (Math.min(...shown.shownAtMs.values()) > this.#troubledAtMs && !this.#differs(caller, shown)) {
      this.#fault(`${caller} was told of a change though it has seen what there is`);
    }
    shown.toldAtMs = nowMs;
  }

  /** Where a URI may lead at this moment; nowhere is an answer too. */
  routes(fleet: string, uri: string): readonly Where[] {
    const place = placeOf(uri, 'resources');
    const meaning = this.#meanings.get(place);
    if (meaning?.fleets.has(fleet)) return [meaning.where];
    const routes = this.#routesOf(fleet, uri);
    // What callers of another fleet were shown may be known here already, or not yet; so may what somebody was about to
    // be shown who gave that up.
    if (meaning !== undefined) routes.push(meaning.where);
    else if (this.#hasGivenUp) for (const mount of this.#ever.get(uri) ?? []) routes.push({ mount, key: uri });
    return routes;
  }

  /** Where a URI leads that a caller is told; anywhere, where the lists are changing at this very moment. */
  routesOfTold(caller: string, uri: string, nowMs: number): readonly Where[] {
    const fleet = fleetOf({ owner: caller });
    return this.#known(fleet).listedAtMs === nowMs ? [] : this.routes(fleet, uri);
  }

  /** Where a URI leads, as far as this fleet is concerned. */
  findRoute(fleet: string, uri: string): Where | undefined {
    const meaning = this.#meanings.get(placeOf(uri, 'resources'));
    return meaning?.fleets.has(fleet) ? meaning.where : this.#routesOf(fleet, uri)[0];
  }

  #routesOf(fleet: string, uri: string): Where[] {
    const inside = this.#mounts.find((mount) => uri.startsWith(prefixed({ mount, key: '' })));
    if (inside !== undefined) return [{ mount: inside, key: uri.slice(prefixed({ mount: inside, key: '' }).length) }];
    const { lists } = this.#known(fleet);
    const has = (kind: Listed, matches: (key: string) => boolean): string | undefined =>
      this.#mounts.find((mount) => lists.get(placeOf(mount, kind))?.some(matches));
    const mount = has('resources', (key) => key === uri) ?? has('templates', (key) => matchesTemplate(key, uri));
    return mount === undefined ? [] : [{ mount, key: uri }];
  }

  /** Whether a URI that leads nowhere may be tried at a mount: where nobody else could have it. */
  isOnlyOwner(fleet: string, mount: string, nowMs: number): boolean {
    return ![...this.#links].some(
      ([link, { sinceMs }]) => fleetOf(link) === fleet && link.mount !== mount && sinceMs < nowMs,
    );
  }

  settle(nowMs: number): void {
    for (const [link, { owedSinceMs }] of this.#links) {
      for (const [kind, sinceMs] of owedSinceMs) this.#settleOwed(link, kind, sinceMs, nowMs);
    }
    for (const { caller, kind, sinceMs } of this.#wanted) {
      const untilMs = Math.max(sinceMs, this.#waitsUntilMs(fleetOf({ owner: caller }), kind));
      if (nowMs > untilMs + SLACK_MS) this.#fault(`${caller} waits for ${kind} since ${sinceMs}, not until ${untilMs}`);
    }
    for (const [caller, shown] of this.#shown) {
      const { differsSinceMs = Number.POSITIVE_INFINITY, toldAtMs } = shown;
      if (toldAtMs < differsSinceMs && nowMs - differsSinceMs > APART_MS + SLACK_MS) {
        this.#fault(`${caller} was not told that its list has changed`);
      }
    }
  }

  #waitsUntilMs(fleet: string, kind: Listed): number {
    const { sinceMs, firstListedAtMs } = this.#known(fleet).asked.get(kind)!;
    const isTroubled = this.#troubledAtMs >= sinceMs;
    // One that is lost or down when it is asked for and lists later is not waited for, nor does it shorten the wait.
    return firstListedAtMs === undefined || isTroubled ? sinceMs + WHEN_NONE_MS : firstListedAtMs + AFTER_FIRST_MS;
  }

  #settleOwed(link: Link, kind: Listed, sinceMs: number, nowMs: number): void {
    if (this.#running.some((each) => each.link === link && each.kind === kind)) return;
    const endedAtMs = this.#known(fleetOf(link)).endedAtMs.get(placeOf(link.mount, kind)) ?? 0;
    if (nowMs > Math.max(sinceMs, endedAtMs) + APART_MS + SLACK_MS) {
      this.#fault(`${link.mount} is not asked for its ${kind}, which have changed at ${sinceMs}`);
    }
  }

  #differs(caller: string, { lists }: Shown): boolean {
    return [...lists].some(([kind, seen]) => seen !== this.#wouldShow(fleetOf({ owner: caller }), kind));
  }

  #wouldShow(fleet: string, kind: Listed): string {
    const { lists } = this.#known(fleet);
    return this.#mounts
      .flatMap((mount) => (lists.get(placeOf(mount, kind)) ?? []).map((key) => `${mount} ${key}`))
      .join();
  }

  /** What may be shown: of lists that come at this very moment, also what there was before. */
  #mayShow(fleet: string, kind: Listed, nowMs: number): readonly string[] {
    const { lists, before } = this.#known(fleet);
    let all: readonly string[][] = [[]];
    for (const mount of this.#mounts) {
      const place = placeOf(mount, kind);
      const known = before.get(place);
      const choices = [lists.get(place) ?? [], ...(known?.atMs === nowMs ? [known.keys] : [])];
      all = all.flatMap((shown) => choices.map((keys) => [...shown, ...keys.map((key) => `${mount} ${key}`)]));
    }
    return all.map((shown) => shown.join());
  }

  #shownTo(caller: string): Shown {
    const known = this.#shown.get(caller);
    if (known !== undefined) return known;
    const shown: Shown = {
      lists: new Map(),

      shownAtMs: new Map(),
      differsSinceMs: undefined,
      toldAtMs: -1,
    };
    this.#shown.set(caller, shown);
    return shown;
  }

  #known(fleet: string): Known {
    const known = this.#fleets.get(fleet) ?? {
      lists: new Map(),
      before: new Map(),
      asked: new Map(),
      endedAtMs: new Map(),
      listedAtMs: 0,
    };
    this.#fleets.set(fleet, known);
    return known;
  }

  #over(listing: Listing, nowMs: number): void {
    this.#running.splice(this.#running.indexOf(listing), 1);
    const { link, kind } = listing;
    this.#known(fleetOf(link)).endedAtMs.set(placeOf(link.mount, kind), nowMs);
  }

  #forget(wanted: Wanted): void {
    this.#wanted.splice(this.#wanted.indexOf(wanted), 1);
  }
}

/** The set of connections that a caller, or a link, belongs to: one that can be asked has its own. */
export function fleetOf({ owner }: { readonly owner: string | undefined }): string {
  return owner?.startsWith('asked') ? owner : 'shared';
}

export function isSame(one: Where, other: Where): boolean {
  return one.mount === other.mount && one.key === other.key;
}

export function prefixed({ mount, key }: Where): string {
  return `doorward://${mount}/${key}`;
}

/** The templates of the test all end in one variable. */
export function matchesTemplate(template: string, uri: string): boolean {
  const start = template.slice(0, template.indexOf('{'));
  return uri.startsWith(start) && /^[^/]+$/.test(uri.slice(start.length));
}

function placeOf(of: string, kind: Listed): string {
  return `${of} ${kind}`;
}
