/** A caller of the simulation: one door after another, calls at its own pace, and a look at every line it is told. */
import { decodeText, encodeText, joinPieces } from '../../src/base/index.js';
import { StreamDoor } from '../../src/doors/index.js';
import type { Gateway } from '../../src/gateway/index.js';
import type { SimulationClock } from './simulation-clock.js';
import type { SimulatedCall, SimulationAct, SimulationJournal } from './simulation-journal.js';
import { ResourceReader } from './simulation-offers.js';
import type { SimulatedUpstream } from './simulation-upstream.js';
import type { Seeded } from './soak-seeded.js';

export interface SimulatedCallerOptions {
  readonly name: string;
  readonly clock: SimulationClock;
  readonly seeded: Seeded;
  readonly journal: SimulationJournal;
  readonly gateway: Gateway;
  readonly upstreams: readonly SimulatedUpstream[];
  readonly declaresElicitation: boolean;
  /** Between two calls, on average. */
  readonly thinkMs: number;
  /** Of its calls: how many time out, and after how many it leaves. */
  readonly timeoutShare: number;
  readonly vanishShare: number;
}

interface Told {
  readonly id?: string;
  readonly method?: string;
  readonly params?: { readonly message?: string; readonly uri?: string };
  readonly result?: {
    readonly content?: readonly { readonly text: string }[];
    readonly tools?: readonly unknown[];
    readonly resources?: readonly { readonly uri: string }[];
  };
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: { code?: string; outcome?: string };
  };
}

