/** What the processes of an upstream wrote down: the other side of every measurement. */
import { existsSync, readFileSync } from 'node:fs';

/** One entry, see hostile-upstream.mjs. */
export interface Entry {
  /** The machine's monotonic clock, the same for every process. */
  readonly atMs: number;
  readonly pid: number;
  readonly event: string;
  readonly id?: unknown;
  readonly method?: string;
  readonly tag?: string;
  readonly behave?: string;
  readonly text?: string;
  readonly error?: { readonly code: number };
  readonly requestId?: unknown;
  readonly grandchild?: number;
}

/** The machine's monotonic clock in milliseconds, as the journals have it. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export class Journal {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  entries(): Entry[] {
    return this.#lines().map((line) => JSON.parse(line) as Entry);
  }

  /** Entries of one event, and of one method where it is named. */
  of(event: string, method?: string): Entry[] {
    return this.entries().filter((entry) => entry.event === event && (method === undefined || entry.method === method));
  }

  /** The process that started last; 0 before any did. */
  get pid(): number {
    return this.of('start').at(-1)?.pid ?? 0;
  }

  /** Tags of calls that reached the upstream more than once: each is a call that may have run twice. */
  repeatedTags(): string[] {
    const tags = this.of('received', 'tools/call').map(({ tag }) => tag ?? '');
    return [...new Set(tags.filter((tag, at) => tags.indexOf(tag) !== at))];
  }

  tail(count: number): string[] {
    return this.#lines().slice(-count);
  }

  /** Whole lines only: the last one may still be in writing. */
  #lines(): string[] {
    if (!existsSync(this.path)) return [];
    return readFileSync(this.path, 'utf8').split('\n').slice(0, -1);
  }
}
