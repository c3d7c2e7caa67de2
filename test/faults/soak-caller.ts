/** One caller of the soak: follows its plan, and keeps a journal of what it sent and what it was told. */

import type { Duplex } from 'node:stream';
import { LineSplitter } from '../fixtures/line-splitter.js';
import type { Plan, Step } from './soak-plan.js';

/** Milliseconds of the monotonic clock, which all processes of a machine share. */
export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

export interface Answer {
  readonly atMs: number;
  readonly connection: number;
  readonly message: Wire;
  /** The line itself, where what it says to the digit matters. */
  readonly raw: string;
}

export interface Wire {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
}

/** One call as its caller knows it. */
export interface CallEntry {
  readonly caller: string;
  readonly connection: number;
  readonly token: string;
  readonly step: Step;
  readonly n: string;
  readonly text: string;
  readonly sentAtMs: number;
  readonly answers: Answer[];
  readonly progressAtMs: number[];
  cancelledAtMs?: number;
  /** A ping sent behind the cancellation was answered: it has been taken up. */
  cancelTakenAtMs?: number;
  /** The caller left while it was under way. */
  vanishedAtMs?: number;
  askedAtMs?: number;
  said?: string;
}

/** What a caller was told that is no answer to a call of its own. */
export interface Oddity {
  readonly caller: string;
  readonly what: string;
  readonly line: string;
}

export interface ListEntry {
  readonly caller: string;
  readonly tookMs: number;
  /** Since the caller connected. */
  readonly ageMs: number;
  readonly names: readonly string[];
}

export interface CallerOptions {
  readonly name: string;
  readonly plan: Plan;
  readonly connect: () => Promise<Duplex>;
  readonly declaresElicitation: boolean;
}

const MAX_OPEN = 12;
/** Longer than any deadline of the host's. */
const LOST_AFTER_MS = 15_000;
const BACK_AFTER_MS = 150;
const LATE_REPLY_MS = 3_000;

export class SoakCaller {
  readonly calls: CallEntry[] = [];
  readonly lists: ListEntry[] = [];
  readonly oddities: Oddity[] = [];
  steps = 0;
  vanished = 0;
  listChanged = 0;
  readonly options: CallerOptions;
  #stream: Duplex | undefined;
  #connection = 0;
  #connectedAtMs = 0;
  #nextId = 1;
  readonly #byId = new Map<string, CallEntry>();
  /** Calls without an answer, and when nobody need wait for one any more. */
  readonly #open = new Set<CallEntry>();
  readonly #waiting = new Map<string, (message: Wire) => void>();

  constructor(options: CallerOptions) {
    this.options = options;
  }

