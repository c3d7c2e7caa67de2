/** The real gateway and its doors between callers and upstreams that a test moves; all that happens is told to the model. */
import { DoorError, decodeText, encodeText, joinPieces } from '../../src/base/index.js';
import { StreamDoor } from '../../src/doors/index.js';
import { createGateway, type Gateway } from '../../src/gateway/index.js';
import { LIST_CHANGED, MemoryTransport, SOME_TOOL } from '../fixtures/memory-transport.js';
import { settled, VirtualClock } from '../fixtures/virtual-clock.js';
import { type Link, type Routed, RouterModel, type Sort, STATUS_URI, type Wire } from './router-model.js';
import type { Listed } from './router-offers.js';
import { MOUNTS, StagedOffers } from './router-upstream.js';

/** The last one can be asked, and so has connections of its own. */
export const CALLERS = ['one', 'two', 'asked'] as const;
/** Deadlines end between the beats in which the test moves time. */
export const BEAT_MS = 100;
export const TIMEOUT_MS = 10 * BEAT_MS - 50;
const START_MS = 3 * BEAT_MS;

const METHODS: Readonly<Record<Sort, string>> = {
  call: 'tools/call',
  read: 'resources/read',
  subscribe: 'resources/subscribe',
  unsubscribe: 'resources/unsubscribe',
};

interface Connected {
  /** Names this connection of the caller: one that comes back is another. */
  readonly name: string;
  readonly door: StreamDoor;
  nextId: number;
}

/** A question that a caller was shown and has not answered. */
interface Shown {
  readonly caller: string;
  readonly id: unknown;
  readonly token: string;
}

/** The same question as its upstream asked it. */
export interface Asked {
  readonly link: Link;
  readonly id: string;
  readonly token: string;
}

export class RouterStage {
  readonly clock = new VirtualClock();
  readonly model = new RouterModel(TIMEOUT_MS, MOUNTS);
  readonly gateway: Gateway;
  readonly links = new Map<Link, MemoryTransport>();
  readonly offers = new StagedOffers(this.model, this.clock, this.links);
  readonly callers = new Map<string, Connected>();
  readonly questions: Shown[] = [];
  readonly asked: Asked[] = [];
  /** Mounts that cannot be started just now. */
  readonly refusing = new Set<string>();
  #count = 0;

  constructor() {
    this.gateway = createGateway({
      mounts: MOUNTS.map((id) => ({
        id,
        connect: () => this.#connect(id),
        callTimeoutMs: TIMEOUT_MS,
        startTimeoutMs: 5_000,
      })),
      clock: this.clock,
    });
    this.gateway.start();
  }

