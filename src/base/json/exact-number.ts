const NUMBER_TOKEN = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** The shortest form of a double never has more. */
const MAX_DOUBLE_DIGITS = 17;
/** Beyond this an exponent no longer tells numbers apart: it is held at the bound. */
const MAX_EXPONENT = 1e15;

/** Whether any was ever made in this process: most never see one. */
let hasMadeExactNumber = false;

/** A JSON number that a double cannot hold. Opaque: it is neither a number nor to be looked into as an object. */
export class ExactNumber {
  /** The token, digit for digit. */
  readonly text: string;
  readonly #isPast: boolean;
  #decimal: Decimal | undefined;

  /**
   * @param isPast whether the caller has made sure that `text` is a JSON number, and one that no double holds
   * @throws {SyntaxError} where it is no JSON number
   */
  constructor(text: string, isPast = false) {
    if (!isPast && !NUMBER_TOKEN.test(text)) throw new SyntaxError('not a JSON number');
    this.text = text;
    this.#isPast = isPast;
    hasMadeExactNumber = true;
  }

  /** The same number as a double: of one that was made by hand, or keeps a fraction of zero. */
  get plain(): number | undefined {
    return this.#isPast ? undefined : plainNumberOf(this.text);
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
  const exponentAt = Math.max(token.indexOf('e'), token.indexOf('E'));
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
  return plainNumberOf(token) ?? new ExactNumber(token, true);
}

/** @returns the double whose shortest form denotes the same value; undefined where there is none */
function plainNumberOf(token: string): number | undefined {
  if (hasTooManyDigits(token)) return undefined;
  const double = Number(token);
  const shortest = String(double);
  if (shortest === token) return double;
  if (!Number.isFinite(double)) return undefined;
  const written = decimalOfToken(token);
  const held = decimalOfToken(shortest);
  return written.digits === held.digits && written.exponent === held.exponent ? double : undefined;
}

/** Whether a number has more significant digits than the shortest form of any double. */
function hasTooManyDigits(token: string): boolean {
  let digits = 0;
  let zeros = 0;
  for (let at = 0; at < token.length; at += 1) {
    const code = token.charCodeAt(at);
    if (code === 101 || code === 69) break;
    if (code === 48) zeros += digits > 0 ? 1 : 0;
    else if (code > 48) {
      digits += zeros + 1;
      zeros = 0;
    }
  }
  return digits > MAX_DOUBLE_DIGITS;
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

/** Whether a text is a number as JSON has them. */
export function isNumberToken(text: string): boolean {
  return NUMBER_TOKEN.test(text);
}
