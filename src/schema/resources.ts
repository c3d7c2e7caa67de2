import { resolveUri } from './documents.js';
import type { Resource, Site } from './site.js';

/** The resources of one survey, by URI. */
export class Resources {
  readonly #byUri = new Map<string, Resource>();

  /** @param uri absolute, without a fragment */
  find(uri: string): Resource | undefined {
    return this.#byUri.get(uri);
  }

  /** Puts a site into the resource it starts, or else into the one around it. */
  place(site: Site, around: Resource | string): void {
    const id = identityOf(site);
    const isDocument = typeof around === 'string';
    if (id === undefined && !isDocument) site.resource = around;
    else {
      const base = isDocument ? around : around.uri;
      const uri = id === undefined ? base : (resolveUri(id, base) ?? base);
      site.resource = { uri, root: site, anchors: new Map(), dynamicAnchors: new Map() };
      this.#add(uri, site.resource);
      // A document answers to the URI it was found under as well as to the one it gives itself.
      if (isDocument) this.#add(base, site.resource);
    }
    if (site.mayBeNamed) addAnchors(site);
  }

  #add(uri: string, resource: Resource): void {
    if (!this.#byUri.has(uri)) this.#byUri.set(uri, resource);
  }
}

/** The URI that a schema gives itself; undefined where it has none, or only an anchor. */
export function identityOf(site: Site): string | undefined {
  if (!site.mayBeNamed) return undefined;
  const id = site.get('$id') ?? site.get('id');
  return typeof id === 'string' && !id.startsWith('#') ? id : undefined;
}

function addAnchors(site: Site): void {
  const { anchors, dynamicAnchors } = site.resource;
  const anchor = site.get('$anchor');
  const dynamicAnchor = site.get('$dynamicAnchor');
  if (typeof anchor === 'string') anchors.set(anchor, site);
  if (typeof dynamicAnchor === 'string') {
    anchors.set(dynamicAnchor, site);
    dynamicAnchors.set(dynamicAnchor, site);
  }
  if (site.get('$recursiveAnchor') === true && site.resource.root === site) dynamicAnchors.set('', site);
  // Before 2019-09 the fragment of an identity is an anchor.
  const id = site.isClassic ? (site.get('$id') ?? site.get('id')) : undefined;
  const [, fragment] = typeof id === 'string' ? splitFragment(id) : [];
  if (fragment) anchors.set(fragment, site);
}

/** Parts a reference at its `#`. */
export function splitFragment(reference: string): [uri: string, fragment: string] {
  const hash = reference.indexOf('#');
  return hash < 0 ? [reference, ''] : [reference.slice(0, hash), reference.slice(hash + 1)];
}
