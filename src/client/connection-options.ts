import type { Clock, DoorError, JsonSlice, ScanLimits } from '../base/index.js';
import type { Codec } from '../protocol/index.js';
import type { AskCaller } from './caller-requests.js';
import type { RequestOptions } from './pending.js';
import type { Transport, TransportHandlers } from './transport.js';

export interface ConnectionOptions {
  readonly upstream: string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly maxMessageBytes: number;
  readonly scanLimits?: Partial<ScanLimits>;
  /** What a request says in `_meta`, to upstreams that are told so with each (`requestMeta`). */
  readonly meta?: (codec: Codec, options: RequestOptions) => string;
  /**
   * A notification that is no progress. The memory of `params` is lent for the time of the call.
   *
   * @param request what it is about, where that can be told: the request on whose stream it came, or the only one
   */
  readonly notified: (method: string, params: JsonSlice | undefined, request: RequestOptions | undefined) => void;
  /** Puts what the upstream asks to the caller whose connection this is; absent where it is nobody's. */
  readonly ask?: AskCaller;
  /** The connection ended; every request in flight has been failed already. */
  readonly lost: (reason: DoorError) => void;
  /** Hears of everything odd, however often. @param warning the kind, kebab-case */
  readonly warn: (warning: string, message: string) => void;
  readonly activity: () => void;
  /** A request that was sent then has run out of time. */
  readonly timedOut?: (sentAtMs: number) => void;
  /** A request was refused as if the upstream knew neither us nor what we speak. */
  readonly doubted?: TransportHandlers['doubted'];
  /** It may be gone: a request got no answer, or the stream on which it speaks unasked has ended. */
  readonly troubled?: () => void;
}
