import { DoorError } from '../base/index.js';

/**
 * What a request fails with whose upstream asks, or makes a task, in a way that it must not.
 *
 * @param what a sentence's end: the upstream's id comes before it
 * @param cause why, where that was found by somebody else; its `data.reason` is told on
 */
export function brokeProtocol(upstream: string, what: string, cause?: DoorError): DoorError {
  return new DoorError('UPSTREAM_BROKE_PROTOCOL', `${upstream} ${what}`, {
    data: { upstream, ...(cause?.data.reason !== undefined && { reason: cause.data.reason }) },
    hint: 'Report it to the author of the server.',
    ...(cause !== undefined && { cause }),
  });
}
