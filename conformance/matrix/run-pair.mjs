// @ts-check
/** Tries every feature on one pair: with the raw caller, then with each official client of the caller's era. */
import { FEATURES } from './features.mjs';
import { trySdks } from './sdk.mjs';
import { FULL, Stage, Trial, within } from './stage.mjs';

const FEATURE_WITHIN_MS = 10_000;

/** @typedef {{ kind: 'yes' } | { kind: 'absent', why: string } | { kind: 'no', why: string }} Outcome */

/**
 * @param {import('./stage.mjs').Pair} pair @param {{ folder: string, only: string | undefined, hasSdks: boolean }} options
 * @returns {Promise<Map<string, Outcome>>} by the feature's id
 */
export async function runPair(pair, { folder, only, hasSdks }) {
  const features = FEATURES.filter(({ id, title }) => only === undefined || id === only || title.includes(only));
  const stage = new Stage(pair, folder);
  /** @type {Map<string, Outcome>} */
  const outcomes = new Map();
  try {
    const trial = new Trial(stage, await stage.open(FULL));
    for (const feature of features) outcomes.set(feature.id, await tryFeature(feature, pair, trial));
    if (hasSdks) {
      for (const [id, why] of await trySdks(stage, only)) {
        if (outcomes.get(id)?.kind === 'yes') outcomes.set(id, { kind: 'no', why });
      }
    }
  } catch (error) {
    const why = `could not start: ${messageOf(error)}; last on stderr: ${stage.stderr.slice(-300)}`;
    for (const { id } of features) outcomes.set(id, { kind: 'no', why });
  } finally {
    await stage.close();
  }
  return outcomes;
}

/** @param {import('./features-calls.mjs').Feature} feature @param {import('./stage.mjs').Pair} pair @param {Trial} trial @returns {Promise<Outcome>} */
async function tryFeature(feature, pair, trial) {
  const why = feature.absent?.(pair);
  if (why !== undefined) return { kind: 'absent', why };
  try {
    await within(FEATURE_WITHIN_MS, feature.run(trial), 'its end');
    return { kind: 'yes' };
  } catch (error) {
    return { kind: 'no', why: messageOf(error) };
  }
}

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
