import type { CallerCapabilities, Clock, DoorError, Implementation } from '../base/index.js';
import { type Codec, type Era, requestMeta } from '../protocol/index.js';
import type { Connection } from './connection.js';
import { EraMemory } from './era-memory.js';
import { capabilitiesText, type Hello } from './handshake.js';
import { Listening } from './listening.js';
import { meet } from './meeting.js';
import type { RequestOptions } from './pending.js';

export interface AcquaintanceOptions {
  readonly upstream: string;
  readonly clock: Clock;
  /** Which era the upstream speaks; `auto` has it found out. */
  readonly era: 'auto' | Era;
  /** How we introduce ourselves. */
  readonly info: Implementation;
  /** What is declared where a request has no caller of its own. */
  readonly capabilities: CallerCapabilities;
  /** How long an upstream may take to say that it will tell of changes, in milliseconds. */
  readonly timeoutMs: number;
  readonly warn: (warning: string, message: string) => void;
  /** Changes may have gone by untold. */
  readonly missed: () => void;
  /** The stream on which it speaks unasked has ended. */
  readonly silenced?: () => void;
}

/** How one upstream is spoken to, over all its connections: in which era, and what it is told of us. */
export class Acquaintance {
  readonly #options: AcquaintanceOptions;
  readonly #memory: EraMemory;
  readonly #clientInfo: string;
  /** It was asked which era it speaks, and has said nothing yet: if it ends now, that may be why. */
  #isProbed = false;
  #isRemote = false;
  #listening: Listening | undefined;
  /** What was said last, and of whom: request after request says the same. */
  #lastMeta:
    | {
        readonly capabilities: CallerCapabilities;
        readonly codec: Codec;
        readonly logLevel: string | undefined;
        readonly text: string;
      }
    | undefined;

  constructor(options: AcquaintanceOptions) {
    this.#options = options;
    this.#memory = new EraMemory(options.clock, options.era);
    this.#clientInfo = JSON.stringify(options.info);
  }

  /** What it tells unasked, where it is to be asked for that first. */
  get listening(): Listening | undefined {
    return this.#listening;
  }

  /** What was found out in an earlier process. @param atMs epoch milliseconds */
  recall(era: Era, atMs: number): void {
    this.#memory.learn(era, atMs);
  }

  /** What each request says of us and of its caller, in the era that has it said. */
  metaOf(codec: Codec, { caller, logLevel }: RequestOptions): string {
    const capabilities = caller?.capabilities ?? this.#options.capabilities;
    const last = this.#lastMeta;
    if (last?.capabilities === capabilities && last.codec === codec && last.logLevel === logLevel) return last.text;
    const clientCapabilities = capabilitiesText(capabilities);
    const text = requestMeta(codec, { clientInfo: this.#clientInfo, clientCapabilities, logLevel });
    this.#lastMeta = { capabilities, codec, logLevel, text };
    return text;
  }

  /** Gets acquainted on a connection that is open, and listens for what is told unasked. @throws {DoorError} as `meet` */
  async make(connection: Connection): Promise<Hello> {
    const { upstream, clock, info, capabilities, warn, missed, silenced } = this.#options;
    const { era } = this.#memory;
    this.#isProbed = era === 'auto' && !this.#memory.isModern;
    this.#isRemote = connection.transport.hasStreams;
    const heard = (): void => {
      this.#isProbed = false;
    };
    let hello: Hello;
    try {
      hello = await meet(connection, { upstream, clock, info, capabilities, era, heard });
    } catch (thrown) {
      // It answers, but not as it did: it may have been updated.
      if (connection.isOpen) this.#memory.forget();
      throw thrown;
    }
    heard();
    this.#memory.learn(hello.codec.era);
    this.#listening = undefined;
    if (hello.codec.era === 'modern') {
      const { timeoutMs } = this.#options;
      const ended = silenced && { ended: silenced };
      this.#listening = new Listening({ upstream, connection, hello, clock, timeoutMs, warn, missed, ...ended });
      // Before anything is listed: what changes meanwhile is told of.
      this.#listening.start();
    }
    return hello;
  }

  /**
   * A start has failed. There are servers that end, or say nothing any more, when they are asked what they do not know: they
   * are greeted as of old from then on.
   *
   * @returns whether it is worth another start at once
   */
  failedWhenProbed({ code }: DoorError): boolean {
    const hasTakenAllTime = code === 'TIMEOUT';
    if (!this.#isProbed) {
      // Silence to what was believed to be its era: the next start finds out anew.
      if (hasTakenAllTime) this.#memory.forget();
      return false;
    }
    this.#isProbed = false;
    // No process ended for it: over HTTP only silence may be for the question, and anything else says so by itself.
    if (this.#isRemote && !hasTakenAllTime) return false;
    this.#memory.learn('handshake');
    return !hasTakenAllTime;
  }
}
