import { decodeText, encodeText, hashOfName, type TokenList } from '../base/index.js';

/** Kinds of value as bits, told by the first byte of their text. */
const STRING = 1;
const NUMBER = 2;
const OBJECT = 4;
const ARRAY = 8;
const BOOLEAN = 16;
const NULL = 32;
const ANY = 63;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;

const KINDS = new Uint8Array(256).map((_, byte) => {
  const character = String.fromCharCode(byte);
  if (character === '"') return STRING;
  if (character === '{') return OBJECT;
  if (character === '[') return ARRAY;
  if (character === 't' || character === 'f') return BOOLEAN;
  return character === 'n' ? NULL : NUMBER;
});
const KINDS_OF_TYPE: Readonly<Record<string, number>> = {
  string: STRING,
  number: NUMBER,
  integer: NUMBER,
  object: OBJECT,
  array: ARRAY,
  boolean: BOOLEAN,
  null: NULL,
};

/** The longest way to write one character: a surrogate pair as two escapes. */
const MAX_BYTES_PER_CHARACTER = 12;
/** Up to this length a string is put together by hand: handing so few bytes to a decoder costs more. */
const SHORT_STRING = 24;
const POWERS = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);
/** Of a number with more digits than a double surely holds only this is known, relative to it. */
const SLACK = 1e-12;

export type StringTest = (text: string) => boolean;

/** A value in a scanned text: its tokens, and the bytes they are of. */
export interface TextValue {
  readonly bytes: Uint8Array;
  readonly tokens: TokenList;
}

export interface ObjectLimits {
  readonly properties: readonly PropertyRule[];
  /** No two have the same hash. */
  readonly byHash: ReadonlyMap<number, PropertyRule>;
  /** What all other members must be. */
  readonly others: TextRule;
  readonly min: number;
  readonly max: number;
}

export interface ArrayLimits {
  readonly first: readonly TextRule[];
  readonly items: TextRule;
  readonly min: number;
  readonly max: number;
}

export interface StringLimits {
  readonly min: number;
  readonly max: number;
  readonly test: StringTest | undefined;
}

export interface NumberLimits {
  readonly isInteger: boolean;
  readonly hasBounds: boolean;
  readonly minimum: number;
  readonly maximum: number;
  readonly exclusiveMinimum: number;
  readonly exclusiveMaximum: number;
}

/** What a schema says of the text of a value, as far as that can be told without parsing it. */
export interface TextLimits {
  readonly types: readonly string[] | undefined;
  /** JSON texts, one of which it must be. */
  readonly texts: readonly Uint8Array[] | undefined;
  readonly string: StringLimits | undefined;
  readonly number: NumberLimits | undefined;
  readonly array: ArrayLimits | undefined;
  readonly object: ObjectLimits | undefined;
  /** All of these must accept it, and one of each of those. */
  readonly all: readonly TextRule[];
  readonly any: readonly (readonly TextRule[])[];
}

/** One named member. */
export class PropertyRule {
  readonly hash: number;
  readonly rule: TextRule;
  readonly isRequired: boolean;
  /** Among the properties of its object. */
  readonly place: number;
  readonly #name: Uint8Array;

