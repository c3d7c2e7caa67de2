import type { CancelSignal, JsonSlice } from '../base/index.js';

/** An upstream's answer to one request of ours, located. Offsets are into `bytes`; -1 where a member is absent. */
export interface RawAnswer {
  readonly kind: 'result' | 'error';
  readonly bytes: Uint8Array;
  /** The result or error object, braces included. */
  readonly start: number;
  readonly end: number;
  /** `SCAN` flags of the result or error. */
  readonly flags: number;
  readonly isError: boolean;
  readonly contentStart: number;
  readonly contentEnd: number;
  readonly structuredStart: number;
  readonly structuredEnd: number;
  /** `SCAN` flags of structuredContent. */
  readonly structuredFlags: number;
}

export interface RequestOptions {
  readonly signal?: CancelSignal | undefined;
  /** How long to wait without a sign of progress, in milliseconds. */
  readonly timeoutMs: number;
  /** How long to wait in all, whatever the progress, in milliseconds. */
  readonly maxMs: number;
  readonly progress?: ((params: JsonSlice) => void) | undefined;
  /** What the request is about, for messages: a tool's name or a method. */
  readonly about: string;
}

/** One request of ours that waits for its answer. */
export interface Pending {
  readonly id: number;
  readonly options: RequestOptions;
  readonly sentAtMs: number;
  /** Monotonic; moved on by progress, never past `endsAtMs`. */
  deadlineMs: number;
  readonly endsAtMs: number;
  readonly resolve: (answer: RawAnswer) => void;
  readonly reject: (reason: unknown) => void;
  onAbort: (() => void) | undefined;
}
