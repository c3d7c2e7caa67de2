/**
 * What a router of calls may do, as a model: for each request, which answers are allowed at this moment. It is told what
 * callers and upstreams do and what is seen on their wires; it never looks into the gateway.
 */
import { fleetOf, isSame, LISTED, OfferModel, type Where } from './router-offers.js';
import { SubscriptionModel } from './router-subscriptions.js';

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

/** What a request is: a call of a tool, or one about a resource. */
export type Sort = 'call' | 'read' | 'subscribe' | 'unsubscribe';

/** How a request must end now, since an upstream, or its end, said so. */
export interface Due {
  readonly kind: 'result' | 'error' | 'lost' | 'status';
  readonly tag: number;
}

/** A request of a caller. */
export interface Routed {
  readonly caller: string;
  readonly id: string;
  readonly token: string;
  readonly sort: Sort;
  /** Of a call: the mount in its name. Of all others: the URI. */
  readonly about: string;
  /** Where it may have been sent, at one moment or another since it was made. */
  readonly routes: Where[];
  /** Where it was sent. */
  where: Where | undefined;
  /** Mounts that list its URI, told of or not, and have done so since it was made. */
  readonly listedBy: Set<string>;
  /** Given up in the same breath. */
  readonly isHasty: boolean;
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
  /** Its upstream has said something to it. */
  isSaid: boolean;
  /** Given up by caller or deadline while an upstream worked on it: that upstream must be told. */
  isGivenUp: boolean;
}

/** One connection to an upstream. */
export interface Link {
  readonly mount: string;
  /** The connection of the one caller it was made for; undefined where callers share it. */
  readonly owner: string | undefined;
  isLive: boolean;
  /** Answers lists when it is told to, in the order it is told. */
  holdsLists: boolean;
  /** Has held a list. */
  hasHeldLists: boolean;
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

/** A request as a caller makes it. */
export interface Called extends Pick<Routed, 'caller' | 'id' | 'token' | 'sort' | 'about' | 'isHasty'> {
  readonly listedBy?: Set<string>;
}

/** Deadlines are noticed within this; all times of the test are chosen so that it never decides. */
const SLACK_MS = 30;
/** Longer than any start may take, its waits included. */
const MAX_WAIT_MS = 120_000;
/** How long something may be looked for where everybody can be asked: until all have listed, and once more. */
const MAX_LOOK_MS = 8_500;
export const STATUS_URI = 'doorward://status';

/** Questions of one upstream that may wait for their caller at once. */
const MAX_QUESTIONS = 4;

export class RouterModel {
  readonly requests: Routed[] = [];
  readonly questions: Question[] = [];
  readonly faults: string[] = [];
  /** How requests ended, what else came about, and how often: a run in which nothing was lost has shown nothing about losses. */
  readonly ends = new Map<string, number>();
  readonly offers: OfferModel;
  readonly subscriptions: SubscriptionModel;
  readonly #timeoutMs: number;

