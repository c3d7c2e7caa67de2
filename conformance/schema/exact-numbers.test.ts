import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileSchema } from '../../src/schema/index.js';

// Numbers that a double cannot hold, judged beside plain integer arithmetic: a token is units of 10^-SCALE as a BigInt.

const SCALE = 60n;
const RUNS = { numRuns: 300 } as const;

const digits = (most: number) => fc.stringMatching(new RegExp(`^\\d{1,${most}}$`));

/** Tokens of up to 40 digits, with points and exponents, many of them neighbours of each other and of doubles. */
const token = fc.oneof(
  fc
    .tuple(fc.constantFrom('', '-'), digits(30), fc.option(digits(20)), fc.integer({ min: -20, max: 20 }))
    .map(
      ([sign, whole, fraction, exponent]) =>
        `${sign}${whole.replace(/^0+(?=\d)/, '')}${fraction === null ? '' : `.${fraction}`}${exponent === 0 ? '' : `e${exponent}`}`,
    ),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.constantFrom('0', '-0', '0.0', '1', '1.0', '10e-1', '0.1', '1e-1', '0.10', '19.99', '1999e-2', '100', '1e2'),
  fc.constantFrom(
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '9007199254740993.0',
    '0.1000000000000000001',
  ),
);

function unitsOf(text: string): bigint {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e(-?\d+))?$/.exec(text)!;
  const power = SCALE - BigInt(fraction.length) + BigInt(exponent);
  return BigInt(`${sign}${whole}${fraction}`) * 10n ** power;
}

function isValid(schema: string, value: string): boolean {
  const compilation = compileSchema(schema);
  if (!compilation.ok) throw compilation.error;
  const verdict = compilation.judge.check(value);
  if (!verdict.valid && verdict.gaveUp) throw new Error(verdict.issues[0]?.message);
  return verdict.valid;
}

test.each<[string, (value: bigint, bound: bigint) => boolean]>([
  ['minimum', (value, bound) => value >= bound],
  ['maximum', (value, bound) => value <= bound],
  ['exclusiveMinimum', (value, bound) => value > bound],
  ['exclusiveMaximum', (value, bound) => value < bound],
  ['const', (value, bound) => value === bound],
])('%s compares every digit', (keyword, holds) => {
  fc.assert(
    fc.property(token, token, (value, bound) => {
      expect(isValid(`{"${keyword}":${bound}}`, value)).toBe(holds(unitsOf(value), unitsOf(bound)));
      expect(isValid(`{"${keyword}":${bound}}`, bound)).toBe(holds(0n, 0n));
    }),
    RUNS,
  );
});

test('multipleOf divides without a remainder, or not', () => {
  fc.assert(
    fc.property(token, token, fc.integer({ min: -50, max: 50 }), (value, step, times) => {
      fc.pre(unitsOf(step) > 0n);
      expect(isValid(`{"multipleOf":${step}}`, value)).toBe(unitsOf(value) % unitsOf(step) === 0n);
      const multiple = unitsOf(step) * BigInt(times);
      expect(isValid(`{"multipleOf":${step}}`, `${multiple}e-${SCALE}`)).toBe(true);
    }),
    RUNS,
  );
});

test('an integer is what has no fraction', () => {
  fc.assert(
    fc.property(token, (value) => {
      expect(isValid('{"type":"integer"}', value)).toBe(unitsOf(value) % 10n ** SCALE === 0n);
      expect(isValid('{"type":"number"}', value)).toBe(true);
      expect(isValid('{"type":["object","array","string","boolean","null"]}', value)).toBe(false);
    }),
    RUNS,
  );
});

test('enum and uniqueItems know equal numbers by their value, not by their spelling', () => {
  fc.assert(
    fc.property(fc.array(token, { minLength: 2, maxLength: 12 }), (tokens) => {
      const [first, ...rest] = tokens;
      const isKnown = rest.some((one) => unitsOf(one) === unitsOf(first!));
      expect(isValid(`{"enum":[${rest.join()}]}`, first!)).toBe(isKnown);
      expect(isValid(`{"enum":[{"a":[${rest.join()}]}]}`, `{"a":[${rest.join()}]}`)).toBe(true);
      const different = new Set(tokens.map(unitsOf)).size;
      expect(isValid('{"uniqueItems":true}', `[${tokens.join()}]`)).toBe(different === tokens.length);
    }),
    RUNS,
  );
});

test('a number deep inside counts as much', () => {
  fc.assert(
    fc.property(token, token, (one, other) => {
      const isSame = unitsOf(one) === unitsOf(other);
      expect(isValid(`{"properties":{"a":{"items":{"const":{"n":${one}}}}}}`, `{"a":[{"n":${other}}]}`)).toBe(isSame);
      expect(isValid('{"uniqueItems":true}', `[{"n":[${one}]},{"n":[${other}]}]`)).toBe(!isSame);
    }),
    RUNS,
  );
});
