/**
 * JSON whose numbers keep every digit. Doubles hold most numbers people write; for the rest the parser yields an
 * `ExactNumber`, which remembers the token as it was written. Nothing here recurses: depth is bounded by a count.
 */
import { ExactNumber, isNumberToken, numberOfToken } from './exact-number.js';

export {
  type Decimal,
  decimalOf,
  ExactNumber,
  mayHoldExactNumber,
  numberOfToken,
} from './exact-number.js';
export { stringifyJson } from './exact-writer.js';

const MAX_DEPTH = 512;
/** A number of so many significant digits always survives a trip through a double. */
const SAFE_DIGITS = 15;
/** So many characters without an exponent cannot spell a number below 1e-300, where doubles begin to lose digits. */
const SAFE_LENGTH = 300;

/** What one pass over JSON text finds out without parsing it. */
export interface JsonScan {
  /** A number that native parsing might change: over 15 digits as an integer, any exponent, a decimal it would round. */
  readonly risky: boolean;
  /** Offset at which the nesting first went deeper than asked for; -1 where it did not, as far as a risky number. */
  readonly tooDeepAt: number;
}

/** Whether native parsing might change a number of `text`. Linear; strings are skipped; the text need not be valid. */
export function hasRiskyNumber(text: string): boolean {
  return scanJson(text, Number.POSITIVE_INFINITY).risky;
}

/** Looks for risky numbers and for nesting past `maxDepth`. Linear. Bad JSON is left to the parser to find. */
export function scanJson(text: string, maxDepth: number = MAX_DEPTH): JsonScan {
  let risky = false;
  let depth = 0;
  let tooDeepAt = -1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34) at = endOfString(text, at);
    else if (code === 123 || code === 91) {
      depth += 1;
      if (depth > maxDepth && tooDeepAt < 0) tooDeepAt = at;
    } else if (code === 125 || code === 93) depth -= 1;
    else if (code >= 48 && code <= 57) {
      const end = endOfNumber(text, at);
      risky ||= isRiskyToken(text, at, end);
      // Whoever parses exactly will see for themselves how deep it goes.
      if (risky) break;
      at = end - 1;
    }
  }
  return { risky, tooDeepAt };
}

function endOfNumber(text: string, at: number): number {
  let end = at + 1;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    const isPart =
      (code >= 48 && code <= 57) || code === 46 || code === 101 || code === 69 || code === 43 || code === 45;
    if (!isPart) break;
  }
  return end;
}

function isRiskyToken(text: string, start: number, end: number): boolean {
  let significant = 0;
  let hasPoint = false;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 46) hasPoint = true;
    else if (code > 57 || code < 48) return true;
    else if (significant > 0 || code !== 48) significant += 1;
  }
  // Zeros behind the point are not significant, but enough of them take a number below what a double holds.
  if (significant <= SAFE_DIGITS) return significant > 0 && end - start > SAFE_LENGTH;
  // Floats that programs print have up to 17 digits and are their double's shortest form: those are not risky.
  return !hasPoint || String(Number(text.slice(start, end))) !== text.slice(start, end);
}

/** The offset of the quote that ends the string begun at `at`; the text's length where none does. */
function endOfString(text: string, at: number): number {
  for (let quote = text.indexOf('"', at + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let slash = quote - 1;
    while (slash > at && text.charCodeAt(slash) === 92) slash -= 1;
    if ((quote - slash) % 2 === 1) return quote;
  }
  return text.length;
}

/** What a text holds that has a risky number; strings may hold it, too. The platform looks for it much faster than we scan. */
const RISKY_LOOKING = /\d[eE]|\d[\d.]{15}/;

/** Whether a text has a risky number, or may be nested past `maxDepth`. */
function needsCare(text: string, maxDepth: number): boolean {
  if (!RISKY_LOOKING.test(text) && !hasOpenings(text, maxDepth)) return false;
  const { risky, tooDeepAt } = scanJson(text, maxDepth);
  return risky || tooDeepAt >= 0;
}

/** Whether more than `count` arrays and objects may begin in a text: without that many it cannot be nested so deeply. */
function hasOpenings(text: string, count: number): boolean {
  let left = count;
  for (const opening of ['[', '{']) {
    for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, at + 1)) {
      left -= 1;
      if (left < 0) return true;
    }
  }
  return false;
}

export interface ParseOptions {
  /** Arrays and objects inside each other; the root counts as one. Default 512. */
  readonly maxDepth?: number;
  /** Yields an `ExactNumber` also for 1.0 and 1e2, so that they can be told from 1 and 100. Exact parsing only. */
  readonly keepFractions?: boolean;
}

/**
 * Parses JSON text; every digit survives. Native where no number is at risk, so the usual price is one scan.
 *
 * @throws {SyntaxError} for bad JSON or nesting past `maxDepth`, with the offset in the message
 */
export function parseJson(text: string, options: ParseOptions = {}): unknown {
  if (needsCare(text, options.maxDepth ?? MAX_DEPTH)) return parseExactJson(text, options);
  try {
    return JSON.parse(text);
  } catch (thrown) {
    // The platform words its errors differently from version to version; ours always has the offset.
    const [, offset] = /at position (\d+)/.exec((thrown as Error).message) ?? [];
    if (offset !== undefined) throw syntaxError(text, Number(offset));
    return parseExactJson(text, options);
  }
}

