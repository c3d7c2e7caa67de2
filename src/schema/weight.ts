import type { Site } from './site.js';

/** Beyond this a check is not worth refining: it is too heavy. */
const MAX_WEIGHT = 64;
/** A weight grows by at least one each pass until it is settled or too much. */
const MAX_PASSES = MAX_WEIGHT + 1;

interface Weight {
  /** Schemas that one value meets at one place, this schema and all it applies in place. */
  here: number;
  /** The most that a value one level inside can meet because of this schema. */
  inside: number;
}

/**
 * Whether judging by these schemas costs about the same for each node of a value, however large it is and however it is
 * made. Only such schemas may run as generated code, which nobody can stop: schemas that go into a value by several ways
 * at once cost more with each level.
 */
export function isLight(sites: readonly Site[]): boolean {
  const weights = new Map<Site, Weight>(sites.map((site) => [site, { here: 1, inside: 0 }]));
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    let isSettled = true;
    // Backwards: what is inside comes later in the list, so that most weights settle in one pass.
    for (let index = sites.length - 1; index >= 0; index -= 1) {
      if (!refine(sites[index]!, weights)) continue;
      isSettled = false;
      const { here, inside } = weights.get(sites[index]!)!;
      if (here > MAX_WEIGHT || inside > MAX_WEIGHT) return false;
    }
    if (isSettled) return true;
  }
  return false;
}

/** @returns whether the weight has grown */
function refine(site: Site, weights: ReadonlyMap<Site, Weight>): boolean {
  const inPlace = new Set(site.inPlace);
  let here = 1;
  let inside = 0;
  for (const child of site.children) {
    const weight = weights.get(child)!;
    if (!inPlace.has(child)) inside = Math.max(inside, weight.here, weight.inside);
  }
  for (const target of site.inPlace) {
    const weight = weights.get(target)!;
    here += weight.here;
    inside += weight.inside;
  }
  const weight = weights.get(site)!;
  if (weight.here === here && weight.inside === inside) return false;
  weight.here = here;
  weight.inside = inside;
  return true;
}
