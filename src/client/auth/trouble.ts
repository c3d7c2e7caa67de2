import { type Clock, DoorError } from '../../base/index.js';
import type { EgressFetch } from './types.js';

/** An authorization server cannot say yes or no just now: what is stored stays. */
export class TemporaryTrouble extends Error {
  static {
    Object.defineProperty(TemporaryTrouble.prototype, 'name', { value: 'TemporaryTrouble' });
  }

  /** Milliseconds it asked us to wait. */
  readonly retryAfterMs: number | undefined;
  /** Asking once more soon may help. */
  readonly mayRetry: boolean;

  constructor(message: string, options: { retryAfterMs?: number | undefined; mayRetry: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
    this.mayRetry = options.mayRetry;
  }
}

/** Answers that say "not now" rather than no. */
const BUSY = new Set([408, 425, 429]);

/** As an error of a command or a call: nothing is lost, so the thing to do is to try again. */
export function troubleError(trouble: TemporaryTrouble, subject: string): DoorError {
  const { message, retryAfterMs } = trouble;
  const when = retryAfterMs === undefined ? 'in a moment' : `in ${Math.ceil(retryAfterMs / 1000)} s`;
  return new DoorError('UPSTREAM_UNREACHABLE', `${subject}: ${message}`, {
    data: { reason: 'authorization-server', ...(retryAfterMs !== undefined && { retryAfterMs }) },
    hint: `Try again ${when}; what you were given before is kept.`,
    cause: trouble,
  });
}

/** @returns the trouble that an answer or a failure of `fetch` is; undefined where it is none */
export function troubleOfAnswer(response: Response, nowMs: number): TemporaryTrouble | undefined {
  const { status } = response;
  if (status < 500 && !BUSY.has(status)) return undefined;
  return new TemporaryTrouble(`${hostOf(response)}answered ${status}`, {
    retryAfterMs: retryAfterOf(response.headers.get('retry-after'), nowMs),
    mayRetry: true,
  });
}

/** A fetch for the SDK, to which a server that cannot say yes or no is a refusal: here it fails with its trouble. */
export function fetchOrTrouble(fetch: EgressFetch, clock: Clock): EgressFetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    const trouble = troubleOfAnswer(response, clock.nowMs());
    if (trouble) throw trouble;
    return response;
  };
}

export function troubleOfFailure(thrown: unknown): TemporaryTrouble | undefined {
  if (thrown instanceof TemporaryTrouble) return thrown;
  const { message } = thrown as Error;
  if (thrown instanceof DoorError) {
    return thrown.code === 'UPSTREAM_UNREACHABLE' || thrown.code === 'TIMEOUT'
      ? new TemporaryTrouble(message, { mayRetry: true, cause: thrown })
      : undefined;
  }
  // What a fetch of the platform fails with.
  return thrown instanceof TypeError ? new TemporaryTrouble(message, { mayRetry: true, cause: thrown }) : undefined;
}

/** Seconds, or a date (RFC 9110 section 10.2.3). */
export function retryAfterOf(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

function hostOf({ url }: Response): string {
  return URL.canParse(url) ? `${new URL(url).host} ` : 'it ';
}
