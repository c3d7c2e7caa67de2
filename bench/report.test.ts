import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

interface ReportModule {
  holds(check: { value: number; bar: number; kind?: string }): boolean;
  verdictOf(bound: { holds: readonly boolean[] }): 'held' | 'missed' | 'open';
}
interface StatisticsModule {
  quantile(values: readonly number[], share: number): number;
  medianRatio(upper: readonly number[], lower: readonly number[]): number;
}

const load = (file: string) => import(fileURLToPath(new URL(file, import.meta.url)));
const { holds, verdictOf } = (await load('./report.mjs')) as ReportModule;
const { quantile, medianRatio } = (await load('./statistics.mjs')) as StatisticsModule;

test.each([
  { holds: [true], verdict: 'open' },
  { holds: [false], verdict: 'open' },
  { holds: [true, true], verdict: 'held' },
  { holds: [true, false], verdict: 'open' },
  { holds: [false, false], verdict: 'missed' },
  { holds: [true, false, true], verdict: 'held' },
  { holds: [false, true, false], verdict: 'missed' },
])('a bound holds if it holds in two of three runs: $holds is $verdict', ({ holds: seen, verdict }) => {
  expect(verdictOf({ holds: seen })).toBe(verdict);
});

test('a bar is the last value that holds, from above or from below; what was not measured holds nothing', () => {
  expect(holds({ value: 2, bar: 2 })).toBe(true);
  expect(holds({ value: 2.01, bar: 2 })).toBe(false);
  expect(holds({ value: 0.65, bar: 0.65, kind: 'least' })).toBe(true);
  expect(holds({ value: 0.64, bar: 0.65, kind: 'least' })).toBe(false);
  expect(holds({ value: Number.NaN, bar: 2 })).toBe(false);
  expect(holds({ value: Number.NaN, bar: 0.65, kind: 'least' })).toBe(false);
});

test('quantiles lie between the values beside them', () => {
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
  expect(quantile([4, 1, 3, 2, 5], 0.25)).toBe(2);
  expect(quantile([7], 0.99)).toBe(7);
});

test('ratios are paired by round: a slow moment that both share does not count', () => {
  expect(medianRatio([2, 20, 4], [1, 10, 2])).toBe(2);
});
