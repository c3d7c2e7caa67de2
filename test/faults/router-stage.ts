/** The real gateway and its doors between callers and upstreams that a test moves; all that happens is told to the model. */
import { DoorError, decodeText, encodeText, joinPieces } from '../../src/base/index.js';
import { StreamDoor } from '../../src/doors/index.js';
import { createGateway, type Gateway } from '../../src/gateway/index.js';
import { LIST_CHANGED, MemoryTransport, type Sent } from '../fixtures/memory-transport.js';
import { settled, VirtualClock } from '../fixtures/virtual-clock.js';
import { type Link, type Routed, RouterModel, type Wire } from './router-model.js';

export const MOUNTS = ['a', 'b'] as const;
/** The last one can be asked, and so has connections of its own. */
export const CALLERS = ['one', 'two', 'asked'] as const;
/** Deadlines end between the beats in which the test moves time. */
export const BEAT_MS = 100;
export const TIMEOUT_MS = 10 * BEAT_MS - 50;
const START_MS = 3 * BEAT_MS;

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
  readonly model = new RouterModel(TIMEOUT_MS);
  readonly gateway: Gateway;
  readonly links = new Map<Link, MemoryTransport>();
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

  call(caller: string, mount: string): void {
    const connected = this.callers.get(caller);
    if (connected === undefined) return;
    const id = `${connected.nextId++}`;
    const token = `${connected.name}:${id}`;
    this.model.called(connected.name, id, mount, token, this.clock.monotonicMs());
    write(connected.door, { id, method: 'tools/call', params: { name: `${mount}__some`, arguments: { token } } });
  }

  cancel(request: Routed): void {
    const connected = this.#connected(request.caller);
    if (connected === undefined) return;
    this.model.cancelled(request);
    write(connected.door, { method: 'notifications/cancelled', params: { requestId: request.id } });
  }

  /** The upstream answers a request, be it for the first time or again, in time or late. */
  say(request: Routed, kind: 'result' | 'error'): void {
    if (request.link === undefined) return;
    const tag = this.#count++;
    this.model.said(request, kind, tag);
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
    this.model.linkLost(link);
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
    if (this.refusing.has(mount)) throw new DoorError('UPSTREAM_UNREACHABLE', `${mount} cannot be started just now`);
    const link: Link = {
      mount,
      owner: undefined,
      isLive: true,
      isDeaf: false,
      hasTimedOut: false,
    };
    const transport: MemoryTransport = new MemoryTransport({
      on: {
        initialize: ({ params }) => this.#greeted(link, params as { capabilities: { elicitation?: unknown } }),
        ping: () => (link.isDeaf ? undefined : {}),
        'tools/call': (sent) => {
          const { token } = sent.params!.arguments as { token: string };
          this.model.begun(link, token, Number(sent.id), this.clock.monotonicMs());
        },
      },
      // Long enough for callers to do things meanwhile.
      open: () => new Promise((resolve) => void this.clock.schedule(START_MS, resolve)),
      close: () => this.model.linkLost(link),
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
      capabilities: { tools: { listChanged: true } },
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

/** The calls an upstream was told to give up, by the ids it knows; a ping is nobody's call. */
export function cancelledIds(transport: MemoryTransport): number[] {
  const calls = new Set(transport.received('tools/call').map(({ id }) => id));
  const told = transport.received('notifications/cancelled').map(({ params }: Sent) => Number(params?.requestId));
  return told.filter((id) => calls.has(id));
}

function write(door: StreamDoor, message: object): void {
  door.push(encodeText(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`));
}
