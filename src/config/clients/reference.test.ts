import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expandText } from '../expand.js';
import { type Dialect, joinText, readText, type Text, writeText } from './reference.js';

const TOKEN = { variable: 'TOKEN' };

describe('reading', () => {
  test.each<{ why: string; dialect: Dialect; value: string; text: Text }>([
    { why: 'text', dialect: 'braces', value: 'plain', text: ['plain'] },
    { why: 'nothing', dialect: 'braces', value: '', text: [] },
    { why: 'a reference in text', dialect: 'braces', value: 'Bearer ${TOKEN}!', text: ['Bearer ', TOKEN, '!'] },
    {
      why: 'a default',
      dialect: 'braces-fallback',
      value: '${TOKEN:-none at all}',
      text: [{ variable: 'TOKEN', fallback: 'none at all' }],
    },
    { why: 'the form of Cursor', dialect: 'env-braces', value: '${env:TOKEN}', text: [TOKEN] },
    { why: 'the form of opencode', dialect: 'env-curly', value: 'x{env:TOKEN}', text: ['x', TOKEN] },
    { why: 'the form of Continue', dialect: 'secrets', value: '${{ secrets.TOKEN }}', text: [TOKEN] },
    { why: 'an input of VS Code', dialect: 'input', value: '${input:TOKEN}', text: [TOKEN] },
    {
      why: 'an input whose id is no variable',
      dialect: 'input',
      value: '${input:api-key.1}',
      text: [{ variable: 'API_KEY_1' }],
    },
    { why: 'a bare dollar, where the client has it', dialect: 'braces-dollar', value: '$TOKEN/x', text: [TOKEN, '/x'] },
    { why: 'a bare dollar elsewhere is text', dialect: 'braces', value: '$TOKEN', text: ['$TOKEN'] },
    { why: 'no reference, where there are none', dialect: 'none', value: '${TOKEN}', text: ['${TOKEN}'] },
    { why: 'an unclosed brace is text', dialect: 'braces', value: '${TOKEN', text: ['${TOKEN'] },
    { why: 'a name that cannot be one is text', dialect: 'braces', value: '${a-b}', text: ['${a-b}'] },
    { why: 'our doubled dollar', dialect: 'doorward', value: '$${TOKEN}', text: ['${TOKEN}'] },
    { why: 'three dollars of ours', dialect: 'doorward', value: '$$${TOKEN}', text: ['$', TOKEN] },
  ])('$why', ({ dialect, value, text }) => expect(readText(value, dialect)).toEqual(text));
});

describe('writing', () => {
  test.each<{ dialect: Dialect; value: string }>([
    { dialect: 'braces', value: 'Bearer ${TOKEN}' },
    { dialect: 'braces-fallback', value: 'Bearer ${TOKEN}' },
    { dialect: 'braces-dollar', value: 'Bearer ${TOKEN}' },
    { dialect: 'env-braces', value: 'Bearer ${env:TOKEN}' },
    { dialect: 'env-curly', value: 'Bearer {env:TOKEN}' },
    { dialect: 'secrets', value: 'Bearer ${{ secrets.TOKEN }}' },
    { dialect: 'input', value: 'Bearer ${input:TOKEN}' },
    { dialect: 'doorward', value: 'Bearer ${TOKEN}' },
  ])('$dialect says $value', ({ dialect, value }) => {
    expect(writeText(['Bearer ', TOKEN], dialect)).toEqual({ value, lostFallbacks: [] });
  });

  test.each<Dialect>(['names', 'none'])('%s has no way to say a reference', (dialect) => {
    expect(writeText([TOKEN], dialect)).toBe('reference');
  });

  test('text that would be read as a reference is not written', () => {
    expect(writeText(['${TOKEN}'], 'braces')).toBe('looks-like-a-reference');
    expect(writeText(['$HOME'], 'braces-dollar')).toBe('looks-like-a-reference');
    expect(writeText(['${TOKEN}'], 'none')).toEqual({ value: '${TOKEN}', lostFallbacks: [] });
  });

  test('a default is told of where it cannot be said', () => {
    const text: Text = [{ variable: 'TOKEN', fallback: 'x' }];
    expect(writeText(text, 'braces')).toEqual({ value: '${TOKEN}', lostFallbacks: ['TOKEN'] });
    expect(writeText(text, 'braces-fallback')).toEqual({ value: '${TOKEN:-x}', lostFallbacks: [] });
  });
});

const name = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,8}$/);
const literal = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('$', '{', '}', 'A', ':', '-', ' ') }),
);
const texts = fc
  .array(fc.oneof(literal, fc.record({ variable: name })), { maxLength: 6 })
  .map((parts) => joinText(parts));

test.each<Dialect>([
  'braces',
  'braces-fallback',
  'braces-dollar',
  'env-braces',
  'env-curly',
  'secrets',
  'input',
  'doorward',
])('what %s writes it reads back', (dialect) => {
  fc.assert(
    fc.property(texts, (text) => {
      const written = writeText(text, dialect);
      if (typeof written === 'string') return written === 'looks-like-a-reference' && dialect !== 'doorward';
      expect(readText(written.value, dialect)).toEqual(text);
      return true;
    }),
  );
});

test('our own form means what the configuration makes of it', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const { value } = writeText(text, 'doorward') as { value: string };
      const named = text.map((part) => (typeof part === 'string' ? '' : part.variable)).filter(Boolean);
      const environment = Object.fromEntries(named.map((variable) => [variable, `<${variable}>`]));
      const { text: expanded, faults } = expandText(value, environment);
      expect(expanded).toBe(text.map((part) => (typeof part === 'string' ? part : `<${part.variable}>`)).join(''));
      expect(faults).toEqual([]);
    }),
  );
});
