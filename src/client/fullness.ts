import { DoorError } from '../base/index.js';
import type { Connection } from './connection.js';

/** @throws {DoorError} BUSY where an upstream has more to do than it may, or does not read what it is sent */
export function failIfFull(
  connection: Connection,
  { upstream, maxInFlight }: { readonly upstream: string; readonly maxInFlight: number },
): void {
  if (connection.callsInFlight >= maxInFlight) {
    throw new DoorError('BUSY', `${upstream} already has ${maxInFlight} calls in flight (limits.maxInFlight)`, {
      data: { upstream, limit: maxInFlight },
      hint: 'Wait for calls in flight to end, or raise limits.maxInFlight.',
    });
  }
  if (connection.isBacklogged) {
    throw new DoorError('BUSY', `${upstream} does not read what it is sent`, {
      data: { upstream },
      hint: 'Wait until it has caught up, or restart it.',
    });
  }
}
