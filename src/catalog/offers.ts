import { KeyBook, type KeyMeaning } from './key-book.js';
import { everyName } from './names.js';
import type { ListedOffer, Offer, OfferKind, OfferRoute, PrefixRule } from './types.js';
import { UriTemplate } from './uri-template.js';

/** What doorward itself lists while something is wrong; no upstream can list it. */
export const STATUS_URI = 'doorward://status';

/** URIs that upstreams cannot have: all of them say how to get to somebody else's. */
const OWN_SCHEME = /^doorward:/i;
/** What matching the templates of one mount may take, in characters looked at; some milliseconds. */
const MAX_MATCHING = 2_000_000;
/** All templates of one mount that URIs are routed by, in characters: reading them takes some milliseconds. */
const MAX_TEMPLATES = 200_000;
const MAX_QUOTED = 200;
/** A server whose every list is another cannot fill the memory with what was said of it. */
const MAX_TOLD = 10_000;

/** What one mount offers besides tools. A list that is not known is undefined: such a mount is still routed to. */
export interface MountedOffers {
  readonly mount: string;
  readonly prefix: PrefixRule;
  readonly resources: readonly ListedOffer[] | undefined;
  readonly templates: readonly ListedOffer[] | undefined;
  readonly prompts: readonly ListedOffer[] | undefined;
}

export interface OfferWarning {
  readonly mount: string;
  readonly warning: 'uri-collision' | 'name-collision' | 'odd-template';
  readonly message: string;
}

/** What is offered besides tools, at one moment. Frozen; a change makes a new one. Lists are in mount order. */
export interface OfferSnapshot {
  readonly resources: readonly Offer[];
  readonly templates: readonly Offer[];
  readonly prompts: readonly Offer[];
  /**
   * Where a URI leads: to who lists it or has listed it, else into a mount by our own prefix, else to the first
   * template it could be made from.
   */
  findResource(uri: string): OfferRoute | undefined;
  findTemplate(uriTemplate: string): OfferRoute | undefined;
  findPrompt(name: string): OfferRoute | undefined;
  /** The URI by which callers know what a mount calls `uri`, listed or not: `findResource` leads back to it. */
  publicUri(mount: string, uri: string): string;
}

/** The public URIs and names of offers, and what callers have seen of them. */
export class OfferBook {
  readonly resources = new KeyBook();
  readonly templates = new KeyBook();
  readonly prompts = new KeyBook();
  readonly #parsed = new WeakMap<ListedOffer, UriTemplate | 'odd'>();
  readonly #told = new Set<string>();
  readonly #shown = new WeakSet<readonly Offer[]>();

