/** As much of `fastest-levenshtein` as we use, for bundles whose size counts: slower, and a sixth of it. */
export function distance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const line = [row];
    for (let at = 1; at <= other.length; at++) {
      const kept = above[at - 1]! + (one[row - 1] === other[at - 1] ? 0 : 1);
      line.push(Math.min(kept, above[at]! + 1, line[at - 1]! + 1));
    }
    above = line;
  }
  return above[other.length]!;
}

/** @returns the one of `others` that is nearest, the first of several */
export function closest(one: string, others: readonly string[]): string {
  return others.reduce((best, each) => (distance(one, each) < distance(one, best) ? each : best));
}
