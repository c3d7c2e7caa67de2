import { encodeText } from '../base/index.js';

const CURSOR = 'after:';

/** Anything a list can hold. */
interface Listed {
  /** Its definition as JSON text. */
  readonly advertised: string;
}

/**
 * Writes the results of one list method. A cursor names the last item of its page, so a list that changes between two
 * pages neither repeats nor loses what stayed. The text of an unpaged list is made once and kept while the list is the
 * same.
 */
export class ListPages<Item extends Listed> {
  readonly #member: string;
  readonly #pageSize: number;
  readonly #keyOf: (item: Item) => string;
  readonly #textOf: (item: Item) => string;
  #items: readonly Item[] | undefined;
  #text: Uint8Array = new Uint8Array(0);

  /**
   * @param member the name of the array in the result
   * @param pageSize items on one page; 0: all on one
   * @param textOf an item's definition as JSON text
   */
  constructor(
    member: string,
    pageSize: number,
    keyOf: (item: Item) => string,
    textOf: (item: Item) => string = (item) => item.advertised,
  ) {
    this.#member = member;
    this.#pageSize = pageSize;
    this.#keyOf = keyOf;
    this.#textOf = textOf;
  }

  /**
   * @param meta the text of the result's `_meta`, where it has one
   * @returns the result as JSON text; undefined for a cursor that was not given out here
   */
  read(items: readonly Item[], cursor: unknown, meta?: string): Uint8Array | undefined {
    if (cursor === undefined && this.#pageSize === 0 && meta === undefined) return this.#whole(items);
    const from = cursor === undefined ? 0 : this.#positionAfter(items, cursor);
    if (from === undefined) return undefined;
    const size = this.#pageSize === 0 ? items.length : this.#pageSize;
    const page = items.slice(from, from + size);
    const last = page.at(-1);
    const isLast = last === undefined || from + size >= items.length;
    const next = isLast ? '' : `,"nextCursor":${JSON.stringify(`${CURSOR}${this.#keyOf(last)}`)}`;
    return this.#write(page, `${next}${meta === undefined ? '' : `,"_meta":${meta}`}`);
  }

  #whole(items: readonly Item[]): Uint8Array {
    if (this.#items !== items) {
      this.#text = this.#write(items, '');
      this.#items = items;
    }
    return this.#text;
  }

  #write(items: readonly Item[], tail: string): Uint8Array {
    return encodeText(`{"${this.#member}":[${items.map(this.#textOf).join(',')}]${tail}}`);
  }

  #positionAfter(items: readonly Item[], cursor: unknown): number | undefined {
    if (typeof cursor !== 'string' || !cursor.startsWith(CURSOR)) return undefined;
    const key = cursor.slice(CURSOR.length);
    const at = items.findIndex((item) => this.#keyOf(item) === key);
    return at < 0 ? undefined : at + 1;
  }
}
