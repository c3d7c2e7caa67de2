/**
 * What a router of calls may do, as a model: for each request, which answers are allowed at this moment. It is told what
 * callers and upstreams do and what is seen on their wires; it never looks into the gateway.
 */
export interface Wire {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: Readonly<Record<string, unknown>>;
  };
}

/** How a request must end now, since an upstream, or its end, said so. */
export interface Due {
  readonly kind: 'result' | 'error' | 'lost';
  readonly tag: number;
}

/** A request of a caller. */
export interface Routed {
  readonly caller: string;
  readonly id: string;
  readonly token: string;
  readonly mount: string;
  /** `waiting`: no upstream has seen it yet. `over`: answered, cancelled, or its caller is gone. */
  state: 'waiting' | 'under way' | 'over';
  readonly sinceMs: number;
  link: Link | undefined;
  wireId: number;
  deadlineMs: number;
  /** Questions to its caller that may be for it and are not answered; while there are any, its deadline does not pass. */
  questions: number;
  stillSinceMs: number;
  due: Due | undefined;
  /** Given up by caller or deadline while an upstream worked on it: that upstream must be told. */
  isGivenUp: boolean;
}

/** One connection to an upstream. */
export interface Link {
  readonly mount: string;
  /** The connection of the one caller it was made for; undefined where callers share it. */
  readonly owner: string | undefined;
  isLive: boolean;
  /** Answers nothing, not even a ping. */
  isDeaf: boolean;
  hasTimedOut: boolean;
}

/** What an upstream asked a caller over a connection of its own. */
export interface Question {
  readonly token: string;
  readonly link: Link;
  /** The requests under way when it was asked: it is for one of them, and does not say for which. */
  readonly concerns: Set<Routed>;
  /** `refused`: too many were open. `retracted`: all it may have been for are over, and so is it. */
  state: 'open' | 'refused' | 'replied' | 'retracted' | 'lost';
}

/** Deadlines are noticed within this; all times of the test are chosen so that it never decides. */
const SLACK_MS = 30;
/** Longer than any start may take, its waits included. */
const MAX_WAIT_MS = 120_000;

/** Questions of one upstream that may wait for their caller at once. */
const MAX_QUESTIONS = 4;

