import { distance } from 'fastest-levenshtein';
import { ExactNumber, stringifyJson } from '../base/index.js';

const MAX_SHOWN_LENGTH = 60;
const MAX_LISTED = 20;
/** Longer names and longer lists are not compared: a slip of the finger is in neither. */
const MAX_COMPARED_LENGTH = 64;
const MAX_COMPARED = 200;

/** The type of a value, as issues name what was received. */
export function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return value instanceof ExactNumber ? 'number' : typeof value;
}

/** A value as JSON, cut to a length that fits into a line. */
export function showValue(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_SHOWN_LENGTH)) : stringifyJson(value);
  const isWhole = text.length <= MAX_SHOWN_LENGTH && (typeof value !== 'string' || value.length < MAX_SHOWN_LENGTH);
  return isWhole ? text : `${text.slice(0, MAX_SHOWN_LENGTH)}…`;
}

/** `"a", "b" or "c"`; of a long list the beginning and how many more there are. */
export function listValues(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_LISTED).map(showValue);
  if (values.length > MAX_LISTED) return `${shown.join(', ')} or ${values.length - MAX_LISTED} more`;
  return joinWords(shown);
}

/** `a`, `a or b`, `a, b or c` */
export function joinWords(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}

/** `1 item`, `2 items` */
export function count(amount: number, noun: string): string {
  return `${amount} ${amount === 1 ? noun : noun.replace(/y$/, 'ie')}${amount === 1 ? '' : 's'}`;
}

/** Finds what was probably meant: the candidate nearest to a name, if it is near at all. */
export function findNearest(name: unknown, candidates: Iterable<unknown>): string | undefined {
  if (typeof name !== 'string' || name.length > MAX_COMPARED_LENGTH) return undefined;
  const lowerCase = name.toLowerCase();
  let nearest: string | undefined;
  // One slip for three characters begun: beyond that it is another word, and so it is where no character is left.
  let least = Math.min(Math.ceil(name.length / 3) + 1, name.length);
  let compared = 0;
  for (const candidate of candidates) {
    compared += 1;
    if (compared > MAX_COMPARED) break;
    if (typeof candidate !== 'string' || Math.abs(candidate.length - name.length) >= least) continue;
    const isSame = candidate.length === name.length && candidate.toLowerCase() === lowerCase;
    const steps = isSame ? 0 : distance(candidate, name);
    if (steps >= least) continue;
    least = steps;
    nearest = candidate;
  }
  return nearest;
}
