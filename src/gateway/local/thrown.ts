import { DoorError } from '../../base/index.js';
import { isToolError } from '../../contract/index.js';

/**
 * What a handler threw, looked at: it may be anything at all, null, a string, or an object that throws when it is looked at
 * in its turn. A call must end all the same, so nothing in this file throws.
 */

/** The error of our own that it is, for the caller to read by its code; undefined where it is none. */
export function doorErrorIn(thrown: unknown): DoorError | undefined {
  return look(() => (thrown instanceof DoorError ? thrown : undefined));
}

/** The message that it has for the caller; undefined where it has none. */
export function toldBy(thrown: unknown): string | undefined {
  return look(() => (isToolError(thrown) && typeof thrown.message === 'string' ? thrown.message : undefined));
}

/** What it says of itself, for whoever runs the server. */
export function reasonOf(thrown: unknown): string {
  const reason = look(() => {
    const text: unknown = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    return typeof text === 'string' ? text : undefined;
  });
  return reason ?? 'it threw something that cannot be shown';
}

function look<Found>(at: () => Found | undefined): Found | undefined {
  try {
    return at();
  } catch {
    return undefined;
  }
}
