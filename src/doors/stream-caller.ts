import {
  type Caller,
  type CallerAnswer,
  type CallerCapabilities,
  type CallerRequest,
  type CancelListener,
  type CancelSignal,
  DoorError,
  decodeText,
  JsonScanner,
  type JsonSlice,
  onOneLine,
  type Piece,
  type Principal,
} from '../base/index.js';
import { isErrorObject, notificationMessage, requestMessage } from '../protocol/index.js';
import type { Reply } from './types.js';

export interface StreamCallerOptions {
  readonly principal: Principal;
  readonly door: string;
  readonly capabilities: CallerCapabilities;
  /** What it calls itself; '' where it does not say. */
  readonly program: string;
  readonly write: Reply;
  /** The caller is far behind in reading: what may be dropped is. */
  readonly isBehind: () => boolean;
}

/** Log messages that wait until the caller has said that it is ready: so much of them, the rest is dropped. */
const MAX_HELD_BYTES = 1024 * 1024;
/** What tells of something that has passed, and says nothing that could be asked for later. */
const MAY_BE_DROPPED = 'notifications/message';

const scanner = new JsonScanner();

/** The caller of a message stream: what is asked of it and told to it, under ids of our own. */
export class StreamCaller implements Caller {
  readonly principal: Principal;
  readonly door: string;
  readonly capabilities: CallerCapabilities;
  readonly takesRequests = true;
  readonly program: string;
  readonly #options: StreamCallerOptions;
  readonly #asked = new Map<number, Asked>();
  #nextId = 1;
  /** Nothing but answers goes to a caller that has not finished initializing (MCP basic/lifecycle). */
  #held: (() => void)[] | undefined = [];
  #heldBytes = 0;
  #gone: DoorError | undefined;

  constructor(options: StreamCallerOptions) {
    this.#options = options;
    this.principal = options.principal;
    this.door = options.door;
    this.capabilities = options.capabilities;
    this.program = options.program;
  }

  /** The caller has said that it is ready, or acts as if it had. */
  ready(): void {
    const held = this.#held;
    this.#held = undefined;
    for (const send of held ?? []) send();
  }

  /** The same caller, to whom everything goes by another way: the stream of one of its requests. */
  via(write: Reply): Caller {
    const { principal, door, capabilities, takesRequests, program } = this;
    return {
      principal,
      door,
      capabilities,
      takesRequests,
      program,
      ask: (request, signal) => this.#ask(request, signal, write),
      tell: (method, params) => this.#tell(method, params, write),
    };
  }

  ask(request: CallerRequest, signal: CancelSignal): Promise<CallerAnswer> {
    return this.#ask(request, signal, this.#options.write);
  }

  async #ask(request: CallerRequest, signal: CancelSignal, write: Reply): Promise<CallerAnswer> {
    if (this.#gone !== undefined) throw this.#gone;
    if (signal.aborted) throw signal.reason;
    const id = this.#nextId++;
    const asked = new Asked(signal, () => this.#takeBack(id, write));
    this.#asked.set(id, asked);
    this.#send(() => {
      if (!this.#asked.has(id)) return;
      asked.isSent = true;
      const { method, params } = request;
      try {
        write(requestMessage(id, method, params));
      } catch (thrown) {
        // There is no way to it that could be waited for.
        this.#asked.delete(id);
        asked.reject(thrown);
      }
    });
    return asked.answer;
  }

  tell(method: string, params?: Piece): void {
    this.#tell(method, params, this.#options.write);
  }