  arrive(caller: string): void {
    if (this.callers.has(caller)) return;
    const name = `${caller}#${this.#count++}`;
    const door = new StreamDoor({
      limits: this.gateway.limits,
      principal: { id: 'local:1', kind: 'local' },
      door: 'socket',
      info: { name: 'doorward', version: '1' },
      write: (pieces) => {
        this.#told(name, JSON.parse(decodeText(joinPieces(pieces))) as Wire);
        return true;
      },
      whenWritable: () => Promise.resolve(),
      broken: (reason) => this.model.faults.push(`the door broke: ${reason.message}`),
    });
    const connected: Connected = { name, door, nextId: 1 };
    this.callers.set(caller, connected);
    door.attach(this.gateway);
    const capabilities = caller === 'asked' ? { elicitation: {} } : {};
    const hello = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name, version: '1' } };
    write(door, { id: 'hello', method: 'initialize', params: hello });
    write(door, { method: 'notifications/initialized' });
  }

  leave(caller: string): void {
    const connected = this.callers.get(caller);
    if (connected === undefined) return;
    this.callers.delete(caller);
    this.model.left(connected.name);
    connected.door.close();
  }

  /**
   * A caller asks for something.
   *
   * @param about the mount of a tool, else a URI
   * @param isHasty it takes it back in the same breath
   */
  make(caller: string, sort: Sort, about: string, isHasty = false): void {
    const connected = this.callers.get(caller);
    if (connected === undefined) return;
    const id = `${connected.nextId++}`;
    const token = `${connected.name}:${id}`;
    const listedBy = this.offers.listing(about);
    this.model.called({ caller: connected.name, id, token, sort, about, listedBy, isHasty }, this.clock.monotonicMs());
    const params =
      sort === 'call' ? { name: `${about}__some`, arguments: { token } } : { uri: about, _meta: { token } };
    const request = { id, method: METHODS[sort], params };
    if (isHasty) write(connected.door, request, cancelling(id));
    else write(connected.door, request);
  }

  /** A caller asks for a list, and perhaps takes that back in the same breath. */
  list(caller: string, kind: Listed, isHasty = false): void {
    const connected = this.callers.get(caller);
    if (connected === undefined) return;
    const id = `${connected.nextId++}`;
    const request = { id, method: kind === 'resources' ? 'resources/list' : 'resources/templates/list' };
    if (isHasty) {
      this.model.offers.gaveUpList();
      return write(connected.door, request, cancelling(id));
    }
    this.model.offers.wants(connected.name, id, kind, this.clock.monotonicMs());
    write(connected.door, request);
  }

  cancel(request: Routed): void {
    const connected = this.#connected(request.caller);
    if (connected === undefined) return;
    this.model.cancelled(request);
    write(connected.door, cancelling(request.id));
  }

  /** The upstream answers a request, be it for the first time or again, in time or late. */
  say(request: Routed, kind: 'result' | 'error'): void {
    if (request.link === undefined) return;
    const tag = this.#count++;
    this.model.said(request, kind, tag);
    if (kind === 'error' && !request.isSaid) this.offers.refused(request);
    request.isSaid = true;
    const body =
      kind === 'result' ? { result: { content: [], tag } } : { error: { code: -32_000, message: 'm', data: { tag } } };
    this.links.get(request.link)?.say(JSON.stringify({ jsonrpc: '2.0', id: request.wireId, ...body }));
  }

  /** The upstream asks the caller something while it works on its call. */
  ask(request: Routed): void {
    const { link, token } = request;
    if (link === undefined || !link.isLive) return;
    const id = `q${this.#count++}`;
    const question = `${token}?${id}`;
    this.asked.push({ link, id, token: question });
    if (link.owner !== undefined) this.model.asked(link, question, this.clock.monotonicMs());
    const requestedSchema = { type: 'object', properties: { token: { type: 'string' } } };
    const params = { message: question, requestedSchema };
    this.links.get(link)?.say(JSON.stringify({ jsonrpc: '2.0', id, method: 'elicitation/create', params }));
  }

  reply({ caller, id, token }: Shown): void {
    this.questions.splice(
      this.questions.findIndex((each) => each.id === id && each.caller === caller),
      1,
    );
    const connected = this.#connected(caller);
    if (connected === undefined) return;
    this.model.replied(token, this.clock.monotonicMs());
    write(connected.door, { id, result: { action: 'accept', content: { token } } });
  }

  lose(link: Link): void {
    this.model.linkLost(link, this.clock.monotonicMs());
    this.links.get(link)?.lose();
  }

  relist(link: Link): void {
    this.links.get(link)?.say(LIST_CHANGED);
  }

  /** Lets all that follows happen, then has the model look. */
  async settle(): Promise<void> {
    for (let i = 0; i < 3; i++) await settled();
    this.model.settle(this.clock.monotonicMs());
  }

  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await this.settle();
  }

  #connected(name: string): Connected | undefined {
    return [...this.callers.values()].find((connected) => connected.name === name);
  }

  #connect(mount: string): MemoryTransport {
    this.model.offers.troubled(this.clock.monotonicMs());
    if (this.refusing.has(mount)) throw new DoorError('UPSTREAM_UNREACHABLE', `${mount} cannot be started just now`);
    const link: Link = {
      mount,
      owner: undefined,
      isLive: true,
      holdsLists: false,
      hasHeldLists: false,
      isDeaf: false,
      hasTimedOut: false,
    };
    const transport: MemoryTransport = new MemoryTransport({
      on: {
        initialize: ({ params }) => this.#greeted(link, params as { capabilities: { elicitation?: unknown } }),
        ping: () => (link.isDeaf ? undefined : {}),
        'tools/list': () => {
          // From now on it is up; later ones are lists of tools anew.
          if (transport.received('tools/list').length === 1) this.model.linkReady(link, this.clock.monotonicMs());
          return { tools: [SOME_TOOL] };
        },
        'tools/call': (sent) => {
          const { token } = sent.params!.arguments as { token: string };
          this.model.begun(link, token, Number(sent.id), '', this.clock.monotonicMs());
        },
        ...this.offers.reactions(link),
      },
      // Long enough for callers to do things meanwhile.
      open: () => new Promise((resolve) => void this.clock.schedule(START_MS, resolve)),
      close: () => this.model.linkLost(link, this.clock.monotonicMs()),
    });
    this.links.set(link, transport);
    return transport;
  }

  #greeted(link: Link, { capabilities }: { readonly capabilities: { readonly elicitation?: unknown } }): unknown {
    if (capabilities.elicitation !== undefined) {
      const owner = this.callers.get('asked')?.name;
      Object.assign(link, { owner: owner ?? 'nobody' });
    }
    return {
      protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } },
      serverInfo: { name: link.mount, version: '1' },
    };
  }

  #told(name: string, message: Wire): void {
    const { model } = this;
    if (this.#connected(name) === undefined && message.id !== 'hello')
      model.faults.push(`${name} was told something though it left`);
    if (message.id === 'hello') return;
    if (message.method === 'elicitation/create') {
      const token = String(message.params?.message);
      if (!token.startsWith(`${name}:`)) model.faults.push(`${name} was asked about ${token}`);
      this.questions.push({ caller: name, id: message.id, token });
    } else if (message.method === 'notifications/resources/list_changed') {
      model.offers.toldChanged(name, this.clock.monotonicMs());
    } else if (message.method === 'notifications/resources/updated') {
      const uri = String(message.params?.uri);
      if (uri !== STATUS_URI)
        model.subscriptions.told(name, uri, model.offers.routesOfTold(name, uri, this.clock.monotonicMs()));
    } else if (message.method === undefined) model.answered(name, message, this.clock.monotonicMs());
  }
}

/** What an upstream was told of a question of its own: the token its caller gave, or the code of the error. */
export function heardOf(transport: MemoryTransport, id: string): unknown[] {
  const answers = transport.sent.filter(({ message }) => message.id === id && message.method === undefined);
  return answers.map(({ message }) => {
    const { result, error } = message as Wire;
    return (result?.content as { token?: unknown } | undefined)?.token ?? error?.code;
  });
}

function cancelling(requestId: string): object {
  return { method: 'notifications/cancelled', params: { requestId } };
}

/** All in one chunk. */
function write(door: StreamDoor, ...messages: readonly object[]): void {
  door.push(encodeText(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('')));
}
