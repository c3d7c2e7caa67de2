/** Who must, may and must not be told that a resource was updated, as a model. */
import type { Link } from './router-model.js';
import { fleetOf, isSame, prefixed, type Where } from './router-offers.js';

/** What a caller has subscribed to. `perhaps`: it asked, and was not told yet, or it asked for the end of it. */
interface Subscription {
  readonly caller: string;
  readonly where: Where;
  state: 'sure' | 'perhaps';
  /** It was granted, if not lately: a wish that fails does not end it. */
  wasGranted: boolean;
  /** Requests to subscribe that are not answered. */
  beginning: number;
  /** Asked for and asked to end at once: which of them counts is not said, until another one is made alone. */
  isTangled: boolean;
}

/** A caller is to be told once; or it may be, until then. */
interface Telling {
  readonly caller: string;
  readonly where: Where;
  readonly isDue: boolean;
  readonly untilMs: number;
}

/** After a restart upstreams are asked anew, and callers told that there may be news, within this. */
const RESUMED_MS = 1_000;

export class SubscriptionModel {
  readonly #fault: (what: string) => void;
  readonly #count: (what: string) => void;
  readonly #all: Subscription[] = [];
  #tellings: Telling[] = [];
  /** Requests to unsubscribe that are not answered. */
  readonly #endings: { readonly caller: string; readonly uri: string }[] = [];
  /** What upstreams may go on telling of, though nobody is subscribed to it. */
  readonly #unended: { readonly fleet: string; readonly uri: string }[] = [];

  constructor(fault: (what: string) => void, count: (what: string) => void) {
    this.#fault = fault;
    this.#count = count;
  }

