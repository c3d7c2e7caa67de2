/** The bytes of JSON's grammar, by name. */
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const MINUS = 0x2d;
export const PLUS = 0x2b;
export const DOT = 0x2e;
export const ZERO = 0x30;
export const NINE = 0x39;
export const SPACE = 0x20;
export const LINE_FEED = 0x0a;
export const CARRIAGE_RETURN = 0x0d;
export const TAB = 0x09;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function encodeText(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Decodes UTF-8. Invalid sequences become U+FFFD, so text that is forwarded must be checked first (the scanner does). */
export function decodeText(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return decoder.decode(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end));
}

/**
 * Checks one multi-byte UTF-8 sequence (RFC 3629: shortest form, no surrogates, at most U+10FFFF).
 *
 * @returns the index behind it, or -1
 */
export function skipUtf8Sequence(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at]!;
  if (first < 0xc2 || first > 0xf4) return -1;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (at + length > end) return -1;
  const second = bytes[at + 1]!;
  if ((second & 0xc0) !== 0x80) return -1;
  if (first === 0xe0 && second < 0xa0) return -1;
  if (first === 0xed && second > 0x9f) return -1;
  if (first === 0xf0 && second < 0x90) return -1;
  if (first === 0xf4 && second > 0x8f) return -1;
  if (length > 2 && (bytes[at + 2]! & 0xc0) !== 0x80) return -1;
  if (length > 3 && (bytes[at + 3]! & 0xc0) !== 0x80) return -1;
  return at + length;
}

/** What a platform can do with bytes at a speed that JavaScript cannot. */
export interface NativeBytes {
  /** Whether all of it is UTF-8 (RFC 3629). */
  readonly isUtf8: (bytes: Uint8Array) => boolean;
  /** Memory of its own that need not be zeroed: all of it is written before it is read. */
  readonly allocate: (length: number) => Uint8Array;
}

let native: NativeBytes | undefined;

/** Lends what the platform has. Without it everything works as well, large texts at half the speed. */
export function useNativeBytes(bytes: NativeBytes): void {
  native = bytes;
}

/** @returns false also where the platform was not asked: then it is for the scanner to look */
export function isUtf8(bytes: Uint8Array): boolean {
  return native?.isUtf8(bytes) ?? false;
}

/** Memory whose bytes are all to be written before any is read. */
export function allocate(length: number): Uint8Array {
  return native?.allocate(length) ?? new Uint8Array(length);
}

/** Whether `bytes[start..end)` spells the ASCII `text`. */
export function spells(bytes: Uint8Array, start: number, end: number, text: string): boolean {
  const length = text.length;
  if (end - start !== length) return false;
  for (let i = 0; i < length; i++) if (bytes[start + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** Where something lies in an array of bytes. */
export interface Span {
  readonly start: number;
  /** Behind its last byte. */
  readonly end: number;
}

/** A copy of an array at another length; what does not fit is cut. */
export function resized<T extends Int32Array | Uint8Array>(array: T, length: number): T {
  const other = new (array.constructor as new (length: number) => T)(length);
  other.set(array.length > length ? array.subarray(0, length) : array);
  return other;
}
