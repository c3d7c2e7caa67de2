/** One caller of the HTTP door, in either era, under a token of its own. Its ids are everybody's: 2, then 3, and so on. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { createParser } from 'eventsource-parser';
import { MODERN_META, modernMeta } from '../fixtures/modern-meta.js';

export type Era = 'handshake' | 'modern';

export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** What came back over HTTP, as it came. */
export interface Delivery {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One call's end, and everything that was said on its streams. */
export interface Outcome {
  readonly answer: Message;
  readonly heard: readonly Message[];
  readonly asked: readonly Message[];
}

export interface HttpCallerOptions {
  readonly url: string;
  readonly era: Era;
  readonly name: string;
  readonly token: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

const FIRST_ID = 2;
const ROUNDS = 8;

export class HttpCaller {
  readonly name: string;
  readonly era: Era;
  /** Of the handshake era; undefined before `open` and in the modern one. */
  session: string | undefined;
  /** What came on no call's stream. */
  readonly outside: Message[] = [];
  readonly #options: HttpCallerOptions;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #ends = new AbortController();

  constructor(options: HttpCallerOptions) {
    this.#options = options;
    this.name = options.name;
    this.era = options.era;
  }

  /** Shakes hands, asks for log messages and listens to what belongs to no call, where the era has that. */
  async open(): Promise<void> {
    if (this.era === 'modern') return;
    const clientInfo = { name: this.name, version: '1.0.0' };
    const params = { protocolVersion: '2025-11-25', capabilities: this.#options.capabilities, clientInfo };
    const opened = await this.post({ jsonrpc: '2.0', id: FIRST_ID, method: 'initialize', params });
    const session = opened.headers['mcp-session-id'];
    if (typeof session !== 'string') throw new Error(`${this.name} got no session: ${opened.status} ${opened.body}`);
    this.session = session;
    await this.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await this.post({ jsonrpc: '2.0', id: FIRST_ID, method: 'logging/setLevel', params: { level: 'info' } });
    await this.#listenOutside();
  }

  #listenOutside(): Promise<void> {
    return new Promise((resolve, reject) => {
      const hear = (message: Message) => this.outside.push(message);
      this.exchange('GET', { hear, opened: resolve, signal: this.#ends.signal }).then(
        ({ status }) => reject(new Error(`${this.name} may not listen: ${status}`)),
        () => resolve(),
      );
    });
  }

  /** Calls a tool and answers what is asked meanwhile, until the answer is there. */
  async call(tool: string, input: Readonly<Record<string, unknown>>): Promise<Outcome> {
    const heard: Message[] = [];
    const asked: Message[] = [];
    let more: Readonly<Record<string, unknown>> = {};
    for (let id = FIRST_ID; id < FIRST_ID + ROUNDS; id++) {
      const answer = await this.request(id, 'tools/call', { name: tool, arguments: input, ...more }, { heard, asked });
      if (answer.result?.resultType !== 'input_required') return { answer, heard, asked };
      const { inputRequests, requestState } = answer.result as { inputRequests: object; requestState?: string };
      asked.push(...(Object.values(inputRequests) as Message[]));
      const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, this.#reply()]));
      more = { inputResponses, ...(requestState !== undefined && { requestState }) };
    }
    throw new Error(`${this.name}: more than ${ROUNDS} rounds`);
  }

  /** Sends one request and waits for its answer. @throws where there is none, or it carries another id */
  async request(
    id: number,
    method: string,
    params: Readonly<Record<string, unknown>>,
    { heard = [], asked = [] }: { heard?: Message[]; asked?: Message[] } = {},
  ): Promise<Message> {
    let answer: Message | undefined;
    const hear = (message: Message) => {
      if (message.method === undefined) answer = message;
      else if (message.id === undefined) heard.push(message);
      else {
        asked.push(message);
        void this.post({ jsonrpc: '2.0', id: message.id, result: this.#reply() });
      }
    };
    const body = this.requestBody(id, method, params);
    const { status, body: said } = await this.exchange('POST', { body, hear, headers: this.#mirrored(method, params) });
    if (answer === undefined) throw new Error(`${this.name} got no answer: ${status} ${said}`);
    if (answer.id !== id) throw new Error(`${this.name} asked as ${id} and was answered as ${String(answer.id)}`);
    return answer;
  }

  /** The JSON text of a request as this caller writes it. */
  requestBody(id: number, method: string, params: Readonly<Record<string, unknown>>): string {
    // One token for everybody: whose progress it is must not depend on it.
    const own = { progressToken: 'same' };
    const modern = modernMeta(this.#options.capabilities, { [MODERN_META.logLevel]: 'info', ...own });
    return JSON.stringify({
      jsonrpc: '2.0',
      id,
      method,
      params: { ...params, _meta: this.era === 'modern' ? modern : own },
    });
  }

  /** What it answers to every question: its own name. */
  #reply(): object {
    return { action: 'accept', content: { name: this.name, age: 1 } };
  }

  #mirrored(method: string, params: Readonly<Record<string, unknown>>): Record<string, string> {
    if (this.era === 'handshake') return {};
    return { 'Mcp-Method': method, ...(typeof params.name === 'string' && { 'Mcp-Name': params.name }) };
  }

  post(message: object): Promise<Delivery> {
    return this.exchange('POST', { body: JSON.stringify(message) });
  }

  /** One HTTP exchange, with this caller's token and session; `headers` win. */
  exchange(
    method: string,
    options: {
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly hear?: (message: Message) => void;
      readonly opened?: () => void;
      readonly signal?: AbortSignal;
    } = {},
  ): Promise<Delivery> {
    const { body, hear, opened, signal = this.#options.signal } = options;
    const headers = {
      Authorization: `Bearer ${this.#options.token}`,
      'Content-Type': 'application/json',
      Accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
      'MCP-Protocol-Version': this.era === 'modern' ? '2026-07-28' : '2025-11-25',
      ...(this.session !== undefined && { 'Mcp-Session-Id': this.session }),
      ...options.headers,
    };
    return new Promise((resolve, reject) => {
      const outgoing = request(
        this.#options.url,
        { method, headers, agent: this.#agent, ...(signal && { signal }) },
        (response) => {
          let text = '';
          const isStream = response.headers['content-type']?.startsWith('text/event-stream');
          const parser = createParser({ onEvent: ({ data }) => data !== '' && hear?.(JSON.parse(data) as Message) });
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => {
            if (isStream) parser.feed(chunk);
            text += chunk;
          });
          response.on('error', reject);
          response.on('end', () => {
            if (!isStream && text.startsWith('{')) hear?.(JSON.parse(text) as Message);
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
          });
          opened?.();
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  async close(): Promise<void> {
    this.#ends.abort();
    if (this.session !== undefined) await this.exchange('DELETE').catch(() => {});
    this.#agent.destroy();
  }
}
