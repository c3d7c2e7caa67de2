import { DEFAULT_LIMITS } from '../../../src/schema/index.js';

/** What a bomb may be answered with: an error code of compiling, `valid`, `invalid`, or `no verdict` where the judge gave up. */
export type BombAnswer = 'SCHEMA_TOO_LARGE' | 'SCHEMA_INVALID' | 'UNRESOLVED_REF' | 'valid' | 'invalid' | 'no verdict';

export interface Bomb {
  readonly name: string;
  readonly answers: readonly BombAnswer[];
  /** JSON texts, made only when the bomb goes off. */
  readonly schema: () => string;
  readonly value?: () => string;
  /** The issue names it: resident memory is bounded as it stands at the answer. Of the others what the heap keeps is. */
  readonly named?: true;
  /** Hands schema and value over as values instead of text. */
  readonly asValues?: true;
  /** Where this pattern is only an annotation, a warning says so; `valid` is an answer only then. */
  readonly warnsAt?: string;
}

export const TOO_LARGE: readonly BombAnswer[] = ['SCHEMA_TOO_LARGE'];
/** Within the bounds a verdict is due, or the judge says that it gave up. */
export const orGaveUp = (answer: BombAnswer): readonly BombAnswer[] => [answer, 'no verdict'];

export const json = (value: unknown): string => JSON.stringify(value);
export const nest = (depth: number, open: string, inner: string, close: string): string =>
  open.repeat(depth) + inner + close.repeat(depth);
export const list = <Item>(count: number, item: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => item(at));
export const members = (count: number, entry: (at: number) => [string, unknown]): object =>
  Object.fromEntries(list(count, entry));

/** The most that the default bounds let through. */
export const MOST_SCHEMAS = DEFAULT_LIMITS.maxSubschemas - 1;
export const MOST_PATTERNS = DEFAULT_LIMITS.maxPatterns;
export const MOST_PROPERTIES = DEFAULT_LIMITS.maxProperties;