  async connect(): Promise<void> {
    const stream = await this.options.connect();
    this.#stream = stream;
    this.#connectedAtMs = nowMs();
    const connection = ++this.#connection;
    const lines = new LineSplitter((line) => this.#line(line));
    stream.on('data', (chunk: Buffer) => {
      if (connection === this.#connection) lines.push(chunk);
    });
    stream.on('error', () => {});
    stream.once('close', () => {
      if (connection === this.#connection && this.#stream !== undefined)
        this.#odd('the door closed the connection', '');
    });
    const capabilities = this.options.declaresElicitation ? { elicitation: {} } : {};
    const clientInfo = { name: this.options.name, version: '1' };
    await this.#request('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
    this.#send({ method: 'notifications/initialized' });
  }

  /** Follows the plan until `untilMs`. */
  async run(untilMs: number): Promise<void> {
    while (nowMs() < untilMs) {
      const step = this.options.plan.next();
      this.steps++;
      await sleep(step.thinkMs);
      while (this.#open.size >= MAX_OPEN && nowMs() < untilMs) await sleep(5);
      if (step.kind === 'vanish') await this.#vanish();
      else if (step.kind === 'list') await this.list();
      else this.#call(step);
    }
  }

  async list(): Promise<readonly string[]> {
    const beganMs = nowMs();
    const { result } = await this.#request('tools/list', {});
    const names = ((result?.tools ?? []) as readonly { readonly name: string }[]).map(({ name }) => name);
    const ageMs = beganMs - this.#connectedAtMs;
    if (result !== undefined) this.lists.push({ caller: this.options.name, tookMs: nowMs() - beganMs, ageMs, names });
    return names;
  }

  /** Resolves when every call has its answer, or none is to be expected any more. */
  async whenIdle(timeoutMs = LOST_AFTER_MS): Promise<void> {
    const untilMs = nowMs() + timeoutMs;
    while (this.#open.size > 0 && nowMs() < untilMs) await sleep(20);
  }

  leave(): void {
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.destroy();
  }

  #call(step: Step): void {
    const { name } = this.options;
    const id = `${name}-${this.#nextId++}`;
    // No two calls of a run have the same token.
    const entry: CallEntry = {
      caller: name,
      connection: this.#connection,
      token: `${id}-${this.#connection}`,
      step,
      n: `-9007199254740993${this.#nextId}`,
      text: textOf(step.textLength),
      sentAtMs: nowMs(),
      answers: [],
      progressAtMs: [],
    };
    this.calls.push(entry);
    this.#byId.set(id, entry);
    this.#open.add(entry);
    const { token, n, text } = entry;
    const args = `{"token":${step.isInvalid ? 7 : JSON.stringify(token)},"act":"${step.act}","afterMs":${step.afterMs},"n":${n},"text":${JSON.stringify(text)}}`;
    const meta = step.hasProgress ? `,"_meta":{"progressToken":"${id}"}` : '';
    this.#write(
      `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":{"name":"${step.upstream}__${step.tool}","arguments":${args}${meta}}}`,
    );
    if (step.cancelAfterMs !== undefined) setTimeout(() => void this.#cancel(id, entry), step.cancelAfterMs);
  }

  async #cancel(id: string, entry: CallEntry): Promise<void> {
    if (entry.connection !== this.#connection || this.#stream === undefined) return;
    entry.cancelledAtMs = nowMs();
    this.#send({ method: 'notifications/cancelled', params: { requestId: id } });
    // In this order: once the ping is answered, the cancellation has been taken up.
    const answer = await this.#request('ping', undefined, () => {
      entry.cancelTakenAtMs = nowMs();
    });
    if (answer.result !== undefined) this.#open.delete(entry);
  }

  async #vanish(): Promise<void> {
    this.vanished++;
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.destroy();
    for (const entry of this.#open) entry.vanishedAtMs = nowMs();
    this.#open.clear();
    this.#byId.clear();
    for (const answer of this.#waiting.values()) answer({});
    this.#waiting.clear();
    await sleep(BACK_AFTER_MS);
    await this.connect();
  }

  #line(raw: string): void {
    let message: Wire;
    try {
      message = JSON.parse(raw) as Wire;
    } catch {
      return this.#odd('a line that is no JSON', raw);
    }
    if (message.method === undefined) this.#answered(message, raw);
    else if (message.id === undefined) this.#notified(message, raw);
    else this.#asked(message, raw);
  }

  #answered(message: Wire, raw: string): void {
    const id = String(message.id);
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) {
      this.#waiting.delete(id);
      return waiting(message);
    }
    const entry = this.#byId.get(id);
    if (entry === undefined) return this.#odd('an answer to a request it did not make', raw);
    entry.answers.push({ atMs: nowMs(), connection: this.#connection, message, raw: raw.length > 2_000 ? '' : raw });
    this.#open.delete(entry);
  }

  #notified({ method, params }: Wire, raw: string): void {
    if (method === 'notifications/tools/list_changed') {
      this.listChanged++;
      return;
    }
    // Says that an upstream no longer wants an answer of ours.
    if (method === 'notifications/cancelled') return;
    const entry = method === 'notifications/progress' ? this.#byId.get(String(params?.progressToken)) : undefined;
    if (entry === undefined) this.#odd('a notification that is not its own', raw);
    else if (entry.answers.length > 0) this.#odd('progress of a call that is over', raw);
    else entry.progressAtMs.push(nowMs());
  }

  /** An upstream asks: it must be one that works on a call of ours, or did until it was cancelled or ran out of time. */
  #asked({ id, method, params }: Wire, raw: string): void {
    const token = String(params?.message);
    const entry = [...this.#open].find((open) => open.token === token);
    const isOver = this.calls.some(
      (call) => call.token === token && (call.cancelledAtMs ?? call.answers[0]) !== undefined,
    );
    if (method !== 'elicitation/create' || (entry === undefined && !isOver)) {
      this.#odd('was asked about a call that is not its own', raw);
    }
    if (!this.options.declaresElicitation) this.#odd('was asked though it declared nothing', raw);
    if (entry === undefined) return;
    entry.askedAtMs = nowMs();
    const { reply } = entry.step;
    const answer = (result: object, afterMs: number): void => {
      setTimeout(() => {
        if (entry.connection === this.#connection) this.#send({ id, result });
      }, afterMs);
    };
    if (reply === 'silence') {
      // Gives the call up while it is asked, and answers long after: by then the question may be nobody's, or it keeps
      // other calls of this caller from their deadline, since it does not say which of them it is for.
      setTimeout(() => void this.#cancel(token.slice(0, token.lastIndexOf('-')), entry), 20);
      return answer({ action: 'cancel' }, LATE_REPLY_MS);
    }
    entry.said = reply === 'accept' ? `accept:${token}` : `${reply}:`;
    answer(reply === 'accept' ? { action: 'accept', content: { token } } : { action: reply }, 10);
  }

  /** Resolves with an empty message where there is no answer; `then` runs before anything behind the answer is read. */
  #request(method: string, params: unknown, then = (): void => {}): Promise<Wire> {
    const id = `r${this.#connection}-${this.#nextId++}`;
    return new Promise<Wire>((resolve) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        this.#odd(`no answer to ${method}`, id);
        resolve({});
      }, LOST_AFTER_MS);
      this.#waiting.set(id, (message) => {
        clearTimeout(timer);
        if (message.id !== undefined) then();
        resolve(message);
      });
      this.#send({ id, method, params });
    });
  }

  #send(message: object): void {
    this.#write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  #write(line: string): void {
    this.#stream?.write(`${line}\n`);
  }

  #odd(what: string, line: string): void {
    this.oddities.push({ caller: this.options.name, what, line: line.slice(0, 300) });
  }
}

/** Text with something in it that must be escaped. */
function textOf(length: number): string {
  return `"\u2028é\\${'x'.repeat(length)}`;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
