import type { Caller, CallerCapabilities, Clock, EventBus } from '../base/index.js';
import type { NameBook, OfferBook } from '../catalog/index.js';
import type { ParkedRequests } from '../client/index.js';
import type { Rounds, Tasks } from './rounds/index.js';
import type { GatewayLimits, GatewayOptions } from './types.js';

/** What all fleets of one gateway share, and whose fleet this is. */
export interface FleetOptions {
  readonly gateway: GatewayOptions;
  readonly limits: GatewayLimits;
  readonly clock: Clock;
  readonly events: EventBus;
  /** Names mean the same to every caller, whatever fleet it is served by. */
  readonly names: NameBook;
  readonly offerNames: OfferBook;
  /** Tools that were left out since one of ours has their name, as far as that was told: by mount and tool. */
  readonly shadowed: Set<string>;
  readonly parked: ParkedRequests;
  /** Takes requests on until they are done, whatever rounds that needs. */
  readonly rounds: Rounds;
  readonly tasks: Tasks;
  /** The one caller it serves; undefined where it serves several. */
  readonly caller: Caller | undefined;
  /** What all its callers declare that they can be asked for; undefined where that is nothing. */
  readonly capabilities: CallerCapabilities | undefined;
}
