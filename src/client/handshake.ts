import {
  type CallerCapabilities,
  type CancelSignal,
  type Clock,
  DoorError,
  decodeText,
  type Scheduled,
} from '../base/index.js';
import { type Codec, findCodec, NEWEST } from '../protocol/index.js';
import type { Connection } from './connection.js';
import type { RequestOptions } from './pending.js';
import type { RawAnswer } from './raw-answer.js';

/** What a server says it offers; what it does not say is never asked of it. */
export interface ServerCapabilities {
  readonly tools: boolean;
  readonly resources: boolean;
  readonly subscribe: boolean;
  readonly prompts: boolean;
  readonly completions: boolean;
  readonly logging: boolean;
  /** The tasks extension of the 2026 era. */
  readonly tasks: boolean;
  /** Of which lists it tells when they change. */
  readonly changes: { readonly tools: boolean; readonly resources: boolean; readonly prompts: boolean };
}

export interface Hello {
  readonly codec: Codec;
  /** What the server calls itself; the upstream's id where it does not say. */
  readonly name: string;
  readonly capabilities: ServerCapabilities;
  /** What it tells models about itself; '' where it says nothing. */
  readonly instructions: string;
}

/** How we introduce ourselves, and what the caller behind us can be asked for. */
export interface Introduction {
  readonly info: { readonly name: string; readonly version: string };
  readonly capabilities: CallerCapabilities;
  /** Asked when the server has answered: false where it has been agreed meanwhile to speak otherwise. */
  readonly mayAgree?: () => boolean;
}

/** What the caller behind us declared, as it is shown to an upstream. */
export function capabilitiesText(capabilities: CallerCapabilities): string {
  const { elicitation, sampling, roots, extensions } = capabilities;
  const declared = Object.entries({ elicitation, sampling, roots, extensions })
    .filter(([, text]) => text !== undefined)
    .map(([name, text]) => `"${name}":${text}`);
  return `{${declared.join()}}`;
}

/**
 * Introduces both sides to each other (MCP basic/lifecycle) on a connection that is open.
 *
 * @throws {DoorError} UPSTREAM_BROKE_PROTOCOL when the server refuses, or speaks no revision that we do, or answers too late
 */
export async function shakeHands(
  connection: Connection,
  upstream: string,
  { info, capabilities, mayAgree = () => true }: Introduction,
): Promise<Hello> {
  const { extensions: _, ...declared } = capabilities;
  const hello = `{"protocolVersion":"${NEWEST.revision}","capabilities":${capabilitiesText(declared)},"clientInfo":${JSON.stringify(info)}}`;
  const answer = await connection.request('initialize', hello, optionsOf('initialize'), NEWEST);
  const server = readInitializeResult(upstream, answer);
  if (!mayAgree()) throw new DoorError('UPSTREAM_BROKE_PROTOCOL', `${upstream}: answered initialize too late`);
  connection.agree(server.codec);
  connection.notify('notifications/initialized');
  connection.transport.listen?.();
  return server;
}

/** What a server says of itself, be it to `initialize` or to `server/discover`. */
export interface SaidOfItself {
  readonly capabilities?: Record<string, unknown> | null;
  readonly serverInfo?: { readonly name?: unknown } | null;
  readonly instructions?: unknown;
}

/** Reads what a server says of itself. */
export function helloOf(codec: Codec, upstream: string, said: SaidOfItself): Hello {
  const name = said.serverInfo?.name;
  const { tools, resources, prompts, completions, logging, extensions } = said.capabilities ?? {};
  return {
    codec,
    name: typeof name === 'string' ? name : upstream,
    instructions: typeof said.instructions === 'string' ? said.instructions : '',
    capabilities: {
      tools: tools != null,
      resources: resources != null,
      subscribe: hasFlag(resources, 'subscribe'),
      prompts: prompts != null,
      // The first revision had completion without a capability for it.
      completions: completions != null || codec.revision === '2024-11-05',
      logging: logging != null,
      tasks: hasFlag(extensions, TASKS) || isObject((extensions as Record<string, unknown> | null)?.[TASKS]),
      changes: {
        tools: hasFlag(tools, 'listChanged'),
        resources: hasFlag(resources, 'listChanged'),
        prompts: hasFlag(prompts, 'listChanged'),
      },
    },
  };
}

const TASKS = 'io.modelcontextprotocol/tasks';

