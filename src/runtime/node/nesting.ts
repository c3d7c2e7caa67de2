import { DoorError } from '../../base/index.js';
import type { Environment } from '../../config/index.js';

const DEPTH = 'DOORWARD_DEPTH';
/** One door behind another has its uses; so many have none. */
const MAX_DEPTH = 4;

/** What a child is told, so that a doorward among the servers of a doorward knows how deep it is. */
export function nestingFor(environment: Environment): Readonly<Record<string, string>> {
  return { [DEPTH]: String(depthOf(environment) + 1) };
}

/**
 * A configuration that names doorward among its own servers would start it again and again.
 *
 * @throws {DoorError} CONFIG_INVALID where this is one too many
 */
export function refuseNesting(environment: Environment): void {
  if (depthOf(environment) <= MAX_DEPTH) return;
  throw new DoorError('CONFIG_INVALID', `doorward has started itself ${MAX_DEPTH} times, each behind the last`, {
    data: { reason: 'starts-itself', limit: MAX_DEPTH },
    hint: 'Take doorward itself out of the "mcpServers" of its own configuration.',
  });
}

function depthOf(environment: Environment): number {
  const depth = Number(environment[DEPTH] ?? 0);
  return Number.isSafeInteger(depth) && depth > 0 ? depth : 0;
}
