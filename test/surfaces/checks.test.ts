import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { checkTools } from './live-tools.js';
import { officialCardFaults } from './official-card.js';
import { checkVendor } from './vendor-arrays.js';

// The script is only as good as what it would notice.

const CARD = {
  $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
  name: 'io.example/x',
  version: '1.0.0',
  description: 'A server.',
};
const hasSchema = existsSync(resolve(import.meta.dirname, '..', '..', '..', 'shared', 'spec', 'card'));

// ../shared/spec is not part of the repository.
test.skipIf(!hasSchema).each([
  { why: 'a good card', card: CARD, isGood: true },
  { why: 'a description of 101 characters', card: { ...CARD, description: 'x'.repeat(101) }, isGood: false },
  { why: 'no version', card: { ...CARD, version: undefined }, isGood: false },
  { why: 'a name without a slash', card: { ...CARD, name: 'x' }, isGood: false },
])('the official schema: $why', ({ card, isGood }) => {
  const faults = officialCardFaults(JSON.parse(JSON.stringify(card)));
  expect(faults?.length === 0).toBe(isGood);
});

const LIVE = [
  { name: 'a', description: 'Does a.' },
  { name: 'b', description: 'Does b.' },
];

test.each([
  { why: 'the same tools', document: [{ name: 'a' }, { name: 'b' }], faults: 0 },
  { why: 'one is missing', document: [{ name: 'a' }], faults: 1 },
  { why: 'another order', document: [{ name: 'b' }, { name: 'a' }], faults: 1 },
  { why: 'functions', document: [{ function: { name: 'a' } }, { function: { name: 'b' } }], faults: 0 },
])('bare arrays: $why', ({ document, faults }) => {
  expect(checkTools('openaiTools', document, LIVE)).toHaveLength(faults);
});

test('a description that differs from the live one is a fault', () => {
  const tools = [{ ...LIVE[0], description: 'Says a.' }, LIVE[1]];
  expect(checkTools('toolsIndex', { tools }, LIVE)).toEqual(['the description of a differs from the live one']);
});

const STRICT = { type: 'object', properties: {}, required: [], additionalProperties: false };

test.each([
  { why: 'a strict array', name: 'openaiStrictTools', schema: STRICT, faults: [] },
  {
    why: 'a strict one that is not strict',
    name: 'openaiStrictTools',
    schema: { type: 'object', properties: {} },
    faults: ['the converter of its SDK changes a'],
  },
  {
    why: 'one for another form',
    name: 'openaiResponsesTools',
    schema: STRICT,
    faults: ['its SDK sends something else'],
  },
  { why: 'no array', name: 'mcp', schema: STRICT, faults: undefined },
] as const)('what the SDKs make of $why', async ({ name, schema, faults }) => {
  const array = [{ type: 'function', function: { name: 'a', strict: true, parameters: schema } }];
  const send = async (form: string): Promise<unknown> => (form === 'openai' ? array : []);
  expect(await checkVendor(name, array, { send })).toEqual(faults);
});