  constructor(timeoutMs: number, mounts: readonly string[]) {
    this.#timeoutMs = timeoutMs;
    this.offers = new OfferModel(mounts, (what) => this.#fault(what));
    this.subscriptions = new SubscriptionModel(
      (what) => this.#fault(what),
      (what) => this.#count(what),
    );
  }

  called({ caller, id, token, sort, about, listedBy = new Set(), isHasty }: Called, nowMs: number): Routed {
    const request: Routed = {
      caller,
      id,
      token,
      sort,
      about,
      routes: [],
      where: undefined,
      listedBy,
      isHasty,
      state: 'waiting',
      sinceMs: nowMs,
      link: undefined,
      wireId: -1,
      deadlineMs: Number.POSITIVE_INFINITY,
      questions: 0,
      stillSinceMs: 0,
      // Our own status is answered without anybody else.
      due: about === STATUS_URI ? { kind: 'status', tag: -1 } : undefined,
      isSaid: false,
      isGivenUp: false,
    };
    this.requests.push(request);
    const fleet = fleetOf({ owner: caller });
    if (sort === 'unsubscribe') this.subscriptions.ending(caller, about);
    // One that is given up at once need not make anybody list anything.
    if (sort !== 'call' && about !== STATUS_URI && !isHasty) this.offers.needed(fleet, LISTED, nowMs);
    this.#route(request);
    if (isHasty) this.#end(request, 'given up at once');
    return request;
  }

  /** An upstream received a request. @param key what it is about there */
  begun(link: Link, token: string, wireId: number, key: string, nowMs: number): void {
    const request = this.requests.find((each) => each.token === token);
    if (request === undefined) return this.#fault(`a request nobody made was sent: ${token}`);
    if (request.link !== undefined) return this.#fault(`${token} was sent twice`);
    if (request.state !== 'waiting' && !request.isHasty) return this.#fault(`${token} was sent though it was over`);
    const where = { mount: link.mount, key };
    this.#routed(request, where, nowMs);
    if (link.owner !== undefined && link.owner !== request.caller) {
      this.#fault(`${token} of ${request.caller} was sent over the connection of ${link.owner}`);
    }
    request.link = link;
    request.wireId = wireId;
    request.where = where;
    if (!link.isLive) return;
    // Who gives up in the same breath is heard after what it gives up.
    if (request.isHasty) request.isGivenUp = true;
    else {
      request.state = 'under way';
      request.deadlineMs = nowMs + this.#timeoutMs;
      if (request.sort !== 'call') this.#mayLeadTo(request, where);
    }
  }

  #routed(request: Routed, where: Where, nowMs: number): void {
    const { token, sort, about, caller } = request;
    if (sort === 'call') {
      if (where.mount !== about) this.#fault(`${token} is for ${about} and was sent to ${where.mount}`);
      return;
    }
    this.#route(request);
    if (request.routes.some((route) => isSame(route, where))) return;
    const fleet = fleetOf({ owner: caller });
    const isGuess = this.offers.findRoute(fleet, about) === undefined && where.key === about;
    if (!isGuess || !this.offers.isOnlyOwner(fleet, where.mount, nowMs)) {
      this.#fault(`${token} is about ${about} and was sent to ${where.mount} as ${where.key}`);
    } else this.#count('guessed');
  }

  /** Where it may lead at this moment is remembered: it may have been decided then. */
  #route(request: Routed): void {
    if (request.sort === 'call') return;
    for (const where of this.offers.routes(fleetOf({ owner: request.caller }), request.about)) {
      this.#mayLeadTo(request, where);
    }
  }

