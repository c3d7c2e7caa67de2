import { type Clock, type Enrolled, Roll } from '../../base/index.js';
import { type Codec, encodeHeaderValue } from '../../protocol/index.js';
import type { Authorizer, Outgoing } from '../transport.js';
import { placeOf, type Told } from './http-errors.js';
import { secretsOfHeader, secretsOfUrl } from './secrets.js';
import type { HttpWire } from './wire.js';

export interface HttpLinkOptions {
  readonly url: string;
  /** Sent with every request, by names in any case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly wire: HttpWire;
  readonly authorizer?: Authorizer;
  readonly clock: Clock;
  readonly maxMessageBytes: number;
  /** The name of the server in the configuration, for the commands that hints name. */
  readonly server?: string;
}

/** A request under way, as far as the slow reader and the end of all are concerned. */
export interface Stoppable extends Enrolled {
  pause(): void;
  resume(): void;
  abort(): void;
}

/** Those that are given to more than one request are frozen: wires may keep what they make of them. */
export type Headers = Readonly<Record<string, string>>;

/** The first revision that names itself in a header once it is agreed on (MCP 2025-06-18 basic/transports). */
const FIRST_NAMED_REVISION = '2025-06-18';
/** What a session id may consist of (MCP 2025-11-25 basic/transports, Session Management). */
const SESSION_ID = /^[\x21-\x7e]+$/;
/** So many sets of headers are kept: one for each tool that is called, and each resource that is read. */
const MAX_POSTINGS = 512;
const BOTH_KINDS = 'application/json, text/event-stream';
/** Ours alone to set, or the connection's: a configured header of the same name would contradict the message. */
const OWN_HEADERS = new Set([
  'accept',
  'connection',
  'content-length',
  'content-type',
  'keep-alive',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What all requests of one transport have in common: where they go, and what they say of themselves. */
export class HttpLink {
  readonly wire: HttpWire;
  readonly clock: Clock;
  readonly maxMessageBytes: number;
  readonly authorizer: Authorizer | undefined;
  /** Where messages are posted to. Moves when the server says that it has moved for good, within its origin. */
  url: URL;
  /** Answers come on a stream of their own (HTTP+SSE), not on the response to a message. */
  answersElsewhere = false;
  readonly #configured: URL;
  readonly #server: string | undefined;
  readonly #headers: Headers;
  #codec: Codec | undefined;
  #sessionId: string | undefined;
  /** The headers of a POST of the handshake era, the same for all; remade when codec or session change. */
  #posting: Headers | undefined;
  /** The headers of a POST of the modern era that has none of its tool's own, by method and name. */
  readonly #modernPosting = new Map<string, Headers>();
  /** Requests under way. */
  readonly open = new Roll<Stoppable>();
  isPaused = false;
  /** Bytes of bodies whose requests have had no sign of an answer yet. */
  backlogBytes = 0;

  constructor(options: HttpLinkOptions) {
    this.wire = options.wire;
    this.clock = options.clock;
    this.maxMessageBytes = options.maxMessageBytes;
    this.authorizer = options.authorizer;
    this.#configured = new URL(options.url);
    this.url = this.#configured;
    this.#server = options.server;
    // Some of what lies before servers turns away whoever does not say what it is.
    const headers: Record<string, string> = { 'user-agent': 'doorward' };
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      const lower = name.toLowerCase();
      if (!OWN_HEADERS.has(lower)) headers[lower] = value;
    }
    this.#headers = headers;
  }

  get codec(): Codec | undefined {
    return this.#codec;
  }

  agree(codec: Codec): void {
    this.#codec = codec;
    this.#posting = undefined;
    this.#modernPosting.clear();
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** @returns false where it is no good as one */
  openSession(id: string): boolean {
    if (!SESSION_ID.test(id)) return false;
    this.#sessionId = id;
    this.#posting = undefined;
    return true;
  }

  endSession(): void {
    this.#sessionId = undefined;
    this.#posting = undefined;
  }

  isModern(about: Outgoing): boolean {
    return (about.codec ?? this.#codec)?.era === 'modern';
  }

  /** The headers of a message, save those of the authorizer. */
  headersOf(about: Outgoing): Headers {
    if (this.isModern(about)) return this.#modernHeaders(about);
    if (about.method === 'initialize') {
      return { ...this.#headers, accept: BOTH_KINDS, 'content-type': 'application/json' };
    }
    this.#posting ??= Object.freeze({
      ...this.#headers,
      accept: BOTH_KINDS,
      'content-type': 'application/json',
      ...this.#standing(),
    });
    return this.#posting;
  }

  /** The headers of a request without a body, of the handshake era. */
  headersWithoutBody(): Record<string, string> {
    return { ...this.#headers, ...this.#standing() };
  }

  /** What errors may say. @param sent headers whose values are secrets */
  told(sent: Headers = {}): Told {
    const { 'user-agent': _, ...headers } = this.#headers;
    const values = [...Object.values(headers), sent.authorization, this.#sessionId];
    const secrets = values.flatMap((value) => (value === undefined ? [] : secretsOfHeader(value)));
    secrets.push(...secretsOfUrl(this.#configured), ...secretsOfUrl(this.url));
    const hasOwnToken = this.#headers.authorization !== undefined;
    return { place: placeOf(this.url), server: this.#server, hasOwnToken, secrets };
  }

  #modernHeaders(about: Outgoing): Headers {
    const { codec, method, name, headers } = about;
    if (codec !== undefined || headers !== undefined) return this.#makeModernHeaders(about);
    const key = `${method} ${name}`;
    let known = this.#modernPosting.get(key);
    if (known === undefined) {
      if (this.#modernPosting.size >= MAX_POSTINGS) this.#modernPosting.clear();
      known = Object.freeze(this.#makeModernHeaders(about));
      this.#modernPosting.set(key, known);
    }
    return known;
  }

  /** MCP 2026-07-28 basic/transports/streamable-http, Request Metadata. */
  #makeModernHeaders(about: Outgoing): Headers {
    const headers: Record<string, string> = {
      ...this.#headers,
      accept: BOTH_KINDS,
      'content-type': 'application/json',
      'mcp-protocol-version': (about.codec ?? this.#codec)!.revision,
    };
    if (about.method !== undefined) headers['mcp-method'] = about.method;
    if (about.name !== undefined) headers['mcp-name'] = encodeHeaderValue(about.name);
    if (about.headers !== undefined) for (const [name, value] of about.headers) headers[name.toLowerCase()] = value;
    return headers;
  }

  #standing(): Headers {
    const headers: Record<string, string> = {};
    const revision = this.#codec?.revision ?? '';
    if (revision >= FIRST_NAMED_REVISION) headers['mcp-protocol-version'] = revision;
    if (this.#sessionId !== undefined) headers['mcp-session-id'] = this.#sessionId;
    return headers;
  }
}
