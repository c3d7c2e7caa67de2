/** What upstreams of the simulation offer besides tools, and what a caller makes of it. */
import type { SimulationJournal } from './simulation-journal.js';
import type { SimulatedUpstream } from './simulation-upstream.js';
import type { Seeded } from './soak-seeded.js';

/** `fixed` is always listed, `changing` with one edition only, `made` from a template, `unlisted` never. */
export type UriSort = 'fixed' | 'changing' | 'made' | 'unlisted';
const SORTS: Readonly<Record<UriSort, number>> = { fixed: 5, changing: 2, made: 3, unlisted: 1 };
const SUBSCRIPTIONS = 2;
/** After a change, or a loss, the last edition is known by then: a list that is late, and one more. */
const SETTLED_MS = 12_000;
const BACK_MS = 120_000;

/** @returns the JSON text of what an upstream lists in one edition */
export function offersText(method: string, name: string, edition: number): string {
  if (method === 'resources/templates/list') {
    return JSON.stringify({ resourceTemplates: [{ uriTemplate: `${name}://made/{id}`, name: 'made' }] });
  }
  const keys = resourcesOf(name, edition);
  return JSON.stringify({ resources: keys.map((uri) => ({ uri, name: 'a resource' })) });
}

export function resourcesOf(name: string, edition: number): readonly string[] {
  return [`${name}://fixed`, `${name}://edition/${edition}`];
}

/** What one connection of a caller reads, lists and subscribes to. */
export class ResourceReader {
  readonly #seeded: Seeded;
  readonly #journal: SimulationJournal;
  readonly #name: string;
  readonly #subscribed = new Set<string>();

  constructor(options: { readonly seeded: Seeded; readonly journal: SimulationJournal; readonly name: string }) {
    this.#seeded = options.seeded;
    this.#journal = options.journal;
    this.#name = options.name;
  }

  /** A URI of an upstream to read. */
  draw({ options, edition }: SimulatedUpstream): { readonly sort: UriSort; readonly uri: string } {
    const sort = this.#seeded.weighted(SORTS);
    const { name } = options;
    switch (sort) {
      case 'fixed':
        return { sort, uri: `${name}://fixed` };
      case 'changing':
        return { sort, uri: `${name}://edition/${edition}` };
      case 'made':
        return { sort, uri: `${name}://made/${this.#seeded.below(1_000)}` };
      case 'unlisted':
        return { sort, uri: `${name}://unlisted` };
    }
  }

  /** What to subscribe to. */
  subscriptions(upstreams: readonly SimulatedUpstream[]): readonly string[] {
    for (let i = 0; i < SUBSCRIPTIONS; i++) {
      this.#subscribed.add(`${this.#seeded.pick(upstreams).options.name}://fixed`);
    }
    return [...this.#subscribed];
  }

  updated(uri: string): void {
    this.#journal.count('updates told');
    if (!this.#subscribed.has(uri)) this.#journal.miss(`${this.#name} was told of ${uri}, and never asked for that`);
  }

  /** Of each upstream a list holds what one edition lists, the last one as soon as that can be known. */
  listed(
    resources: readonly { readonly uri: string }[] | undefined,
    upstreams: readonly SimulatedUpstream[],
    nowMs: number,
  ): void {
    this.#journal.count('resources listed');
    if (resources === undefined) this.#journal.miss(`${this.#name} was given no list of resources`);
    const uris = (resources ?? []).map(({ uri }) => uri);
    for (const { options, edition, changedAtMs, brokenAtMs } of upstreams) {
      const own = uris.filter((uri) => uri.startsWith(`${options.name}://`));
      // It may not have been up yet.
      if (own.length === 0) continue;
      const isSettled = nowMs - changedAtMs > SETTLED_MS && nowMs - brokenAtMs > BACK_MS;
      const isRight = isSettled
        ? own.join() === resourcesOf(options.name, edition).join()
        : own.length === 2 && own[0] === `${options.name}://fixed`;
      if (!isRight) this.#journal.miss(`${this.#name} was shown ${own.join()} in edition ${edition}`);
    }
  }
}
