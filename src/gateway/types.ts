import type {
  Caller,
  CallOptions,
  CancelSignal,
  Clock,
  DoorError,
  EventBus,
  Implementation,
  JsonSlice,
  Principal,
} from '../base/index.js';
import type {
  CatalogCache,
  CatalogEntry,
  CatalogSnapshot,
  Offer,
  OfferKind,
  PrefixRule,
  ToolFilter,
} from '../catalog/index.js';
import type { Transport } from '../client/index.js';
import type { CallParams, Era, LogLevel, RequestParams } from '../protocol/index.js';
import type { Issue } from '../schema/index.js';
import type { StateStore } from '../store/index.js';
import type { Presence } from './presence.js';

/** What becomes of calls and tools that break a schema. There is no value that turns judging arguments off. */
export interface Validation {
  /** How a refused call is answered: as a protocol error, or as an isError result for models that see only those. */
  readonly invalidArguments: 'protocol-error' | 'tool-error';
  /** Whether an answer that breaks the outputSchema passes with a warning or becomes an isError result. */
  readonly outputs: 'warn' | 'enforce';
  /** What becomes of a tool whose outputSchema alone cannot compile. */
  readonly uncompilableOutput: 'exclude' | 'ignore';
  /** Whether a wrong email, uri, date or date-time in an answer to an elicitation is a warning or makes it invalid. */
  readonly elicitationFormats: 'warn' | 'assert';
  /** Whether a form outside what MCP has for forms passes with a warning, or is refused to the server that asks by it. */
  readonly elicitationSchemas: 'warn' | 'refuse';
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
  /** `caller` gives every caller a connection of its own. Default `shared`: see `Gateway.admit`. */
  readonly isolation?: 'shared' | 'caller';
  /** Which era it speaks. Default `auto`: found out, and remembered. */
  readonly era?: 'auto' | Era;
  /** Names this upstream's list in the cache; absent: its list is not kept. */
  readonly cacheKey?: string;
  /** Its tools run in this process. Calls of them are told of as local ones. */
  readonly isLocal?: boolean;
  /** Names that tools had before, by those names: calls by them still work. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** Who may see and call its tools. Absent: everybody who may come in. */
  readonly access?: MountAccess;
  /** Where it comes and goes, whether it is there; the cache's key is then that of `presence.now`. Default: always there. */
  readonly presence?: Presence;
}

/** Who may see and call the tools of one mount, by the upstream's own names. */
export interface MountAccess {
  /** Tools that lists do not show to the anonymous, who cannot call them either. */
  readonly private: ReadonlySet<string>;
  /** What a principal must have been granted to call a tool; whoever is on this machine needs no grant. */
  readonly scopes: ReadonlyMap<string, readonly string[]>;
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

/** Why an upstream cannot be used, and when it is tried again. Times are epoch milliseconds. */
export interface UpstreamFailure {
  readonly error: DoorError;
  /** The first failure of this row of failures; undefined where it was never tried. */
  readonly sinceMs?: number;
  /** The next attempt by itself; undefined where there will be none. */
  readonly retryAtMs?: number;
  /** It keeps ending: until `retryAtMs` calls to it fail at once. */
  readonly isFlapping: boolean;
}

export type UpstreamState =
  | { readonly kind: 'idle' }
  /** `failure` is what it is being restarted after. */
  | { readonly kind: 'connecting'; readonly sinceMs: number; readonly failure?: UpstreamFailure }
  | { readonly kind: 'ready'; readonly revision: string; readonly serverName: string; readonly tools: number }
  | ({ readonly kind: 'failed' } & UpstreamFailure)
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
  /** It is no final answer but says what else is needed (`resultType: "input_required"`, MCP 2026-07-28 patterns/mrtr). */
  readonly isInputRequired?: boolean;
}

/** An upstream's answer to a request that was passed on to it, as it came. */
export type RelayedAnswer = Pick<ToolAnswer, 'kind' | 'json' | 'hasLineBreaks' | 'isInputRequired'>;

/** Which list of a caller has changed. */
export type ListName = 'tools' | 'resources' | 'prompts';

/** Requests about a task of the caller's own (SEP-2663). */
export type TaskMethod = 'tasks/get' | 'tasks/update' | 'tasks/cancel';

/** Requests besides tool calls that are passed on, bytes unchanged, to the upstream that offers what they name. */
export type RelayedMethod = 'prompts/get' | 'resources/read' | 'completion/complete';

export interface ListToolsOptions {
  readonly signal?: CancelSignal;
  /** For whom, where the view is that of several. Default: the view's own caller, else whoever runs this process. */
  readonly principal?: Principal;
}

