import { BACKSLASH, COLON, COMMA, decodeText, QUOTE, SPACE } from '../base/index.js';

/** Ids and method names are short; a longer token is not worth keeping. */
const MAX_TOKEN = 256;

/**
 * Reads, in passing, the `id` and `method` of a message too large to keep, so that the one call it belongs to can be
 * failed by name. Knows no more of JSON than strings, depth and the root's members; works on any chunking.
 */
export class OversizeLine {
  /** Bytes read. */
  length = 0;
  /** The JSON token of the root's `id`: a string or a number, `null` where it is anything else; undefined without one. */
  id: string | undefined;
  /** The root's `method` as it is spelled; '' where it is no short string. */
  method: string | undefined;
  /** The root is an array: several messages at once, none of which is read. */
  isBatch = false;

  #hasRoot = false;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The root's token being read: its text so far, and whether it is a value. */
  #token: number[] = [];
  #name = '';
  #isValue = false;

  read(piece: Uint8Array): void {
    this.length += piece.length;
    for (let i = 0; i < piece.length; i++) {
      const c = piece[i]!;
      if (this.#isInString) {
        if (this.#depth === 1) this.#keep(c);
        if (this.#isEscaped) this.#isEscaped = false;
        else if (c === BACKSLASH) this.#isEscaped = true;
        else if (c === QUOTE) this.#isInString = false;
      } else if (c === QUOTE) {
        this.#isInString = true;
        if (this.#depth === 1) this.#keep(c);
      } else if (c === 0x7b || c === 0x5b) {
        if (!this.#hasRoot) this.isBatch = c === 0x5b;
        this.#hasRoot = true;
        this.#depth++;
      } else if (c === 0x7d || c === 0x5d) {
        if (this.#depth === 1) this.#endToken();
        this.#depth--;
      } else if (this.#depth === 1) this.#readRoot(c);
    }
  }

  #readRoot(c: number): void {
    if (c === COLON) {
      this.#name = this.#takeToken();
      this.#isValue = true;
    } else if (c === COMMA) this.#endToken();
    else if (c > SPACE) this.#keep(c);
    // A blank inside keeps two tokens from reading as one; there is nothing to part at the beginning.
    else if (this.#token.length > 0 && this.#token.at(-1) !== SPACE) this.#keep(SPACE);
  }

  #endToken(): void {
    const token = this.#takeToken();
    if (this.#isValue) {
      if (this.#name === '"id"') this.id = isId(token) ? token : 'null';
      if (this.#name === '"method"') this.method = token.slice(1, -1);
    }
    this.#isValue = false;
  }

  #keep(c: number): void {
    if (this.#token.length <= MAX_TOKEN) this.#token.push(c);
  }

  #takeToken(): string {
    const token = this.#token.length > MAX_TOKEN ? '' : decodeText(Uint8Array.from(this.#token)).trim();
    this.#token = [];
    return token;
  }
}

/** Whether a token may be repeated as an id: the grammar of what was read in passing is not known to be good. */
function isId(token: string): boolean {
  try {
    const value: unknown = JSON.parse(token);
    return typeof value === 'string' || typeof value === 'number';
  } catch {
    return false;
  }
}

/** Reads the `id` and `method` of a whole message that is no good to the scanner. */
export function readInPassing(bytes: Uint8Array, start: number, end: number): Pick<OversizeLine, 'id' | 'method'> {
  const line = new OversizeLine();
  line.read(bytes.subarray(start, end));
  return line;
}

/** The id of what was meant as an answer but is not even JSON, so that nobody need wait for a better one. */
export function answerIdInPassing(bytes: Uint8Array, start: number, end: number): string | undefined {
  if (bytes[start] !== 0x7b) return undefined;
  const { id, method } = readInPassing(bytes, start, end);
  return method === undefined ? id : undefined;
}
