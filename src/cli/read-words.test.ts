import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type OptionShape, readWords } from './read-words.js';

const SHAPES: readonly OptionShape[] = [
  { name: 'config', short: 'c', takesValue: true },
  { name: 'args', takesValue: true },
  { name: 'verbose', short: 'v', takesValue: false },
  { name: 'json', takesValue: false },
];
const OPTIONS = {
  config: { type: 'string', short: 'c' },
  args: { type: 'string' },
  verbose: { type: 'boolean', short: 'v' },
  json: { type: 'boolean' },
} as const;

/** What Node makes of the same words, in our shape. */
function readByNode(words: readonly string[]) {
  const { tokens } = parseArgs({
    args: [...words],
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return tokens.map((token) => {
    if (token.kind === 'positional') return { kind: 'operand', value: token.value };
    if (token.kind === 'option-terminator') throw new Error('-- is not read here');
    const { name, rawName, value } = token;
    return { kind: 'option', name, rawName, value };
  });
}

const pieces = fc.constantFrom('-', '--', 'c', 'v', 'x', '=', 'config', 'args', 'json', 'verbose', '1', ' ', 'é', '🙂');
/**
 * Not `--`, which is split off before. Of a dash among switches Node makes a `--`, and of `--==` a nameless option: both
 * are refused here, in other words.
 */
const isPlain = (text: string): boolean => text !== '--' && !/^(-[^-].*-|--=)/.test(text);
const word = fc
  .array(pieces, { maxLength: 5 })
  .map((parts) => parts.join(''))
  .filter(isPlain);

test('words are read as Node reads them', () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (words) => {
      expect(readWords(words, SHAPES)).toEqual(readByNode(words));
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  { why: 'a value of the next word', words: ['-c', '--json'], wanted: [['config', '-c', '--json']] },
  { why: 'a value in the same word', words: ['-cf'], wanted: [['config', '-c', 'f']] },
  {
    why: 'switches together',
    words: ['-vcf'],
    wanted: [
      ['verbose', '-v', undefined],
      ['config', '-c', 'f'],
    ],
  },
  { why: 'a value that is missing', words: ['--args'], wanted: [['args', '--args', undefined]] },
  { why: 'an empty value', words: ['--args='], wanted: [['args', '--args', '']] },
  {
    why: 'an option that is unknown',
    words: ['--json=1', '-x'],
    wanted: [
      ['json', '--json', '1'],
      ['x', '-x', undefined],
    ],
  },
])('$why', ({ words, wanted }) => {
  const read = readWords(words, SHAPES);
  expect(read.map((one) => one.kind === 'option' && [one.name, one.rawName, one.value])).toEqual(wanted);
});
