import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import {
  DoorError,
  decodeText,
  ExactNumber,
  encodeText,
  JsonScanner,
  type JsonSlice,
  parseJson,
} from '../../base/index.js';

/** What goes along with a request and is no part of what it asks for; a retry differs in these alone. */
const BESIDE = new Set(['_meta', 'requestState', 'inputResponses']);

/** Of the members of a call only these say what it asks for. */
const OF_CALL = new Set(['name', 'arguments']);
/** What is larger is taken as it was written: to read it would hold everybody else up, for half a second a megabyte. */
const READ_UP_TO = 1024 * 1024;

const scanner = new JsonScanner({ nestingLimit: 10_000 });

/**
 * One text for what a request asks for: neither white space nor the order of members makes another, every digit does.
 * In what is over a megabyte they do: a client that comes back writes the same object once more, in the same way.
 *
 * @param params the text of the request's `params`, whose grammar is known to be good
 * @throws {DoorError} INVALID_ARGUMENTS where it is nested too deeply to be read
 */
export function digestOfRequest(method: string, params: JsonSlice): string {
  return params.end - params.start > READ_UP_TO ? digestAsWritten(method, params) : digestOfMeaning(method, params);
}

function digestAsWritten(method: string, { bytes, start, end }: JsonSlice): string {
  if (!scanner.scan(bytes, start, end)) throw new DoorError('INVALID_ARGUMENTS', 'params are nested too deeply');
  const isOfIt = (name: string): boolean => (method === 'tools/call' ? OF_CALL.has(name) : !BESIDE.has(name));
  const members: { readonly name: string; readonly value: Uint8Array }[] = [];
  for (let at = 0; at < scanner.count; at++) {
    if (scanner.level[at] !== 1) continue;
    const name = JSON.parse(decodeText(bytes, scanner.nameStart[at]!, scanner.nameEnd[at]!)) as string;
    const value = bytes.subarray(scanner.valueStart[at]!, scanner.valueEnd[at]!);
    if (isOfIt(name)) members.push({ name, value });
  }
  const hash = sha256.create().update(encodeText(JSON.stringify(method)));
  for (const { name, value } of members.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    hash.update(encodeText(`,${JSON.stringify(name)}:`)).update(value);
  }
  return bytesToHex(hash.digest());
}

function digestOfMeaning(method: string, { bytes, start, end }: JsonSlice): string {
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