  #mayLeadTo({ routes, sort, caller }: Routed, where: Where): void {
    if (routes.some((route) => isSame(route, where))) return;
    routes.push(where);
    if (sort === 'subscribe') this.subscriptions.begun(caller, where);
  }

  /** An upstream says something to a request: the first time, if it is in time, that is its answer. */
  said(request: Routed, kind: 'result' | 'error', tag: number): void {
    if (request.state === 'under way' && request.link?.isLive) request.due ??= { kind, tag };
  }

  linkReady(link: Link, nowMs: number): void {
    if (!link.isLive) return;
    this.offers.linkReady(link, nowMs);
    this.subscriptions.linkReady(link, nowMs);
  }

  linkLost(link: Link, nowMs: number): void {
    if (!link.isLive) return;
    link.isLive = false;
    this.offers.linkLost(link, nowMs);
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
    this.offers.left(caller);
    this.subscriptions.left(caller);
  }

  /** A caller is given an answer. */
  answered(caller: string, message: Wire, nowMs: number): void {
    if (this.offers.answered(caller, message.id, message.result, nowMs)) return this.#count('listed');
    const request = this.requests.find((each) => each.caller === caller && each.id === message.id);
    if (request === undefined) return this.#fault(`${caller} was answered ${String(message.id)}, which it never asked`);
    if (request.state === 'over') return this.#fault(`${request.token} was answered though it is over`);
    const fault = this.#faultOf(request, message, nowMs);
    if (fault !== undefined) this.#fault(`${request.token} (${request.state}): ${fault}: ${JSON.stringify(message)}`);
    if (codeOf(message) === 'TIMEOUT' && request.link !== undefined) {
      request.isGivenUp = true;
      request.link.hasTimedOut = true;
    }
    this.#end(request, codeOf(message) ?? request.due?.kind ?? 'granted', message.result !== undefined);
  }

  /** What should have happened by now and has not. */
  settle(nowMs: number): void {
    this.offers.settle(nowMs);
    this.subscriptions.settle(nowMs);
    for (const request of this.requests) {
      if (request.state === 'over') continue;
      this.#route(request);
      const { token, due, deadlineMs } = request;
      if (due !== undefined) this.#fault(`${token} is due (${due.kind}) and was not answered`);
      const isStanding = request.questions > 0;
      if (!isStanding && nowMs > deadlineMs + SLACK_MS) this.#fault(`${token} is ${nowMs - deadlineMs} ms overdue`);
      if (request.state !== 'waiting') continue;
      if (nowMs - request.sinceMs > MAX_WAIT_MS) this.#fault(`${token} waits for ever`);
      if (nowMs - this.#everybodySinceMs(request) > MAX_LOOK_MS)
        this.#fault(`${token} waits though everybody is there`);
    }
  }

  #faultOf(request: Routed, message: Wire, nowMs: number): string | undefined {
    const { due, link, deadlineMs } = request;
    const code = codeOf(message);
    if (due?.kind === 'result') return message.result?.tag === due.tag ? undefined : `not result ${due.tag}`;
    if (due?.kind === 'status') return message.result === undefined ? 'there is always a status' : undefined;
    if (due?.kind === 'error') return message.error?.data?.tag === due.tag ? undefined : `not error ${due.tag}`;
    if (request.state === 'waiting' && message.result !== undefined && this.#mayGrant(request)) return undefined;
    if (message.result !== undefined || code === undefined) return 'nobody said that';
    if (request.state === 'waiting') {
      if (code === 'RESOURCE_UNKNOWN') return this.#faultOfUnknown(request);
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

  /** What others have subscribed to is granted by ourselves, and so is the end of what they keep. */
  #mayGrant({ sort, caller, routes }: Routed): boolean {
    if (sort !== 'subscribe') return sort === 'unsubscribe';
    return routes.some((where) => this.subscriptions.isHeldBeside(caller, where));
  }

  #faultOfUnknown({ sort, caller, about, listedBy, sinceMs }: Routed): string | undefined {
    if (sort === 'call') return 'no answer to a call';
    const fleet = fleetOf({ owner: caller });
    const route = this.offers.findRoute(fleet, about);
    if (route !== undefined) return `it leads to ${route.mount}`;
    const owner = [...listedBy].find((mount) => this.offers.isUpSince(fleet, mount, sinceMs));
    return owner === undefined ? undefined : `${owner} lists it, and would have said so`;
  }

  /** Since when it has been there, together with all that could have it. */
  #everybodySinceMs({ sort, caller, sinceMs }: Routed): number {
    if (sort === 'call') return Number.POSITIVE_INFINITY;
    return Math.max(sinceMs, this.offers.allUpSinceMs(fleetOf({ owner: caller })));
  }

  #underWay(link: Link): Routed[] {
    return this.requests.filter((request) => request.link === link && request.state === 'under way');
  }

  #end(request: Routed, how: string, isGranted = false): void {
    const { sort, caller, about, where } = request;
    request.state = 'over';
    this.#count(sort === 'call' ? how : `${sort}: ${how}`);
    if (sort === 'subscribe') this.#subscribed(request, isGranted);
    if (sort === 'unsubscribe') {
      // Where a name may have led to one of two, it is not known which of them ended.
      const ended = where ?? (request.routes.length === 1 ? request.routes[0] : undefined);
      this.subscriptions.over(caller, about, isGranted ? ended : undefined);
    }
    for (const question of this.questions) {
      if (question.state !== 'open' || !question.concerns.delete(request) || question.concerns.size > 0) continue;
      question.state = 'retracted';
      this.#count('retracted');
    }
  }

  #subscribed({ caller, about, where, routes }: Routed, isGranted: boolean): void {
    if (!isGranted) this.subscriptions.leftOpen(caller, about);
    const granted = where ?? routes.find((route) => this.subscriptions.isHeldBeside(caller, route));
    for (const route of routes) {
      this.subscriptions.ended(caller, route, isGranted && granted !== undefined && isSame(route, granted));
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