/**
 * Parses JSON text without the native parser: numbers that a double cannot hold become `ExactNumber`. Keys are own
 * properties, `__proto__` included; the last of two equal keys wins, as natively.
 *
 * @throws {SyntaxError} for bad JSON or nesting past `maxDepth`, with the offset in the message
 */
export function parseExactJson(text: string, options: ParseOptions = {}): unknown {
  return new ExactParser(text, options).parse();
}

type Container = unknown[] | Record<string, unknown>;

/** Stands for "no value yet: the parser has gone one level down". */
const OPENED = Symbol('opened');

/** One parse. `open` holds the arrays and objects begun and not yet ended; `keys` the member each of them is at. */
class ExactParser {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #keepFractions: boolean;
  readonly #open: Container[] = [];
  readonly #keys: string[] = [];
  #at = 0;

  constructor(text: string, { maxDepth = MAX_DEPTH, keepFractions = false }: ParseOptions) {
    this.#text = text;
    this.#maxDepth = maxDepth;
    this.#keepFractions = keepFractions;
  }

  parse(): unknown {
    for (;;) {
      let value = this.#begin();
      while (value !== OPENED) {
        const parent = this.#open.at(-1);
        if (parent === undefined) return this.#finish(value);
        put(parent, this.#keys.at(-1)!, value);
        value = this.#goOn(parent);
      }
    }
  }

  /** Reads a scalar or an empty container whole; of any other container only what comes before its first value. */
  #begin(): unknown {
    const code = this.#peek();
    if (code === 123) return this.#beginContainer({}, 125);
    if (code === 91) return this.#beginContainer([], 93);
    if (code === 34) return this.#string();
    if (code === 45 || (code >= 48 && code <= 57)) return this.#number();
    if (code === 116) return this.#word('true', true);
    if (code === 102) return this.#word('false', false);
    if (code === 110) return this.#word('null', null);
    return this.#fail();
  }

  #beginContainer(container: Container, closer: number): unknown {
    if (this.#open.length >= this.#maxDepth) {
      throw new SyntaxError(`JSON is nested deeper than ${this.#maxDepth} at offset ${this.#at}`);
    }
    this.#at += 1;
    if (this.#peek() === closer) {
      this.#at += 1;
      return container;
    }
    this.#open.push(container);
    this.#keys.push(closer === 125 ? this.#key() : '');
    return OPENED;
  }

  /** After a value: the next one of the same container is due, or the container is itself a value now. */
  #goOn(parent: Container): unknown {
    const isArray = Array.isArray(parent);
    const code = this.#peek();
    if (code === 44) {
      this.#at += 1;
      if (!isArray) this.#keys[this.#keys.length - 1] = this.#key();
      return OPENED;
    }
    if (code !== (isArray ? 93 : 125)) this.#fail();
    this.#at += 1;
    this.#keys.pop();
    return this.#open.pop();
  }

  #finish(value: unknown): unknown {
    if (!Number.isNaN(this.#peek())) this.#fail();
    return value;
  }

  #key(): string {
    if (this.#peek() !== 34) this.#fail();
    const key = this.#string();
    if (this.#peek() !== 58) this.#fail();
    this.#at += 1;
    return key;
  }

  #string(): string {
    const start = this.#at;
    const end = endOfString(this.#text, start);
    this.#at = end + 1;
    const text = this.#text.slice(start, this.#at);
    if (end < this.#text.length && !/[\\\u0000-\u001f]/.test(text)) return text.slice(1, -1);
    try {
      // Escapes and control characters are the native parser's to judge; a string holds no number.
      return JSON.parse(text) as string;
    } catch {
      this.#at = start;
      return this.#fail('bad string');
    }
  }

  #number(): number | ExactNumber {
    const start = this.#at;
    const end = endOfNumber(this.#text, start);
    const token = this.#text.slice(start, end);
    if (!isNumberToken(token)) this.#fail('bad number');
    this.#at = end;
    const number = token.length <= SAFE_DIGITS && !/[eE]/.test(token) ? Number(token) : numberOfToken(token);
    const isPlainInteger = Number.isInteger(number) && /[.eE]/.test(token);
    return this.#keepFractions && isPlainInteger ? new ExactNumber(token) : number;
  }

  #word<Value>(word: string, value: Value): Value {
    if (!this.#text.startsWith(word, this.#at)) this.#fail();
    this.#at += word.length;
    return value;
  }

  /** Skips white space. @returns the code of the character there; NaN at the end */
  #peek(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return code;
      this.#at += 1;
    }
  }

  #fail(what?: string): never {
    throw syntaxError(this.#text, this.#at, what);
  }
}

function syntaxError(text: string, offset: number, what = 'unexpected character'): SyntaxError {
  const reason = offset >= text.length ? 'JSON text ends too early' : what;
  return new SyntaxError(`${reason} at offset ${Math.min(offset, text.length)}`);
}

function put(parent: Container, key: string, value: unknown): void {
  if (Array.isArray(parent)) parent.push(value);
  else if (key === '__proto__') {
    // Plain assignment would set the prototype instead of an own property.
    Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true });
  } else parent[key] = value;
}
