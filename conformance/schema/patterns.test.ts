import { expect, test } from 'vitest';
import { compileSchema } from '../../src/schema/index.js';
import { Random } from './random.js';

// Random patterns judged beside the platform's own engine, which is right about every verdict and wrong about the time.

const SEED = 11;
const PATTERNS = 1500;
const TEXTS = 8;

const ATOMS = [
  'a',
  'b',
  '1',
  '_',
  '-',
  ' ',
  'é',
  '😀',
  '.',
  '\\d',
  '\\D',
  '\\w',
  '\\W',
  '\\s',
  '\\S',
  '\\.',
  '\\n',
  '\\u0061',
];
const CLASSES = [
  '[ab]',
  '[^a]',
  '[a-c1]',
  '[\\d_]',
  '[^\\w]',
  '[\\s\\S]',
  '[😀-😂]',
  '[-a]',
  '[\\]b]',
  '\\p{L}',
  '\\P{L}',
  '[\\p{Lu}\\d]',
];
const COUNTS = ['*', '+', '?', '*?', '+?', '??', '{2}', '{1,3}', '{0,2}?', '{2,}', '{0}'];
const EDGES = ['^', '$', '\\b', '\\B'];
const LETTERS = ['a', 'b', 'c', 'A', '1', '2', '_', '-', ' ', '\n', 'é', '😀', '😁', '.', ']', '\ud83d', '\u2028'];

function makePattern(random: Random, depth: number): string {
  const length = random.integer(0, depth > 0 ? 4 : 2);
  const sequence = Array.from({ length }, () => makePart(random, depth)).join('');
  return random.chance(0.2) ? `${sequence}|${makePattern(random, depth - 1)}` : sequence;
}

function makePart(random: Random, depth: number): string {
  if (random.chance(0.15)) return random.pick(EDGES);
  const atom =
    depth > 0 && random.chance(0.35) ? makeGroup(random, depth) : random.pick(random.chance(0.7) ? ATOMS : CLASSES);
  const isCounted = random.chance(0.4) && !/^\(\?<?[=!]/.test(atom);
  return isCounted ? atom + random.pick(COUNTS) : atom;
}

function makeGroup(random: Random, depth: number): string {
  const open = random.pick(['(', '(?:', '(?:', '(?=', '(?!', '(?<=', '(?<!']);
  return `${open}${makePattern(random, depth - 1)})`;
}

function makeText(random: Random): string {
  return Array.from({ length: random.integer(0, 8) }, () => random.pick(LETTERS)).join('');
}

/**
 * As ECMAScript defines a search: from every code point on. Left to search by itself, V8 also tries the middle of a pair
 * of surrogates, where nothing is.
 */
function matches(pattern: string, text: string): boolean {
  const here = new RegExp(pattern, 'uy');
  const starts = [0];
  for (const letter of text) starts.push(starts.at(-1)! + letter.length);
  return starts.some((start) => {
    here.lastIndex = start;
    return here.test(text);
  });
}

test('random patterns match what the platform says they match', () => {
  const differences: string[] = [];
  let matched = 0;
  let enforced = 0;
  for (let at = 0; at < PATTERNS; at++) {
    const random = new Random(SEED + at);
    const pattern = makePattern(random, 3);
    const compilation = compileSchema({ pattern });
    if (!compilation.ok) throw compilation.error;
    // Lookaround that is not surely safe is only an annotation, and says so.
    if (compilation.warnings.length > 0) continue;
    enforced += 1;
    for (let tried = 0; tried < TEXTS; tried++) {
      const text = makeText(random);
      const isMatch = matches(pattern, text);
      if (isMatch) matched += 1;
      const verdict = compilation.judge.checkValue(text);
      const isSame = verdict.valid === isMatch && (verdict.valid || !verdict.gaveUp);
      if (!isSame)
        differences.push(`${JSON.stringify(pattern)} on ${JSON.stringify(text)}: the platform says ${isMatch}`);
    }
  }
  expect(differences).toEqual([]);
  expect(enforced / PATTERNS).toBeGreaterThan(0.9);
  expect(matched / (enforced * TEXTS)).toBeGreaterThan(0.2);
  expect(matched / (enforced * TEXTS)).toBeLessThan(0.8);
});

test.each([
  '\\-',
  '\\_',
  '\\e',
  '\\8',
  'a{,2}',
  '{',
  '}',
  ']',
  'a{1',
  '\\u{61}',
  '\\c',
  '[\\b]',
  '[\\c_]',
  '\\x4',
  '(?=a)*',
  '\\k',
  '[a-\\d]',
])('a pattern that only the web accepts, %s, is read as the web reads it, or not enforced with a word', (pattern) => {
  const isUnicode = isRegExp(pattern, 'u');
  const compilation = compileSchema({ pattern });
  if (!compilation.ok) throw compilation.error;
  if (compilation.warnings.length > 0) return expect(compilation.warnings[0]?.schemaPath).toBe('/pattern');
  const expression = new RegExp(pattern, isUnicode ? 'u' : '');
  for (const text of [
    '',
    'a',
    '-',
    '_',
    'e',
    '8',
    'a{,2}',
    '{',
    '}',
    ']',
    'a{1',
    'u{61}',
    'uuu',
    '\\c',
    '\b',
    '\x1f',
    'x4',
    'k',
    '\\',
    '1',
  ]) {
    expect({ text, valid: compilation.judge.checkValue(text).valid }).toEqual({ text, valid: expression.test(text) });
  }
});

function isRegExp(pattern: string, flags: string): boolean {
  try {
    return new RegExp(pattern, flags) instanceof RegExp;
  } catch {
    return false;
  }
}
