import { type CancelListener, type CancelSignal, DoorError, systemClock } from '../../base/index.js';
import type { Environment, HttpSettings } from '../../config/index.js';
import type { Contract, ServerIdentity } from '../../contract/index.js';
import type { HttpDoorOptions, Phase, Readiness } from '../../doors/index.js';
import type { Gateway } from '../../gateway/index.js';
import { lendNativeBytes } from './native-bytes.js';
import { END_SIGNALS, type Patience, waitPatiently } from './patience.js';
import { hurryGroups } from './process-group.js';

export interface ServeHttpOptions {
  readonly http: HttpSettings;
  readonly limits: HttpDoorOptions['limits'];
  readonly info: HttpDoorOptions['info'];
  readonly instructions?: HttpDoorOptions['instructions'];
  /** What the server says of itself beside that (`HttpDoorOptions`). */
  readonly meta?: HttpDoorOptions['meta'];
  /** Who the door is to the public, where `http.discovery` does not say. */
  readonly identity: ServerIdentity;
  /** The contract of tools of its own, where it serves any. */
  readonly contract?: Contract;
  /** When the program was made, RFC 3339; SOURCE_DATE_EPOCH counts more. */
  readonly builtAt?: string;
  readonly environment: Environment;
  /** Makes the gateway. Its upstreams are started once the door is open. */
  readonly open: () => Promise<Gateway>;
  /** The door is open: where callers on this machine reach it. */
  readonly listening: (url: string) => void;
  /** The end has begun, and waits for what is under way. */
  readonly draining?: () => void;
  /** Ends serving as SIGTERM does. */
  readonly signal?: CancelSignal;
}

const LAST_WRITE_MS = 1_000;
const LAST_WRITE: Patience = { timeoutMs: LAST_WRITE_MS, hurriedMs: LAST_WRITE_MS / 5 };
/** How long calls under way may take once the end has begun; the last writes come on top. */
const DRAIN_MS = 15_000 - LAST_WRITE_MS;
/** An end that takes longer than this looks like a hang to whoever pressed Ctrl-C. */
const TELL_AFTER_MS = 250;
/** Upstreams that have not answered by then are waited for no longer: the door serves what there is. */
const STARTING_MS = 5_000;

/**
 * Serves over HTTP until a signal comes; then takes nothing new, lets what is under way end, and ends everything that was
 * started. A second signal ends the wait.
 *
 * @throws {DoorError} CONFIG_INVALID where the door cannot be opened as it is configured
 */
export async function serveHttp(options: ServeHttpOptions): Promise<void> {
  const { http, limits, info, instructions, meta, identity, contract, builtAt, environment, open, listening } = options;
  lendNativeBytes();
  const ends = new Ends(options.signal);
  let gateway: Gateway | undefined;
  try {
    // A door on stdio needs nothing of this.
    const { openHttpDoor } = await import('./http-door.js');
    gateway = await open();
    const served = { gateway, limits, info, ...(instructions && { instructions }), ...(meta && { meta }) };
    const readiness = new Watch(gateway, () => ends.isReached);
    const { door, server, url } = await openHttpDoor({
      http,
      served,
      identity,
      ...(contract && { contract }),
      ...(builtAt !== undefined && { builtAt }),
      environment,
      clock: systemClock,
      readiness: () => readiness.now(),
    });
    try {
      gateway.start();
      (await import('./heap-growth.js')).letHeapGrow();
      listening(url);
      await ends.reached;
      server.stop();
      door.refuse(new DoorError('BUSY', 'doorward is ending and takes no new requests'));
      const telling = setTimeout(() => options.draining?.(), TELL_AFTER_MS);
      await ends.wait(door.whenIdle(), { timeoutMs: DRAIN_MS, hurriedMs: 0 });
      clearTimeout(telling);
      door.abandon(new DoorError('UPSTREAM_LOST', ends.whyTooLate, { data: { outcome: 'unknown' } }));
      await ends.wait(door.whenIdle(), LAST_WRITE);
    } finally {
      await door.close();
      await server.close();
    }
  } finally {
    await gateway?.close();
    ends.forget();
  }
}

/** How things are, for whoever asks whether calls can be served. */
class Watch {
  readonly #gateway: Gateway;
  readonly #isEnding: () => boolean;
  readonly #sinceMs = systemClock.monotonicMs();
  #hasStarted = false;

  constructor(gateway: Gateway, isEnding: () => boolean) {
    this.#gateway = gateway;
    this.#isEnding = isEnding;
  }

  now(): Readiness {
    const upstreams = this.#gateway.upstreams();
    const words = upstreams.map(({ id, state }) => ({ id, state: state.kind }));
    const isWaiting = words.some(({ state }) => state === 'idle' || state === 'connecting');
    this.#hasStarted ||= !isWaiting || systemClock.monotonicMs() - this.#sinceMs > STARTING_MS;
    const status: Phase = this.#isEnding() ? 'draining' : this.#hasStarted ? 'ready' : 'starting';
    const degraded = words.filter(({ state }) => state !== 'ready').map(({ id }) => id);
    return { status, degraded, upstreams: words };
  }
}

/** The signals that end serving: the first one in good order, the second one at once. */
class Ends implements CancelListener {
  readonly reached: Promise<void>;
  #reach!: () => void;
  #hurry!: () => void;
  readonly #hurried: Promise<void>;
  #count = 0;
  readonly #signal: CancelSignal | undefined;
  readonly #onSignal = (): void => this.handleEvent();

  constructor(signal: CancelSignal | undefined) {
    this.#signal = signal;
    this.reached = new Promise((resolve) => {
      this.#reach = resolve;
    });
    this.#hurried = new Promise((resolve) => {
      this.#hurry = resolve;
    });
    for (const name of END_SIGNALS) process.on(name, this.#onSignal);
    signal?.addEventListener('abort', this);
    if (signal?.aborted) this.handleEvent();
  }

  get isReached(): boolean {
    return this.#count > 0;
  }

  get whyTooLate(): string {
    return this.#count > 1
      ? 'doorward was told to end at once, before the answer came'
      : `doorward was told to end, and the answer did not come within ${DRAIN_MS} ms`;
  }

  handleEvent(): void {
    this.#count++;
    this.#reach();
    if (this.#count < 2) return;
    this.#hurry();
    hurryGroups();
  }

  /** Waits for `task`, with patience. */
  wait(task: Promise<void>, patience: Patience): Promise<void> {
    return waitPatiently(task, patience, this.#hurried);
  }

  forget(): void {
    for (const name of END_SIGNALS) process.off(name, this.#onSignal);
    this.#signal?.removeEventListener('abort', this);
  }
}
