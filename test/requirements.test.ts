/** The ledger of the specification's statements: nothing in it may be wrong, missing where it must be there, or stale. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { faultsOf, type Ledger, readLedger, type Statement, statusesOf } from '../conformance/requirements/ledger.js';
import { owedBy, printCounts, printDocument } from '../conformance/requirements/print.js';
import { TestTitles } from '../conformance/requirements/test-titles.js';

const ledger = readLedger();
const titles = new TestTitles();

test('the ledger of the statements is in order', () => {
  expect(ledger.statements).toHaveLength(1256);
  expect(faultsOf(ledger, (name) => titles.has(name))).toEqual([]);
});

test('docs/conformance.md is what the ledger says', () => {
  const text = readFileSync(fileURLToPath(new URL('../docs/conformance.md', import.meta.url)), 'utf8');
  expect(text, 'npm run conformance:requirements -- --write').toBe(printDocument(ledger));
});

test('what the statements on JSON Schema say of dialects and references is met, without a gap', () => {
  const named = /-js-(support|default|validate|unsupported|document|no-network|ref-unresolved)/;
  const statuses = statusesOf(ledger);
  const ids = ledger.statements.map(({ id }) => id).filter((id) => named.test(id));
  expect(ids).toHaveLength(14);
  expect(ids.filter((id) => statuses.get(id)?.kind !== 'met')).toEqual([]);
});

const MUST: Statement = {
  id: 'm',
  spec: '2026-07-28',
  level: 'MUST',
  page: 'p.mdx',
  line: 1,
  role: 'both',
  area: 'tools',
  summary: 'Be | good',
};
const SMALL: Ledger = {
  statements: [MUST, { ...MUST, id: 'n' }, { ...MUST, id: 's', level: 'SHOULD' }, { ...MUST, id: 'i', area: 'icons' }],
  rows: [
    { statements: ['m'], met: ['a.test.ts > t'] },
    { statements: ['n', 's'], gap: 'g' },
    { statements: ['i'], notApplicable: 'person' },
  ],
  gaps: [{ id: 'g', what: 'Not so.', why: 'Because.' }],
  reasons: { person: 'speaks to a person' },
};
const hasTest = (name: string): boolean => name === 'a.test.ts > t';
const withRow = (row: object): Ledger => ({
  ...SMALL,
  rows: [{ statements: ['m'], ...row } as Ledger['rows'][number]],
});

describe('a ledger at fault', () => {
  test.each<{ why: string; small: Ledger; says: string }>([
    {
      why: 'a test that is not there',
      small: withRow({ met: ['a.test.ts > gone'] }),
      says: 'm: there is no test "a.test.ts > gone"',
    },
    { why: 'met without a test', small: withRow({ met: [] }), says: 'm: names no test' },
    { why: 'a gap that is not registered', small: withRow({ gap: 'h' }), says: 'm: the gap h is not registered' },
    { why: 'a reason that is not there', small: withRow({ notApplicable: 'x' }), says: 'm: there is no reason x' },
    {
      why: 'two claims',
      small: withRow({ gap: 'g', notApplicable: 'person' }),
      says: 'm: says not exactly one of met, gap and notApplicable',
    },
    { why: 'no claim', small: withRow({}), says: 'm: says not exactly one of met, gap and notApplicable' },
    {
      why: 'a row without a statement',
      small: withRow({ statements: [], gap: 'g' }),
      says: 'a row: names no statement',
    },
    { why: 'an unknown id', small: withRow({ statements: ['z'], gap: 'g' }), says: 'z is no statement' },
    {
      why: 'an id assessed twice',
      small: { ...SMALL, rows: [...SMALL.rows, { statements: ['s'], gap: 'g' }] },
      says: 's is assessed twice',
    },
    {
      why: 'an id twice in one row',
      small: withRow({ statements: ['m', 'm'], gap: 'g' }),
      says: 'm is assessed twice',
    },
    {
      why: 'a gap without a reason',
      small: { ...SMALL, gaps: [{ id: 'g', what: 'Not so.', why: ' ' }] },
      says: 'the gap g has no reason',
    },
    {
      why: 'a gap registered twice',
      small: { ...SMALL, gaps: [...SMALL.gaps, ...SMALL.gaps] },
      says: 'the gap g is registered twice',
    },
    { why: 'an empty reason', small: { ...SMALL, reasons: { person: '' } }, says: 'the reason person is empty' },
    {
      why: 'a statement twice',
      small: { ...SMALL, statements: [...SMALL.statements, MUST] },
      says: 'm is two statements',
    },
  ])('$why', ({ small, says }) => {
    expect(faultsOf(SMALL, hasTest)).toEqual([]);
    expect(faultsOf(small, hasTest)).toEqual([says]);
  });
});

describe('what is printed', () => {
  test('owes an assessment of each MUST of the named areas, and of nothing else', () => {
    expect(owedBy(SMALL)).toEqual([]);
    expect(owedBy({ ...SMALL, rows: [] }).map(({ id }) => id)).toEqual(['m', 'n']);
    expect(printCounts({ ...SMALL, rows: [] })).toContain('(2 MUST to be assessed)');
  });

  test('counts by area, the named ones first, and all', () => {
    const [, first = '', second = '', all = ''] = printCounts(SMALL).split('\n');
    expect([first, second, all].map((line) => line.split(/ +/))).toEqual([
      ['tools', '1', '2', '0', '0'],
      ['icons', '0', '0', '1', '0'],
      ['all', '1', '2', '1', '0'],
    ]);
  });

  test('shows each statement beside its status, and the reasons of gaps', () => {
    const text = printDocument(SMALL);
    expect(text).toContain('| m | MUST | Be \\| good | met: `a.test.ts > t` |');
    expect(text).toContain('| n | MUST | Be \\| good | gap: g |');
    expect(text).toContain('| i | MUST | Be \\| good | not applicable: person |');
    expect(text).toContain('- **g**: Not so. Because.');
    expect(printDocument({ ...SMALL, rows: [] })).toContain('| m | MUST | Be \\| good | unassessed |');
  });
});

describe('a test is found by its name', () => {
  const FILES: Readonly<Record<string, string>> = {
    'test/a.test.ts': `
      import { describe, test } from 'vitest';
      import { ROWS } from './rows.js';
      import { declareMore } from './more.js';
      test('plain', () => {});
      test.only.concurrent("with 'quotes' > and more", () => {});
      describe('outer', () => {
        describe.each(['x', 'y'])('inner %s', () => { test(\`deep\`, () => {}); });
        test.each([{ why: 'first' }])('row $why', () => {});
      });
      test.for(ROWS)('of a table: %j', () => {});
      test.skipIf(false)('perhaps', () => {});
      test.skip('skipped', () => {});
      test.todo('later');
      describe.skip('away', () => { test('inside', () => {}); });
      test(titleOf('c01'), () => {});
      declareMore();
    `,
    'test/rows.ts': "export const ROWS = ['elsewhere'];",
    'test/more.ts': "import { test } from 'vitest'; export const declareMore = () => test('declared', () => {});",
    'test/data/cases.json': '{"cases":[{"id":"c01","title":"Something fails"}]}',
  };
  const found = new TestTitles((path) => FILES[path]);

  test.each([
    'plain',
    "with 'quotes' > and more",
    'outer > inner x > deep',
    "outer > inner 'y' > deep",
    'outer > row first',
    'outer > row $why',
    'of a table: elsewhere',
    'perhaps',
    'declared',
    'c01: Something fails',
  ])('there is: %s', (title) => expect(found.has(`test/a.test.ts > ${title}`)).toBe(true));

  test.each([
    'plai',
    'deep',
    'outer',
    'outer > inner z > deep',
    'outer > row second',
    'of a table: nowhere',
    'skipped',
    'later',
    'away > inside',
    'c02: Something fails',
  ])('there is not: %s', (title) => expect(found.has(`test/a.test.ts > ${title}`)).toBe(false));

  test('nor in a file that is not there, or by the name of a file alone', () => {
    expect(found.has('test/b.test.ts > plain')).toBe(false);
    expect(found.has('test/a.test.ts')).toBe(false);
  });
});
