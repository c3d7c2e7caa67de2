import { expect, test } from 'vitest';
import { findCodec, NEWEST } from './revisions.js';

test.each([
  { revision: '2024-11-05', allowsBatches: false },
  { revision: '2025-03-26', allowsBatches: true },
  { revision: '2025-06-18', allowsBatches: false },
  { revision: '2025-11-25', allowsBatches: false },
])('$revision is spoken', ({ revision, allowsBatches }) =>
  expect(findCodec(revision)).toMatchObject({ revision, allowsBatches }),
);

test.each(['', '2025-11-26', '2026-07-28', '1999-01-01', '__proto__', 'DRAFT'])('%j is not', (revision) =>
  expect(findCodec(revision)).toBeUndefined(),
);

test('the newest is offered', () => expect(NEWEST.revision).toBe('2025-11-25'));
