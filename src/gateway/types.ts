import type { CallOptions, CancelSignal, DoorError, EventBus, JsonSlice } from '../base/index.js';
import type { CatalogEntry, CatalogSnapshot, PrefixRule, ToolFilter } from '../catalog/index.js';
import type { ClientValidation, Transport } from '../client/index.js';
import type { Issue } from '../schema/index.js';

/** Puts one upstream's tools into the catalog. */
export interface Mount {
  /** The id from the configuration; unique, never empty. */
  readonly id: string;
  /** Makes a fresh, unopened connection; called again for each attempt. */
  readonly connect: () => Transport;
  readonly prefix?: PrefixRule;
  readonly tools?: ToolFilter;
  /** How long starting and listing may take, extended by output on stderr. Default 60,000. */
  readonly startTimeoutMs?: number;
  /** How long a call may take without progress. Default 60,000. */
  readonly callTimeoutMs?: number;
  readonly validation?: Partial<ClientValidation>;
}

/** A mount that could not even be tried: its configuration entry is bad or not supported yet. It costs only itself. */
export interface BrokenMount {
  readonly id: string;
  readonly error: DoorError;
}

export interface GatewayLimits {
  /** Bytes of one message; that call fails, the connection lives; beyond 4x it closes. Default 32 MiB. */
  readonly maxMessageBytes: number;
  /** Nesting of arguments. Default 512. */
  readonly maxDepth: number;
  /** A call that keeps reporting progress ends after this. Default 600,000. */
  readonly maxCallMs: number;
  /** Calls in flight to one upstream; one more is BUSY. Default 1,024. */
  readonly maxInFlight: number;
  /** Tools on one page of tools/list; 0 is all on one page. Default 0. */
  readonly pageSize: number;
}

export type UpstreamState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'connecting'; readonly sinceMs: number }
  | { readonly kind: 'ready'; readonly revision: string; readonly serverName: string; readonly tools: number }
  | { readonly kind: 'failed'; readonly error: DoorError }
  | { readonly kind: 'closed' };

export interface UpstreamStatus {
  readonly id: string;
  readonly state: UpstreamState;
}

/** One tools/call on its way to an upstream. `params` is the caller's text; `tool` replaces its `name`. */
export interface ToolCall {
  readonly mount: string;
  /** The upstream's own name of the tool. */
  readonly tool: string;
  /** The JSON text of `arguments`, as the caller wrote it; absent means `{}`. */
  readonly arguments?: Uint8Array;
}

export interface ToolAnswer {
  /** `result`: the text of the result object. `error`: the text of the upstream's own error object, passed verbatim. */
  readonly kind: 'result' | 'error';
  readonly json: JsonSlice;
  /** The result said `isError: true`. */
  readonly isError: boolean;
  /** Where structuredContent broke the tool's outputSchema; empty when it did not or was not judged. */
  readonly violations: readonly Issue[];
}

/** Many upstreams behind one catalog. */
export interface Gateway {
  readonly events: EventBus;
  /** Starts every mount, in parallel. Returns at once. */
  start(): void;
  upstreams(): readonly UpstreamStatus[];
  /** The catalog as it is now; never waits. */
  snapshot(): CatalogSnapshot;
  /** Waits until one mount has listed its tools or failed. Starts it if need be. */
  whenSettled(mount: string, options?: { readonly signal?: CancelSignal }): Promise<UpstreamStatus>;
  /** The tools a caller sees, by the waiting rule of the design (all answered, 1.5 s after the first, 5 s when none). */
  listTools(options?: { readonly signal?: CancelSignal }): Promise<readonly CatalogEntry[]>;
  /**
   * Judges and sends one call.
   *
   * @throws {DoorError} TOOL_UNKNOWN, TOOL_EXCLUDED, INVALID_ARGUMENTS (`data.issues`): the upstream saw nothing;
   * UPSTREAM_UNREACHABLE, UPSTREAM_LOST, UPSTREAM_BROKE_PROTOCOL, TIMEOUT, MESSAGE_TOO_LARGE, BUSY otherwise
   */
  callTool(call: ToolCall, options: CallOptions): Promise<ToolAnswer>;
  /** Ends every upstream and whatever was started for it. */
  close(): Promise<void>;
}
