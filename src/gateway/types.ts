import type { CallOptions, CancelSignal, Clock, DoorError, EventBus, JsonSlice } from '../base/index.js';
import type { CatalogEntry, CatalogSnapshot, PrefixRule, ToolFilter } from '../catalog/index.js';
import type { Transport } from '../client/index.js';
import type { CallParams } from '../protocol/index.js';
import type { Issue } from '../schema/index.js';

/** What becomes of calls and tools that break a schema. There is no value that turns judging arguments off. */
export interface Validation {
  /** How a refused call is answered: as a protocol error, or as an isError result for models that see only those. */
  readonly invalidArguments: 'protocol-error' | 'tool-error';
  /** Whether an answer that breaks the outputSchema passes with a warning or becomes an isError result. */
  readonly outputs: 'warn' | 'enforce';
  /** What becomes of a tool whose outputSchema alone cannot compile. */
  readonly uncompilableOutput: 'exclude' | 'ignore';
}

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
  readonly validation?: Partial<Validation>;
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

/** One call by mount and tool, for ways in that have no tools/call message of their own. */
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
  /** There may be line breaks between tokens in `json`. */
  readonly hasLineBreaks: boolean;
  /** The result said `isError: true`. */
  readonly isError: boolean;
  /** Where structuredContent broke the tool's outputSchema; empty when it did not or was not judged. */
  readonly violations: readonly Issue[];
}

/** Many upstreams behind one catalog. */
export interface Gateway {
  readonly events: EventBus;
  readonly limits: GatewayLimits;
  /** Starts every mount, in parallel. Returns at once. */
  start(): void;
  upstreams(): readonly UpstreamStatus[];
  /** The catalog as it is now; never waits. */
  snapshot(): CatalogSnapshot;
  /** Waits until one mount has listed its tools or failed. Starts it if need be. */
  whenSettled(mount: string, options?: { readonly signal?: CancelSignal }): Promise<UpstreamStatus>;
  /** The tools a caller sees, by the waiting rule of the design (all answered, 1.5 s after the first, 5 s when none). */
  listTools(options?: { readonly signal?: CancelSignal }): Promise<readonly CatalogEntry[]>;
  /** Routes, judges and sends one tools/call by the tool's public name. Throws as `callTool` does. */
  call(params: CallParams, options: CallOptions): Promise<ToolAnswer>;
  /**
   * Judges and sends one call by mount and tool.
   *
   * @throws {DoorError} TOOL_UNKNOWN, TOOL_EXCLUDED, INVALID_ARGUMENTS (`data.issues`): the upstream saw nothing;
   * UPSTREAM_UNREACHABLE, UPSTREAM_LOST, UPSTREAM_BROKE_PROTOCOL, TIMEOUT, MESSAGE_TOO_LARGE, BUSY otherwise
   */
  callTool(call: ToolCall, options: CallOptions): Promise<ToolAnswer>;
  /** Hears when the tools a caller sees have changed, at most every 500 ms. @returns a function that ends it */
  onListChanged(listener: () => void): () => void;
  /** Stops and resumes reading from every upstream, when the caller cannot take more. */
  pause(): void;
  resume(): void;
  /** Ends every upstream and whatever was started for it. */
  close(): Promise<void>;
}

export interface GatewayOptions {
  /** In configuration order; ids are unique. */
  readonly mounts: readonly (Mount | BrokenMount)[];
  /** Default `always`. */
  readonly prefix?: PrefixRule;
  readonly validation?: Partial<Validation>;
  readonly limits?: Partial<GatewayLimits>;
  /** How doorward introduces itself to upstreams. */
  readonly info?: { readonly name: string; readonly version: string };
  readonly clock?: Clock;
}
