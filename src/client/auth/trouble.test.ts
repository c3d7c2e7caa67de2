import { expect, test } from 'vitest';
import { DoorError } from '../../base/index.js';
import { retryAfterOf, TemporaryTrouble, troubleError, troubleOfAnswer, troubleOfFailure } from './trouble.js';

const NOW_MS = Date.parse('2026-11-30T12:00:00Z');

test.each([
  { header: null, ms: undefined },
  { header: '2', ms: 2_000 },
  { header: ' 10 ', ms: 10_000 },
  { header: 'Mon, 30 Nov 2026 12:01:00 GMT', ms: 60_000 },
  { header: 'Mon, 30 Nov 2026 11:00:00 GMT', ms: 0 },
  { header: 'soon', ms: undefined },
])('Retry-After: $header', ({ header, ms }) => expect(retryAfterOf(header, NOW_MS)).toBe(ms));

test.each([
  [200, false],
  [302, false],
  [400, false],
  [401, false],
  [404, false],
  [408, true],
  [425, true],
  [429, true],
  [500, true],
  [503, true],
])('%i is trouble: %s', (status, isTrouble) => {
  const headers = { 'retry-after': '7' };
  const trouble = troubleOfAnswer(new Response(null, { status, headers }), NOW_MS);
  expect(trouble !== undefined).toBe(isTrouble);
  if (trouble) expect(trouble).toMatchObject({ retryAfterMs: 7_000, mayRetry: true });
});

test.each([
  { why: 'a fetch that failed', thrown: new TypeError('fetch failed'), isTrouble: true },
  { why: 'a host that cannot be reached', thrown: new DoorError('UPSTREAM_UNREACHABLE', 'no'), isTrouble: true },
  { why: 'a guard that said no', thrown: new DoorError('FORBIDDEN', 'no'), isTrouble: false },
  { why: 'a mistake', thrown: new RangeError('no'), isTrouble: false },
])('$why is trouble: $isTrouble', ({ thrown, isTrouble }) =>
  expect(troubleOfFailure(thrown) !== undefined).toBe(isTrouble),
);

test('the error says when to try again, and that nothing is lost', () => {
  const error = troubleError(new TemporaryTrouble('answered 503', { retryAfterMs: 1_500, mayRetry: true }), 'team');
  expect(error).toMatchObject({
    code: 'UPSTREAM_UNREACHABLE',
    message: 'team: answered 503',
    hint: 'Try again in 2 s; what you were given before is kept.',
    data: { retryAfterMs: 1_500 },
  });
});
