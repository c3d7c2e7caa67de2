/**
 * JSON whose numbers keep every digit. Doubles hold most numbers people write; for the rest the parser yields an
 * `ExactNumber`, which remembers the token as it was written. Nothing here recurses: depth is bounded by a count.
 */

const MAX_DEPTH = 512;
/** A number of so many significant digits always survives a trip through a double. */
const SAFE_DIGITS = 15;
/** The shortest form of a double never has more. */
const MAX_DOUBLE_DIGITS = 17;
const NUMBER_TOKEN = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Beyond this an exponent no longer tells numbers apart: it is held at the bound. */
const MAX_EXPONENT = 1e15;

/** Whether any was ever made in this process: most never see one. */
let hasMadeExactNumber = false;

/** A JSON number that a double cannot hold. Opaque: it is neither a number nor to be looked into as an object. */
export class ExactNumber {
  /** The token, digit for digit. */
  readonly text: string;
  #decimal: Decimal | undefined;

  /**
   * @param decimal the number taken apart, by whoever has already checked the text
   * @throws {SyntaxError} where `text` is no JSON number
   */
  constructor(text: string, decimal?: Decimal) {
    if (decimal === undefined && !NUMBER_TOKEN.test(text)) throw new SyntaxError('not a JSON number');
    this.text = text;
    this.#decimal = decimal;
    hasMadeExactNumber = true;
    Object.freeze(this);
  }

  /** The number taken apart. */
  get decimal(): Decimal {
    this.#decimal ??= decimalOfToken(this.text);
    return this.#decimal;
  }

  toString(): string {
    return this.text;
  }

  /** A stray JSON.stringify keeps the digits, though as a string; `stringifyJson` writes the number. */
  toJSON(): string {
    return this.text;
  }
}

/** A number as sign, digits and power of ten: 12.50 is { digits: '125', exponent: -1 }. Zero has no digits. */
export interface Decimal {
  readonly negative: boolean;
  /** Without leading or trailing zeros. */
  readonly digits: string;
  readonly exponent: number;
}

/** Takes a number apart, exactly. A double stands for its shortest decimal form. */
export function decimalOf(number: number | ExactNumber): Decimal {
  return typeof number === 'number' ? decimalOfToken(String(number)) : number.decimal;
}

function decimalOfToken(token: string): Decimal {
  const negative = token.charCodeAt(0) === 45;
  const exponentAt = token.search(/[eE]/);
  const mantissaEnd = exponentAt < 0 ? token.length : exponentAt;
  const mantissa = token.slice(negative ? 1 : 0, mantissaEnd);
  const point = mantissa.indexOf('.');
  const raw = point < 0 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1);
  let start = 0;
  while (raw.charCodeAt(start) === 48) start += 1;
  let end = raw.length;
  while (end > start && raw.charCodeAt(end - 1) === 48) end -= 1;
  if (start === end) return { negative: false, digits: '', exponent: 0 };
  const written = exponentAt < 0 ? 0 : Number(token.slice(exponentAt + 1));
  const fraction = point < 0 ? 0 : mantissa.length - point - 1;
  const exponent = clamp(written) - fraction + (raw.length - end);
  return { negative, digits: raw.slice(start, end), exponent };
}

function clamp(exponent: number): number {
  return Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, exponent));
}

/** The number a token denotes: plain where a double's shortest form denotes the same value, else an `ExactNumber`. */
export function numberOfToken(token: string): number | ExactNumber {
  const written = decimalOfToken(token);
  if (written.digits.length > MAX_DOUBLE_DIGITS) return new ExactNumber(token, written);
  const double = Number(token);
  if (!Number.isFinite(double)) return new ExactNumber(token, written);
  const held = decimalOfToken(String(double));
  const isSame = written.digits === held.digits && written.exponent === held.exponent;
  return isSame ? double : new ExactNumber(token, written);
}

/** What one pass over JSON text finds out without parsing it. */
export interface JsonScan {
  /** A number that native parsing might change: over 15 digits as an integer, any exponent, a decimal it would round. */
  readonly risky: boolean;
  /** Offset at which the nesting first went deeper than asked for; -1 where it never did. */
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
  if (significant <= SAFE_DIGITS) return false;
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
  const { risky, tooDeepAt } = scanJson(text, options.maxDepth);
  if (risky || tooDeepAt >= 0) return parseExactJson(text, options);
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
    if (!NUMBER_TOKEN.test(token)) this.#fail('bad number');
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

/**
 * Writes a value as JSON.stringify does, but each `ExactNumber` as the number it is, digit for digit.
 *
 * @param indent spaces a level; absent for one line
 */
export function stringifyJson(value: unknown, indent?: number): string {
  if (!mayHoldExactNumber(value)) return JSON.stringify(value, undefined, indent) ?? 'null';
  return writeJson(value, { step: ' '.repeat(indent ?? 0), margin: '' }) ?? 'null';
}

/** Deeper than this a value is taken to hold one: whoever asks must not be led into endless circles. */
const MAX_LOOK_DEPTH = 1_000;

/** Whether an `ExactNumber` may be anywhere inside. Costs nothing as long as this process has never made one. */
export function mayHoldExactNumber(value: unknown): boolean {
  return hasMadeExactNumber && lookForExactNumber(value, 0);
}

function lookForExactNumber(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof ExactNumber || depth > MAX_LOOK_DEPTH) return true;
  for (const key in value) {
    if (lookForExactNumber((value as Record<string, unknown>)[key], depth + 1)) return true;
  }
  return false;
}

interface Layout {
  readonly step: string;
  readonly margin: string;
}

/** @returns undefined for what JSON cannot say, as JSON.stringify does */
function writeJson(value: unknown, { step, margin }: Layout): string | undefined {
  if (value instanceof ExactNumber) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if ('toJSON' in value && typeof value.toJSON === 'function') return JSON.stringify(value);
  const inner = { step, margin: margin + step };
  const isArray = Array.isArray(value);
  const parts: string[] = [];
  for (const key of Object.keys(value)) {
    const part = writeJson((value as Record<string, unknown>)[key], inner);
    if (isArray) parts.push(part ?? 'null');
    else if (part !== undefined) parts.push(`${JSON.stringify(key)}:${step === '' ? '' : ' '}${part}`);
  }
  const [open, close] = isArray ? '[]' : '{}';
  if (parts.length === 0) return `${open}${close}`;
  if (step === '') return `${open}${parts.join(',')}${close}`;
  return `${open}\n${inner.margin}${parts.join(`,\n${inner.margin}`)}\n${margin}${close}`;
}
