// @ts-check
/** The few statistics the bench needs. */

/** @param {ArrayLike<number>} values @param {number} share between 0 and 1 @returns {number} the value below which that share lies */
export function quantile(values, share) {
  const sorted = Float64Array.from(values).sort();
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}

/** @param {ArrayLike<number>} values */
export const median = (values) => quantile(values, 0.5);

/** Noise only ever adds to a cost: the lowest quartile is nearer the truth than the mean. @param {ArrayLike<number>} values */
export const lowestQuartile = (values) => quantile(values, 0.25);

/** @param {readonly number[]} upper @param {readonly number[]} lower @returns {number} median of the ratios, round by round */
export function medianRatio(upper, lower) {
  return median(upper.map((value, round) => value / /** @type {number} */ (lower[round])));
}

/** @param {readonly number[]} upper @param {readonly number[]} lower @returns {number} median of the differences, round by round */
export function medianDifference(upper, lower) {
  return median(upper.map((value, round) => value - /** @type {number} */ (lower[round])));
}
