import { joinPieces } from '../../../src/base/index.js';
import { StreamDoor } from '../../../src/doors/index.js';
import type { Gateway } from '../../../src/gateway/index.js';
import { type Sketch, sampleValue } from './sample-value.js';

export type Json = Record<string, unknown>;

const INFO = { name: 'doorward-conformance-client', version: '1.0.0' };
/** Everything that can be asked of a caller: the scenarios ask for it. */
const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };
const MODERN = '2026-07-28';
const LONGEST_ROUNDS = 8;

/** An answer that is an error. */
export class RpcError extends Error {
  readonly error: { readonly code: number; readonly message: string; readonly data?: Json };

  constructor(error: RpcError['error']) {
    super(`${error.code} ${error.message}`);
    this.error = error;
  }
}

/**
 * A caller of a door in the same process, in the era of the revision it is told: it lets everything be asked of it, and
 * says yes. What it says goes through all of doorward, as JSON text, to the upstream behind.
 */
export class DoorCaller {
  readonly #door: StreamDoor;
  readonly #revision: string;
  readonly #waiting = new Map<number, (answer: Json) => void>();
  #lastId = 0;

  constructor(gateway: Gateway, revision: string) {
    this.#revision = revision;
    this.#door = new StreamDoor({
      limits: gateway.limits,
      principal: { id: 'local:conformance', kind: 'local' },
      door: 'stdio',
      info: INFO,
      write: (pieces) => {
        this.#receive(JSON.parse(new TextDecoder().decode(joinPieces(pieces))) as Json);
        return true;
      },
      whenWritable: () => Promise.resolve(),
      broken: (reason) => {
        throw reason;
      },
    });
    this.#door.attach(gateway);
  }

  /** Introduces itself, where the era has that. */
  async enter(): Promise<void> {
    if (this.#isModern) return;
    const params = { protocolVersion: this.#revision, capabilities: CAPABILITIES, clientInfo: INFO };
    await this.request('initialize', params);
    this.#send({ method: 'notifications/initialized' });
  }

  /** Asks until the answer is complete, giving what is wanted meanwhile. @throws {RpcError} where it is an error */
  async request(method: string, params: Json = {}, between: () => Promise<void> = async () => {}): Promise<Json> {
    let more: Json = {};
    for (let round = 0; round < LONGEST_ROUNDS; round++) {
      const result = await this.#once(method, { ...params, ...more });
      if (result.resultType !== 'input_required') return result;
      await between();
      const wanted = Object.entries((result.inputRequests ?? {}) as Record<string, Json>);
      const { requestState } = result;
      more = {
        inputResponses: Object.fromEntries(wanted.map(([key, question]) => [key, answerTo(question)])),
        ...(requestState !== undefined && { requestState }),
      };
    }
    throw new Error(`${method} is not complete after ${LONGEST_ROUNDS} rounds`);
  }

  close(): Promise<void> {
    return this.#door.close();
  }

  get #isModern(): boolean {
    return this.#revision === MODERN;
  }

  async #once(method: string, params: Json): Promise<Json> {
    const id = ++this.#lastId;
    const answered = new Promise<Json>((resolve) => this.#waiting.set(id, resolve));
    this.#send({ id, method, params: this.#isModern ? { ...params, _meta: this.#meta(params) } : params });
    const { result, error } = await answered;
    if (error !== undefined) throw new RpcError(error as RpcError['error']);
    return result as Json;
  }

  #meta(params: Json): Json {
    return {
      ...(params._meta as Json | undefined),
      'io.modelcontextprotocol/protocolVersion': this.#revision,
      'io.modelcontextprotocol/clientInfo': INFO,
      'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
    };
  }

  #receive(message: Json): void {
    const { id, method } = message;
    if (method === undefined) {
      this.#waiting.get(id as number)?.(message);
      this.#waiting.delete(id as number);
    } else if (id !== undefined) {
      // Not within the write that put the question: a door may not be entered while it writes.
      setImmediate(() => this.#send({ id, result: answerTo(message) }));
    }
  }

  #send(message: Json): void {
    this.#door.push(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`));
  }
}

/** What a caller that says yes to everything answers. */
function answerTo({ method, params }: Json): Json {
  switch (method) {
    case 'elicitation/create': {
      // Only what is required: what has a default is for doorward to fill in.
      const form = ((params ?? {}) as Json).requestedSchema as Sketch | undefined;
      return form === undefined ? { action: 'accept' } : { action: 'accept', content: sampleValue(form) };
    }
    case 'sampling/createMessage':
      return { role: 'assistant', content: { type: 'text', text: 'sample' }, model: 'sample' };
    case 'roots/list':
      return { roots: [{ uri: 'file:///sample', name: 'sample' }] };
    default:
      return {};
  }
}
