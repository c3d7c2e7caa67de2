import type { CallerCapabilities, Clock, EventBus, Implementation, JsonSlice } from '../base/index.js';
import type { Era } from '../protocol/index.js';
import type { AskCaller } from './caller-requests.js';
import type { Hello } from './handshake.js';
import type { ToolList } from './listing.js';
import type { RequestOptions } from './pending.js';
import type { Transport } from './transport.js';

export interface ClientValidation {
  /** What becomes of a tool whose outputSchema alone cannot compile. Default `exclude`. */
  readonly uncompilableOutput: 'exclude' | 'ignore';
}

export interface ClientOptions {
  /** The mount's id: how messages and events name this upstream. */
  readonly upstream: string;
  readonly connect: () => Transport;
  readonly events: EventBus;
  readonly clock: Clock;
  /** A number in [0, 1), for jitter. Default Math.random. */
  readonly random?: () => number;
  readonly validation: ClientValidation;
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly maxCallMs: number;
  readonly maxMessageBytes: number;
  readonly maxDepth: number;
  readonly maxInFlight: number;
  /** Which era the upstream speaks. Default `auto`: it is found out. */
  readonly era?: 'auto' | Era;
  /**
   * It is somebody else's, and comes and goes: it is asked now and then whether it is there, and nothing is held against one
   * that keeps ending.
   */
  readonly comesAndGoes?: boolean;
  /** How we introduce ourselves. */
  readonly info: Implementation;
  /** What the caller behind this client can be asked for: what the upstream is told at initialize. */
  readonly capabilities?: CallerCapabilities;
  /** Puts what the upstream asks to that caller; absent where there is nobody to be asked. */
  readonly ask?: AskCaller;
  /** The list of tools was read, at first or anew. @param hello what the upstream said of itself when it was connected */
  readonly listed: (list: ToolList, hello: Hello) => void;
  /** There is a new connection, and its tools are listed: what was asked of an earlier one is forgotten. */
  readonly connected?: () => void;
  /** It has failed once more: its state says why. Unlike `upstream.lost`, which is told once for a reason. */
  readonly failed?: () => void;
  /**
   * A notification that is no concern of ours; the memory of `params` is lent for the time of the call.
   *
   * @param about the request it is about, where that can be told
   */
  readonly notified?: (method: string, params: JsonSlice | undefined, about: RequestOptions | undefined) => void;
}
