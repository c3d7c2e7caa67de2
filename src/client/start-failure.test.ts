import { expect, test } from 'vitest';
import { DoorError } from '../base/index.js';
import { explainStart, type Written } from './start-failure.js';

const REMOTE: Written = { tail: '', noise: '', isRemote: true };

test.each([
  {
    code: 'FORBIDDEN',
    said: 'https://up.test/mcp does not allow this',
    message: 'up: https://up.test/mcp does not allow this',
  },
  { code: 'AUTH_REQUIRED', said: 'up wants you to log in', message: 'up wants you to log in' },
  { code: 'UPSTREAM_UNREACHABLE', said: 'up: no such host', message: 'up: no such host' },
  { code: 'UPSTREAM_UNREACHABLE', said: 'upper is gone', message: 'up: upper is gone' },
] as const)('a start that failed names its upstream once: $said', ({ code, said, message }) => {
  expect(explainStart('up', new DoorError(code, said), REMOTE)).toMatchObject({
    code,
    message,
    data: { upstream: 'up' },
  });
});

test('what is reached over a network is looked at in its entry, a process by its words', () => {
  const error = new DoorError('UPSTREAM_BROKE_PROTOCOL', 'no answer');
  expect(explainStart('up', error, REMOTE).hint).toContain('url, type and headers');
  expect(explainStart('up', error, { ...REMOTE, isRemote: false }).hint).toContain('--verbose');
});
