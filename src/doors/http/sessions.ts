import { type Clock, DoorError, type Principal, randomId, type Scheduled } from '../../base/index.js';
import type { Session } from '../session.js';
import { HttpSession, type SessionParts } from './http-session.js';

export interface SessionsOptions {
  readonly clock: Clock;
  readonly maxSessions: number;
  readonly idleTimeoutMs: number;
  readonly open: (parts: SessionParts) => Session;
}

/** How often the idle are looked for, in parts of how long they may be. */
const SWEEPS = 8;

/** All sessions of the door, by ids that cannot be guessed; a session is its principal's alone. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #byId = new Map<string, HttpSession>();
  #sweep: Scheduled | undefined;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#byId.size;
  }

  all(): readonly HttpSession[] {
    return [...this.#byId.values()];
  }

  /** The session of that id, if it is this principal's: another's is as unknown as one that never was. */
  find(id: string, { id: principal }: Principal): HttpSession | undefined {
    const session = this.#byId.get(id);
    if (session === undefined || session.principal.id !== principal) return undefined;
    session.usedAtMs = this.#options.clock.monotonicMs();
    return session;
  }

  /** A session that is not among the others yet: it has still to be agreed on. */
  make(principal: Principal): HttpSession {
    const { clock, open } = this.#options;
    return new HttpSession({ id: randomId(), principal, clock, open });
  }

  /**
   * Lets a session in. Where there are too many, the one that was idle longest ends, of whoever has the most.
   *
   * @throws {DoorError} BUSY where all have something under way
   */
  admit(session: HttpSession): void {
    const { maxSessions } = this.#options;
    if (this.#byId.size >= maxSessions) {
      const idlest = this.#findIdlest();
      if (idlest === undefined) {
        throw new DoorError('BUSY', `all ${maxSessions} sessions are in use`, {
          data: { limit: maxSessions },
          hint: 'Try again later, or raise http.maxSessions.',
        });
      }
      this.end(idlest);
    }
    this.#byId.set(session.id, session);
    this.#sweep ??= this.#schedule();
  }

  end(session: HttpSession): void {
    this.#byId.delete(session.id);
    // What it had upstream ends by itself; nobody waits for that.
    session.close().catch(() => {});
  }

  async close(): Promise<void> {
    this.#sweep?.cancel();
    const sessions = this.all();
    this.#byId.clear();
    await Promise.all(sessions.map((session) => session.close()));
  }

  /**
   * Of those who have the most, so that nobody loses a session to what others open; one whose caller still listens goes
   * only where there is no other.
   */
  #findIdlest(): HttpSession | undefined {
    const held = new Map<string, number>();
    for (const { principal } of this.#byId.values()) held.set(principal.id, (held.get(principal.id) ?? 0) + 1);
    let idlest: HttpSession | undefined;
    let most = 0;
    for (const session of this.#byId.values()) {
      const own = held.get(session.principal.id)!;
      if (session.isBusy || own < most) continue;
      if (idlest !== undefined && own === most && !isIdler(session, idlest)) continue;
      idlest = session;
      most = own;
    }
    return idlest;
  }

  #schedule(): Scheduled {
    const { clock, idleTimeoutMs } = this.#options;
    return clock.schedule(Math.max(idleTimeoutMs / SWEEPS, 250), () => {
      const beforeMs = clock.monotonicMs() - idleTimeoutMs;
      for (const session of this.#byId.values()) {
        if (session.isBusy || session.hasStream) session.usedAtMs = clock.monotonicMs();
        else if (session.usedAtMs <= beforeMs) this.end(session);
      }
      this.#sweep = this.#byId.size === 0 ? undefined : this.#schedule();
    });
  }
}

function isIdler(a: HttpSession, b: HttpSession): boolean {
  if (a.hasStream !== b.hasStream) return !a.hasStream;
  return a.usedAtMs < b.usedAtMs;
}
