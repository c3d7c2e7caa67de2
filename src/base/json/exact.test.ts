import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decimalOf,
  ExactNumber,
  hasRiskyNumber,
  numberOfToken,
  parseExactJson,
  parseJson,
  scanJson,
  stringifyJson,
} from './exact.js';

describe('which numbers are risky', () => {
  test.each([
    { why: 'fifteen digits', text: '123456789012345', risky: false },
    { why: 'sixteen digits', text: '1234567890123456', risky: true },
    { why: 'a sign is no digit', text: '-123456789012345', risky: false },
    { why: 'fifteen digits with a point', text: '1234567890.12345', risky: false },
    { why: 'seventeen digits as programs print them', text: '0.30000000000000004', risky: false },
    { why: 'sixteen digits that a double keeps', text: '0.1234567890123456', risky: false },
    { why: 'seventeen digits that a double rounds', text: '0.10000000000000001', risky: true },
    { why: 'eighteen digits', text: '0.123456789012345678', risky: true },
    { why: 'leading zeros of a fraction are not significant', text: '0.00000000123456789', risky: false },
    { why: 'zeros that a double drops', text: '1.5000000000000000', risky: true },
    { why: 'exponent', text: '1e5', risky: true },
    { why: 'capital exponent', text: '1E5', risky: true },
    { why: 'in a string', text: '["12345678901234567890","1e9"]', risky: false },
    { why: 'after a string with escaped quotes', text: '["a\\"b\\\\",12345678901234567890]', risky: true },
    { why: 'after an escaped backslash the string ends', text: '["\\\\",1e5,"\\\\"]', risky: true },
    { why: 'in a string that does not end', text: '["12345678901234567890', risky: false },
    { why: 'the last of many', text: '{"a":1,"b":[2,3.5],"c":98765432109876543210}', risky: true },
    { why: 'words hold an e', text: '[true,false,null]', risky: false },
  ])('$why: $text', ({ text, risky }) => {
    expect(hasRiskyNumber(text)).toBe(risky);
  });

  test('linear: escaped quotes without end', () => {
    const started = performance.now();
    expect(hasRiskyNumber(`"${'\\"'.repeat(200_000)}`)).toBe(false);
    expect(hasRiskyNumber(`"${'\\'.repeat(400_000)}"`)).toBe(false);
    expect(performance.now() - started).toBeLessThan(500);
  });
});

test.each([
  { why: 'flat', text: '[]', maxDepth: 1, at: -1 },
  { why: 'one too many', text: '[[]]', maxDepth: 1, at: 1 },
  { why: 'objects count as well', text: '{"a":{"b":{}}}', maxDepth: 2, at: 10 },
  { why: 'side by side is not deep', text: '[[],[],[[]]]', maxDepth: 3, at: -1 },
  { why: 'brackets in strings do not count', text: '["[[[["]', maxDepth: 1, at: -1 },
  { why: 'the first place counts', text: '[[[]],[[]]]', maxDepth: 2, at: 2 },
])('nesting: $why', ({ text, maxDepth, at }) => {
  expect(scanJson(text, maxDepth).tooDeepAt).toBe(at);
});

