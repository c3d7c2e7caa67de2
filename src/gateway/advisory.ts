import { type Clock, encodeText, type Scheduled, sliceOf } from '../base/index.js';
import { isMounted, type Offer, STATUS_URI } from '../catalog/index.js';
import type { MountedUpstream } from './mounted.js';
import type { RelayedAnswer, UpstreamFailure } from './types.js';

/** A start that has lasted so long is worth telling about. */
const SLOW_START_MS = 5_000;
/** How the state looks while all is well. */
const NOTHING = '[]';
/** So many tools that were left out are named. */
const MAX_NAMED = 5;

/** What is wrong with one upstream, for whoever reads `doorward://status`. */
export interface Advisory {
  readonly id: string;
  /**
   * `starting`: it has not answered for some seconds; `failed`: it cannot be reached now; `flapping`: it keeps ending;
   * `degraded`: it works, but tools were left out; `signed-out`: it is a remote that nobody is signed in at.
   */
  readonly status: 'starting' | 'failed' | 'flapping' | 'degraded' | 'signed-out';
  /** The code of docs/errors.md, where one failure is to blame. */
  readonly code?: string;
  readonly reason: string;
  /** What a person can do about it. */
  readonly action: string;
  /** When it began, ISO 8601; null where it was never otherwise. */
  readonly since: string | null;
  /** When it is tried again by itself, epoch milliseconds; null where that is not so. */
  readonly retryAtMs: number | null;
}

/** What is wrong in one fleet: nothing, or a resource that says it. */
export class StatusBoard {
  readonly #mounts: readonly MountedUpstream[];
  readonly #clock: Clock;
  readonly #changed: (change: { readonly isListed: boolean; readonly wasListed: boolean }) => void;
  #slowStart: Scheduled | undefined;
  /** The state as of the last look, without what changes by itself. */
  #seen = NOTHING;

  /** @param changed hears when there is another state to be read, and whether the resource was and is listed */
  constructor(
    mounts: readonly MountedUpstream[],
    clock: Clock,
    changed: (change: { readonly isListed: boolean; readonly wasListed: boolean }) => void,
  ) {
    this.#mounts = mounts;
    this.#clock = clock;
    this.#changed = changed;
  }

  /** The resource as it is listed; undefined while nothing is wrong. */
  get offer(): Offer | undefined {
    return this.advisories().length === 0 ? undefined : STATUS;
  }

  advisories(): readonly Advisory[] {
    return this.#mounts.flatMap((mount) => adviceOn(mount, this.#clock.nowMs()) ?? []);
  }

  read(): RelayedAnswer {
    const upstreams = this.advisories();
    const all = this.#mounts.filter(({ isNamed }) => isNamed).length;
    const summary =
      upstreams.length === 0 ? `all ${all} servers are well` : `${upstreams.length} of ${all} servers need a look`;
    const text = JSON.stringify({ summary, upstreams });
    const result = { contents: [{ uri: STATUS_URI, mimeType: 'application/json', text }] };
    return { kind: 'result', json: sliceOf(encodeText(JSON.stringify(result))), hasLineBreaks: false };
  }

  /** Something may have changed: tells so if it has, and looks again when a start has lasted long enough to be named. */
  look(): void {
    this.#lookLater();
    const seen = JSON.stringify(this.advisories().map(({ id, status, reason }) => [id, status, reason]));
    const before = this.#seen;
    if (seen === before) return;
    this.#seen = seen;
    this.#changed({ isListed: seen !== NOTHING, wasListed: before !== NOTHING });
  }

  #lookLater(): void {
    this.#slowStart?.cancel();
    const nowMs = this.#clock.nowMs();
    const left = this.#mounts.flatMap(({ state }) => {
      const isStarting = state.kind === 'connecting' && state.failure === undefined;
      return isStarting && nowMs - state.sinceMs < SLOW_START_MS ? [SLOW_START_MS - (nowMs - state.sinceMs)] : [];
    });
    if (left.length > 0) this.#slowStart = this.#clock.schedule(Math.min(...left) + 1, () => this.look());
  }

  close(): void {
    this.#slowStart?.cancel();
  }
}

const DEFINITION = JSON.stringify({
  uri: STATUS_URI,
  name: 'doorward-status',
  title: 'What is wrong with the servers behind doorward',
  description: 'Servers that cannot be reached now or whose tools were left out, with reasons and what can be done.',
  mimeType: 'application/json',
});

const STATUS: Offer = Object.freeze({
  key: STATUS_URI,
  mount: '',
  offer: { key: STATUS_URI, definition: DEFINITION, keyStart: 0, keyEnd: 0 },
  advertised: DEFINITION,
});

function adviceOn(mount: MountedUpstream, nowMs: number): Advisory | undefined {
  const { id, state } = mount;
  switch (state.kind) {
    case 'failed':
      return adviceOfFailure(mount, state);
    case 'connecting':
      if (state.failure !== undefined) return adviceOfFailure(mount, state.failure);
      if (nowMs - state.sinceMs < SLOW_START_MS) return undefined;
      return {
        id,
        status: 'starting',
        reason: `${id} has not finished starting`,
        action: 'Wait, or see with --verbose what it writes.',
        since: isoOf(state.sinceMs),
        retryAtMs: null,
      };
    case 'ready':
      return adviceOnExclusions(mount);
    default:
      return undefined;
  }
}

function adviceOfFailure(mount: MountedUpstream, { error, sinceMs, retryAtMs, isFlapping }: UpstreamFailure): Advisory {
  const { id, login } = mount;
  // Whatever was asked there: it is signing in that helps, and only that.
  const isSignedOut = mount.comesAndGoes && error.code === 'AUTH_REQUIRED';
  const own = 'See with --verbose what it writes, or run its command by hand.';
  return {
    id,
    status: isSignedOut ? 'signed-out' : isFlapping ? 'flapping' : 'failed',
    code: error.code,
    reason: error.message,
    action: (isSignedOut ? login : undefined) ?? error.hint ?? own,
    since: sinceMs === undefined ? null : isoOf(sinceMs),
    retryAtMs: retryAtMs ?? null,
  };
}

function adviceOnExclusions({ id, list, listedAtMs }: MountedUpstream): Advisory | undefined {
  // Being ready, it has listed.
  const { exclusions: all, filter } = list!;
  const exclusions = all.filter(({ tool }) => isMounted(tool, filter));
  if (exclusions.length === 0) return undefined;
  const named = exclusions.slice(0, MAX_NAMED).map(({ tool, reason }) => `${tool}: ${reason}`);
  const more = exclusions.length > MAX_NAMED ? `; and ${exclusions.length - MAX_NAMED} more` : '';
  return {
    id,
    status: 'degraded',
    reason: `${exclusions.length} of its tools are left out (${named.join('; ')}${more})`,
    action: `Run \`doorward check ${id}\` and have its schemas mended.`,
    // What is only remembered has no exclusions.
    since: isoOf(listedAtMs!),
    retryAtMs: null,
  };
}

function isoOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
