import { type Decimal, decimalOf, ExactNumber } from '../base/index.js';

export type JsonNumber = number | ExactNumber;

export function isJsonNumber(value: unknown): value is JsonNumber {
  return typeof value === 'number' ? Number.isFinite(value) : value instanceof ExactNumber;
}

/** Compares by value, to the last digit. @returns negative, zero or positive */
export function compareNumbers(left: JsonNumber, right: JsonNumber): number {
  return comparisonWith(right)(left);
}

/** The same with one of the two known beforehand: it is taken apart once, and only if need be. */
export function comparisonWith(right: JsonNumber): (left: JsonNumber) => number {
  let decimal: Decimal | undefined;
  return (left) => {
    if (typeof left === 'number' && typeof right === 'number') return left - right;
    decimal ??= decimalOf(right);
    return compareDecimals(decimalOf(left), decimal);
  };
}

function compareDecimals(left: Decimal, right: Decimal): number {
  const leftSign = signOf(left);
  const rightSign = signOf(right);
  if (leftSign !== rightSign || leftSign === 0) return leftSign - rightSign;
  return leftSign * compareMagnitudes(left, right);
}

function signOf({ digits, negative }: Decimal): number {
  if (digits === '') return 0;
  return negative ? -1 : 1;
}

function compareMagnitudes(left: Decimal, right: Decimal): number {
  const byLength = left.digits.length + left.exponent - (right.digits.length + right.exponent);
  if (byLength !== 0) return byLength;
  // Neither has trailing zeros, so of two that start alike the longer is the larger: just what string order says.
  if (left.digits === right.digits) return 0;
  return left.digits < right.digits ? -1 : 1;
}

/** Whether the number has no fractional part: 1.0 and 1e400 have none. */
export function isIntegral(value: JsonNumber): boolean {
  return typeof value === 'number' ? Number.isInteger(value) : decimalOf(value).exponent >= 0;
}

/** Whether `value` is a multiple of `divisor` in decimal: 19.99 is one of 0.01. */
export function isMultipleOf(value: JsonNumber, divisor: JsonNumber): boolean {
  return divisionBy(divisor)(value);
}

/** Tells of numbers whether they are multiples of one that is known beforehand. */
export function divisionBy(divisor: JsonNumber): (value: JsonNumber) => boolean {
  let decimal: Decimal | undefined;
  return (value) => {
    const areSmall = Number.isSafeInteger(value) && Number.isSafeInteger(divisor);
    if (areSmall) return (value as number) % (divisor as number) === 0;
    decimal ??= decimalOf(divisor);
    return isMultipleOfDecimal(decimalOf(value), decimal);
  };
}

function isMultipleOfDecimal(dividend: Decimal, by: Decimal): boolean {
  if (dividend.digits === '') return true;
  const shift = dividend.exponent - by.exponent;
  // Then the divisor ends in a zero at a place where the value, which has no trailing zeros, does not.
  if (shift < 0) return false;
  // A power of ten, and the value has at least as many zeros.
  if (by.digits === '1') return true;
  if (by.digits.length <= SMALL_DIGITS) return smallRemainder(dividend.digits, shift, Number(by.digits)) === 0;
  const modulus = BigInt(by.digits);
  return (digitsModulo(dividend.digits, modulus) * powerOfTenModulo(shift, modulus)) % modulus === 0n;
}

/** Two numbers of so many digits still fit a double when multiplied. */
const SMALL_DIGITS = 7;

/** The remainder of `digits` followed by `zeros` zeros. */
function smallRemainder(digits: string, zeros: number, modulus: number): number {
  let remainder = 0;
  for (let at = 0; at < digits.length; at += SMALL_DIGITS) {
    const piece = digits.slice(at, at + SMALL_DIGITS);
    remainder = (remainder * 10 ** piece.length + Number(piece)) % modulus;
  }
  let square = 10 % modulus;
  for (let rest = zeros; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) remainder = (remainder * square) % modulus;
    square = (square * square) % modulus;
  }
  return remainder;
}

/** Piece by piece: turning a million digits into one BigInt would cost far more than linear time. */
function digitsModulo(digits: string, modulus: bigint): bigint {
  const step = Math.max(15, modulus.toString().length);
  const scale = 10n ** BigInt(step);
  let remainder = 0n;
  let at = digits.length % step;
  if (at > 0) remainder = BigInt(digits.slice(0, at)) % modulus;
  for (; at < digits.length; at += step) {
    remainder = (remainder * scale + BigInt(digits.slice(at, at + step))) % modulus;
  }
  return remainder;
}

function powerOfTenModulo(exponent: number, modulus: bigint): bigint {
  let result = 1n % modulus;
  let square = 10n % modulus;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}
