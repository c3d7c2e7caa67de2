import type { ErrorCode } from './errors.js';

/** Where a schema or a value went wrong, as events and answers show it. */
export interface IssueSummary {
  readonly path: string;
  readonly message: string;
}

/** How one call ended. `rejected` means the upstream saw nothing of it. */
export interface CallEvent {
  /** Epoch milliseconds at which the call came in. */
  readonly timeMs: number;
  readonly principal: string;
  readonly door: string;
  readonly upstream: string;
  /** The upstream's own name of the tool. */
  readonly tool: string;
  readonly transport: 'local' | 'proxied';
  readonly outcome: 'ok' | 'tool-error' | 'error' | 'rejected' | 'cancelled' | 'timeout';
  readonly code?: ErrorCode;
  readonly durationMs: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** First 16 hex characters of SHA-256 over the arguments' bytes: tells calls apart without telling what was in them. */
  readonly argumentsHash: string;
  readonly issues?: readonly IssueSummary[];
}

/** Every event, by its stable name. Programs and the audit log may rely on the names and the fields. */
export interface DoorEvents {
  'upstream.connected': { readonly upstream: string; readonly revision: string; readonly tools: number };
  'upstream.lost': { readonly upstream: string; readonly code: ErrorCode; readonly reason: string };
  'upstream.relisted': { readonly upstream: string; readonly tools: number };
  'server.warning': {
    readonly upstream: string;
    /** Stable kind of warning, kebab-case: `pagination-loop`, `noise-on-stdout`, `duplicate-response`, ... */
    readonly warning: string;
    readonly message: string;
    readonly tool?: string;
    readonly code?: ErrorCode;
  };
  /** The tools of an upstream that comes and goes are there, or are not there any more. */
  'mount.changed': {
    readonly upstream: string;
    readonly change: 'mounted' | 'unmounted';
    readonly tools: number;
    /** Why they are gone. */
    readonly reason?: string;
  };
  'tool.excluded': {
    readonly upstream: string;
    readonly tool: string;
    readonly code: ErrorCode;
    readonly which: 'inputSchema' | 'outputSchema' | 'definition';
    readonly schemaPath: string;
    readonly reason: string;
  };
  'tool.changed': {
    readonly upstream: string;
    readonly tool: string;
    readonly change: 'added' | 'removed' | 'changed';
  };
  'call.completed': CallEvent;
  'call.rejected': CallEvent;
  'output.violation': { readonly upstream: string; readonly tool: string; readonly issues: readonly IssueSummary[] };
  /** A handler of our own failed with something that is not for its caller to read. */
  'handler.failed': {
    readonly upstream: string;
    /** The tool, resource or prompt. */
    readonly name: string;
    /** What it failed with, and where. */
    readonly reason: string;
  };
  'elicitation.rejected': {
    readonly upstream: string;
    /** Whose call asked; '' where that cannot be told: several were under way, or none. */
    readonly tool: string;
    readonly issues: readonly IssueSummary[];
  };
  'auth.required': {
    readonly upstream: string;
    /** What helps, as text for people: the command to run. */
    readonly hint: string;
  };
  /** Trouble of a door's own, with no server and no single caller to blame. */
  'door.warning': {
    /** Stable kind of warning, kebab-case: `keys-unreadable`. */
    readonly warning: string;
    readonly message: string;
  };
  'config.changed': { readonly path: string };
}

export type EventName = keyof DoorEvents;
export type EventListener<Name extends EventName = EventName> = (event: DoorEvents[Name]) => void;
export type AnyEventListener = (name: EventName, event: DoorEvents[EventName]) => void;

/** Typed, synchronous publish and subscribe. A listener that throws spoils nobody's call. */
export class EventBus {
  readonly #byName = new Map<EventName, Set<EventListener<never>>>();
  readonly #any = new Set<AnyEventListener>();

  /** @returns a function that ends the subscription */
  on<Name extends EventName>(name: Name, listener: EventListener<Name>): () => void {
    const listeners = this.#byName.get(name) ?? new Set();
    this.#byName.set(name, listeners);
    listeners.add(listener as EventListener<never>);
    return () => void listeners.delete(listener as EventListener<never>);
  }

  /** Hears every event. @returns a function that ends the subscription */
  onAny(listener: AnyEventListener): () => void {
    this.#any.add(listener);
    return () => void this.#any.delete(listener);
  }

  /** Whether anybody would hear `name`: lets hot paths skip making an event nobody wants. */
  hears(name: EventName): boolean {
    return this.#any.size > 0 || (this.#byName.get(name)?.size ?? 0) > 0;
  }

  emit<Name extends EventName>(name: Name, event: DoorEvents[Name]): void {
    for (const listener of this.#byName.get(name) ?? []) guarded(() => (listener as EventListener<Name>)(event));
    for (const listener of this.#any) guarded(() => listener(name, event));
  }
}

/**
 * Runs a listener. Its mistake must not change the answer of the call it listens to, nor end the door for everyone.
 */
export function guarded(task: () => unknown): void {
  try {
    const done = task();
    // A listener may be async all the same: what it fails with later would end the process.
    if (done instanceof Promise) done.catch(() => {});
  } catch {
    // Listeners that care report their own failures; here there is nobody to tell.
  }
}
