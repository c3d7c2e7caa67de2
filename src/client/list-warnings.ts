import type { DoorEvents } from '../base/index.js';

/** One thing that is odd about a list, or about something in it. */
export type ListWarning = Omit<DoorEvents['server.warning'], 'upstream'>;

/** Tells what is odd about lists where it is news, not each time that a list is read. */
export class ListWarnings {
  readonly #tell: (warning: ListWarning) => void;
  /** By list: what was odd when it was read last. */
  readonly #told = new Map<string, ReadonlySet<string>>();

  constructor(tell: (warning: ListWarning) => void) {
    this.#tell = tell;
  }

  /** Reads a list. @param read is given what hears of all that is odd about it */
  async during<List>(list: string, read: (warn: (warning: ListWarning) => void) => Promise<List>): Promise<List> {
    const before = this.#told.get(list) ?? new Set();
    const now = new Set<string>();
    const warn = (warning: ListWarning): void => {
      const text = JSON.stringify(warning);
      if (!before.has(text) && !now.has(text)) this.#tell(warning);
      now.add(text);
    };
    let isWhole = false;
    try {
      const result = await read(warn);
      isWhole = true;
      return result;
    } finally {
      // Of a list that broke off nothing is known to be mended; to keep both would have no bound.
      if (isWhole || now.size > before.size) this.#told.set(list, now);
    }
  }
}
