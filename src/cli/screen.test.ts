import { afterEach, expect, test, vi } from 'vitest';
import { readDuration } from './duration.js';
import { cut, oneLine, printable, screenOf } from './screen.js';
import { stderrLines } from './server-lines.js';
import { SignOfLife } from './sign-of-life.js';

afterEach(() => vi.useRealTimers());

function recorder(options: { readonly isTTY?: boolean; readonly columns?: number } = {}) {
  const written: string[] = [];
  return { written, sink: { write: (text: string | Uint8Array) => written.push(String(text)), ...options } };
}

test.each([
  { why: 'a terminal', isTTY: true, environment: {}, colored: true },
  { why: 'a pipe', isTTY: false, environment: {}, colored: false },
  { why: 'NO_COLOR', isTTY: true, environment: { NO_COLOR: '1' }, colored: false },
  { why: 'an empty NO_COLOR, which says nothing', isTTY: true, environment: { NO_COLOR: '' }, colored: true },
  { why: 'FORCE_COLOR', isTTY: false, environment: { FORCE_COLOR: '1' }, colored: true },
  { why: 'both: no wins', isTTY: true, environment: { FORCE_COLOR: '1', NO_COLOR: '1' }, colored: false },
  { why: 'a terminal that cannot', isTTY: true, environment: { TERM: 'dumb' }, colored: false },
])('$why: colored is $colored', ({ isTTY, environment, colored }) => {
  const { colors } = screenOf(recorder({ isTTY }).sink, environment);
  expect(colors.red('x') !== 'x').toBe(colored);
});

test('columns are those of the terminal, and none elsewhere', () => {
  expect(screenOf(recorder({ isTTY: true, columns: 80 }).sink, {}).columns).toBe(80);
  expect(screenOf(recorder({ columns: 80 }).sink, {}).columns).toBe(Number.POSITIVE_INFINITY);
});

test('nothing a server writes steers the terminal', () => {
  expect(printable('a\u001b[31mred\u0007\n\tb\u009b2J\u202e')).toBe('a[31mred\n\tb2J');
  expect(oneLine(' a\r\n b\u2028c ')).toBe('a b c');
});

test('cut text has an ellipsis, and fits', () => {
  expect(cut('hello world', 8)).toBe('hello w…');
  expect(cut('hello', 5)).toBe('hello');
  expect(cut('hello', 1)).toBe('');
});

test.each([
  { text: '30', ms: 30_000 },
  { text: '1.5s', ms: 1_500 },
  { text: '500ms', ms: 500 },
  { text: '2m', ms: 120_000 },
  { text: '24h', ms: 86_400_000 },
])('$text is $ms ms', ({ text, ms }) => expect(readDuration(text, '--timeout')).toBe(ms));

test.each(['', '0', '-1', '1e3', 'soon', '25h', '1 s', '5d', '0.1ms'])('"%s" is no time', (text) => {
  expect(() => readDuration(text, '--timeout')).toThrow('--timeout is a time');
});

test('lines of servers come whole, each under its name, cut where they never end', () => {
  const { written, sink } = recorder();
  const show = stderrLines(screenOf(sink, {}));
  const bytes = new TextEncoder().encode('fünf\nnext');
  show('a', bytes.subarray(0, 2));
  show('b', new TextEncoder().encode('other\n'));
  show('a', bytes.subarray(2));
  expect(written).toEqual(['b | other\n', 'a | fünf\n']);
  show('a', new TextEncoder().encode('x'.repeat(10_000)));
  expect(written).toHaveLength(3);
});

test('a sign of life comes after a second, on a terminal only, and leaves no trace', async () => {
  vi.useFakeTimers();
  for (const isTTY of [true, false]) {
    const { written, sink } = recorder({ isTTY, columns: 30 });
    const life = new SignOfLife(screenOf(sink, { NO_COLOR: '1' }));
    const task = life.during(
      new Promise<string>((resolve) => setTimeout(() => resolve('done'), 3_200)),
      'waiting for a',
    );
    await vi.advanceTimersByTimeAsync(900);
    expect(written).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    expect(written).toEqual(isTTY ? ['\r\u001b[2Kwaiting for a (1 s)'] : []);
    life.say('waiting for a server with a very long name');
    await vi.advanceTimersByTimeAsync(2_200);
    expect(await task).toBe('done');
    if (!isTTY) expect(written).toEqual([]);
    else expect(written.slice(-2)).toEqual(['\r\u001b[2Kwaiting for a server w… (3 s)', '\r\u001b[2K']);
    expect(vi.getTimerCount()).toBe(0);
  }
});
