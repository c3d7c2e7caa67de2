/** Whether calls can be served, for whoever sends them here or not (a load balancer, a supervisor). */
export type Phase = 'starting' | 'ready' | 'draining';

/**
 * How things are. An upstream that is away makes the door no less ready: it serves the others, and names what is missing.
 */
export interface Readiness {
  readonly status: Phase;
  /** Upstreams that cannot be called at the moment. */
  readonly degraded: readonly string[];
  /** How each upstream is, in one word. */
  readonly upstreams: readonly { readonly id: string; readonly state: string }[];
}
