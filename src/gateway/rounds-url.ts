import {
  DoorError,
  decodeText,
  encodeText,
  JsonScanner,
  type JsonSlice,
  parseJson,
  sliceOf,
  stringifyJson,
} from '../base/index.js';
import { readElicitation } from '../client/index.js';
import { judgingParams, type ReadInputOptions } from './input-requests.js';
import type { SealedRequest } from './sealing.js';

/** What a user is to do before a request can be served, as an upstream of the 2025 era says it. */
export interface UrlElicitations {
  readonly requests: readonly SealedRequest[];
  /** The JSON text of `inputRequests`. */
  readonly inputRequests: string;
}

/** MCP 2025-11-25 client/elicitation, URLElicitationRequiredError. */
const URL_ELICITATION_REQUIRED = '-32042';
const MAX_URLS = 32;

const scanner = new JsonScanner();

/**
 * Reads the error by which an upstream of the 2025 era says that URLs are to be opened first.
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
  const text = data < 0 ? '{}' : decodeText(bytes, scanner.valueStart[data]!, scanner.valueEnd[data]!);
  const { elicitations } = parseJson(text) as { readonly elicitations?: unknown };
  if (!Array.isArray(elicitations) || elicitations.length === 0 || elicitations.length > MAX_URLS) {
    throw broken(options, 'without a list of elicitations');
  }
  const shown = elicitations.map((elicitation, at) => readOne(elicitation, `elicitation-${at + 1}`, options));
  return {
    requests: shown.map(({ request }) => request),
    inputRequests: `{${shown.map(({ member }) => member).join(',')}}`,
  };
}

function readOne(
  elicitation: unknown,
  key: string,
  options: ReadInputOptions,
): { readonly request: SealedRequest; readonly member: string } {
  const { upstream } = options;
  const params = sliceOf(encodeText(stringifyJson(elicitation)));
  const read = readElicitation(params, { upstream, capability: '{"url":{}}' });
  if (read.kind === 'refused') throw broken(options, read.error.message);
  const method = 'elicitation/create';
  const member = `"${key}":{"method":"${method}","params":${decodeText(params.bytes)}}`;
  return { request: { key, method, params: judgingParams(params) }, member };
}

function declaresUrls(capability: string | undefined): boolean {
  if (capability === undefined) return false;
  const declared = parseJson(capability);
  return typeof declared === 'object' && declared !== null && Object.hasOwn(declared, 'url');
}

function cannotBeSent({ upstream }: ReadInputOptions): DoorError {
  return new DoorError('CAPABILITY_MISSING', `${upstream} needs its user to open a URL first`, {
    data: { upstream, requiredCapabilities: { elicitation: { url: {} } } },
    hint: 'Use a client that declares elicitation in url mode.',
  });
}

function broken({ upstream }: ReadInputOptions, what: string): DoorError {
  return new DoorError('UPSTREAM_BROKE_PROTOCOL', `${upstream} wants URLs to be opened first: ${what}`, {
    data: { upstream },
    hint: 'Report it to the author of the server.',
  });
}
