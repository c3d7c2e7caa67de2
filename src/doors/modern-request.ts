import { type CallerCapabilities, DoorError, decodeText, JsonScanner, type JsonSlice } from '../base/index.js';
import {
  findModernCodec,
  isClientMethod,
  isLogLevel,
  KnownTexts,
  type LogLevel,
  META,
  type Message,
  REVISIONS,
} from '../protocol/index.js';
import { readCapabilities, readProgram } from './stream-caller.js';

/** What a request of the 2026 era says of itself in `_meta` (MCP 2026-07-28 basic/index, Per-request protocol fields). */
export interface RequestMeta {
  readonly revision: string;
  readonly capabilities: CallerCapabilities;
  /** '' where the caller does not say what it is. */
  readonly program: string;
  readonly logLevel: LogLevel | undefined;
  /** The token as it was written; undefined where no progress is asked for. */
  readonly progressToken: string | undefined;
}

/** `_meta` is small; its own scanner keeps the message's index untouched. */
const scanner = new JsonScanner();

/** Whether a request is one of the 2026 era: it says its revision, or asks what only that era has. */
export function isModernMessage(messageScanner: JsonScanner, message: Message): boolean {
  return isOnlyModern(message.method) || namesRevision(messageScanner, message);
}

function isOnlyModern(method: string): boolean {
  return isClientMethod(method, 'modern') && !isClientMethod(method, 'handshake');
}

/** Whether a request says its revision. */
export function namesRevision(messageScanner: JsonScanner, message: Message): boolean {
  return lookAt(messageScanner, message)?.namesRevision ?? false;
}

/** The revision that a request says it is of; undefined where it does not. */
export function revisionOf(messageScanner: JsonScanner, message: Message): string | undefined {
  return lookAt(messageScanner, message)?.revision;
}

/** A `_meta` and all that is to be known of it. */
interface SeenMeta {
  readonly namesRevision: boolean;
  readonly revision: string | undefined;
  readonly read: RequestMeta | DoorError | string;
}

const seen = new KnownTexts<SeenMeta>();
/** Several look at one message in turn. It is let go of by the last of them: it may be large. */
let lastMessage: Message | undefined;
let lastSeen: SeenMeta | undefined;

function lookAt(messageScanner: JsonScanner, message: Message): SeenMeta | undefined {
  if (message === lastMessage) return lastSeen;
  lastSeen = look(messageScanner, message);
  lastMessage = message;
  return lastSeen;
}

function look(messageScanner: JsonScanner, { bytes, body }: Message): SeenMeta | undefined {
  const meta = metaOf(messageScanner, bytes, body);
  if (meta === undefined) return undefined;
  const known = seen.find(meta);
  if (known !== undefined) return known;
  scanner.scan(meta.bytes, meta.start, meta.end);
  const names = scanner.find(META.protocolVersion, bytes) >= 0;
  const revision = names ? memberOf(bytes, META.protocolVersion) : undefined;
  const read = readMeta(bytes, revision);
  const isGood = typeof read === 'object' && !(read instanceof DoorError);
  const looked = { namesRevision: names, revision: typeof revision === 'string' ? revision : undefined, read };
  // A token is another one in each request.
  if (isGood && read.progressToken === undefined) seen.add(meta, looked);
  return looked;
}

function metaOf(messageScanner: JsonScanner, bytes: Uint8Array, body: number): JsonSlice | undefined {
  const at = body < 0 ? -1 : messageScanner.find('_meta', bytes, body);
  if (at < 0 || bytes[messageScanner.valueStart[at]!] !== 0x7b) return undefined;
  return { bytes, start: messageScanner.valueStart[at]!, end: messageScanner.valueEnd[at]! };
}

/**
 * Reads what a request says of itself.
 *
 * @returns why it cannot be served: VERSION_UNSUPPORTED, or a sentence where something is missing or odd
 */
export function readRequestMeta(messageScanner: JsonScanner, message: Message): RequestMeta | DoorError | string {
  const meta = lookAt(messageScanner, message);
  lastMessage = undefined;
  return meta?.read ?? 'params._meta is missing';
}

/** Reads what the scanner has just indexed. */
function readMeta(bytes: Uint8Array, revision: unknown): RequestMeta | DoorError | string {
  if (typeof revision !== 'string') return missing(META.protocolVersion, 'a string');
  if (findModernCodec(revision) === undefined) return versionUnsupported(revision);
  const capabilitiesAt = scanner.find(META.clientCapabilities, bytes);
  if (capabilitiesAt < 0 || bytes[scanner.valueStart[capabilitiesAt]!] !== 0x7b) {
    return missing(META.clientCapabilities, 'an object');
  }
  const span = { start: scanner.valueStart[capabilitiesAt]!, end: scanner.valueEnd[capabilitiesAt]! };
  const logLevel = memberOf(bytes, META.logLevel);
  if (logLevel !== undefined && !isLogLevel(logLevel)) {
    return `params._meta["${META.logLevel}"] is no log level`;
  }
  const program = readProgram(memberOf(bytes, META.clientInfo));
  const progressToken = tokenOf(bytes);
  return { revision, capabilities: readCapabilities({ bytes, ...span }), program, logLevel, progressToken };
}

function memberOf(bytes: Uint8Array, name: string): unknown {
  const at = scanner.find(name, bytes);
  if (at < 0) return undefined;
  return JSON.parse(decodeText(bytes, scanner.valueStart[at]!, scanner.valueEnd[at]!));
}

function tokenOf(bytes: Uint8Array): string | undefined {
  const at = scanner.find('progressToken', bytes);
  if (at < 0) return undefined;
  const text = decodeText(bytes, scanner.valueStart[at]!, scanner.valueEnd[at]!);
  return /^["\d-]/.test(text) ? text : undefined;
}

function missing(key: string, what: string): string {
  return `params._meta["${key}"] is missing, or not ${what}`;
}

/** Says which revisions there are instead (MCP 2026-07-28 basic/versioning, Protocol Version Negotiation). */
export function versionUnsupported(requested: string): DoorError {
  return new DoorError(
    'VERSION_UNSUPPORTED',
    `Unsupported protocol version ${JSON.stringify(requested.slice(0, 80))}`,
    {
      data: { supported: REVISIONS, requested: requested.slice(0, 200) },
      hint: `Use one of ${REVISIONS.join(', ')}; those before ${REVISIONS[0]} by initialize.`,
    },
  );
}