  #tell(method: string, params: Piece | undefined, write: Reply): void {
    if (this.#gone !== undefined) return;
    if (method === MAY_BE_DROPPED && !this.#hasRoomFor(params)) return;
    this.#send(() => write(notificationMessage(method, params)));
  }

  #hasRoomFor(params: Piece | undefined): boolean {
    if (this.#options.isBehind()) return false;
    if (this.#held === undefined || params === undefined) return true;
    this.#heldBytes += typeof params === 'string' ? params.length : params.end - params.start;
    return this.#heldBytes <= MAX_HELD_BYTES;
  }

  /** The caller has answered, for good or bad. What nobody asked, or nobody wants any more, is let pass. */
  answered(id: string, kind: CallerAnswer['kind'], json: JsonSlice): void {
    const asked = this.#take(id);
    if (asked === undefined) return;
    const { bytes, start, end } = json;
    if (kind === 'error' && !(scanner.scan(bytes, start, end) && isErrorObject(scanner, bytes))) {
      const why = 'the caller gave a malformed answer: an error needs an integer code and a message';
      return asked.reject(new DoorError('INVALID_ANSWER', why));
    }
    // A copy on one line: the chunk it came in is written over, and it goes into a line of its own.
    asked.resolve({ kind, json: onOneLine(json) });
  }

  /** The caller has sent something that was meant as an answer and is none. */
  answeredBadly(id: string, reason: string): void {
    this.#take(id)?.reject(new DoorError('INVALID_ANSWER', `the caller gave a malformed answer: ${reason}`));
  }

  /** The caller is gone: nothing more is written, and whoever waits for it is told. */
  leave(reason: DoorError): void {
    this.#gone = reason;
    this.#held = undefined;
    for (const asked of [...this.#asked.values()]) asked.reject(reason);
    this.#asked.clear();
  }

  #take(token: string): Asked | undefined {
    const id = Number(token);
    const asked = this.#asked.get(id);
    if (asked === undefined || String(id) !== token) return undefined;
    this.#asked.delete(id);
    return asked;
  }

  #takeBack(id: number, write: Reply): void {
    const asked = this.#asked.get(id);
    if (asked === undefined) return;
    this.#asked.delete(id);
    if (!asked.isSent) return;
    const params = `{"requestId":${id},"reason":"the server no longer waits for the answer"}`;
    write(notificationMessage('notifications/cancelled', params));
  }

  #send(send: () => void): void {
    if (this.#held === undefined) send();
    else this.#held.push(send);
  }
}

/** One request that waits for the caller. */
class Asked implements CancelListener {
  isSent = false;
  readonly answer: Promise<CallerAnswer>;
  readonly #signal: CancelSignal;
  readonly #takeBack: () => void;
  #resolve!: (answer: CallerAnswer) => void;
  #reject!: (reason: unknown) => void;

  constructor(signal: CancelSignal, takeBack: () => void) {
    this.#signal = signal;
    this.#takeBack = takeBack;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    signal.addEventListener('abort', this);
  }

  resolve(answer: CallerAnswer): void {
    this.#signal.removeEventListener('abort', this);
    this.#resolve(answer);
  }

  reject(reason: unknown): void {
    this.#signal.removeEventListener('abort', this);
    this.#reject(reason);
  }

  handleEvent(): void {
    this.#takeBack();
    this.reject(this.#signal.reason);
  }
}

/** A capability is mirrored up to this size; nobody has so much to say. */
const MAX_CAPABILITY_BYTES = 4_096;
/** Reads what a caller declares that it can be asked for, as it wrote it. `slice` is the text of `capabilities`. */
export function readCapabilities({ bytes, start, end }: JsonSlice): CallerCapabilities {
  if (!scanner.scan(bytes, start, end) || scanner.root !== 'object') return {};
  const read = (name: keyof CallerCapabilities): CallerCapabilities => {
    const at = scanner.find(name, bytes);
    if (at < 0 || bytes[scanner.valueStart[at]!] !== 0x7b) return {};
    const text = onOneLine({ bytes, start: scanner.valueStart[at]!, end: scanner.valueEnd[at]! });
    return text.end > MAX_CAPABILITY_BYTES ? { [name]: '{}' } : { [name]: decodeText(text.bytes) };
  };
  return { ...read('elicitation'), ...read('sampling'), ...read('roots'), ...read('extensions') };
}

const MAX_PROGRAM = 200;

/** What a caller calls itself, from its `clientInfo`; '' where it does not say. */
export function readProgram(clientInfo: unknown): string {
  if (typeof clientInfo !== 'object' || clientInfo === null) return '';
  const { name, version } = clientInfo as { readonly name?: unknown; readonly version?: unknown };
  return [name, version]
    .filter((part) => typeof part === 'string')
    .join('/')
    .slice(0, MAX_PROGRAM);
}
