import type { Caller, Clock, EventBus } from '../base/index.js';
import type { NameBook, OfferBook } from '../catalog/index.js';
import type { ParkedRequests } from '../client/index.js';
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
  readonly parked: ParkedRequests;
  /** The one caller it serves; undefined where it serves all who declare nothing they could be asked for. */
  readonly caller: Caller | undefined;
}
