import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findTestData } from './data.js';

const NOWHERE = join(tmpdir(), 'doorward-no-such-folder');

test('absent data is a reason to skip, which says where to get it', () => {
  const data = findTestData({}, NOWHERE);
  if (data.kind === 'found') expect.fail('something was found nowhere');
  expect(data.reason).toContain(NOWHERE);
  expect(data.reason).toContain('JSON-Schema-Test-Suite');
  expect(data.reason).toContain('DOORWARD_TEST_DATA');
});

test.each([
  { why: 'in CI', environment: { CI: 'true' } },
  { why: 'where it is required', environment: { DOORWARD_REQUIRE_TEST_DATA: '1' } },
  { why: 'in a folder that somebody named', environment: { DOORWARD_TEST_DATA: NOWHERE } },
])('absent data is a failure $why', ({ environment }) => {
  expect(() => findTestData(environment, NOWHERE)).toThrow(/no JSON Schema test data/);
});

test('a named folder is used instead of the usual one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'doorward-data-'));
  try {
    mkdirSync(join(folder, 'test-suite', 'tests'), { recursive: true });
    mkdirSync(join(folder, 'real-tools'));
    expect(findTestData({ DOORWARD_TEST_DATA: folder }, NOWHERE)).toEqual({
      kind: 'found',
      suite: join(folder, 'test-suite'),
      realTools: join(folder, 'real-tools'),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