  constructor(name: string, rule: TextRule, isRequired: boolean, place: number) {
    this.#name = encodeText(name);
    this.place = place;
    this.hash = hashOfName(this.#name);
    this.rule = rule;
    this.isRequired = isRequired;
  }

  /** Whether the name that begins at `at`, with its quote, is this one. */
  isNamed(bytes: Uint8Array, at: number): boolean {
    return isTextAt(bytes, at + 1, this.#name) && bytes[at + 1 + this.#name.length] === QUOTE;
  }
}

/**
 * Accepts values from their tokens, without parsing them. It accepts nothing that the schema does not; what it does not
 * accept may still be valid, and is to be parsed and judged.
 */
export class TextRule {
  /** Whether it accepts everything. */
  readonly isAny: boolean;
  readonly #kinds: number;
  readonly #limits: TextLimits;
  readonly #string: StringLimits | undefined;
  readonly #number: NumberLimits | undefined;
  readonly #array: ArrayLimits | undefined;
  readonly #object: ObjectLimits | undefined;
  readonly #required: number;
  readonly #hasMore: boolean;

  constructor(limits: TextLimits) {
    const { types, texts, string, number, array, object, all, any } = limits;
    this.#limits = limits;
    this.#kinds = types === undefined ? ANY : types.reduce((kinds, type) => kinds | (KINDS_OF_TYPE[type] ?? 0), 0);
    this.#string = string;
    this.#number = number;
    this.#array = array;
    this.#object = object;
    this.#required = object?.properties.filter((property) => property.isRequired).length ?? 0;
    this.#hasMore = texts !== undefined || all.length > 0 || any.length > 0;
    this.isAny = this.#kinds === ANY && !this.#hasMore && !string && !number && !array && !object;
  }

  accepts(value: TextValue, token: number): boolean {
    const { bytes, tokens } = value;
    const start = tokens.start[token]!;
    const kind = KINDS[bytes[start]!]!;
    if ((kind & this.#kinds) === 0) return false;
    if (this.#hasMore && !this.#acceptsMore(value, token)) return false;
    switch (kind) {
      case STRING:
        return this.#string === undefined || acceptsString(bytes, start, tokens.more[token]!, this.#string);
      case NUMBER:
        return this.#number === undefined || acceptsNumber(bytes, start, tokens.more[token]!, this.#number);
      case ARRAY:
        return this.#array === undefined || acceptsArray(value, token, this.#array);
      case OBJECT:
        return this.#object === undefined || this.#acceptsObject(value, token, this.#object);
      default:
        return true;
    }
  }

  #acceptsMore(value: TextValue, token: number): boolean {
    const { texts, all, any } = this.#limits;
    if (texts !== undefined && !isOneOf(value, token, texts)) return false;
    for (const rule of all) if (!rule.accepts(value, token)) return false;
    for (const rules of any) if (!acceptsAny(value, token, rules)) return false;
    return true;
  }

  #acceptsObject(value: TextValue, token: number, { properties, byHash, others, min, max }: ObjectLimits): boolean {
    const { bytes } = value;
    const { start, more } = value.tokens;
    const end = more[token]!;
    let members = 0;
    let required = 0;
    let expected = 0;
    for (let name = token + 1; name < end; members++) {
      const at = start[name]!;
      const hash = more[name]!;
      let property = properties[expected];
      if (property === undefined || property.hash !== hash || !property.isNamed(bytes, at)) {
        property = byHash.get(hash);
        if (property !== undefined && !property.isNamed(bytes, at)) property = undefined;
      }
      let rule = others;
      if (property !== undefined) {
        rule = property.rule;
        // The scanner has seen to it that no name comes twice.
        if (property.isRequired) required++;
        // Members come in the order of the schema more often than not.
        expected = property.place + 1;
      }
      if (!rule.isAny && !rule.accepts(value, name + 1)) return false;
      const kind = KINDS[bytes[start[name + 1]!]!]!;
      name = kind === OBJECT || kind === ARRAY ? more[name + 1]! : name + 2;
    }
    return required === this.#required && members >= min && members <= max;
  }
}

function acceptsAny(value: TextValue, token: number, rules: readonly TextRule[]): boolean {
  for (const rule of rules) if (rule.accepts(value, token)) return true;
  return false;
}

function tokenBehind({ bytes, tokens }: TextValue, token: number): number {
  const kind = KINDS[bytes[tokens.start[token]!]!]!;
  return kind === OBJECT || kind === ARRAY ? tokens.more[token]! : token + 1;
}

function acceptsArray(value: TextValue, token: number, { first, items, min, max }: ArrayLimits): boolean {
  const end = value.tokens.more[token]!;
  let length = 0;
  for (let item = token + 1; item < end; length++) {
    const rule = length < first.length ? first[length]! : items;
    if (!rule.isAny && !rule.accepts(value, item)) return false;
    item = tokenBehind(value, item);
  }
  return length >= min && length <= max;
}

function isOneOf({ bytes, tokens }: TextValue, token: number, texts: readonly Uint8Array[]): boolean {
  const start = tokens.start[token]!;
  const kind = KINDS[bytes[start]!]!;
  if (kind === OBJECT || kind === ARRAY) return false;
  const length = tokens.more[token]! - start;
  for (const text of texts) if (text.length === length && isTextAt(bytes, start, text)) return true;
  return false;
}

function isTextAt(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
  return true;
}

function acceptsString(bytes: Uint8Array, start: number, end: number, { min, max, test }: StringLimits): boolean {
  const length = end - start - 2;
  // Nearly always the number of bytes alone says enough about the number of characters.
  if (length > max || length < min * MAX_BYTES_PER_CHARACTER) {
    const characters = countCharacters(bytes, start, end);
    if (characters < min || characters > max) return false;
  }
  return test === undefined || test(readText(bytes, start, end));
}

/** Characters, not units. @returns -1, which is none, where there are escapes and that is not worth the trouble */
function countCharacters(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let i = start + 1; i < end - 1; i++) {
    const byte = bytes[i]!;
    if (byte === BACKSLASH) return -1;
    // All but the bytes that go on with a sequence.
    if ((byte & 0xc0) !== 0x80) count++;
  }
  return count;
}

function readText(bytes: Uint8Array, start: number, end: number): string {
  if (end - start - 2 <= SHORT_STRING) {
    let text = '';
    let i = start + 1;
    for (; i < end - 1; i++) {
      const byte = bytes[i]!;
      if (byte >= 0x80 || byte === BACKSLASH) break;
      text += String.fromCharCode(byte);
    }
    if (i === end - 1) return text;
  }
  return JSON.parse(decodeText(bytes, start, end)) as string;
}

function acceptsNumber(bytes: Uint8Array, start: number, end: number, limits: NumberLimits): boolean {
  const isNegative = bytes[start] === MINUS;
  let whole = 0;
  let i = isNegative ? start + 1 : start;
  for (; i < end && bytes[i] !== DOT; i++) whole = whole * 10 + bytes[i]! - ZERO;
  const isWhole = i === end;
  if (limits.isInteger && !isWhole) return false;
  if (!limits.hasBounds) return true;
  // The digits before the point nearly always tell enough.
  const size = isWhole ? whole : whole + 1;
  if (isNegative ? isWithin(-size, -whole, limits) : isWithin(whole, size, limits)) return true;
  return !isWhole && acceptsFraction(bytes, start, end, limits);
}

function acceptsFraction(bytes: Uint8Array, start: number, end: number, limits: NumberLimits): boolean {
  const isNegative = bytes[start] === MINUS;
  let digits = 0;
  let point = end;
  for (let i = isNegative ? start + 1 : start; i < end; i++) {
    if (bytes[i] === DOT) point = i;
    else digits = digits * 10 + bytes[i]! - ZERO;
  }
  const decimals = end - point - 1;
  // Both are exact then, and so their quotient is the double that the text means.
  const isExact = digits <= Number.MAX_SAFE_INTEGER && decimals < POWERS.length;
  const size = isExact ? digits / POWERS[decimals]! : digits / 10 ** decimals;
  const number = isNegative ? -size : size;
  const slack = isExact ? 0 : size * SLACK;
  return isWithin(number - slack, number + slack, limits);
}

function isWithin(low: number, high: number, limits: NumberLimits): boolean {
  return (
    low >= limits.minimum && high <= limits.maximum && low > limits.exclusiveMinimum && high < limits.exclusiveMaximum
  );
}