export class RouterModel {
  readonly requests: Routed[] = [];
  readonly questions: Question[] = [];
  readonly faults: string[] = [];
  /** How requests ended, what else came about, and how often: a run in which nothing was lost has shown nothing about losses. */
  readonly ends = new Map<string, number>();
  readonly #timeoutMs: number;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  called(caller: string, id: string, mount: string, token: string, nowMs: number): void {
    this.requests.push({
      caller,
      id,
      token,
      mount,
      state: 'waiting',
      sinceMs: nowMs,
      link: undefined,
      wireId: -1,
      deadlineMs: Number.POSITIVE_INFINITY,
      questions: 0,
      stillSinceMs: 0,
      due: undefined,
      isGivenUp: false,
    });
  }

  /** An upstream received a call. */
  begun(link: Link, token: string, wireId: number, nowMs: number): void {
    const request = this.requests.find((each) => each.token === token);
    if (request === undefined) return this.#fault(`a call nobody made was sent: ${token}`);
    if (request.link !== undefined) return this.#fault(`${token} was sent twice`);
    if (request.state !== 'waiting') return this.#fault(`${token} was sent though it was over`);
    if (link.mount !== request.mount) this.#fault(`${token} is for ${request.mount} and was sent to ${link.mount}`);
    if (link.owner !== undefined && link.owner !== request.caller) {
      this.#fault(`${token} of ${request.caller} was sent over the connection of ${link.owner}`);
    }
    request.link = link;
    request.wireId = wireId;
    if (!link.isLive) return;
    request.state = 'under way';
    request.deadlineMs = nowMs + this.#timeoutMs;
  }

  /** An upstream says something to a request: the first time, if it is in time, that is its answer. */
  said(request: Routed, kind: 'result' | 'error', tag: number): void {
    if (request.state === 'under way' && request.link?.isLive) request.due ??= { kind, tag };
  }

  linkLost(link: Link): void {
    if (!link.isLive) return;
    link.isLive = false;
    for (const request of this.#underWay(link)) request.due ??= { kind: 'lost', tag: -1 };
    for (const question of this.questions) {
      if (question.link === link && question.state === 'open') question.state = 'lost';
    }
  }

  asked(link: Link, token: string, nowMs: number): void {
    this.#count('asked');
    const open = this.questions.filter((question) => question.link === link && question.state === 'open');
    const isRefused = open.length >= MAX_QUESTIONS;
    const concerns = new Set(isRefused ? [] : this.#underWay(link));
    this.questions.push({ token, link, concerns, state: isRefused ? 'refused' : 'open' });
    for (const request of concerns) if (request.questions++ === 0) request.stillSinceMs = nowMs;
  }

  /** The caller answers a question, perhaps one that nobody asks any more. */
  replied(token: string, nowMs: number): void {
    const question = this.questions.find((each) => each.token === token);
    if (question?.state !== 'open') return;
    question.state = 'replied';
    for (const request of question.concerns) {
      if (--request.questions === 0) request.deadlineMs += nowMs - request.stillSinceMs;
    }
  }

  /** The caller gives up; nothing may be answered any more. */
  cancelled(request: Routed): void {
    if (request.state === 'over') return;
    request.isGivenUp = request.state === 'under way';
    this.#end(request, `given up ${request.state}`);
  }

  left(caller: string): void {
    for (const question of this.questions) {
      if (question.link.owner === caller && question.state === 'open') question.state = 'lost';
    }
    for (const request of this.requests) if (request.caller === caller) this.cancelled(request);
  }

  /** A caller is given an answer. */
  answered(caller: string, message: Wire, nowMs: number): void {
    const request = this.requests.find((each) => each.caller === caller && each.id === message.id);
    if (request === undefined) return this.#fault(`${caller} was answered ${String(message.id)}, which it never asked`);
    if (request.state === 'over') return this.#fault(`${request.token} was answered though it is over`);
    const fault = this.#faultOf(request, message, nowMs);
    if (fault !== undefined) this.#fault(`${request.token} (${request.state}): ${fault}: ${JSON.stringify(message)}`);
    if (codeOf(message) === 'TIMEOUT' && request.link !== undefined) {
      request.isGivenUp = true;
      request.link.hasTimedOut = true;
    }
    this.#end(request, codeOf(message) ?? request.due?.kind ?? 'nothing');
  }

  /** What should have happened by now and has not. */
  settle(nowMs: number): void {
    for (const request of this.requests) {
      if (request.state === 'over') continue;
      const { token, due, deadlineMs } = request;
      if (due !== undefined) this.#fault(`${token} is due (${due.kind}) and was not answered`);
      const isStanding = request.questions > 0;
      if (!isStanding && nowMs > deadlineMs + SLACK_MS) this.#fault(`${token} is ${nowMs - deadlineMs} ms overdue`);
      if (request.state === 'waiting' && nowMs - request.sinceMs > MAX_WAIT_MS) this.#fault(`${token} waits for ever`);
    }
  }

  #faultOf(request: Routed, message: Wire, nowMs: number): string | undefined {
    const { due, link, deadlineMs } = request;
    const code = codeOf(message);
    if (due?.kind === 'result') return message.result?.tag === due.tag ? undefined : `not result ${due.tag}`;
    if (due?.kind === 'error') return message.error?.data?.tag === due.tag ? undefined : `not error ${due.tag}`;
    if (message.result !== undefined || code === undefined) return 'nobody said that';
    if (request.state === 'waiting') {
      if (message.error?.data?.outcome === 'unknown') return 'the outcome of what was never sent is known';
      return ['UPSTREAM_UNREACHABLE', 'UPSTREAM_LOST', 'TIMEOUT'].includes(code) ? undefined : 'no reason to refuse it';
    }
    if (message.error?.data?.outcome !== 'unknown') return 'says nothing of its outcome';
    if (due?.kind === 'lost') return code === 'UPSTREAM_LOST' ? undefined : 'not told that its upstream was lost';
    if (code === 'TIMEOUT') {
      if (request.questions > 0) return 'timed out while its caller was asked';
      return nowMs >= deadlineMs && nowMs <= deadlineMs + SLACK_MS
        ? undefined
        : `timed out ${nowMs - deadlineMs} ms late`;
    }
    // An upstream that let a call time out and answers no ping is given up.
    if (code === 'UPSTREAM_LOST' && link?.isDeaf && link.hasTimedOut) {
      this.#count('hung');
      return undefined;
    }
    return 'no reason to fail it';
  }

  #underWay(link: Link): Routed[] {
    return this.requests.filter((request) => request.link === link && request.state === 'under way');
  }

  #end(request: Routed, how: string): void {
    request.state = 'over';
    this.#count(how);
    for (const question of this.questions) {
      if (question.state !== 'open' || !question.concerns.delete(request) || question.concerns.size > 0) continue;
      question.state = 'retracted';
      this.#count('retracted');
    }
  }

  #count(what: string): void {
    this.ends.set(what, (this.ends.get(what) ?? 0) + 1);
  }

  #fault(what: string): void {
    this.faults.push(what);
  }
}

function codeOf(message: Wire): string | undefined {
  const code = message.error?.data?.code;
  return typeof code === 'string' ? code : undefined;
}
