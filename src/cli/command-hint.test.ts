import { expect, test } from 'vitest';
import { DoorError } from '../base/index.js';
import { atCommandLine, nextCommand } from './command-hint.js';
import { parseCommandLine, type Run } from './parse-command-line.js';

const runOf = (...words: readonly string[]): Run => parseCommandLine(words) as Run;

test.each([
  { why: 'nothing to keep', words: ['tools'], line: 'doorward tools a' },
  {
    why: 'the configuration that was named',
    words: ['tools', '-c', 'my file.json'],
    line: "doorward tools a --config 'my file.json'",
  },
  { why: 'the one server after --', words: ['tools', '--', 'node', 's.mjs'], line: 'doorward tools -- node s.mjs' },
])('the next command keeps $why', ({ words, line }) => {
  expect(nextCommand(runOf(...words), 'tools', 'a')).toBe(line);
});

const RAISE = 'Raise callTimeoutMs for this server if it needs longer.';
const timeout = (message: string): DoorError => new DoorError('TIMEOUT', message, { hint: RAISE });

test.each([
  {
    why: 'the flag ran out',
    words: ['--timeout', '2s'],
    says: 'nothing for 2000 ms',
    hint: /^Raise --timeout if the server needs/,
  },
  {
    why: 'another bound did',
    words: ['--timeout', '20m'],
    says: 'nothing within 600000 ms',
    hint: /^Raise callTimeoutMs/,
  },
  { why: 'there is no flag', words: [], says: 'nothing for 60000 ms', hint: /^Raise callTimeoutMs/ },
  { why: 'there is no configuration', words: ['--', 'node'], says: 'nothing for 60000 ms', hint: /^Raise --timeout/ },
])('what to raise where $why', ({ words, says, hint }) => {
  expect(atCommandLine(timeout(says), runOf('tools', ...words)).hint).toMatch(hint);
});

test('an unknown outcome is said whatever the failure', () => {
  const error = new DoorError('UPSTREAM_BROKE_PROTOCOL', 'no answer', { data: { outcome: 'unknown' } });
  expect(atCommandLine(error, runOf('call', 'a.b')).hint).toMatch(
    /may have had its effect: look before you repeat it\.$/,
  );
});

test('a failure that needs no word more is left as it is', () => {
  const error = new DoorError('UPSTREAM_UNREACHABLE', 'gone', { hint: 'Install it.' });
  expect(atCommandLine(error, runOf('tools'))).toBe(error);
});

test('a login is for the configuration that was named', () => {
  const hint = 'Run: doorward login team';
  const error = new DoorError('AUTH_REQUIRED', 'team wants you to log in', { data: { server: 'team' }, hint });
  expect(atCommandLine(error, runOf('tools', '-c', 'x.json')).hint).toBe(`${hint} --config x.json`);
  expect(atCommandLine(error, runOf('tools'))).toBe(error);
});

test('a login in the middle of a hint leaves the rest of it alone', () => {
  const hint = 'Run `doorward login team` as somebody who may, or ask for the right.';
  const error = new DoorError('FORBIDDEN', 'no', { data: { upstream: 'team' }, hint });
  expect(atCommandLine(error, runOf('tools', '-c', 'x.json')).hint).toBe(
    'Run `doorward login team --config x.json` as somebody who may, or ask for the right.',
  );
});
