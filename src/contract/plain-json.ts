import { joinPointer } from '../schema/index.js';
import { contractInvalid } from './contract-invalid.js';

/** As deep as the arguments of a call may be. */
const MAX_DEPTH = 512;

/**
 * Holds that a value goes into JSON and comes out the same, so that what is listed, printed and documented is one thing: no
 * dates, functions, big integers or circles, nothing that throws when it is read. Members that are undefined are left out.
 *
 * @param where names the tool, for messages
 * @throws {DoorError} CONTRACT_INVALID
 */
export function holdPlainJson(value: unknown, where: string, path: string): void {
  hold(value, { where, path, above: [] });
}

interface Place {
  readonly where: string;
  readonly path: string;
  readonly above: readonly unknown[];
}

function hold(value: unknown, { where, path, above }: Place): void {
  const refuse = (problem: string): Error => contractInvalid(where, path, problem, 'Use what JSON has.');
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return;
  if (typeof value === 'number' && Number.isFinite(value)) return;
  if (typeof value !== 'object') throw refuse(`is ${String(typeof value)}, which JSON has not`);
  if (above.includes(value)) throw refuse('leads back to itself');
  if (above.length >= MAX_DEPTH) throw refuse(`is nested deeper than ${MAX_DEPTH}`);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) {
    throw refuse('is an object of a class, which JSON has not');
  }
  for (const name of Object.keys(value)) {
    const at = joinPointer(path, name);
    let member: unknown;
    try {
      member = (value as Readonly<Record<string, unknown>>)[name];
    } catch {
      throw contractInvalid(where, at, 'throws when it is read', 'Use what JSON has.');
    }
    if (member !== undefined) hold(member, { where, path: at, above: [...above, value] });
  }
}

/** @throws {DoorError} CONTRACT_INVALID where it is there and is no list of texts */
export function holdTexts(value: unknown, where: string, path: string): void {
  if (value === undefined) return;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return;
  throw contractInvalid(where, path, 'must be a list of texts');
}