  /** Whether somebody of this caller's fleet is, or may be, subscribed there, a wish of its own not counted. */
  isHeldBeside(caller: string, where: Where): boolean {
    return this.#all.some((each) => {
      if (fleetOf({ owner: each.caller }) !== fleetOf({ owner: caller }) || !isSame(each.where, where)) return false;
      return each.caller !== caller || each.state === 'sure' || each.beginning > 1;
    });
  }

  /** A caller has a wish that may lead there. */
  begun(caller: string, where: Where): void {
    const subscription = this.#get(caller, where);
    subscription.isTangled = this.#isEnding(subscription) || (subscription.isTangled && subscription.beginning > 0);
    subscription.beginning++;
  }

  ended(caller: string, where: Where, isGranted: boolean): void {
    const subscription = this.#get(caller, where);
    subscription.beginning--;
    if (isGranted) {
      subscription.state = subscription.isTangled ? 'perhaps' : 'sure';
      subscription.wasGranted = true;
    } else if (!subscription.wasGranted) this.#dropIfIdle(subscription);
  }

  /** A caller wants to hear no more of what it calls so; from now on it may be told or not. */
  ending(caller: string, uri: string): void {
    this.#endings.push({ caller, uri });
    for (const subscription of this.#named(caller, uri)) {
      subscription.state = 'perhaps';
      if (subscription.beginning > 0) subscription.isTangled = true;
      this.#tellings = this.#tellings.map((each) =>
        each.caller === caller && isSame(each.where, subscription.where) ? { ...each, isDue: false } : each,
      );
    }
  }

  /** @param where it ended; undefined where it did not, or that is not known */
  over(caller: string, uri: string, where: Where | undefined): void {
    const open = this.#endings.findIndex((each) => each.caller === caller && each.uri === uri);
    this.#endings.splice(open, 1);
    for (const subscription of this.#named(caller, uri)) {
      if (where !== undefined && isSame(where, subscription.where)) this.#dropIfIdle(subscription);
    }
  }

  /** A wish was given up or refused: upstreams that were asked on a caller's behalf may go on telling of it. */
  leftOpen(caller: string, uri: string): void {
    this.#unended.push({ fleet: fleetOf({ owner: caller }), uri });
  }

  left(caller: string): void {
    for (const each of this.#all.filter((subscription) => subscription.caller === caller)) this.#drop(each);
    this.#tellings = this.#tellings.filter((each) => each.caller !== caller);
  }

  /** A connection is new: whoever is subscribed may be told that it may have missed something. */
  linkReady(link: Link, nowMs: number): void {
    for (const { caller, where } of this.#of(link)) {
      this.#tellings.push({ caller, where, isDue: false, untilMs: nowMs + RESUMED_MS });
    }
  }

  updated(link: Link, key: string, nowMs: number): void {
    for (const { caller, where, state } of this.#of(link)) {
      if (where.key === key) this.#tellings.push({ caller, where, isDue: state === 'sure', untilMs: nowMs });
    }
  }

  /** @param routes where the URI that the caller was told leads */
  told(caller: string, uri: string, routes: readonly Where[]): void {
    const fits = ({ where, ...each }: Telling): boolean => {
      return (
        each.caller === caller &&
        isNameOf(uri, where) &&
        (routes.length === 0 || routes.some((route) => isSame(route, where)))
      );
    };
    const telling = this.#tellings.find((each) => each.isDue && fits(each)) ?? this.#tellings.find(fits);
    if (telling === undefined) return this.#fault(`${caller} was told of ${uri}, to which it is not subscribed`);
    this.#count(telling.isDue ? 'told' : 'perhaps told');
    this.#tellings.splice(this.#tellings.indexOf(telling), 1);
  }

  settle(nowMs: number): void {
    for (const { caller, where, isDue } of this.#tellings) {
      if (isDue) this.#fault(`${caller} was not told of ${prefixed(where)}`);
    }
    this.#tellings = this.#tellings.filter(({ untilMs, isDue }) => !isDue && untilMs > nowMs);
  }

  /** When all is quiet: what each upstream is asked to tell is what somebody wants to hear. */
  atEnd(link: Link, keys: ReadonlySet<string>, strays: ReadonlySet<string>): void {
    const own = this.#of(link);
    for (const { caller, where, state } of own) {
      if (state === 'sure' && !keys.has(where.key)) this.#fault(`${caller} will not be told of ${prefixed(where)}`);
    }
    for (const key of keys) {
      if (strays.has(key) || own.some(({ where }) => where.key === key)) continue;
      if (this.#unended.some(({ fleet, uri }) => fleet === fleetOf(link) && isNameOf(uri, { mount: link.mount, key })))
        continue;
      this.#fault(`${link.mount} still tells of ${key}, which nobody is subscribed to`);
    }
  }

  #of(link: Link): Subscription[] {
    return this.#all.filter(
      ({ caller, where }) => where.mount === link.mount && fleetOf({ owner: caller }) === fleetOf(link),
    );
  }

  #named(caller: string, uri: string): Subscription[] {
    return this.#all.filter((subscription) => subscription.caller === caller && isNameOf(uri, subscription.where));
  }

  #get(caller: string, where: Where): Subscription {
    const known = this.#all.find((each) => each.caller === caller && isSame(each.where, where));
    if (known !== undefined) return known;
    const subscription: Subscription = {
      caller,
      where,
      state: 'perhaps',
      wasGranted: false,
      beginning: 0,
      isTangled: false,
    };
    this.#all.push(subscription);
    return subscription;
  }

  #dropIfIdle(subscription: Subscription): void {
    const isIdle = subscription.beginning === 0 && !this.#isEnding(subscription);
    if (isIdle && !subscription.isTangled) this.#drop(subscription);
  }

  #isEnding({ caller, where }: Subscription): boolean {
    return this.#endings.some((each) => each.caller === caller && isNameOf(each.uri, where));
  }

  #drop(subscription: Subscription): void {
    this.#all.splice(this.#all.indexOf(subscription), 1);
  }
}

/** Whether a caller may call it so, whatever it is called just now. */
function isNameOf(uri: string, where: Where): boolean {
  return where.key === uri || prefixed(where) === uri;
}
