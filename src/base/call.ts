import type { CancelSignal } from './cancel.js';
import type { JsonSlice, Piece } from './json/splice.js';

/** How a program introduces itself (MCP schema, Implementation). */
export interface Implementation {
  readonly name: string;
  readonly title?: string;
  readonly version: string;
}

/** On whose behalf something happens. State and rights belong to a principal, routes to a caller. */
export interface Principal {
  /** `local:<uid>` on stdio and sockets, the token's subject on HTTP, `anonymous` on an open loopback bind. */
  readonly id: string;
  readonly kind: 'local' | 'token' | 'anonymous';
  readonly scopes?: readonly string[];
}

/** Whether it is told who somebody is: only then are private things shown. */
export function isKnown({ kind }: Principal): boolean {
  return kind !== 'anonymous';
}

/** Which of these scopes somebody was not granted. Whoever is on the same machine needs no grant. */
export function missingScopes(wanted: readonly string[], { kind, scopes = [] }: Principal): readonly string[] {
  return kind === 'local' ? [] : wanted.filter((scope) => !scopes.includes(scope));
}

/** What a server may ask of a caller that declared it (MCP client/elicitation, client/sampling, client/roots). */
export type CallerMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list';

/** A request that an upstream makes of a caller. The memory of `params` is the receiver's. */
export interface CallerRequest {
  readonly method: CallerMethod;
  readonly params: JsonSlice | undefined;
}

/** What the caller said to a `CallerRequest`: the text of its `result` or of its `error`, on one line. */
export interface CallerAnswer {
  readonly kind: 'result' | 'error';
  readonly json: JsonSlice;
}

/**
 * What a caller declared at initialize that it can be asked for: the JSON text of each capability as it wrote it, absent
 * what it did not declare. It is shown to upstreams as it is, so that none is offered what its caller lacks.
 */
export interface CallerCapabilities {
  readonly elicitation?: string;
  readonly sampling?: string;
  readonly roots?: string;
  /** Extensions by their identifiers, with their settings (MCP 2026-07-28 basic/versioning, Extension Negotiation). */
  readonly extensions?: string;
}

/** Which capability each request needs its caller to have declared. */
export const REQUIRED_CAPABILITY = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
} as const satisfies Record<CallerMethod, keyof CallerCapabilities>;

export function isCallerMethod(method: string): method is CallerMethod {
  return Object.hasOwn(REQUIRED_CAPABILITY, method);
}

/** Whether who declares this can be asked for anything at all. */
export function canBeAsked({ elicitation, sampling, roots }: CallerCapabilities): boolean {
  return elicitation !== undefined || sampling !== undefined || roots !== undefined;
}

/**
 * The key of what a server lists to callers who declare this: it may list more tools to those it can ask more of.
 *
 * @param key names the upstream
 */
export function cacheKeyFor(key: string, capabilities: CallerCapabilities): string {
  return [key, ...Object.keys(capabilities).sort()].join('-');
}

/**
 * Who calls, as the rooms below see it: in the handshake era (2025-11-25 and before) one connection of a program to a
 * door, in the era of 2026-07-28 one request.
 */
export interface Caller {
  readonly principal: Principal;
  /**
   * Requests can be put to it by `ask`. Where they cannot, it is a request of the modern era: what an upstream wants to know
   * is returned to it as an input-required result, and it comes back with what it has to say.
   */
  readonly takesRequests: boolean;
  /**
   * Which program it is, as it names itself, for whoever keeps apart what belongs to different programs of one principal;
   * '' where it does not say.
   */
  readonly program: string;
  /** The door it came in by, for events: `stdio`, `http`, `cli`, `embedded`. */
  readonly door: string;
  readonly capabilities: CallerCapabilities;
  /**
   * Asks the caller something, and waits for what it says.
   *
   * @param signal ends the wait; the caller is then told that nobody wants its answer any more
   * @throws {DoorError} UPSTREAM_LOST when the caller is gone; the signal's reason when that ended it
   */
  ask(request: CallerRequest, signal: CancelSignal): Promise<CallerAnswer>;
  /** Sends a notification; `params` is JSON text on one line. May be dropped while the caller does not read. */
  tell(method: string, params?: Piece): void;
}

/** Told what happens to one call, for telemetry and the call's event. Must not throw. */
export interface CallObserver {
  /** Arguments were judged valid and the request's bytes were handed to the transport. */
  sent?(upstream: string): void;
}

/** What goes along when a request is sent again with what the upstream asked for (MCP 2026-07-28 basic/patterns/mrtr). */
export interface Retry {
  /** The JSON text of `inputResponses`, on one line; absent where nothing had been asked. */
  readonly inputResponses?: string;
  /** The upstream's own `requestState` as a JSON string token, as it wrote it; absent where it gave none. */
  readonly requestState?: string;
}

/** What travels down with every call. A room that needs more of a caller adds it here, not beside it. */
export interface CallOptions {
  readonly principal: Principal;
  /** Whose call it is: who is asked what the upstream wants to know meanwhile. Absent: whoever the connection belongs to. */
  readonly caller?: Caller;
  /** The least severe log messages it wants to hear while it runs; absent where it has not said (modern era: none then). */
  readonly logLevel?: string;
  /** What the caller says when it comes back with the answers to an input-required result of a 2026-07-28 upstream. */
  readonly retry?: Retry;
  /** Ends the call; its reason is what the call then fails with. */
  readonly signal?: CancelSignal;
  /** Overrides the configured time a call may take without progress, in milliseconds. */
  readonly timeoutMs?: number;
  /** Receives the `params` of each progress notification of this call, the upstream's token still in it. */
  readonly progress?: (params: JsonSlice) => void;
  readonly observer?: CallObserver;
  /** The door the call came in by, for its event: `stdio`, `http`, `cli`, `embedded`. */
  readonly door?: string;
}
