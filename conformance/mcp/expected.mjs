/**
 * What is known to fail: scenarios that the suite runs and does not score, or single checks that no bridge between the
 * eras could pass. Each has its reason, and has to go once it passes.
 *
 *     { leg, revision, scenario, reason }                         the whole of an unscored scenario
 *     { leg, revision, scenario, checks, upstreams, reason }      these checks, before these upstreams
 */
import { readFileSync } from 'node:fs';
import { scenariosOf } from './suite.mjs';

const LIST = JSON.parse(readFileSync(new URL('expected-failures.json', import.meta.url), 'utf8'));

/**
 * @param runs { leg, revision, upstream?, isFixture?, results } each; of a fixture alone only what is scored is held
 * @returns {{ rows: object[], misses: string[] }} a row a run, and what is wrong
 */
export function judge(runs) {
  const misses = [...badEntries()];
  const seen = new Map(LIST.map((entry) => [entry, { ran: 0, failed: 0 }]));
  const rows = runs.map((run) => {
    const row = { ...run, scored: 0, scoredPassed: 0, unscored: 0, unscoredPassed: 0, warnings: 0 };
    for (const [scenario, { isScored, reason }] of scenariosOf(run.leg, run.revision)) {
      const { failures, warnings } = outcomeOf(run.results.get(scenario));
      const entry = run.isFixture ? undefined : LIST.find((one) => concerns(one, run, scenario));
      const unexpected = failures.filter(({ id }) => !isExcused(entry, id));
      row.warnings += warnings;
      row[isScored ? 'scored' : 'unscored'] += 1;
      // A check that no bridge could pass is no failure of the scenario; an unscored scenario that fails is one.
      if ((isScored ? unexpected : failures).length === 0) row[isScored ? 'scoredPassed' : 'unscoredPassed'] += 1;
      if (entry) {
        const counts = seen.get(entry);
        counts.ran += 1;
        if (unexpected.length < failures.length) counts.failed += 1;
      }
      if (run.isFixture && !isScored) continue;
      const title = [run.leg, run.upstream, run.revision, scenario, reason].filter(Boolean).join(' ');
      misses.push(...unexpected.map(({ id, said }) => `${title}: ${id}: ${said}`));
    }
    return row;
  });
  for (const [entry, { ran, failed }] of seen) {
    if (ran > 0 && failed === 0) misses.push(`${describe(entry)} passes now: take it out of expected-failures.json`);
  }
  return { rows, misses };
}

function isExcused(entry, id) {
  return entry !== undefined && (entry.checks?.includes(id) ?? true);
}

function concerns(entry, { leg, revision, upstream }, scenario) {
  return (
    entry.scenario === scenario &&
    entry.leg === leg &&
    entry.revision === revision &&
    (entry.upstreams?.includes(upstream) ?? true)
  );
}

function badEntries() {
  return LIST.flatMap((entry) => {
    const known = scenariosOf(entry.leg, entry.revision).get(entry.scenario);
    if (!entry.reason) return [`${describe(entry)} has no reason in expected-failures.json`];
    if (known === undefined) return [`${describe(entry)} is no scenario of the suite`];
    const isOfBridge = entry.checks !== undefined && entry.upstreams !== undefined;
    if (known.isScored && !isOfBridge) return [`${describe(entry)} is scored: it must pass`];
    return [];
  });
}

function describe({ leg, revision, scenario }) {
  return `${leg} ${revision} ${scenario}`;
}

/** @param checks undefined where the suite wrote nothing: it was ended, or never came to this scenario */
function outcomeOf(checks) {
  if (checks === undefined) return { failures: [{ id: 'no-result', said: 'the suite wrote nothing' }], warnings: 0 };
  const failures = checks
    .filter(({ status }) => status === 'FAILURE')
    .map(({ id, errorMessage, details }) => ({
      id,
      said: (errorMessage ?? JSON.stringify(details) ?? '').slice(0, 300),
    }));
  return { failures, warnings: checks.filter(({ status }) => status === 'WARNING').length };
}
