/**
 * Scenarios that are known to fail. Only such as the suite runs and does not score may stand here, each with its reason;
 * one that passes has to go.
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
      row[isScored ? 'scored' : 'unscored'] += 1;
      if (failures.length === 0) row[isScored ? 'scoredPassed' : 'unscoredPassed'] += 1;
      row.warnings += warnings;
      const entry = LIST.find((one) => concerns(one, run, scenario));
      if (run.isFixture && !isScored) continue;
      if (entry && !run.isFixture) {
        const counts = seen.get(entry);
        counts.ran += 1;
        if (failures.length > 0) counts.failed += 1;
      } else {
        const title = [run.leg, run.upstream, run.revision, scenario, reason].filter(Boolean).join(' ');
        misses.push(...failures.map((failure) => `${title}: ${failure}`));
      }
    }
    return row;
  });
  for (const [entry, { ran, failed }] of seen) {
    if (ran > 0 && failed === 0) misses.push(`${describe(entry)} passes now: take it out of expected-failures.json`);
  }
  return { rows, misses };
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
    // What a bridge cannot do is no matter of the suite's score: the server behind the bridge never said it.
    if (known.isScored && !entry.isBeyondBridge) return [`${describe(entry)} is scored: it must pass`];
    return [];
  });
}

function describe({ leg, revision, scenario }) {
  return `${leg} ${revision} ${scenario}`;
}

/** @param checks undefined where the suite wrote nothing: it was ended, or never came to this scenario */
function outcomeOf(checks) {
  if (checks === undefined) return { failures: ['the suite has no result'], warnings: 0 };
  const failures = checks
    .filter(({ status }) => status === 'FAILURE')
    .map(({ id, errorMessage, details }) => `${id}: ${errorMessage ?? JSON.stringify(details) ?? ''}`.slice(0, 400));
  return { failures, warnings: checks.filter(({ status }) => status === 'WARNING').length };
}
