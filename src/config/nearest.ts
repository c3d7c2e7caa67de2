import { distance } from 'fastest-levenshtein';

/**
 * The name that was probably meant. Case is no difference; a third of the letters may be wrong, and always two,
 * but never all of them.
 */
export function findNearest(written: string, names: Iterable<string>): string | undefined {
  const wanted = written.toLowerCase();
  const allowed = Math.min(Math.max(2, Math.floor(written.length / 3)), written.length - 1);
  let best: string | undefined;
  let bestDistance = allowed + 1;
  for (const name of names) {
    // The difference in length is a floor of the distance: long names are not worth measuring.
    if (Math.abs(name.length - written.length) >= bestDistance) continue;
    const apart = distance(wanted, name.toLowerCase());
    if (apart >= bestDistance) continue;
    best = name;
    bestDistance = apart;
  }
  return best;
}
