import { encodeText } from '../base/index.js';
import type { CatalogEntry } from '../gateway/index.js';

const CURSOR = 'after:';

/**
 * Writes tools/list results. A cursor names the last tool of its page, so a list that changes between two pages
 * neither repeats nor loses what stayed. The text of an unpaged list is made once and kept while the list is the same.
 */
export class ToolListPages {
  readonly #pageSize: number;
  #entries: readonly CatalogEntry[] | undefined;
  #text: Uint8Array = new Uint8Array(0);

  constructor(pageSize: number) {
    this.#pageSize = pageSize;
  }

  /** @returns the result as JSON text; undefined for a cursor that was not given out here */
  read(entries: readonly CatalogEntry[], cursor: unknown): Uint8Array | undefined {
    if (cursor === undefined && this.#pageSize === 0) return this.#whole(entries);
    const from = cursor === undefined ? 0 : positionAfter(entries, cursor);
    if (from === undefined) return undefined;
    const size = this.#pageSize === 0 ? entries.length : this.#pageSize;
    const page = entries.slice(from, from + size);
    const last = page.at(-1);
    const isLast = last === undefined || from + size >= entries.length;
    const next = isLast ? '' : `,"nextCursor":${JSON.stringify(`${CURSOR}${last.name}`)}`;
    return encodeText(`{"tools":[${page.map((entry) => entry.advertised).join(',')}]${next}}`);
  }

  #whole(entries: readonly CatalogEntry[]): Uint8Array {
    if (this.#entries !== entries) {
      this.#text = encodeText(`{"tools":[${entries.map((entry) => entry.advertised).join(',')}]}`);
      this.#entries = entries;
    }
    return this.#text;
  }
}

function positionAfter(entries: readonly CatalogEntry[], cursor: unknown): number | undefined {
  if (typeof cursor !== 'string' || !cursor.startsWith(CURSOR)) return undefined;
  const name = cursor.slice(CURSOR.length);
  const at = entries.findIndex((entry) => entry.name === name);
  return at < 0 ? undefined : at + 1;
}
