import type { OfferRoute } from './types.js';

/** So many public keys of one mount are remembered; a list that is longer is remembered whole. */
const MAX_REMEMBERED = 20_000;

/** A public key and what it stands for. */
export interface KeyMeaning extends OfferRoute {
  /** The public name or URI. */
  readonly name: string;
}

/**
 * Gives what mounts list its public keys. A key that a caller has been shown keeps its meaning until restart; until
 * then a mount that connects late may still take the key it has a better claim to, so configuration order decides, not
 * luck.
 */
export class KeyBook {
  /** Keys that callers know: by mount and the upstream's own key, longest not shown first; and back. */
  readonly #shown = new Map<string, Map<string, string>>();
  readonly #shownHolders = new Map<string, OfferRoute>();
  /** Keys of the snapshot being built. */
  #holders = new Map<string, OfferRoute>();

  /**
   * A new snapshot begins: what nobody has been shown is open again.
   *
   * @returns who holds which public key; complete when the snapshot is built, and not touched any more after that
   */
  begin(): ReadonlyMap<string, OfferRoute> {
    this.#holders = new Map(this.#shownHolders);
    return this.#holders;
  }

  /**
   * The public key of something a mount lists: the one it has, else the best that is free.
   *
   * @param candidates best first; at least one of them is nobody else's
   * @param collided hears of the best candidate when it was taken
   */
  keyOf(owner: OfferRoute, candidates: Iterable<string>, collided: (wanted: string, instead: string) => void): string {
    const known = this.#shown.get(owner.mount)?.get(owner.key);
    if (known !== undefined) return known;
    let wanted: string | undefined;
    let name = '';
    for (name of candidates) {
      wanted ??= name;
      if (!this.#holders.has(name)) break;
    }
    this.#holders.set(name, owner);
    if (wanted !== undefined && name !== wanted) collided(wanted, name);
    return name;
  }

  /**
   * A caller is about to see these.
   *
   * @returns false where one of them has been shown with another meaning since they were given: then none is kept, and
   * whoever asks builds again. Books are shared by several snapshots, each built at its own time.
   */
  show(meanings: readonly KeyMeaning[]): boolean {
    if (meanings.some((meaning) => this.#contradicts(meaning))) return false;
    const counts = new Map<string, number>();
    for (const { name, mount, key } of meanings) {
      const page = this.#shown.get(mount) ?? new Map<string, string>();
      this.#shown.set(mount, page);
      // Deleted first, so that it moves to the end: the front is what was not shown for longest.
      page.delete(key);
      page.set(key, name);
      if (!this.#shownHolders.has(name)) this.#shownHolders.set(name, { mount, key });
      counts.set(mount, (counts.get(mount) ?? 0) + 1);
    }
    for (const [mount, count] of counts) this.#forget(mount, Math.max(MAX_REMEMBERED, count));
    return true;
  }

  #contradicts({ name, mount, key }: KeyMeaning): boolean {
    const holder = this.#shownHolders.get(name);
    if (holder !== undefined) return holder.mount !== mount || holder.key !== key;
    return this.#shown.get(mount)?.has(key) ?? false;
  }

  /** An upstream whose list is another each time must not fill the memory. */
  #forget(mount: string, keep: number): void {
    const page = this.#shown.get(mount)!;
    for (const [key, name] of page) {
      if (page.size <= keep) return;
      page.delete(key);
      this.#shownHolders.delete(name);
    }
  }
}
