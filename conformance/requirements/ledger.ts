/**
 * The ledger: the statements of the specification that concern a gateway, and what doorward makes of each. Statements,
 * statuses, gaps and reasons are data in files of their own; this reads them and says what is wrong with them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One normative statement of a page of the specification, summarized. */
export interface Statement {
  readonly id: string;
  /** The revision it stands in. */
  readonly spec: string;
  /** `MUST`, `SHOULD NOT` and so on, as the page has it. */
  readonly level: string;
  readonly page: string;
  readonly line: number;
  /** Whom it binds. */
  readonly role: string;
  readonly area: string;
  readonly summary: string;
}

export type Status =
  | { readonly kind: 'met'; readonly tests: readonly string[] }
  | { readonly kind: 'gap'; readonly gap: string }
  | { readonly kind: 'not applicable'; readonly reason: string }
  | { readonly kind: 'unassessed' };

/** One row of a file under statuses/: what holds of several statements for the same reason is said once. */
export interface StatusRow {
  readonly statements: readonly string[];
  /** Tests that show it: `path/of/file.test.ts > describe > title`. */
  readonly met?: readonly string[];
  /** The id of a gap in gaps.json. */
  readonly gap?: string;
  /** The id of a reason in not-applicable.json. */
  readonly notApplicable?: string;
}

/** What doorward does otherwise than the specification says, on purpose or for now, and why. */
export interface Gap {
  readonly id: string;
  readonly what: string;
  readonly why: string;
}

export interface Ledger {
  readonly statements: readonly Statement[];
  readonly rows: readonly StatusRow[];
  readonly gaps: readonly Gap[];
  /** Why a kind of statement does not speak to doorward, by id. */
  readonly reasons: Readonly<Record<string, string>>;
}

/** Each MUST and MUST NOT of these areas has to be assessed; the rest is counted. */
export const ASSESSED_AREAS: ReadonlySet<string> = new Set([
  'tools',
  'json-schema',
  'elicitation',
  'mrtr',
  'transport',
  'transport-http',
  'transport-stdio',
  'sessions',
  'resumability',
  'headers',
  'meta',
  'base',
  'lifecycle',
  'versioning',
  'stateless',
  'errors',
  'cancellation',
  'progress',
  'pagination',
  'caching',
  'subscriptions',
]);

const CONFORMANCE = join(import.meta.dirname, '..');

/** @throws where a file is missing or is no JSON */
export function readLedger(folder = CONFORMANCE): Ledger {
  const read = (...names: readonly string[]): unknown => JSON.parse(readFileSync(join(folder, ...names), 'utf8'));
  const files = readdirSync(join(folder, 'requirements', 'statuses')).sort();
  return {
    statements: read('requirements.json') as Statement[],
    rows: files.flatMap((file) => read('requirements', 'statuses', file) as StatusRow[]),
    gaps: read('gaps.json') as Gap[],
    reasons: read('requirements', 'not-applicable.json') as Record<string, string>,
  };
}

/** Whether the statement is one that may not stay unassessed. */
export function mustBeAssessed({ area, level }: Statement): boolean {
  return level.startsWith('MUST') && ASSESSED_AREAS.has(area);
}

/** What the ledger says of each statement, by its id. Where two rows speak of one, the first counts. */
export function statusesOf(ledger: Ledger): ReadonlyMap<string, Status> {
  const statuses = new Map<string, Status>();
  for (const row of ledger.rows) {
    for (const id of row.statements) if (!statuses.has(id)) statuses.set(id, statusOf(row));
  }
  for (const { id } of ledger.statements) if (!statuses.has(id)) statuses.set(id, { kind: 'unassessed' });
  return statuses;
}

function statusOf({ met, gap, notApplicable }: StatusRow): Status {
  if (met !== undefined) return { kind: 'met', tests: met };
  if (gap !== undefined) return { kind: 'gap', gap };
  if (notApplicable !== undefined) return { kind: 'not applicable', reason: notApplicable };
  return { kind: 'unassessed' };
}

/**
 * What is wrong with a ledger, one sentence each; empty where all is well.
 *
 * @param hasTest whether the test that a row names exists
 */
export function faultsOf(ledger: Ledger, hasTest: (name: string) => boolean): string[] {
  const known = new Set(ledger.statements.map(({ id }) => id));
  const faults = [
    ...repeated(ledger.statements.map(({ id }) => id)).map((id) => `${id} is two statements`),
    ...repeated(ledger.rows.flatMap(({ statements }) => statements)).map((id) => `${id} is assessed twice`),
    ...repeated(ledger.gaps.map(({ id }) => id)).map((id) => `the gap ${id} is registered twice`),
  ];
  for (const { id, what, why } of ledger.gaps) {
    if (!what?.trim() || !why?.trim()) faults.push(`the gap ${id} has no reason`);
  }
  for (const [id, reason] of Object.entries(ledger.reasons)) {
    if (!reason.trim()) faults.push(`the reason ${id} is empty`);
  }
  for (const row of ledger.rows) {
    for (const id of row.statements) if (!known.has(id)) faults.push(`${id} is no statement`);
    for (const fault of faultsOfRow(row, ledger, hasTest)) faults.push(`${row.statements[0] ?? 'a row'}: ${fault}`);
  }
  return faults;
}

function faultsOfRow(row: StatusRow, ledger: Ledger, hasTest: (name: string) => boolean): string[] {
  const { statements, met, gap, notApplicable } = row;
  const claims = [met, gap, notApplicable].filter((claim) => claim !== undefined);
  if (statements.length === 0) return ['names no statement'];
  if (claims.length !== 1) return ['says not exactly one of met, gap and notApplicable'];
  if (gap !== undefined && !ledger.gaps.some(({ id }) => id === gap)) return [`the gap ${gap} is not registered`];
  if (notApplicable !== undefined && !Object.hasOwn(ledger.reasons, notApplicable)) {
    return [`there is no reason ${notApplicable}`];
  }
  if (met?.length === 0) return ['names no test'];
  return (met ?? []).filter((name) => !hasTest(name)).map((name) => `there is no test "${name}"`);
}

function repeated(ids: readonly string[]): string[] {
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
}
