import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/base/index.js';
import type { Dialect } from '../../src/schema/index.js';
import { findTestData } from './data.js';
import { readExtraSuite } from './extra.js';
import { JUDGING_KEYWORDS, NOTING_KEYWORDS } from './keywords.js';
import { runFile } from './run-cases.js';
import { DIALECTS, readRemotes, readSuite, type SuiteGroup } from './suite.js';

const data = findTestData();
const REQUIRED: Readonly<Record<Dialect, number>> = {
  '2020-12': 1299,
  '2019-09': 1259,
  'draft-07': 927,
  'draft-06': 839,
  'draft-04': 618,
};

/** Declares the tests of every suite. Whether code is generated or rules are interpreted is up to the file that calls. */
export function declareSuiteTests(): void {
  describe.each(DIALECTS)('%s', (dialect) => {
    test('the official suite, every required case', ({ skip }) => {
      if (data.kind === 'absent') return skip(data.reason);
      const documents = readRemotes(data.suite, dialect);
      const results = readSuite(data.suite, dialect, 'required').map((file) => runFile(file, documents));
      expect(missesOf(results)).toEqual([]);
      expect(results.reduce((sum, { ran }) => sum + ran, 0)).toBe(REQUIRED[dialect]);
    });

    test('the official suite, optional big numbers', ({ skip }) => {
      if (data.kind === 'absent') return skip(data.reason);
      const files = readSuite(data.suite, dialect, 'optional').filter(({ name }) => name.endsWith('bignum.json'));
      const results = files.map((file) => runFile(file, {}));
      expect(missesOf(results)).toEqual([]);
      expect(results).toHaveLength(1);
    });

    test.each(readExtraSuite(dialect))('our own suite: $name', (file) => {
      expect(missesOf([runFile(file, {})])).toEqual([]);
    });

    test('our own suite proves every keyword: without it, some verdict changes', () => {
      const groups = readExtraSuite(dialect).flatMap((file) => file.groups);
      const unproven = JUDGING_KEYWORDS[dialect].filter(
        (keyword) => !groups.some((group) => uses(group, keyword) && dependsOn(group, keyword, dialect)),
      );
      const unused = NOTING_KEYWORDS[dialect].filter((keyword) => !groups.some((group) => uses(group, keyword)));
      expect({ unproven, unused }).toEqual({ unproven: [], unused: [] });
    });
  });
}

function missesOf(results: readonly { readonly name: string; readonly misses: readonly string[] }[]): string[] {
  return results.flatMap(({ name, misses }) => misses.map((miss) => `${name}: ${miss}`));
}

/** As a keyword only: a group that also uses the name for a property proves nothing about the keyword. */
function uses({ schema }: SuiteGroup, keyword: string): boolean {
  if (!schema.includes(`"${keyword}"`)) return false;
  const pending = [parseJson(schema)];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null) continue;
    const properties = (next as { properties?: unknown }).properties;
    if (typeof properties === 'object' && properties !== null && Object.hasOwn(properties, keyword)) return false;
    pending.push(...Object.values(next));
  }
  return true;
}

function dependsOn(group: SuiteGroup, keyword: string, dialect: Dialect): boolean {
  const without = { ...group, schema: group.schema.replaceAll(`"${keyword}":`, `"x-${keyword}":`) };
  const misses = (one: SuiteGroup) => runFile({ dialect, name: one.description, groups: [one] }, {}).misses.length;
  return misses(group) === 0 && misses(without) > 0;
}
