import { DoorError, decodeText, type Piece, type Principal, parseJson } from '../../base/index.js';
import type { Outgoing } from '../../client/index.js';
import {
  doorErrorMessage,
  errorMessage,
  notificationMessage,
  RPC,
  requestMessage,
  resultHead,
} from '../../protocol/index.js';
import {
  promptResult,
  refusedBySchema,
  refuseExactNumbers,
  resourceResult,
  toolFailure,
  toolResult,
} from './answers.js';
import type { LocalOffer } from './local-offer.js';
import { promptArguments } from './prompt-arguments.js';
import { RunningCall } from './running-call.js';
import { doorErrorIn, toldBy } from './thrown.js';

export interface LocalServerOptions {
  readonly offer: LocalOffer;
  /** A handler failed with something that is not for its caller to read. */
  readonly failed: (what: string, thrown: unknown) => void;
}

/** A message of the client's, its body as JSON text. */
export interface LocalMessage {
  readonly kind: 'request' | 'notification' | 'result' | 'error';
  readonly id: string;
  readonly method: string;
  readonly body: Uint8Array | undefined;
}

/** @param stream the id of the request that it belongs to */
type Deliver = (pieces: string, stream: number | undefined) => void;

interface Waiting {
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

interface Params {
  readonly name?: unknown;
  readonly uri?: unknown;
  readonly arguments?: unknown;
  readonly _meta?: { readonly progressToken?: unknown } | null;
}

const ANYBODY: Principal = Object.freeze({ id: 'anonymous', kind: 'anonymous' });

/** The handlers of a contract, as a server to one connection. Calls run side by side. */
export class LocalServer {
  readonly #options: LocalServerOptions;
  readonly #deliver: Deliver;
  readonly #running = new Map<string, RunningCall>();
  readonly #asked = new Map<string, Waiting>();
  #lastAsked = 0;
  #canElicit = { form: false, url: false };

  constructor(options: LocalServerOptions, deliver: Deliver) {
    this.#options = options;
    this.#deliver = deliver;
  }

  receive(message: LocalMessage, about: Outgoing): void {
    switch (message.kind) {
      case 'request':
        return void this.#request(message, about);
      case 'notification':
        if (message.method === 'notifications/cancelled') this.cancel(String(readObject(message.body).requestId));
        return;
      default:
        return this.#answered(message);
    }
  }

  /** Nobody wants the answer to a request any more: none is given. */
  cancel(id: string): void {
    const call = this.#running.get(id);
    this.#running.delete(id);
    call?.cancel(new DoorError('UPSTREAM_LOST', 'the call was cancelled'));
  }

  close(): void {
    for (const id of [...this.#running.keys()]) this.cancel(id);
  }

  async #request({ id, method, body }: LocalMessage, about: Outgoing): Promise<void> {
    const { offer } = this.#options;
    const list = offer.lists.get(method);
    if (list !== undefined) return this.#result(id, list);
    if (method === 'initialize') {
      this.#canElicit = elicitationOf(readObject(body));
      return this.#result(id, offer.hello);
    }
    if (method === 'ping') return this.#result(id, '{}');
    const work = this.#workOf(method);
    if (work === undefined) {
      return this.#deliver(errorMessage(id, RPC.methodNotFound, `${method} is not offered here`), Number(id));
    }
    await this.#run(id, readObject(body), about, work);
  }

  #workOf(method: string): Work | undefined {
    switch (method) {
      case 'tools/call':
        return (params, call) => this.#callTool(params, call);
      case 'resources/read':
        return (params, call) => this.#readResource(params, call);
      case 'prompts/get':
        return (params, call) => this.#getPrompt(params, call);
      default:
        return undefined;
    }
  }

  async #run(id: string, params: Params, about: Outgoing, work: Work): Promise<void> {
    const token = params._meta?.progressToken;
    const call = new RunningCall({
      principal: about.principal ?? ANYBODY,
      canElicit: this.#canElicit,
      progressToken: token === undefined ? undefined : JSON.stringify(token),
      ask: (method, question, signal) => this.#ask(method, question, signal, Number(id)),
      tell: (pieces) => this.#deliver(textOf(pieces), Number(id)),
    });
    this.#running.set(id, call);
    let answer: string;
    try {
      answer = `${resultHead(id)}${await work(params, call)}}`;
    } catch (thrown) {
      answer = this.#failure(id, thrown, params);
    }
    call.end();
    // A cancelled one is owed no answer.
    if (this.#running.get(id) !== call) return;
    this.#running.delete(id);
    this.#deliver(answer, Number(id));
  }

