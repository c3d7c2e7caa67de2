/** What the ledger looks like to people: counts on a terminal, and docs/conformance.md. */
import { ASSESSED_AREAS, type Ledger, mustBeAssessed, type Statement, type Status, statusesOf } from './ledger.js';

const KINDS = ['met', 'gap', 'not applicable', 'unassessed'] as const;

interface Count {
  readonly area: string;
  readonly counts: Readonly<Record<Status['kind'], number>>;
  /** Statements that may not stay unassessed, and are. */
  readonly owed: number;
}

/** The statements that must be assessed and are not. */
export function owedBy(ledger: Ledger): readonly Statement[] {
  const statuses = statusesOf(ledger);
  return ledger.statements.filter((each) => mustBeAssessed(each) && statuses.get(each.id)?.kind === 'unassessed');
}

/** A line for each area, the areas that must be assessed first; then all of them together. */
export function printCounts(ledger: Ledger): string {
  const counts = countAreas(ledger);
  const width = Math.max(...counts.map(({ area }) => area.length));
  const line = (name: string, cells: readonly (string | number)[]): string =>
    [name.padEnd(width), ...cells.map((cell, index) => String(cell).padStart(KINDS[index]!.length))].join('  ');
  const rows = counts.map(
    (count) => line(count.area, cellsOf(count)) + (count.owed > 0 ? `  (${count.owed} MUST to be assessed)` : ''),
  );
  return [line('area', KINDS), ...rows, line('all', cellsOf(totalOf(counts)))].join('\n');
}

/** The whole of docs/conformance.md. */
export function printDocument(ledger: Ledger): string {
  const counts = countAreas(ledger);
  return [
    INTRODUCTION,
    '## Counts\n',
    `| area | ${KINDS.join(' | ')} |`,
    `|---|${KINDS.map(() => '--:|').join('')}`,
    ...counts.map((count) => `| [${count.area}](#${count.area}) | ${cellsOf(count).join(' | ')} |`),
    `| all | ${cellsOf(totalOf(counts)).join(' | ')} |`,
    '',
    printGaps(ledger),
    printReasons(ledger),
    ...counts.map(({ area }) => printArea(ledger, area)),
  ].join('\n');
}

const INTRODUCTION = `# Conformance

<!-- Written by \`npm run conformance:requirements -- --write\` from conformance/; edit the data there, not this file. -->

The normative statements of the MCP specification that concern a gateway, of the revisions 2025-11-25 and 2026-07-28,
and what doorward makes of each. A statement is

- **met** where the named test shows it. A test fails when it is renamed or deleted and this page still names it.
- a **gap** where doorward does otherwise, on purpose or for now; each gap is registered below with its reason.
- **not applicable** where it speaks to somebody else: an authorization server, the author of a server, the window in
  front of a person. What doorward relays for them it relays unchanged.
- **unassessed** where nobody has looked yet. This says nothing about doorward.

doorward is a server to its callers and a client to its upstreams, so that most statements bind it in one of these two
places. The summaries are ours; the page and line of each statement are in \`conformance/requirements.json\`.
`;

function countAreas({ statements, ...rest }: Ledger): Count[] {
  const statuses = statusesOf({ statements, ...rest });
  const areas = [...new Set(statements.map(({ area }) => area))].sort();
  const first = areas.filter((area) => ASSESSED_AREAS.has(area));
  const others = areas.filter((area) => !ASSESSED_AREAS.has(area));
  return [...first, ...others].map((area) => {
    const counts = { met: 0, gap: 0, 'not applicable': 0, unassessed: 0 };
    let owed = 0;
    for (const statement of statements) {
      if (statement.area !== area) continue;
      const { kind } = statuses.get(statement.id)!;
      counts[kind]++;
      if (kind === 'unassessed' && mustBeAssessed(statement)) owed++;
    }
    return { area, counts, owed };
  });
}

function totalOf(all: readonly Count[]): Count {
  const sum = (kind: Status['kind']): number => all.reduce((total, { counts }) => total + counts[kind], 0);
  const counts = {
    met: sum('met'),
    gap: sum('gap'),
    'not applicable': sum('not applicable'),
    unassessed: sum('unassessed'),
  };
  return { area: 'all', counts, owed: 0 };
}

function cellsOf({ counts }: Count): number[] {
  return KINDS.map((kind) => counts[kind]);
}

function printGaps({ gaps }: Ledger): string {
  const rows = gaps.map(({ id, what, why }) => `- **${id}**: ${what} ${why}`);
  return ['## Gaps\n', ...rows, ''].join('\n');
}

function printReasons({ reasons }: Ledger): string {
  const rows = Object.entries(reasons).map(([id, reason]) => `- **${id}**: ${reason}`);
  return ['## Not applicable\n', ...rows, ''].join('\n');
}

function printArea(ledger: Ledger, area: string): string {
  const statuses = statusesOf(ledger);
  const rows = ledger.statements
    .filter((statement) => statement.area === area)
    .map(({ id, level, summary }) => {
      const cells = [id, level, summary, words(statuses.get(id)!)];
      return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
    });
  return [`## ${area}\n`, '| statement | level | what it says | here |', '|---|---|---|---|', ...rows, ''].join('\n');
}

function words(status: Status): string {
  if (status.kind === 'met') return `met: ${status.tests.map((name) => `\`${name.replaceAll('`', "'")}\``).join('; ')}`;
  if (status.kind === 'gap') return `gap: ${status.gap}`;
  if (status.kind === 'not applicable') return `not applicable: ${status.reason}`;
  return 'unassessed';
}
