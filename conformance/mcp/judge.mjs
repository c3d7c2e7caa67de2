/**
 * Judges what the suite found, by what is known to fail (expected-failures.json): scenarios that the suite runs and does not
 * score, or single checks that no bridge between the eras could pass. Each has its reason, and has to go once it passes.
 *
 *     { leg, revision, scenario, reason }                              the whole of an unscored scenario
 *     { leg, revision, scenario, reason, upstreams }                   the same, before these upstreams
 *     { leg, revision, scenario, reason, upstreams, checks }           these checks of a scored one, before these upstreams
 */

/** What stands for a scenario that the suite wrote nothing of: it was ended, or never came to it. Nothing excuses it. */
const NO_RESULT = { id: 'no-result', status: 'FAILURE', errorMessage: 'the suite wrote nothing' };

/**
 * @param runs { leg, revision, upstream?, isFixture?, results } each; of a fixture alone only what is scored is held
 * @param scenariosOf as suite.mjs has it
 * @returns {{ rows: object[], misses: string[] }} counts of each run, and what is wrong
 */
export function judge(runs, { expected, scenariosOf }) {
  const misses = expected.flatMap((entry) => complaints(entry, scenariosOf));
  const failing = new Map(expected.map((entry) => [entry, { ran: false, ids: new Set() }]));
  const rows = runs.map((run) => {
    const row = { ...run, scored: 0, passed: 0, excused: 0, unscored: 0, unscoredPassed: 0, warnings: 0 };
    for (const [scenario, { isScored, reason }] of scenariosOf(run.leg, run.revision)) {
      const checks = run.results.get(scenario) ?? [NO_RESULT];
      const failures = checks.filter(({ status }) => status === 'FAILURE');
      const entry = run.isFixture ? undefined : expected.find((one) => concerns(one, run, scenario));
      const unexpected = failures.filter((failure) => !isExcused(entry, failure));
      row.warnings += checks.filter(({ status }) => status === 'WARNING').length;
      count(row, { isScored, hasFailed: failures.length > 0, isExcused: unexpected.length === 0 });
      if (entry) {
        const seen = failing.get(entry);
        seen.ran = true;
        for (const { id } of failures) seen.ids.add(id);
      }
      if (run.isFixture && !isScored) continue;
      const title = [run.leg, run.upstream, run.revision, scenario, reason].filter(Boolean).join(' ');
      misses.push(...unexpected.map((failure) => `${title}: ${describe(failure)}`));
    }
    return row;
  });
  for (const [entry, seen] of failing) if (seen.ran) misses.push(...outdated(entry, seen.ids));
  return { rows, misses };
}

function count(row, { isScored, hasFailed, isExcused }) {
  if (!isScored) {
    row.unscored += 1;
    if (!hasFailed) row.unscoredPassed += 1;
    return;
  }
  row.scored += 1;
  if (!hasFailed) row.passed += 1;
  else if (isExcused) row.excused += 1;
}

function concerns(entry, { leg, revision, upstream }, scenario) {
  return (
    entry.scenario === scenario &&
    entry.leg === leg &&
    entry.revision === revision &&
    (entry.upstreams?.includes(upstream) ?? true)
  );
}

function isExcused(entry, { id }) {
  return entry !== undefined && id !== NO_RESULT.id && (entry.checks?.includes(id) ?? true);
}

/** What is wrong with an entry, whatever the suite found. */
function complaints(entry, scenariosOf) {
  const known = scenariosOf(entry.leg, entry.revision).get(entry.scenario);
  if (!entry.reason) return [`${nameOf(entry)} has no reason in expected-failures.json`];
  if (known === undefined) return [`${nameOf(entry)} is no scenario of the suite`];
  const isOfBridge = entry.checks !== undefined && entry.upstreams !== undefined;
  return known.isScored && !isOfBridge ? [`${nameOf(entry)} is scored: it must pass`] : [];
}

/** The list may only shrink: what passes is not known to fail. */
function outdated(entry, failedIds) {
  const advice = 'passes now: take it out of expected-failures.json';
  if (entry.checks === undefined) return failedIds.size > 0 ? [] : [`${nameOf(entry)} ${advice}`];
  return entry.checks.filter((id) => !failedIds.has(id)).map((id) => `${nameOf(entry)} ${id} ${advice}`);
}

function nameOf({ leg, revision, scenario }) {
  return `${leg} ${revision} ${scenario}`;
}

function describe({ id, errorMessage, details }) {
  return `${id}: ${errorMessage ?? JSON.stringify(details) ?? ''}`.slice(0, 300);
}
