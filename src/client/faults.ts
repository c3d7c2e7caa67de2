import { DoorError } from '../base/index.js';
import type { Pending } from './pending.js';

export type FaultCode = 'UPSTREAM_LOST' | 'UPSTREAM_BROKE_PROTOCOL' | 'MESSAGE_TOO_LARGE';

/** Whose fault it is, and what came to nothing for it. */
export interface FaultFacts {
  readonly upstream: string;
  readonly pending: Pending;
  readonly cause?: DoorError;
}

/** What a request fails with that was sent and will never be answered, or only badly. */
export function faultOf(code: FaultCode, message: string, { upstream, pending, cause }: FaultFacts): DoorError {
  return new DoorError(code, `${upstream}: ${pending.options.about}: ${message}`, {
    data: { upstream, outcome: 'unknown' },
    cause,
  });
}

/** What a request fails with of which its transport says why it gets no answer. */
export function failureOf(upstream: string, { options }: Pending, reason: DoorError): DoorError {
  const { code, message, data, hint } = reason;
  // Who wants to know its user says so by itself.
  const isAboutLeave = code === 'AUTH_REQUIRED' || code === 'FORBIDDEN';
  return new DoorError(code, isAboutLeave ? message : `${upstream}: ${options.about}: ${message}`, {
    data: { ...data, upstream },
    ...(hint !== undefined && { hint }),
    cause: reason,
  });
}

/** What a request fails with that ran out of time. */
export function timeoutOf(upstream: string, pending: Pending, nowMs: number): DoorError {
  const waitedMs = Math.round(nowMs - pending.sentAtMs);
  const { about, timeoutMs, maxMs } = pending.options;
  const bound = waitedMs < maxMs ? `no answer and no progress for ${timeoutMs} ms` : `no answer within ${maxMs} ms`;
  return new DoorError('TIMEOUT', `${upstream}: ${about} gave ${bound}`, {
    data: { upstream, outcome: 'unknown', waitedMs },
    hint: 'Raise callTimeoutMs for this server if it needs longer; progress notifications extend the time.',
  });
}
