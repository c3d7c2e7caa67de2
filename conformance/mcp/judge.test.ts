import { expect, test } from 'vitest';
import { judge } from './judge.mjs';

interface Check {
  readonly id: string;
  readonly status: string;
}

const failed = (id: string): Check => ({ id, status: 'FAILURE' });
const passed = (id: string): Check => ({ id, status: 'SUCCESS' });

/** The suite has one scored scenario, `must`, and one that it does not score, `may`. */
const scenariosOf = (): Map<string, { isScored: boolean; reason?: string }> =>
  new Map([
    ['must', { isScored: true }],
    ['may', { isScored: false, reason: 'extension' }],
  ]);

const MAY = { leg: 'server', revision: 'r', scenario: 'may', reason: 'not offered' };
const BRIDGE = { ...MAY, scenario: 'must', upstreams: ['old'], checks: ['a'], reason: 'no key' };

function missesOf(
  must: Check[] | undefined,
  may: Check[] | undefined,
  expected: object[],
  run: object = {},
): readonly string[] {
  const results = new Map(Object.entries({ must, may }).filter(([, checks]) => checks !== undefined));
  const runs = [{ leg: 'server', revision: 'r', upstream: 'old', results, ...run }];
  return judge(runs, { expected, scenariosOf }).misses;
}

test.each([
  { why: 'all passes', must: [passed('a')], may: [passed('b')], expected: [], misses: 0 },
  { why: 'a scored failure', must: [failed('a')], may: [passed('b')], expected: [], misses: 1 },
  { why: 'an unscored failure that nobody named', must: [passed('a')], may: [failed('b')], expected: [], misses: 1 },
  { why: 'one that is named', must: [passed('a')], may: [failed('b')], expected: [MAY], misses: 0 },
  { why: 'one that is named and passes', must: [passed('a')], may: [passed('b')], expected: [MAY], misses: 1 },
  {
    why: 'a scored scenario that is named',
    must: [failed('a')],
    may: [passed('b')],
    expected: [{ ...MAY, scenario: 'must' }],
    misses: 1,
  },
  { why: 'a check that no bridge can pass', must: [failed('a')], may: [passed('b')], expected: [BRIDGE], misses: 0 },
  {
    why: 'another check beside it',
    must: [failed('a'), failed('c')],
    may: [passed('b')],
    expected: [BRIDGE],
    misses: 1,
  },
  { why: 'such a check that passes', must: [passed('a')], may: [passed('b')], expected: [BRIDGE], misses: 1 },
  { why: 'no result of a scored scenario', must: undefined, may: [passed('b')], expected: [], misses: 1 },
  { why: 'no result of one that is known to fail', must: [passed('a')], may: undefined, expected: [MAY], misses: 1 },
  { why: 'no reason', must: [passed('a')], may: [failed('b')], expected: [{ ...MAY, reason: '' }], misses: 1 },
  {
    why: 'a scenario that is not there',
    must: [passed('a')],
    may: [passed('b')],
    expected: [{ ...MAY, scenario: 'x' }],
    misses: 1,
  },
])('$why: $misses misses', ({ must, may, expected, misses }) => {
  expect(missesOf(must, may, expected)).toHaveLength(misses);
});

test('what is excused before one upstream is not before another', () => {
  const run = { upstream: 'new' };
  expect(missesOf([failed('a')], [passed('b')], [BRIDGE], run)).toEqual(['server new r must: a: ']);
});

test('of a fixture alone only what is scored counts, and nothing is excused', () => {
  const run = { isFixture: true };
  expect(missesOf([passed('a')], [failed('b')], [MAY], run)).toEqual([]);
  expect(missesOf([failed('a')], [passed('b')], [BRIDGE], run)).toHaveLength(1);
});

test('an excused scenario is not counted as one that passed', () => {
  const results = new Map([
    ['must', [failed('a')]],
    ['may', [failed('b')]],
  ]);
  const runs = [{ leg: 'server', revision: 'r', upstream: 'old', results }];
  const [row] = judge(runs, { expected: [BRIDGE, MAY], scenariosOf }).rows;
  expect(row).toMatchObject({ scored: 1, passed: 0, excused: 1, unscored: 1, unscoredPassed: 0 });
});
