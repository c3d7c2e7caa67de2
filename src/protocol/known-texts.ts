import type { JsonSlice } from '../base/index.js';

const PLACES = 64;
/** Longer texts are rare, and comparing them is no cheaper than reading them. */
const MAX_BYTES = 2_048;
/** So many bytes of a text tell its place, spread over all of it. */
const SAMPLES = 8;

interface Known<Value> {
  readonly bytes: Uint8Array;
  readonly value: Value;
}

/**
 * What was made of texts that keep coming, byte for byte: a program writes the same `_meta` with each of its requests, and
 * comparing it costs a tenth of reading it. Each text has one place, which the last one that fell there holds.
 */
export class KnownTexts<Value> {
  readonly #places = new Array<Known<Value> | undefined>(PLACES).fill(undefined);

  find({ bytes, start, end }: JsonSlice): Value | undefined {
    const known = this.#places[placeOf(bytes, start, end)];
    if (known === undefined || known.bytes.length !== end - start) return undefined;
    for (let i = 0; i < known.bytes.length; i++) if (known.bytes[i] !== bytes[start + i]) return undefined;
    return known.value;
  }

  /** Keeps a copy of the text. */
  add({ bytes, start, end }: JsonSlice, value: Value): void {
    if (end - start > MAX_BYTES) return;
    // Not slice(): a Node Buffer's shares its memory.
    const copy = new Uint8Array(bytes.subarray(start, end));
    this.#places[placeOf(bytes, start, end)] = { bytes: copy, value };
  }
}

function placeOf(bytes: Uint8Array, start: number, end: number): number {
  const step = Math.max(1, ((end - start) / SAMPLES) | 0);
  let hash = end - start;
  for (let at = start + (step >> 1); at < end; at += step) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;
  return hash & (PLACES - 1);
}
