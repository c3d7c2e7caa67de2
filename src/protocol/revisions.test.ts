import { expect, test } from 'vitest';
import { findCodec, NEWEST } from './revisions.js';

test.each([
  { revision: '2024-11-05', allowsBatches: false, hasStructuredContent: false },
  { revision: '2025-03-26', allowsBatches: true, hasStructuredContent: false },
  { revision: '2025-06-18', allowsBatches: false, hasStructuredContent: true },
  { revision: '2025-11-25', allowsBatches: false, hasStructuredContent: true },
])('$revision is spoken', (codec) => expect(findCodec(codec.revision)).toEqual({ ...codec, opening: 'initialize' }));

test.each(['', '2025-11-26', '2026-07-28', '1999-01-01', '__proto__', 'DRAFT'])('%j is not', (revision) =>
  expect(findCodec(revision)).toBeUndefined(),
);

test('the newest is offered', () => expect(NEWEST.revision).toBe('2025-11-25'));
