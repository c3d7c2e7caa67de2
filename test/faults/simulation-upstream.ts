/** An upstream of the simulation: one per mount; each connection to it is a transport whose pipes take their time. */
import { DoorError, decodeText, encodeText, joinPieces, type Piece } from '../../src/base/index.js';
import type { LineHandlers, LineTransport } from '../../src/client/index.js';
import type { SimulationClock } from './simulation-clock.js';
import type { SimulationJournal } from './simulation-journal.js';
import { offersText } from './simulation-offers.js';
import type { Seeded } from './soak-seeded.js';

export interface SimulatedUpstreamOptions {
  readonly name: string;
  readonly clock: SimulationClock;
  readonly seeded: Seeded;
  readonly journal: SimulationJournal;
  readonly tools: number;
  /** Whether it is ever lost. */
  readonly breaks: boolean;
}

interface Incoming {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly requestId?: number;
    readonly protocolVersion?: string;
    readonly capabilities?: { readonly elicitation?: unknown };
    readonly arguments?: { readonly token: string; readonly act: string; readonly afterMs: number };
    readonly uri?: string;
    /** Of a caller's own request about a resource. */
    readonly _meta?: { readonly token: string; readonly act: string; readonly afterMs: number };
  };
  readonly result?: { readonly action?: string; readonly content?: { readonly token?: string } };
}

/** Beyond any deadline a call may have. */
const LATE_MS = 100_000;
const PIPE_MS = 3;
const START_MS = 400;
/** Some lists of offers take so long, and are what was offered when they were asked for. */
const LATE_LIST_MS = 4_000;
const LATE_LISTS = 0.1;

export class SimulatedUpstream {
  readonly options: SimulatedUpstreamOptions;
  readonly connections = new Set<SimulatedConnection>();
  /** When it was last lost, or could not be reached. */
  brokenAtMs = Number.NEGATIVE_INFINITY;
  /** It cannot be started before. */
  downUntilMs = 0;
  /** How often its list changed, and when it did last. */
  edition = 0;
  changedAtMs = 0;

  constructor(options: SimulatedUpstreamOptions) {
    this.options = options;
  }

  connect(): LineTransport {
    return new SimulatedConnection(this);
  }

  /** All its processes end at once, and it cannot be started for a while. */
  flap(downMs: number): void {
    this.options.journal.count('flaps');
    this.downUntilMs = this.options.clock.monotonicMs() + downMs;
    for (const connection of [...this.connections]) connection.lose('the process exited with code 1');
  }

  changeList(): void {
    this.edition++;
    this.changedAtMs = this.options.clock.monotonicMs();
    for (const connection of this.connections) {
      connection.notify('notifications/tools/list_changed');
      connection.notify('notifications/resources/list_changed');
      for (const uri of connection.subscribed) connection.notify('notifications/resources/updated', { uri });
    }
  }

  /** @returns the JSON text of its list: one tool comes and goes, another changes its schema with each edition */
  listText(): string {
    const { tools, name } = this.options;
    const property = this.edition % 5;
    const listed = Array.from({ length: tools }, (_, i) => ({
      name: `tool${i}`,
      description: `The tool ${i} of ${name}`,
      inputSchema: {
        type: 'object',
        properties: { token: { type: 'string' }, act: { type: 'string' }, afterMs: { type: 'integer', minimum: 0 } },
        required: ['token', 'act'],
      },
    }));
    const changing = {
      name: 'changing',
      inputSchema: {
        type: 'object',
        properties: { [`p${this.edition}`]: { type: 'string', maxLength: property + 1 } },
      },
    };
    return JSON.stringify({ tools: this.edition % 2 === 0 ? [...listed, changing] : listed });
  }
}

class SimulatedConnection implements LineTransport {
  readonly kind = 'simulated';
  readonly hasStreams = false;
  backlogBytes = 0;
  /** What it was asked to tell of. */
  readonly subscribed = new Set<string>();
  readonly #listing = new Set<string>();
  readonly #upstream: SimulatedUpstream;
  #handlers: LineHandlers | undefined;
  #isOver = false;
  /** When the last thing said or heard will have come through: pipes keep the order. */
  #heardByMs = 0;
  #saidByMs = 0;
  #mayAsk = false;
  #nextId = 0;
  readonly #open = new Map<number, string>();
  readonly #asked = new Map<string, { readonly id: number; readonly token: string }>();
  #isPaused = false;
  readonly #held: (() => void)[] = [];

  constructor(upstream: SimulatedUpstream) {
    this.#upstream = upstream;
  }