  #failure(id: string, thrown: unknown, { name, uri }: Params): string {
    const told = toldBy(thrown);
    if (told !== undefined) return errorMessage(id, RPC.internalError, told);
    const error = doorErrorIn(thrown);
    try {
      if (error !== undefined) return doorErrorMessage(id, error);
    } catch {
      // A handler gave it data that is no JSON.
    }
    const what = nameIn(name ?? uri);
    this.#options.failed(what, thrown);
    return errorMessage(id, RPC.internalError, UNEXPECTED(what));
  }

  async #callTool({ name, arguments: given = {} }: Params, call: RunningCall): Promise<string> {
    const found = this.#options.offer.tools.get(String(name));
    if (found === undefined) throw new DoorError('TOOL_UNKNOWN', `there is no tool ${String(name).slice(0, 200)}`);
    const { tool, handler } = found;
    refuseExactNumbers(tool, given);
    const read = await tool.input['~standard'].validate(given);
    if (read.issues !== undefined) throw refusedBySchema(tool, read.issues);
    try {
      return toolResult(await handler(read.value, call.context));
    } catch (thrown) {
      if (call.isCancelled || doorErrorIn(thrown) !== undefined) throw thrown;
      const told = toldBy(thrown);
      if (told !== undefined) return toolFailure(told);
      this.#options.failed(tool.name, thrown);
      return toolFailure(UNEXPECTED(tool.name));
    }
  }

  async #readResource({ uri: given }: Params, call: RunningCall): Promise<string> {
    const uri = String(given);
    for (const { definition, template, handler } of this.#options.offer.resources) {
      const variables = template === undefined ? (definition.uri === uri ? {} : undefined) : template.read(uri);
      if (variables === undefined) continue;
      return resourceResult(uri, definition.mimeType, await handler({ uri, variables }, call.context));
    }
    throw new DoorError('RESOURCE_UNKNOWN', `there is no resource ${uri.slice(0, 200)}`, { data: { uri } });
  }

  async #getPrompt({ name, arguments: given }: Params, call: RunningCall): Promise<string> {
    const found = this.#options.offer.prompts.get(String(name));
    if (found === undefined) throw new DoorError('PROMPT_UNKNOWN', `there is no prompt ${String(name).slice(0, 200)}`);
    const { definition, handler } = found;
    const args = promptArguments(definition, given);
    return promptResult(definition.description, await handler(args, call.context));
  }

  /** Puts a question on the stream of the request that it is asked for. */
  #ask(method: string, params: object, signal: AbortSignal, stream: number): Promise<unknown> {
    const id = ++this.#lastAsked;
    const asked = new Promise((resolve, reject) => this.#asked.set(String(id), { resolve, reject }));
    const stop = (): void => {
      const waiting = this.#asked.get(String(id));
      this.#asked.delete(String(id));
      if (waiting === undefined) return;
      this.#deliver(textOf(notificationMessage('notifications/cancelled', `{"requestId":${id}}`)), stream);
      waiting.reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
    this.#deliver(textOf(requestMessage(id, method, JSON.stringify(params))), stream);
    return asked.finally(() => signal.removeEventListener('abort', stop));
  }

  #answered({ kind, id, body }: LocalMessage): void {
    const waiting = this.#asked.get(id);
    this.#asked.delete(id);
    if (waiting === undefined) return;
    const value = readObject(body);
    if (kind === 'result') return waiting.resolve(value);
    waiting.reject(new DoorError('INVALID_ANSWER', `the caller did not answer: ${String(value.message ?? '')}`));
  }

  #result(id: string, text: string): void {
    this.#deliver(`${resultHead(id)}${text}}`, Number(id));
  }
}

type Work = (params: Params, call: RunningCall) => Promise<string>;

const UNEXPECTED = (what: string): string => `${what} failed unexpectedly; the log of its server says why`;

function nameIn(given: unknown): string {
  return typeof given === 'string' ? given : 'a handler';
}

function readObject(body: Uint8Array | undefined): Params & Readonly<Record<string, unknown>> {
  const value = body === undefined ? undefined : parseJson(decodeText(body));
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Servers of before 2025-11-25 knew forms only: without a mode, that is what was declared. */
function elicitationOf({ capabilities }: Readonly<Record<string, unknown>>): { form: boolean; url: boolean } {
  const { elicitation } = (capabilities ?? {}) as { readonly elicitation?: Record<string, unknown> };
  if (elicitation === undefined) return { form: false, url: false };
  const { form, url } = elicitation;
  return { form: form !== undefined || url === undefined, url: url !== undefined };
}

/** All that a server of ours sends is text of our own. */
function textOf(pieces: readonly Piece[]): string {
  return pieces.join('');
}
