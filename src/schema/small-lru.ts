interface LruOptions<Key, Value> {
  /** Entries. */
  readonly max?: number;
  /** The sum of what `sizeCalculation` says; what is larger by itself is not kept. */
  readonly maxSize?: number;
  readonly sizeCalculation?: (value: Value, key: Key) => number;
  /** Hears of each entry that goes, or is replaced. */
  readonly dispose?: (value: Value, key: Key) => void;
}

/**
 * As much of `lru-cache` as this room uses, for bundles whose size counts: a tenth of it. Its order is that of a Map, which
 * keeps the order in which keys were added.
 */
export class LRUCache<Key, Value> {
  readonly #options: LruOptions<Key, Value>;
  readonly #entries = new Map<Key, Value>();
  #size = 0;

  constructor(options: LruOptions<Key, Value>) {
    this.#options = options;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: Key, value: Value): this {
    const { max = Number.POSITIVE_INFINITY, maxSize = Number.POSITIVE_INFINITY } = this.#options;
    const known = this.#entries.get(key);
    if (known === value) {
      this.get(key);
      return this;
    }
    if (known !== undefined) this.#drop(key, known);
    if (this.#sizeOf(key, value) > maxSize) return this;
    this.#entries.set(key, value);
    this.#size += this.#sizeOf(key, value);
    for (const [oldest, held] of this.#entries) {
      if (this.#entries.size <= max && this.#size <= maxSize) break;
      this.#drop(oldest, held);
    }
    return this;
  }

  #drop(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#size -= this.#sizeOf(key, value);
    this.#options.dispose?.(value, key);
  }

  #sizeOf(key: Key, value: Value): number {
    return this.#options.sizeCalculation?.(value, key) ?? 0;
  }
}