  async open(handlers: LineHandlers): Promise<void> {
    const { clock, seeded, name } = this.#upstream.options;
    await new Promise<void>((resolve) => clock.schedule(seeded.below(START_MS), resolve));
    if (this.#isOver) throw new DoorError('UPSTREAM_UNREACHABLE', `${name} was closed while it started`);
    if (clock.monotonicMs() < this.#upstream.downUntilMs) {
      this.#upstream.brokenAtMs = clock.monotonicMs();
      throw new DoorError('UPSTREAM_UNREACHABLE', `${name} cannot be started just now`);
    }
    this.#handlers = handlers;
    this.#upstream.connections.add(this);
  }

  send(pieces: readonly Piece[]): void {
    if (this.#isOver) return;
    const line = decodeText(joinPieces(pieces));
    const { clock, seeded } = this.#upstream.options;
    this.#heardByMs = Math.max(this.#heardByMs, clock.monotonicMs() + seeded.below(PIPE_MS));
    clock.schedule(this.#heardByMs - clock.monotonicMs(), () => {
      if (!this.#isOver) this.#take(JSON.parse(line) as Incoming);
    });
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    for (const say of this.#held.splice(0)) say();
  }

  async close(): Promise<void> {
    this.#end(new DoorError('UPSTREAM_LOST', 'the transport was closed'));
  }

  tail(): string {
    return '';
  }

  lose(why: string): void {
    this.#upstream.brokenAtMs = this.#upstream.options.clock.monotonicMs();
    this.#end(new DoorError('UPSTREAM_LOST', why));
  }

  notify(method: string, params?: object): void {
    this.#say(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  #end(reason: DoorError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#upstream.connections.delete(this);
    this.#handlers?.closed(reason);
  }

  #take({ id, method, params, result }: Incoming): void {
    if (method === undefined) return this.#heard(String(id), result);
    const answer = (text: string): void => this.#say(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`);
    switch (method) {
      case 'initialize': {
        this.#mayAsk = params?.capabilities?.elicitation !== undefined;
        const serverInfo = { name: this.#upstream.options.name, version: '1' };
        const listChanged = true;
        const capabilities = { tools: { listChanged }, resources: { subscribe: true, listChanged } };
        return answer(JSON.stringify({ protocolVersion: params?.protocolVersion, capabilities, serverInfo }));
      }
      case 'tools/list':
        this.#upstream.options.journal.count('lists');
        return answer(this.#upstream.listText());
      case 'tools/call':
        return this.#call(id as number, params!.arguments!);
      case 'resources/list':
      case 'resources/templates/list':
        return this.#listOffers(method, answer);
      case 'resources/read':
        return this.#read(id as number, params!);
      case 'resources/subscribe':
        this.subscribed.add(params!.uri!);
        return answer('{}');
      case 'resources/unsubscribe':
        this.subscribed.delete(params!.uri!);
        return answer('{}');
      case 'notifications/cancelled':
        // Half of them go on all the same.
        if (params!.requestId! % 2 === 0) this.#open.delete(params!.requestId!);
        return;
      default:
        if (id !== undefined) answer('{}');
    }
  }

  #listOffers(method: string, answer: (text: string) => void): void {
    const { clock, seeded, journal, name } = this.#upstream.options;
    journal.count(`${method} asked`);
    if (this.#listing.has(method)) journal.miss(`${name} was asked for ${method} while it was being asked for that`);
    this.#listing.add(method);
    const text = offersText(method, name, this.#upstream.edition);
    const isLate = seeded.chance(LATE_LISTS);
    if (isLate) journal.count('lists that came late');
    clock.schedule(isLate ? seeded.below(LATE_LIST_MS) : 0, () => {
      this.#listing.delete(method);
      answer(text);
    });
  }

  #read(id: number, { uri = '', _meta }: NonNullable<Incoming['params']>): void {
    const { journal, name } = this.#upstream.options;
    if (!uri.startsWith(`${name}://`)) journal.miss(`${name} was asked for ${uri}`);
    this.#call(id, _meta!);
  }

  #call(
    id: number,
    { token, act, afterMs }: { readonly token: string; readonly act: string; readonly afterMs: number },
  ): void {
    const { clock, journal, name } = this.#upstream.options;
    journal.begun(token, name);
    this.#open.set(id, token);
    clock.schedule(afterMs, () => {
      if (this.#isOver || !this.#open.has(id)) return;
      switch (act) {
        case 'hang':
          return;
        case 'late':
          return void clock.schedule(LATE_MS, () => this.#answer(id, token));
        case 'crash':
          return this.lose('the process exited with code 3');
        case 'error':
          this.#open.delete(id);
          return this.#say(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32011,"message":"${token}"}}`);
        case 'ask':
          return this.#ask(id, token);
        case 'garbage':
          this.#say(`%% {"id":${id}`);
          return this.#answer(id, token);
        case 'duplicate':
          this.#answer(id, token);
          return this.#answer(id, 'again');
        default:
          return this.#answer(id, token);
      }
    });
  }

  #ask(id: number, token: string): void {
    if (!this.#mayAsk) return this.#answer(id, `${token}:cannot ask`);
    const own = `q${this.#nextId++}`;
    this.#asked.set(own, { id, token });
    const requestedSchema = { type: 'object', properties: { token: { type: 'string' } } };
    const params = { message: token, requestedSchema };
    this.#say(JSON.stringify({ jsonrpc: '2.0', id: own, method: 'elicitation/create', params }));
  }

  #heard(own: string, result: Incoming['result']): void {
    const { journal, name } = this.#upstream.options;
    const asked = this.#asked.get(own);
    if (asked === undefined) return journal.miss(`${name} was answered ${own}, which it did not ask`);
    this.#asked.delete(own);
    const said = result?.action === 'accept' ? result.content?.token : asked.token;
    if (said !== asked.token) journal.miss(`${name} asked about ${asked.token} and was answered for ${said}`);
    if (this.#open.has(asked.id)) this.#answer(asked.id, `${asked.token}:asked`);
  }

  #answer(id: number, text: string): void {
    this.#open.delete(id);
    this.#say(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"${text}"}]}}`);
  }

  #say(line: string): void {
    if (this.#isOver) return;
    const { clock, seeded } = this.#upstream.options;
    this.#saidByMs = Math.max(this.#saidByMs, clock.monotonicMs() + seeded.below(PIPE_MS));
    clock.schedule(this.#saidByMs - clock.monotonicMs(), () => {
      const deliver = (): void => {
        if (!this.#isOver) this.#handlers?.data(encodeText(`${line}\n`));
      };
      if (this.#isPaused) this.#held.push(deliver);
      else deliver();
    });
  }
}
