import {
  DoorError,
  decodeText,
  elementsOf,
  encodeText,
  findMember,
  JsonScanner,
  type JsonSlice,
  membersOf,
  OPEN_BRACKET,
  onOneLine,
  type Piece,
} from '../../base/index.js';
import { readElicitation } from '../../client/index.js';
import { brokeProtocol } from '../broke-protocol.js';
import { judgingParams, type ReadInputOptions } from './input-requests.js';
import { MAX_QUESTIONS } from './limits.js';
import type { SealedRequest } from './sealing.js';

/** What a user is to do before a request can be served, as an upstream of the handshake era says it. */
export interface UrlElicitations {
  readonly requests: readonly SealedRequest[];
  /** The JSON text of `inputRequests`. */
  readonly inputRequests: readonly Piece[];
}

/** MCP 2025-11-25 client/elicitation, URLElicitationRequiredError. */
const URL_ELICITATION_REQUIRED = '-32042';
const METHOD = 'elicitation/create';

const scanner = new JsonScanner();

/**
 * Reads the error by which an upstream of the handshake era says that URLs are to be opened first.
 *
 * @param json the error object
 * @returns undefined for any other error
 * @throws {DoorError} CAPABILITY_MISSING where the caller cannot be sent to a URL; UPSTREAM_BROKE_PROTOCOL where the error
 * does not hold what it has to
 */
export function readUrlElicitations(
  { bytes, start, end }: JsonSlice,
  options: ReadInputOptions,
): UrlElicitations | undefined {
  if (!scanner.scan(bytes, start, end)) return undefined;
  const code = scanner.find('code', bytes);
  const data = scanner.find('data', bytes);
  if (code < 0 || decodeText(bytes, scanner.valueStart[code]!, scanner.valueEnd[code]!) !== URL_ELICITATION_REQUIRED) {
    return undefined;
  }
  if (!declaresUrls(options.capabilities.elicitation)) throw cannotBeSent(options);
  const elicitations = data < 0 ? [] : readList(bytes, scanner.valueStart[data]!, scanner.valueEnd[data]!);
  if (elicitations.length === 0 || elicitations.length > MAX_QUESTIONS)
    throw broken(options, 'without a list of elicitations');
  const requests = elicitations.map((params, at) => readOne(params, `elicitation-${at + 1}`, options));
  const members = elicitations.flatMap((params, at): readonly Piece[] => [
    `${at === 0 ? '' : ','}"${requests[at]!.key}":{"method":"${METHOD}","params":`,
    onOneLine(params),
    '}',
  ]);
  return { requests, inputRequests: ['{', ...members, '}'] };
}

/** Where the elicitations lie; none where `data` has no list of them. */
function readList(bytes: Uint8Array, start: number, end: number): readonly JsonSlice[] {
  const list = findMember(membersOf(bytes, start, end), 'elicitations');
  if (list === undefined || bytes[list.valueStart] !== OPEN_BRACKET) return [];
  return elementsOf(bytes, list.valueStart).map((span) => ({ bytes, ...span }));
}

function readOne(params: JsonSlice, key: string, options: ReadInputOptions): SealedRequest {
  const read = readElicitation(params, { upstream: options.upstream, capability: '{"url":{}}' });
  if (read.kind === 'refused') throw broken(options, read.error.message);
  return { key, method: METHOD, params: judgingParams(params) };
}

function declaresUrls(capability: string | undefined): boolean {
  if (capability === undefined) return false;
  const bytes = encodeText(capability);
  return membersOf(bytes, 0, bytes.length).some(({ name }) => name === 'url');
}

function cannotBeSent({ upstream }: ReadInputOptions): DoorError {
  return new DoorError('CAPABILITY_MISSING', `${upstream} needs its user to open a URL first`, {
    data: { upstream, requiredCapabilities: { elicitation: { url: {} } } },
    hint: 'Use a client that declares elicitation in url mode.',
  });
}

function broken({ upstream }: ReadInputOptions, what: string): DoorError {
  return brokeProtocol(upstream, `wants URLs to be opened first: ${what}`);
}