const ORDINARY: Readonly<Record<Exclude<SimulationAct, 'hang' | 'late'>, number>> = {
  answer: 90,
  error: 2,
  duplicate: 2,
  garbage: 2,
  crash: 0.2,
  ask: 4,
};
const LIST = /^\{"jsonrpc":"2\.0","id":"(l\d+)","result":\{"tools":\[/;
const READ_EVERY = 100;
/** How many requests read a resource; the others call a tool. */
const READS = 0.25;
/** By then it has been asked what it offers, if it can be; where a list was late as well. */
const KNOWN_MS = 15_000;
/** A lost connection fails its calls within this. */
const TOLD_WITHIN_MS = 100;
/** An upstream that was lost is back by then unless it cannot be started. */
const RESTART_MS = 90_000;
const MAX_AWAY_MS = 60_000;

export class SimulatedCaller {
  readonly #options: SimulatedCallerOptions;
  #door: StreamDoor | undefined;
  #nextId = 1;
  /** Calls of this connection, by id, that have no answer yet. */
  #open = new Map<string, SimulatedCall>();
  #lists = new Set<string>();
  /** Until when an upstream asked this caller something: no deadline passes meanwhile. */
  #asked = new Map<string, number>();
  isActive = true;
  #arrivedAtMs = 0;
  #resources: ResourceReader;

  constructor(options: SimulatedCallerOptions) {
    this.#options = options;
    this.#resources = new ResourceReader(options);
  }

  arrive(): void {
    const { gateway, journal, name, declaresElicitation } = this.#options;
    this.#open = new Map();
    this.#lists = new Set();
    this.#arrivedAtMs = this.#options.clock.monotonicMs();
    this.#resources = new ResourceReader(this.#options);
    const door: StreamDoor = new StreamDoor({
      limits: gateway.limits,
      principal: { id: 'local:1000', kind: 'local' },
      door: 'socket',
      info: { name: 'doorward', version: '1' },
      write: (pieces) => {
        if (this.#door === door) this.#told(decodeText(joinPieces(pieces)));
        else journal.miss(`${name} was told something after it had left`);
        return true;
      },
      whenWritable: () => Promise.resolve(),
      broken: (reason) => journal.miss(`the door of ${name} broke: ${reason.message}`),
    });
    this.#door = door;
    door.attach(gateway);
    const capabilities = declaresElicitation ? { elicitation: {} } : {};
    const clientInfo = { name, version: '1' };
    this.#send({
      id: 'hello',
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities, clientInfo },
    });
    this.#send({ method: 'notifications/initialized' });
    this.#list();
    this.#listResources();
    for (const uri of this.#resources.subscriptions(this.#options.upstreams)) {
      this.#send({ id: `s${this.#nextId++}`, method: 'resources/subscribe', params: { uri } });
    }
    this.#think(door);
  }

  /** Leaves for good. */
  leave(): void {
    this.isActive = false;
    this.#vanish();
  }

  #think(door: StreamDoor): void {
    const { clock, seeded, thinkMs, vanishShare } = this.#options;
    clock.schedule(2 * thinkMs * seeded.next(), () => {
      if (this.#door !== door || !this.isActive) return;
      this.#call();
      if (!seeded.chance(vanishShare)) return this.#think(door);
      // With its last call under way.
      clock.schedule(seeded.below(40), () => {
        if (this.#door !== door) return;
        this.#vanish();
        clock.schedule(seeded.below(MAX_AWAY_MS), () => {
          if (this.isActive) this.arrive();
        });
      });
    });
  }

  #vanish(): void {
    const { clock, journal } = this.#options;
    const door = this.#door;
    if (door === undefined) return;
    for (const call of this.#open.values()) {
      call.hasVanished = true;
      journal.end(call, 'vanished', clock.monotonicMs());
    }
    this.#open.clear();
    door.close();
    this.#door = undefined;
    journal.count('callers that vanished');
  }

  #list(): void {
    const id = `l${this.#nextId++}`;
    this.#lists.add(id);
    this.#send({ id, method: 'tools/list' });
  }

  #listResources(): void {
    this.#send({ id: `r${this.#nextId++}`, method: 'resources/list' });
  }

  #call(): void {
    const { clock, seeded, journal, name, upstreams, timeoutShare } = this.#options;
    const picked = seeded.pick(upstreams);
    const upstream = picked.options;
    const read = seeded.chance(READS) ? this.#resources.draw(picked) : undefined;
    const isTimedOut = seeded.chance(timeoutShare);
    const drawn: SimulationAct = isTimedOut ? seeded.pick(['hang', 'late']) : seeded.weighted(ORDINARY);
    const act = drawn === 'crash' && !upstream.breaks ? 'answer' : drawn;
    const id = `c${this.#nextId++}`;
    const token = `${name}-${id}`;
    const sentAtMs = clock.monotonicMs();
    const call: SimulatedCall = {
      token,
      caller: name,
      upstream: upstream.name,
      act,
      ...(read !== undefined && { reads: read.sort }),
      sentAtMs,
      begun: 0,
      isOpen: true,
      hasVanished: false,
      askedOf: undefined,
    };
    journal.begin(call);
    this.#open.set(id, call);
    const tool = `${upstream.name}__tool${seeded.below(upstream.tools)}`;
    const args = { token, act, afterMs: seeded.below(2_000) };
    if (read === undefined) this.#send({ id, method: 'tools/call', params: { name: tool, arguments: args } });
    else this.#send({ id, method: 'resources/read', params: { uri: read.uri, _meta: args } });
    if (seeded.chance(0.02)) clock.schedule(seeded.below(1_000), () => this.#cancel(id, call));
  }

  #cancel(id: string, call: SimulatedCall): void {
    if (!this.#open.delete(id)) return;
    const { clock, journal } = this.#options;
    this.#send({ method: 'notifications/cancelled', params: { requestId: id } });
    // The door takes it up at once: any answer from now on is one too many.
    journal.end(call, 'cancelled', clock.monotonicMs());
  }

  #told(line: string): void {
    const { journal, name } = this.#options;
    const listId = LIST.exec(line.slice(0, 80))?.[1];
    if (listId !== undefined && this.#lists.delete(listId)) return this.#listed(line);
    const message = JSON.parse(line) as Told;
    if (message.method === 'elicitation/create') return this.#questioned(message);
    if (message.method !== undefined) {
      journal.count(message.method);
      if (message.method === 'notifications/tools/list_changed') this.#list();
      if (message.method === 'notifications/resources/list_changed') this.#listResources();
      if (message.method === 'notifications/resources/updated') this.#resources.updated(String(message.params?.uri));
      return;
    }
    const id = String(message.id);
    if (id === 'hello') return;
    if (id.startsWith('r')) return this.#resourcesListed(message);
    if (id.startsWith('s')) return journal.count(message.result === undefined ? 'subscribed in vain' : 'subscribed');
    const call = this.#open.get(id);
    if (call === undefined) return journal.miss(`${name} was answered ${id}, which is over: ${line.slice(0, 200)}`);
    this.#open.delete(id);
    this.#answered(call, message);
  }

  #resourcesListed({ result }: Told): void {
    const { clock, upstreams } = this.#options;
    this.#resources.listed(result?.resources, upstreams, clock.monotonicMs());
  }

  #listed(line: string): void {
    const { journal, name } = this.#options;
    journal.count('lists answered');
    // To read them all would be most of the simulation's time.
    if (this.#nextId % READ_EVERY !== 0) return;
    const { result } = JSON.parse(line) as Told;
    if (!Array.isArray(result?.tools)) journal.miss(`${name} was given no list of tools`);
  }

  #answered(call: SimulatedCall, { result, error }: Told): void {
    const { clock, journal } = this.#options;
    const nowMs = clock.monotonicMs();
    const fault = result === undefined ? this.#faultOfError(call, error, nowMs) : this.#faultOfResult(call, result);
    if (fault !== undefined) journal.miss(`${call.token} (${call.act} at ${call.upstream}): ${fault}`);
    journal.end(call, result === undefined ? (error?.data?.code ?? `${error?.code}`) : 'result', nowMs);
  }

  #faultOfResult(
    { token, act, begun, askedOf, upstream, sentAtMs }: SimulatedCall,
    result: NonNullable<Told['result']>,
  ): string | undefined {
    if (begun !== 1) return `a result, and it was begun ${begun} times`;
    if (act === 'hang' || act === 'crash' || act === 'error') return 'a result that nobody gave';
    if (act === 'late' && this.#askedUntilMs(upstream) <= sentAtMs) return 'a result after the deadline';
    const text = result.content?.[0]?.text;
    const said = act !== 'ask' ? '' : this.#options.declaresElicitation ? ':asked' : ':cannot ask';
    if (text !== `${token}${said}`) return `not its own answer: ${text}`;
    if (said === ':asked' && askedOf !== this.#options.name) return `asked of ${askedOf}`;
    return undefined;
  }

  #faultOfError(call: SimulatedCall, error: Told['error'], nowMs: number): string | undefined {
    const { code = `${error?.code}`, outcome } = error?.data ?? {};
    if (call.act === 'error' && code === '-32011')
      return error?.message === call.token ? undefined : 'the error of another';
    if (outcome !== 'unknown' && call.begun > 0) return `${code} without an outcome, and it was begun`;
    const brokenAtMs = this.#options.upstreams.find(({ options }) => options.name === call.upstream)!.brokenAtMs;
    switch (code) {
      case 'RESOURCE_UNKNOWN':
        return this.#faultOfUnknown(call, brokenAtMs);
      case 'TIMEOUT':
        return call.act === 'hang' || call.act === 'late' ? undefined : `timed out after ${nowMs - call.sentAtMs} ms`;
      case 'UPSTREAM_LOST':
        if (brokenAtMs < call.sentAtMs - RESTART_MS) return 'lost, and the upstream was not';
        if (call.begun > 0 && nowMs - brokenAtMs > TOLD_WITHIN_MS)
          return `told of the loss ${nowMs - brokenAtMs} ms late`;
        return undefined;
      case 'UPSTREAM_UNREACHABLE':
        return brokenAtMs < call.sentAtMs - RESTART_MS ? 'unreachable, and the upstream was not' : undefined;
      default:
        return `${code}: ${error?.message}`;
    }
  }

  #faultOfUnknown({ reads, begun, sentAtMs }: SimulatedCall, brokenAtMs: number): string | undefined {
    if (reads === undefined || begun > 0) return 'unknown, and it is no read, or was begun';
    // Of another edition by now, or told of too late.
    if (reads === 'unlisted' || reads === 'changing') return undefined;
    // A caller that can be asked has connections of its own, which know nothing at first.
    const isNew = sentAtMs - this.#arrivedAtMs < KNOWN_MS;
    return isNew || brokenAtMs > sentAtMs - RESTART_MS ? undefined : `${reads}, and unknown`;
  }

  #questioned({ id, params }: Told): void {
    const { clock, seeded, journal, name } = this.#options;
    const call = journal.find(String(params?.message));
    if (call === undefined || call.caller !== name) return journal.miss(`${name} was asked about ${params?.message}`);
    if (!this.#options.declaresElicitation) return journal.miss(`${name} was asked, and cannot be`);
    call.askedOf = name;
    journal.count('callers asked');
    const door = this.#door;
    const replyAfterMs = seeded.below(90_000);
    const untilMs = clock.monotonicMs() + replyAfterMs;
    this.#asked.set(call.upstream, Math.max(untilMs, this.#askedUntilMs(call.upstream)));
    clock.schedule(replyAfterMs, () => {
      if (this.#door !== door) return;
      const accept = { action: 'accept', content: { token: call.token } };
      this.#send({ id, result: seeded.chance(0.7) ? accept : { action: 'decline' } });
    });
  }

  #askedUntilMs(upstream: string): number {
    return this.#asked.get(upstream) ?? Number.NEGATIVE_INFINITY;
  }

  #send(message: object): void {
    this.#door?.push(encodeText(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`));
  }
}
