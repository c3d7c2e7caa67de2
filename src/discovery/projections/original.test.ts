import { expect, test } from 'vitest';
import { OriginalSchema } from './original.js';

test.each([
  { why: 'anything', node: true, claim: 'yes' },
  { why: 'nothing', node: false, claim: 'no' },
  { why: 'what is no schema', node: 'text', claim: 'unknown' },
])('whether null is taken by $why', ({ node, claim }) => {
  expect(new OriginalSchema({}).takesNull(node)).toBe(claim);
});
