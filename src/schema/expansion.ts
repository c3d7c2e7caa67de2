import { tooLarge } from './limits.js';
import type { Site } from './site.js';

/**
 * Counts how many schemas one value meets at one place once every reference, `allOf` and the like is followed. Counted on
 * the graph, so that schemas which double at each step are found without doubling anything.
 *
 * @throws {DoorError} SCHEMA_TOO_LARGE beyond `limit`, and where a schema leads back to itself without going into the
 * value: judging by it would never end
 */
export function holdExpansion(sites: readonly Site[], limit: number): void {
  const counts = new Map<Site, number>();
  for (const site of sites) if (site.inPlace.length > 0) countFrom(site, counts, limit);
}

interface Frame {
  readonly site: Site;
  /** The next of `site.inPlace` to look at. */
  next: number;
  count: number;
}

/** A count of a site that is still being counted: meeting it again closes a circle. */
const OPEN = -1;

function countFrom(start: Site, counts: Map<Site, number>, limit: number): void {
  if (counts.has(start)) return;
  const frames: Frame[] = [{ site: start, next: 0, count: 1 }];
  counts.set(start, OPEN);
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const target = frame.site.inPlace[frame.next];
    if (target === undefined) {
      counts.set(frame.site, frame.count);
      frames.pop();
      continue;
    }
    const count = target.inPlace.length === 0 ? 1 : counts.get(target);
    if (count === OPEN) throw tooLarge('the schema refers to itself without end', target.pointer);
    if (count === undefined) {
      counts.set(target, OPEN);
      frames.push({ site: target, next: 0, count: 1 });
      continue;
    }
    frame.next += 1;
    frame.count += count;
    if (frame.count > limit) throw tooLarge(`one value would meet more than ${limit} schemas`, frame.site.pointer);
  }
}
