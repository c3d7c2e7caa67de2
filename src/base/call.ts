import type { CancelSignal } from './cancel.js';

/** On whose behalf something happens. State and rights belong to a principal, routes to a caller. */
export interface Principal {
  /** `local:<uid>` on stdio and sockets, the token's subject on HTTP, `anonymous` on an open loopback bind. */
  readonly id: string;
  readonly kind: 'local' | 'token' | 'anonymous';
  readonly scopes?: readonly string[];
}

/** JSON text inside a larger buffer. Valid only while nobody writes the buffer; copy what outlives the call. */
export interface JsonSlice {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** A request that an upstream makes of the caller whose call it works on (elicitation, sampling, roots). */
export interface CallerRequest {
  readonly method: string;
  readonly params: JsonSlice | undefined;
}

/** What the caller said to a `CallerRequest`: the text of its `result` or of its `error`. */
export interface CallerAnswer {
  readonly kind: 'result' | 'error';
  readonly json: JsonSlice;
}

/** Told what happens to one call, for telemetry and the call's event. Must not throw. */
export interface CallObserver {
  /** Arguments were judged valid and the request's bytes were handed to the transport. */
  sent?(upstream: string): void;
}

/** What travels down with every call. A room that needs more of a caller adds it here, not beside it. */
export interface CallOptions {
  readonly principal: Principal;
  /** Ends the call; its reason is what the call then fails with. */
  readonly signal?: CancelSignal;
  /** Overrides the configured time a call may take without progress, in milliseconds. */
  readonly timeoutMs?: number;
  /** Receives the `params` of each progress notification of this call, the upstream's token still in it. */
  readonly progress?: (params: JsonSlice) => void;
  /** Answers what the upstream asks of the caller; absent where the caller declared nothing it could ask for. */
  readonly requestCaller?: (request: CallerRequest) => Promise<CallerAnswer>;
  readonly observer?: CallObserver;
  /** The door the call came in by, for its event: `stdio`, `http`, `cli`, `embedded`. */
  readonly door?: string;
}
