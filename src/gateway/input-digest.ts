import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { DoorError, decodeText, ExactNumber, encodeText, type JsonSlice, parseJson } from '../base/index.js';

/** What goes along with a request and is no part of what it asks for; a retry differs in these alone. */
const BESIDE = new Set(['_meta', 'requestState', 'inputResponses']);

/**
 * One text for what a request asks for: neither white space nor the order of members makes another, every digit does.
 *
 * @param params the text of the request's `params`, whose grammar is known to be good
 * @throws {DoorError} INVALID_ARGUMENTS where it is nested too deeply to be read
 */
export function digestOfRequest(method: string, { bytes, start, end }: JsonSlice): string {
  const params = parse(decodeText(bytes, start, end)) as Readonly<Record<string, unknown>>;
  // A call without arguments is one with none.
  const asked =
    method === 'tools/call'
      ? { name: params.name, arguments: params.arguments ?? {} }
      : Object.fromEntries(Object.entries(params).filter(([name]) => !BESIDE.has(name)));
  return digestOfText(canonicalText([method, asked]));
}

/** SHA-256, hex. */
export function digestOfText(text: string): string {
  return bytesToHex(sha256(encodeText(text)));
}

function parse(text: string): unknown {
  try {
    // How deep arguments may be was the judge's to say.
    return parseJson(text, { maxDepth: Number.POSITIVE_INFINITY });
  } catch (thrown) {
    throw new DoorError('INVALID_ARGUMENTS', `params: ${(thrown as Error).message}`, { cause: thrown });
  }
}

function canonicalText(value: unknown): string {
  try {
    return canonical(value);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw new DoorError('INVALID_ARGUMENTS', 'params are nested too deeply', { cause: thrown });
  }
}

function canonical(value: unknown): string {
  if (value instanceof ExactNumber) return canonicalNumber(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

function canonicalNumber({ decimal: { negative, digits, exponent } }: ExactNumber): string {
  return `${negative ? '-' : ''}${digits}e${exponent}`;
}