  /**
   * A caller is about to see these.
   *
   * @returns false where one of them has been shown with another meaning since the snapshot was built: build again
   */
  show(kind: OfferKind, offers: readonly Offer[]): boolean {
    // A snapshot's list is frozen: what has been said of it once holds.
    if (this.#shown.has(offers)) return true;
    const meanings = offers.map(({ key, mount, offer }): KeyMeaning => ({ name: key, mount, key: offer.key }));
    const isShown = this[kind].show(meanings);
    if (isShown) this.#shown.add(offers);
    return isShown;
  }

  /** Whether something is to be said for the first time. */
  isNew(what: string): boolean {
    if (this.#told.has(what) || this.#told.size >= MAX_TOLD) return false;
    this.#told.add(what);
    return true;
  }

  /** The template of an offer, parsed once for as long as the list lives that it stands in. */
  templateOf(offer: ListedOffer): UriTemplate | undefined {
    let template = this.#parsed.get(offer);
    if (template === undefined) {
      template = UriTemplate.parse(offer.key) ?? 'odd';
      this.#parsed.set(offer, template);
    }
    return template === 'odd' ? undefined : template;
  }
}

/**
 * Builds what callers see from what the mounts list.
 *
 * @param mounts all of them, in configuration order
 */
export function buildOffers(
  mounts: readonly MountedOffers[],
  book: OfferBook,
  warn: (warning: OfferWarning) => void,
): OfferSnapshot {
  const building = { mounts, book, warn };
  const templates = giveUris('templates', building);
  return new Snapshot({
    resources: giveUris('resources', building),
    templates,
    prompts: giveNames(building),
    matchers: matchersOf(templates.offers, building),
    mounts: new Map(mounts.map(({ mount }) => [prefixOf(mount), mount])),
  });
}

interface Building {
  readonly mounts: readonly MountedOffers[];
  readonly book: OfferBook;
  readonly warn: (warning: OfferWarning) => void;
}

/** Offers under their public keys, and who holds each key, those included that were shown earlier. */
interface Given {
  readonly offers: readonly Offer[];
  readonly holders: ReadonlyMap<string, OfferRoute>;
}

/** URIs stay as they are; where that one is somebody else's, the mount's prefix goes in front. */
function giveUris(kind: 'resources' | 'templates', { mounts, book, warn }: Building): Given {
  const offers: Offer[] = [];
  const holders = book[kind].begin();
  for (const list of mounts) {
    const { mount } = list;
    const prefix = prefixOf(mount);
    let collisions = 0;
    let example = '';
    for (const offer of list[kind] ?? []) {
      const candidates = OWN_SCHEME.test(offer.key) ? [prefix + offer.key] : [offer.key, prefix + offer.key];
      const key = book[kind].keyOf({ mount, key: offer.key }, candidates, (wanted) => {
        collisions++;
        example ||= wanted;
      });
      offers.push(advertise(key, mount, offer));
    }
    // Two mounts of one server collide in everything: that is one thing to say, not thousands.
    if (collisions > 0 && book.isNew(`${kind} ${mount}`)) {
      const more = collisions > 1 ? ` and ${collisions - 1} more of its ${kind} are` : ' is';
      const message = `${mount}: ${example.slice(0, MAX_QUOTED)}${more} listed by another mount too; shown with ${prefix} in front`;
      warn({ mount, warning: 'uri-collision', message });
    }
  }
  return { offers: Object.freeze(offers), holders };
}

/** Prompts are named like tools, in a book of their own. */
function giveNames({ mounts, book, warn }: Building): readonly Offer[] {
  const offers: Offer[] = [];
  book.prompts.begin();
  for (const { mount, prefix, prompts } of mounts) {
    for (const offer of prompts ?? []) {
      const owner = { mount, key: offer.key };
      const name = book.prompts.keyOf(owner, everyName(prefix, mount, offer.key), (wanted, instead) => {
        if (!book.isNew(`prompts ${mount}\0${offer.key}`)) return;
        const message = `${mount}: the name ${wanted} is taken; the prompt ${offer.key} is ${instead}`;
        warn({ mount, warning: 'name-collision', message });
      });
      offers.push(advertise(name, mount, offer));
    }
  }
  return Object.freeze(offers);
}

function advertise(key: string, mount: string, offer: ListedOffer): Offer {
  const { definition, keyStart, keyEnd } = offer;
  const isKept = key === offer.key;
  const advertised = isKept
    ? definition
    : `${definition.slice(0, keyStart)}${JSON.stringify(key)}${definition.slice(keyEnd)}`;
  return Object.freeze({ key, mount, offer, advertised });
}

/** What the URIs of a mount begin with where they cannot stay as they are; no other mount's prefix begins like it. */
function prefixOf(mount: string): string {
  // Half a surrogate pair cannot be encoded, but it can be told.
  const whole = mount.replace(/\p{Surrogate}/gu, (half) => `\ufffd${half.charCodeAt(0).toString(16)}`);
  return `doorward://${encodeURIComponent(whole)}/`;
}

/** The templates by which URIs find their mount. One that was shown with a prefix is found by that instead. */
function matchersOf(offers: readonly Offer[], { book, warn }: Building): ReadonlyMap<string, readonly UriTemplate[]> {
  const matchers = new Map<string, UriTemplate[]>();
  const lengths = new Map<string, number>();
  for (const { key, mount, offer } of offers) {
    const length = (lengths.get(mount) ?? 0) + key.length;
    lengths.set(mount, length);
    const isTooMuch = length > MAX_TEMPLATES;
    const template = isTooMuch ? undefined : book.templateOf(offer);
    if (template === undefined) {
      const why = isTooMuch ? 'comes after too many others' : 'is no URI template';
      if (!book.isNew(`${why} ${mount}`)) continue;
      const message = `${mount}: ${offer.key.slice(0, MAX_QUOTED)} ${why}; listed, but no URI is routed by it`;
      warn({ mount, warning: 'odd-template', message });
    } else if (key === offer.key) {
      const ofMount = matchers.get(mount);
      if (ofMount === undefined) matchers.set(mount, [template]);
      else ofMount.push(template);
    }
  }
  return matchers;
}

interface Parts {
  readonly resources: Given;
  readonly templates: Given;
  readonly prompts: readonly Offer[];
  /** By mount, in configuration order. */
  readonly matchers: ReadonlyMap<string, readonly UriTemplate[]>;
  /** By prefix. */
  readonly mounts: ReadonlyMap<string, string>;
}

class Snapshot implements OfferSnapshot {
  readonly resources: readonly Offer[];
  readonly templates: readonly Offer[];
  readonly prompts: readonly Offer[];
  readonly #resources: ReadonlyMap<string, OfferRoute>;
  readonly #templates: ReadonlyMap<string, OfferRoute>;
  readonly #prompts: ReadonlyMap<string, OfferRoute>;
  readonly #matchers: Parts['matchers'];
  readonly #mounts: Parts['mounts'];

  constructor({ resources, templates, prompts, matchers, mounts }: Parts) {
    this.resources = resources.offers;
    this.templates = templates.offers;
    this.prompts = prompts;
    this.#resources = resources.holders;
    this.#templates = templates.holders;
    this.#prompts = new Map(prompts.map(({ key, mount, offer }) => [key, { mount, key: offer.key }]));
    this.#matchers = matchers;
    this.#mounts = mounts;
  }

  findResource(uri: string): OfferRoute | undefined {
    return this.#resources.get(uri) ?? (OWN_SCHEME.test(uri) ? this.#findInside(uri) : this.#findByTemplate(uri));
  }

  findTemplate(uriTemplate: string): OfferRoute | undefined {
    return this.#templates.get(uriTemplate) ?? this.#findInside(uriTemplate);
  }

  findPrompt(name: string): OfferRoute | undefined {
    return this.#prompts.get(name);
  }

  publicUri(mount: string, uri: string): string {
    const prefixed = prefixOf(mount) + uri;
    // Once shown with the prefix it stays so, also when nobody else has the plain one any more.
    if (this.#resources.has(prefixed)) return prefixed;
    return !OWN_SCHEME.test(uri) && this.findResource(uri)?.mount === mount ? uri : prefixed;
  }

  /** What stands behind a mount's prefix is the mount's own, and templates of others have no say in it. */
  #findInside(uri: string): OfferRoute | undefined {
    const prefixEnd = uri.indexOf('/', 'doorward://'.length) + 1;
    const mount = this.#mounts.get(uri.slice(0, prefixEnd));
    return mount === undefined ? undefined : { mount, key: uri.slice(prefixEnd) };
  }

  /** Each mount has its share of the work, so that one with templates hard to match costs itself only. */
  #findByTemplate(uri: string): OfferRoute | undefined {
    for (const [mount, templates] of this.#matchers) {
      let left = MAX_MATCHING;
      for (const template of templates) {
        const cost = template.costOf(uri);
        if (cost > left) continue;
        left -= cost;
        if (template.matches(uri)) return { mount, key: uri };
      }
    }
    return undefined;
  }
}
