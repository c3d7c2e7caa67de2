import { CallSignal, type CancelSignal, type Clock, DoorError } from '../base/index.js';

export interface WithinOptions {
  readonly upstream: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** What is done, for the message. */
  readonly about: string;
}

/** Does something that may take so long and no longer. @throws {DoorError} TIMEOUT, or what the task fails with */
export async function within<Value>(
  { upstream, clock, timeoutMs, about }: WithinOptions,
  task: (signal: CancelSignal) => Promise<Value>,
): Promise<Value> {
  const signal = new CallSignal();
  const timer = clock.schedule(timeoutMs, () =>
    signal.abort(new DoorError('TIMEOUT', `${upstream}: ${about} took more than ${timeoutMs} ms`)),
  );
  try {
    return await task(signal);
  } finally {
    timer.cancel();
  }
}
