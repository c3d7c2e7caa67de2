import type { EventBus } from '../../base/index.js';
import { type Gateway, localMount, type Mount } from '../../gateway/index.js';
import { ownImplementation } from './implementation.js';

export interface OwnMountOptions {
  /** The gateway it is mounted in, once that is there. */
  readonly gatewayOf: () => Gateway;
  readonly events?: EventBus;
  /** Ids of the mounts beside it. */
  readonly taken?: readonly string[];
}

/** Puts doorward's own tools beside those of the servers. */
export function ownMount({ gatewayOf, events, taken = [] }: OwnMountOptions): Mount {
  let id = 'doorward';
  while (taken.includes(id)) id += '_';
  return localMount(ownImplementation(gatewayOf), { id, ...(events && { events }) });
}