/** What one caller sees of a gateway, and does through it. */
export interface View {
  /** Starts every upstream of this view, in parallel. Returns at once. */
  start(): void;
  /** The tools a caller sees, by the waiting rule of the design (all answered, 1.5 s after the first, 5 s when none). */
  listTools(options?: ListToolsOptions): Promise<readonly CatalogEntry[]>;
  /** The tool of that public name, as far as it is known; never waits. */
  findTool(name: string, principal?: Principal): CatalogEntry | undefined;
  /** Mounts whose tools in the list are remembered from an earlier run: they have not been listed in this process yet. */
  staleMounts(): readonly string[];
  /** Routes, judges and sends one tools/call by the tool's public name. Throws as `callTool` does. */
  call(params: CallParams, options: CallOptions): Promise<ToolAnswer>;
  /**
   * Judges and sends one call by mount and tool.
   *
   * @throws {DoorError} TOOL_UNKNOWN, TOOL_EXCLUDED, INVALID_ARGUMENTS (`data.issues`): the upstream saw nothing;
   * UPSTREAM_UNREACHABLE, UPSTREAM_LOST, UPSTREAM_BROKE_PROTOCOL, TIMEOUT, MESSAGE_TOO_LARGE, BUSY otherwise
   */
  callTool(call: ToolCall, options: CallOptions): Promise<ToolAnswer>;
  /** The resources, templates or prompts a caller sees, by the same waiting rule. */
  listOffers(kind: OfferKind, options?: { readonly signal?: CancelSignal }): Promise<readonly Offer[]>;
  /**
   * Passes a request on under the upstream's own name or URI.
   *
   * @throws {DoorError} RESOURCE_UNKNOWN, PROMPT_UNKNOWN before anything is sent; as `callTool` otherwise
   */
  relay(method: RelayedMethod, params: RequestParams, options: CallOptions): Promise<RelayedAnswer>;
  /** From now on the caller is told when the resource changes, until it unsubscribes or leaves. @throws as `relay` */
  subscribe(params: RequestParams, options: CallOptions): Promise<RelayedAnswer>;
  unsubscribe(params: RequestParams, options: CallOptions): Promise<RelayedAnswer>;
  /**
   * Asks about a task of the caller's own, by the id it was given (SEP-2663); `params` is the request's object.
   *
   * @throws {DoorError} CAPABILITY_MISSING, STATE_INVALID; as `relay` otherwise
   */
  task(method: TaskMethod, params: JsonSlice, options: CallOptions): Promise<RelayedAnswer>;
  /**
   * As `subscribe`, for a caller that says what it wants to hear of all at once.
   *
   * @returns whether its upstream agrees
   * @throws {DoorError} as `relay`
   */
  watchResource(uri: string, options: CallOptions): Promise<boolean>;
  /** The caller wants to be told when these lists change, whether it has seen them or not. */
  watchLists(lists: readonly ListName[]): void;
  /** The least severe log messages this caller wants (MCP server/utilities/logging). */
  setLogLevel(level: LogLevel): void;
  /** The caller's roots have changed. */
  rootsChanged(): void;
  /** Hears when one of the caller's lists has changed, at most every 500 ms. @returns a function that ends it */
  onListChanged(listener: (list: ListName) => void): () => void;
  /** Stops and resumes reading from every upstream of this view, when the caller cannot take more. */
  pause(): void;
  resume(): void;
  /** The caller is gone: what was kept or started for it alone ends. */
  close(): Promise<void>;
}

/** Many upstreams behind one catalog. As a view it is that of a caller who declares nothing it could be asked for. */
export interface Gateway extends View {
  readonly events: EventBus;
  readonly limits: GatewayLimits;
  upstreams(): readonly UpstreamStatus[];
  /** The catalog as it is now; never waits. */
  snapshot(): CatalogSnapshot;
  /** Waits until one mount has listed its tools or failed. Starts it if need be. */
  whenSettled(mount: string, options?: { readonly signal?: CancelSignal }): Promise<UpstreamStatus>;
  /**
   * Lets a caller in. One who declares elicitation, sampling or roots gets upstream connections of its own: what a server
   * asks over stdio names no call, so only a connection with one caller tells whom it asks. Others share.
   */
  admit(caller: Caller): View;
  /**
   * The view of one request of the modern era, which has no connection of its own. Requests of one principal, program and
   * set of capabilities share one; it ends by itself when none has come for a while.
   */
  viewOf(caller: Caller): View;
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
  /** Where events are told. Default: a bus of its own. */
  readonly events?: EventBus;
  /** How doorward introduces itself to upstreams. */
  readonly info?: Implementation;
  readonly clock?: Clock;
  /** Keeps lists from one process to the next, so that a restart need not wait for its upstreams. */
  readonly cache?: CatalogCache;
  /** What the key to sealed state is made of. Default: a random key, so that only this process can open it. */
  readonly secret?: string;
  /** Where it is kept which sealed states have been used. Default: in memory. */
  readonly store?: StateStore;
  /** A number in [0, 1), for jitter. Default Math.random. */
  readonly random?: () => number;
}