describe('what a number token becomes', () => {
  test.each([
    '0',
    '-0',
    '1',
    '-1',
    '12.5',
    '0.1',
    '1e2',
    '1E+2',
    '1.0',
    '100',
    '1e22',
    '9007199254740992',
    '0.0',
    '0e5',
    '5e-324',
  ])('plain: %s', (token) => {
    expect(numberOfToken(token)).toBe(JSON.parse(token));
  });

  test.each([
    '9007199254740993',
    '12345678901234567890',
    '1e400',
    '-1e400',
    '1e-400',
    '0.10000000000000001',
    '1.00000000000000000001',
  ])('exact: %s', (token) => {
    expect(numberOfToken(token)).toEqual(new ExactNumber(token));
  });

  test.each([
    { number: 12.5, decimal: { negative: false, digits: '125', exponent: -1 } },
    { number: -1200, decimal: { negative: true, digits: '12', exponent: 2 } },
    { number: 0, decimal: { negative: false, digits: '', exponent: 0 } },
    { number: 1e-7, decimal: { negative: false, digits: '1', exponent: -7 } },
    { number: 1e21, decimal: { negative: false, digits: '1', exponent: 21 } },
    { number: new ExactNumber('-0.00'), decimal: { negative: false, digits: '', exponent: 0 } },
    { number: new ExactNumber('1020.30E+4'), decimal: { negative: false, digits: '10203', exponent: 3 } },
    { number: new ExactNumber('1e99999999999999999999'), decimal: { negative: false, digits: '1', exponent: 1e15 } },
    { number: new ExactNumber('1e-99999999999999999999'), decimal: { negative: false, digits: '1', exponent: -1e15 } },
  ])('taken apart: $number', ({ number, decimal }) => {
    expect(decimalOf(number)).toEqual(decimal);
  });

  test.each(['', '01', '.5', '1.', '1e', '+1', 'NaN', '0x1', ' 1', '1 ', '1,0'])('no number: "%s"', (token) => {
    expect(() => new ExactNumber(token)).toThrow(SyntaxError);
  });
});

describe('parsing', () => {
  test('keeps what a double cannot hold, and only that', () => {
    expect(parseJson('{"id":12345678901234567890,"n":1e2,"list":[1.5,1e400]}')).toEqual({
      id: new ExactNumber('12345678901234567890'),
      n: 100,
      list: [1.5, new ExactNumber('1e400')],
    });
  });

  test.each([parseJson, parseExactJson])('__proto__ is a member like any other: %o', (parse) => {
    const parsed = parse('{"__proto__":{"polluted":true},"n":12345678901234567890}') as object;
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    expect(Object.keys(parsed)).toEqual(['__proto__', 'n']);
  });

  test('1.0 can be told from 1 where that is asked for', () => {
    const kept = parseExactJson('[1.0,1e2,1,1.5,0.5e1]', { keepFractions: true });
    expect(kept).toEqual([new ExactNumber('1.0'), new ExactNumber('1e2'), 1, 1.5, new ExactNumber('0.5e1')]);
  });

  test.each([
    { why: 'nothing', text: '', message: 'JSON text ends too early at offset 0' },
    { why: 'only blanks', text: ' \n', message: 'JSON text ends too early at offset 2' },
    { why: 'open array', text: '[1', message: 'JSON text ends too early at offset 2' },
    { why: 'comma before the end', text: '[1,]', message: 'unexpected character at offset 3' },
    { why: 'comma after the last member', text: '{"a":1,}', message: 'unexpected character at offset 7' },
    { why: 'no comma', text: '[1 2]', message: 'unexpected character at offset 3' },
    { why: 'key without quotes', text: '{a:1}', message: 'unexpected character at offset 1' },
    { why: 'no colon', text: '{"a" 1}', message: 'unexpected character at offset 5' },
    { why: 'wrong bracket', text: '[1}', message: 'unexpected character at offset 2' },
    { why: 'two values', text: '1 2', message: 'unexpected character at offset 2' },
    { why: 'word cut short', text: '[tru]', message: /at offset [14]$/ },
    { why: 'leading zero', text: '[01]', message: /at offset [12]$/ },
    { why: 'lone minus', text: '-', message: /at offset [01]$/ },
    { why: 'line end in a string', text: '"a\nb"', message: /at offset [02]$/ },
    { why: 'bad escape', text: '["\\x"]', message: /at offset [123]$/ },
    { why: 'string without end', text: '["ab', message: /at offset \d$/ },
    { why: 'no-break space is no blank', text: '\u00a01', message: 'unexpected character at offset 0' },
    { why: 'a number that is none, beside one at risk', text: '[1e5,1.]', message: 'bad number at offset 5' },
  ])('refuses $why, and says where', ({ text, message }) => {
    for (const parse of [parseJson, parseExactJson]) {
      expect(() => parse(text)).toThrow(SyntaxError);
      expect(() => parse(text)).toThrow(message);
    }
  });

  test('depth is bounded, without a deep stack', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(() => parseJson(deep)).toThrow('JSON is nested deeper than 512 at offset 512');
    expect(() => parseExactJson(deep)).toThrow(SyntaxError);
    expect(parseJson('[[]]', { maxDepth: 2 })).toEqual([[]]);
    expect(() => parseJson('[[]]', { maxDepth: 1 })).toThrow(SyntaxError);
    expect(parseExactJson('['.repeat(512) + ']'.repeat(512))).toHaveLength(1);
    expect(parseExactJson('['.repeat(90_000) + ']'.repeat(90_000), { maxDepth: 90_000 })).toHaveLength(1);
  });

  test('the same as the platform, where no number is at risk', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2), (text, indent) => {
        const shown = JSON.stringify(JSON.parse(text), undefined, indent);
        expect(parseExactJson(shown)).toEqual(JSON.parse(shown));
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test('refuses what the platform refuses', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '1',
      '-',
      '.5',
      'e3',
      'true',
      'null',
      ' ',
      '\\',
      '\n',
      '0',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        expect(outcomeOf(() => parseExactJson(text))).toEqual(outcomeOf(() => JSON.parse(text)));
      }),
      { numRuns: 2_000 },
    );
  });
});

