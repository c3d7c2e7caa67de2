/**
 * Which members and items of one value the keywords have looked at, for `unevaluatedProperties` and `unevaluatedItems`.
 * Kept only where one of the two will ask.
 */
export class Marks {
  #names: Set<string> | undefined;
  #hasAllNames = false;
  #itemsUpTo = 0;
  #someItems: Set<number> | undefined;

  addName(name: string): void {
    this.#names ??= new Set();
    this.#names.add(name);
  }

  addAllNames(): void {
    this.#hasAllNames = true;
  }

  hasName(name: string): boolean {
    return this.#hasAllNames || this.#names?.has(name) === true;
  }

  /** The first `count` items. */
  addItems(count: number): void {
    this.#itemsUpTo = Math.max(this.#itemsUpTo, count);
  }

  addItem(index: number): void {
    this.#someItems ??= new Set();
    this.#someItems.add(index);
  }

  hasItem(index: number): boolean {
    return index < this.#itemsUpTo || this.#someItems?.has(index) === true;
  }

  /** Takes over what a schema that judged the same value, and liked it, has looked at. */
  addAll(other: Marks): void {
    for (const name of other.#names ?? []) this.addName(name);
    this.#hasAllNames ||= other.#hasAllNames;
    this.addItems(other.#itemsUpTo);
    for (const index of other.#someItems ?? []) this.addItem(index);
  }
}
