import { type Caller, type CancelSignal, canBeAsked, EventBus, orAborted, systemClock } from '../base/index.js';
import { type CatalogSnapshot, NameBook, OfferBook } from '../catalog/index.js';
import { ParkedRequests } from '../client/index.js';
import { MemoryStore } from '../store/index.js';
import { Fleet } from './fleet.js';
import type { FleetOptions } from './fleet-options.js';
import type { MountedUpstream } from './mounted.js';
import { PassingFleets } from './passing-fleets.js';
import { keyOfSecret, Rounds, randomKey, Tasks } from './rounds/index.js';
import type { BrokenMount, Gateway, GatewayLimits, GatewayOptions, Mount, UpstreamStatus, View } from './types.js';
import { FleetView } from './view.js';

const LIMITS: GatewayLimits = {
  maxMessageBytes: 32 * 1024 * 1024,
  maxDepth: 512,
  maxCallMs: 600_000,
  maxInFlight: 1_024,
  pageSize: 0,
};

/** Puts many upstreams behind one catalog. Nothing starts before `start`, or before a mount is asked for. */
export function createGateway(options: GatewayOptions): Gateway {
  const clock = options.clock ?? systemClock;
  const { events = new EventBus() } = options;
  const parked = new ParkedRequests();
  const { secret, store = new MemoryStore({ clock }) } = options;
  const key = secret === undefined ? randomKey() : keyOfSecret(secret);
  const shared: FleetOptions = {
    gateway: options,
    limits: { ...LIMITS, ...options.limits },
    clock,
    events,
    names: new NameBook(),
    offerNames: new OfferBook(),
    shadowed: new Set(),
    parked,
    rounds: new Rounds({ key, store, clock, events, parked }),
    tasks: new Tasks({ key, clock, events }),
    caller: undefined,
    capabilities: undefined,
  };
  return new MountGateway(new Fleet(shared));
}

/** The gateway is also the view of a caller of its own process, who declares nothing it could be asked for. */
class MountGateway extends FleetView implements Gateway {
  readonly #shared: FleetOptions;
  /** Fleets of callers who have upstreams of their own. */
  readonly #own = new Set<Fleet>();
  /** Fleets of callers who come with one request at a time. */
  readonly #passing: PassingFleets;

  constructor(fleet: Fleet) {
    super(fleet, undefined);
    this.#shared = fleet.options;
    this.#passing = new PassingFleets(this.#shared, (mount) => lendable(fleet, mount));
  }

  get events(): EventBus {
    return this.#shared.events;
  }

  get limits(): GatewayLimits {
    return this.#shared.limits;
  }

  upstreams(): readonly UpstreamStatus[] {
    return this.fleet.mounts.filter(({ isNamed }) => isNamed).map(({ id, state }) => ({ id, state }));
  }

  snapshot(): CatalogSnapshot {
    return this.fleet.snapshot;
  }

  async whenSettled(id: string, options: { readonly signal?: CancelSignal } = {}): Promise<UpstreamStatus> {
    const mount = this.fleet.getMount(id);
    await orAborted(mount.settle(), options.signal);
    return { id: mount.id, state: mount.state };
  }

  admit(caller: Caller): View {
    if (!this.#needsOwnFleet(caller)) return new FleetView(this.fleet, caller);
    if (!caller.takesRequests) return new FleetView(this.#passing.fleetOf(caller), caller);
    const { capabilities } = caller;
    const fleet = new Fleet({ ...this.#shared, caller, capabilities }, (mount) => lendable(this.fleet, mount));
    this.#own.add(fleet);
    return new OwnFleetView(fleet, caller, () => this.#own.delete(fleet));
  }

  viewOf(caller: Caller): View {
    return this.#needsOwnFleet(caller) ? this.#passing.viewOf(caller) : this;
  }

  /**
   * What a server of the handshake era asks over stdio names no call, so a connection on which it may ask can have one
   * caller only.
   */
  #needsOwnFleet({ capabilities }: Caller): boolean {
    if (canBeAsked(capabilities)) return true;
    return this.#shared.gateway.mounts.some((mount) => 'isolation' in mount && mount.isolation === 'caller');
  }

  override async close(): Promise<void> {
    await super.close();
    this.#shared.rounds.close();
    await Promise.all([...[this.fleet, ...this.#own].map((fleet) => fleet.close()), this.#passing.close()]);
  }
}

/**
 * An upstream of the modern era is told with each request whose it is, and asks in its answers only: all callers can share
 * one connection to it, whatever they can be asked for.
 */
function lendable(fleet: Fleet, mount: Mount | BrokenMount): MountedUpstream | undefined {
  if ('isolation' in mount && mount.isolation === 'caller') return undefined;
  const mounted = fleet.getMount(mount.id);
  return mounted.era === 'modern' ? mounted : undefined;
}

/** The view of a caller that nobody shares a fleet with: it ends with its caller. */
class OwnFleetView extends FleetView {
  readonly #closed: () => void;

  constructor(fleet: Fleet, caller: Caller, closed: () => void) {
    super(fleet, caller);
    this.#closed = closed;
  }

  override async close(): Promise<void> {
    await super.close();
    await this.fleet.close();
    this.#closed();
  }
}