function outcomeOf(parse: () => unknown): unknown {
  try {
    return { value: parse() };
  } catch (thrown) {
    return thrown instanceof SyntaxError ? 'refused' : thrown;
  }
}

describe('writing', () => {
  test('numbers come out digit for digit', () => {
    const text = '{"id":12345678901234567890,"list":[1e400,-0.10000000000000000001],"s":"1e400"}';
    expect(stringifyJson(parseJson(text))).toBe(text);
  });

  test.each([
    { why: 'nothing exact', value: { a: [1, 'x', null] }, text: '{"a":[1,"x",null]}' },
    { why: 'what JSON cannot say', value: undefined, text: 'null' },
    { why: 'no value, beside an exact one', value: { a: undefined, n: new ExactNumber('1e400') }, text: '{"n":1e400}' },
    { why: 'no value in a list', value: [undefined, new ExactNumber('1e400')], text: '[null,1e400]' },
    { why: 'empty ones', value: [{}, [], new ExactNumber('1e400')], text: '[{},[],1e400]' },
    { why: 'a date', value: [new Date(0), new ExactNumber('1e400')], text: '["1970-01-01T00:00:00.000Z",1e400]' },
    { why: 'odd names', value: { '"\n': new ExactNumber('1e400') }, text: '{"\\"\\n":1e400}' },
  ])('$why', ({ value, text }) => {
    expect(stringifyJson(value)).toBe(text);
  });

  test('indents as the platform does', () => {
    const exact = { a: [1, { b: [] }], n: new ExactNumber('12345678901234567890') };
    const plain = { a: [1, { b: [] }], n: 7 };
    expect(stringifyJson(exact, 2)).toBe(JSON.stringify(plain, undefined, 2).replace('7', '12345678901234567890'));
    expect(stringifyJson(plain, 2)).toBe(JSON.stringify(plain, undefined, 2));
  });

  test('a stray JSON.stringify keeps the digits, too', () => {
    expect(JSON.stringify({ n: new ExactNumber('12345678901234567890') })).toBe('{"n":"12345678901234567890"}');
    expect(`${new ExactNumber('1e400')}`).toBe('1e400');
  });

  test('any number survives reading and writing, digit for digit', () => {
    const digits = (min: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: 30 });
    const token = fc
      .tuple(
        fc.constantFrom('', '-'),
        digits(1),
        fc.option(digits(1)),
        fc.option(fc.tuple(fc.constantFrom('e', 'E+', 'e-'), digits(1))),
      )
      .map(([sign, whole, fraction, power]) => {
        const integer = whole.replace(/^0+(?=\d)/, '');
        return `${sign}${integer}${fraction === null ? '' : `.${fraction}`}${power === null ? '' : power.join('')}`;
      });
    fc.assert(
      fc.property(token, (number) => {
        const [parsed] = parseJson(`[${number}]`) as [number | ExactNumber];
        if (typeof parsed === 'number') expect(decimalOf(parsed)).toEqual(decimalOf(new ExactNumber(number)));
        else expect(stringifyJson([parsed])).toBe(`[${number}]`);
      }),
      { numRuns: 1_000 },
    );
  });
});