function hasFlag(capability: unknown, flag: string): boolean {
  return isObject(capability) && capability[flag] === true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function readInitializeResult(upstream: string, answer: RawAnswer): Hello {
  const text = decodeText(answer.bytes, answer.start, answer.end);
  const broke = (why: string): DoorError =>
    new DoorError('UPSTREAM_BROKE_PROTOCOL', `${upstream}: ${why}`, { data: { upstream } });
  if (answer.kind === 'error') throw broke(`initialize was refused: ${text.slice(0, 400)}`);
  const hello = JSON.parse(text) as SaidOfItself & { readonly protocolVersion?: unknown };
  const revision = hello.protocolVersion;
  const codec = typeof revision === 'string' ? findCodec(revision) : undefined;
  if (codec === undefined)
    throw broke(`speaks protocol revision ${String(JSON.stringify(revision)).slice(0, 80)}, which doorward does not`);
  return helloOf(codec, upstream, hello);
}

/** What a process wrote beside the protocol: the last of its stderr, and the first on its stdout that was no message. */
export interface Written {
  readonly tail: string;
  readonly noise: string;
  /** It is reached over a network: there is no process of ours to look at. */
  readonly isRemote: boolean;
}

/** A connection that was lost says what the process itself had to say about it. */
export function explainLoss(reason: DoorError, { tail }: Written): DoorError {
  const said = tellingLines(tail);
  if (said === '') return reason;
  const { code, message, data, hint } = reason;
  const options = { data, ...(hint !== undefined && { hint }), cause: reason };
  return new DoorError(code, `${message}. It wrote: ${said}`, options);
}

/** A start that failed says what the process itself had to say about it. */
export function explainStart(upstream: string, error: DoorError, written: Written): DoorError {
  const tail = tellingLines(written.tail);
  if (error.code === 'TIMEOUT' && written.noise !== '') return explainNoise(upstream, error, written.noise);
  const { code: first } = error.cause instanceof DoorError ? error.cause : error;
  const code = first === 'UPSTREAM_LOST' || first === 'INTERNAL' ? 'UPSTREAM_UNREACHABLE' : first;
  // No call was under way: that handshake's outcome is nobody's concern.
  const { outcome: _, ...facts } = error.data;
  const message = isNamed(upstream, error) ? error.message : `${upstream}: ${error.message}`;
  const said = tail === '' ? '' : `. It wrote: ${tail}`;
  return new DoorError(code, `${message}${said}`, {
    data: { ...facts, upstream },
    hint:
      error.hint ?? (written.isRemote ? REMOTE_HINT : 'See all it wrote with --verbose, or run its command by hand.'),
    cause: error,
  });
}

const REMOTE_HINT = 'Check its url and headers, and that it is up.';

/** Whether a message says already whom it is about. */
function isNamed(upstream: string, { code, message }: DoorError): boolean {
  return message.startsWith(`${upstream}: `) || code === 'AUTH_REQUIRED' || code === 'FORBIDDEN';
}

/** Raising the time would not help: it speaks, but something else. */
function explainNoise(upstream: string, error: DoorError, noise: string): DoorError {
  const message = `${upstream}: ${error.message}. On stdout it wrote ${noise}, which is no MCP message`;
  return new DoorError('TIMEOUT', message, {
    data: { ...error.data, upstream },
    hint: 'Start it in its stdio mode, and have it log to stderr: its stdout must carry MCP messages only.',
    cause: error,
  });
}

/** What names the failure in the output of most runtimes: `Error: Cannot find module`, `panic: ...`, `Traceback`'s last line. */
const TELLING_LINE = /^\s*(?:Uncaught )?(?:[\w.]*(?:Error|Exception)\b|(?:fatal|panic|error)\b)/i;

/** The line of a process's last output that says what went wrong; the last lines where none stands out. */
function tellingLines(tail: string): string {
  const lines = tail.split('\n').filter((line) => line.trim() !== '');
  const telling = lines.find((line) => TELLING_LINE.test(line));
  return (telling ?? lines.slice(-3).join(' | ')).trim().slice(0, 400);
}

/** A request of our own: whoever makes it bounds it, be it by the start's deadline or by a signal. */
export function optionsOf(about: string, signal?: CancelSignal): RequestOptions {
  const boundMs = Number.POSITIVE_INFINITY;
  return { about, timeoutMs: boundMs, maxMs: boundMs, signal, progress: undefined };
}

/** The time a start may take; each sign of life begins it anew, up to a bound: a server may chatter for ever. */
export class StartDeadline {
  readonly passed: Promise<never>;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #inAllMs: number;
  readonly #endsAtMs: number;
  #reject!: (reason: DoorError) => void;
  #timer: Scheduled;
  #isOver = false;

  constructor(clock: Clock, timeoutMs: number, maxMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#inAllMs = Math.max(timeoutMs, maxMs);
    this.#endsAtMs = clock.monotonicMs() + this.#inAllMs;
    this.passed = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.passed.catch(() => {});
    this.#timer = this.#arm();
  }

  extend(): void {
    if (this.#isOver) return;
    this.#timer.cancel();
    this.#timer = this.#arm();
  }

  end(): void {
    this.#isOver = true;
    this.#timer.cancel();
  }

  #arm(): Scheduled {
    const leftMs = Math.max(0, this.#endsAtMs - this.#clock.monotonicMs());
    const isLast = leftMs < this.#timeoutMs;
    const waitedMs = isLast ? this.#inAllMs : this.#timeoutMs;
    return this.#clock.schedule(Math.min(this.#timeoutMs, leftMs), () => {
      this.#reject(
        new DoorError('TIMEOUT', `did not start within ${waitedMs} ms${isLast ? ', though it showed life' : ''}`, {
          data: { waitedMs },
          hint: 'Raise startTimeoutMs for this server if it needs longer to start.',
        }),
      );
    });
  }
}
