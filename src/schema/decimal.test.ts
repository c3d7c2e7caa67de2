import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExactNumber, numberOfToken } from '../base/index.js';
import { compareNumbers, isIntegral, isJsonNumber, isMultipleOf } from './decimal.js';

const n = numberOfToken;

test.each([
  { value: 1, is: true },
  { value: new ExactNumber('1e400'), is: true },
  { value: Number.NaN, is: false },
  { value: Number.POSITIVE_INFINITY, is: false },
  { value: '1', is: false },
  { value: null, is: false },
])('a JSON number: $value', ({ value, is }) => {
  expect(isJsonNumber(value)).toBe(is);
});

describe('comparing', () => {
  test.each([
    ['1', '2'],
    ['-2', '-1'],
    ['-1', '0'],
    ['0', '1e-400'],
    ['-1e-400', '0'],
    ['9007199254740992', '9007199254740993'],
    ['9007199254740993', '9007199254740994'],
    ['-9007199254740993', '-9007199254740992'],
    ['12345678901234567890', '123456789012345678901'],
    ['1e400', '1e401'],
    ['9e399', '1e400'],
    ['0.1', '0.10000000000000000001'],
    ['1.5e400', '1.51e400'],
    ['-1e401', '-1e400'],
    ['-1e400', '1'],
  ])('%s is less than %s', (less, more) => {
    expect(compareNumbers(n(less), n(more))).toBeLessThan(0);
    expect(compareNumbers(n(more), n(less))).toBeGreaterThan(0);
    expect(compareNumbers(n(less), n(less)) === 0).toBe(true);
  });

  test.each([
    ['1e400', '10e399'],
    ['12345678901234567890', '12345678901234567890.00'],
    ['1', '1.0'],
  ])('%s equals %s', (left, right) => {
    expect(compareNumbers(new ExactNumber(left), new ExactNumber(right)) === 0).toBe(true);
  });
});

test.each([
  { token: '1', is: true },
  { token: '1.5', is: false },
  { token: '1e400', is: true },
  { token: '12345678901234567890.0', is: true },
  { token: '12345678901234567890.5', is: false },
  { token: '1e-400', is: false },
  { token: '123.456e400', is: true },
])('$token is without a fraction: $is', ({ token, is }) => {
  expect(isIntegral(n(token))).toBe(is);
});

describe('multiples', () => {
  test.each([
    ['10', '5', true],
    ['10', '4', false],
    ['-10', '5', true],
    ['0', '7', true],
    ['4.5', '1.5', true],
    ['4.5', '2', false],
    ['19.99', '0.01', true],
    ['0.3', '0.1', true],
    ['0.0075', '0.0001', true],
    ['0.00751', '0.0001', false],
    ['0.5', '0.25', true],
    ['0.25', '0.5', false],
    ['1000000001.5', '1', false],
    ['1e308', '0.123456789', false],
    ['12391239123', '1e-8', true],
    ['90071992547409930', '10', true],
    ['90071992547409931', '10', false],
    ['123456789012345678901234567890', '7', true],
    ['123456789012345678901234567891', '7', false],
    ['123456789012345678901234567892', '4', true],
    ['98765432109876543210987654321', '12345678901234567', false],
    ['12345678901234567000000', '12345678901234567', true],
    ['1e400', '3', false],
    ['1e400', '7e399', false],
    ['7e400', '7e399', true],
    ['3e1000', '0.003', true],
    ['0', '12345678901234567890', true],
    ['12345678', '1234567.8', true],
    ['1234567812345678', '12345678', true],
    ['1234567812345679', '12345678', false],
  ])('%s by %s: %s', (value, divisor, is) => {
    expect(isMultipleOf(n(value), n(divisor))).toBe(is);
  });

  test('the same as with whole numbers of any size', () => {
    const whole = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
    const divisor = fc.bigInt({ min: 1n, max: 10n ** 18n });
    fc.assert(
      fc.property(whole, divisor, fc.integer({ min: -20, max: 20 }), (value, by, power) => {
        const scaled = (number: bigint) => new ExactNumber(`${number}e${power}`);
        expect(isMultipleOf(scaled(value), scaled(by))).toBe(value % by === 0n);
        expect(isMultipleOf(scaled(value * by), scaled(by))).toBe(true);
      }),
    );
  });

  test('a million digits take no noticeable time', () => {
    const started = performance.now();
    expect(isMultipleOf(new ExactNumber('7'.repeat(1_000_000)), 7)).toBe(true);
    expect(isMultipleOf(new ExactNumber('7'.repeat(1_000_000)), new ExactNumber('77777777777777777777'))).toBe(true);
    expect(isMultipleOf(new ExactNumber('1e1000000000000000'), 7)).toBe(false);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
