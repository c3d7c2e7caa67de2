import {
  type CallerCapabilities,
  type CallerMethod,
  type DoorError,
  decodeText,
  findMember,
  isCallerMethod,
  JsonScanner,
  type JsonSlice,
  membersOf,
  ObjectText,
  OPEN_BRACE,
  onOneLine,
  QUOTE,
  REQUIRED_CAPABILITY,
  SCAN,
  sliceOf,
  stringOf,
} from '../../base/index.js';
import { type ElicitationWarning, type FormRules, readElicitation } from '../../client/index.js';
import { brokeProtocol } from '../broke-protocol.js';
import { MAX_QUESTIONS } from './limits.js';
import type { SealedRequest } from './sealing.js';

/** One thing that an upstream wants to know before it goes on. */
export interface InputRequest {
  /** What the upstream calls it. */
  readonly key: string;
  readonly method: CallerMethod;
  readonly params: JsonSlice | undefined;
  /** As much of it as its answer is judged by. */
  readonly sealed: SealedRequest;
}

/** What an upstream answers when it wants to know something first (MCP 2026-07-28 basic/patterns/mrtr, InputRequiredResult). */
export interface InputRequired {
  readonly requests: readonly InputRequest[];
  /** Its own state as a JSON string token; absent where it gave none. */
  readonly state?: string;
  readonly warnings: readonly ElicitationWarning[];
  /** The text with another state in place of its own, every other byte as the upstream wrote it. */
  withState(state: string): JsonSlice;
}

export interface ReadInputOptions extends FormRules {
  readonly upstream: string;
  /** What the caller can be asked for. */
  readonly capabilities: CallerCapabilities;
}

/** Of an upstream's state, and of all its questions together as far as they are sealed. */
const MAX_STATE_BYTES = 256 * 1024;
/** What a request takes besides its key and its form. */
const REQUEST_OVERHEAD = 64;

const scanner = new JsonScanner();

/**
 * Reads an input-required result. What the caller did not declare, and forms and URLs that it must not be shown, are the
 * upstream's mistake. The memory of `json` is not kept.
 *
 * @throws {DoorError} UPSTREAM_BROKE_PROTOCOL
 */
export function readInputRequired(json: JsonSlice, options: ReadInputOptions): InputRequired {
  const { bytes } = onOneLine(json);
  const state = readState(bytes, options);
  const warnings: ElicitationWarning[] = [];
  const requests = readInputRequests(bytes, options, warnings);
  if (state === undefined && requests === undefined) {
    throw brokenBy(options, 'asks for input with neither inputRequests nor requestState');
  }
  return {
    requests: requests ?? [],
    ...(state !== undefined && { state }),
    warnings,
    withState: (own) => {
      const text = new ObjectText(bytes);
      if (state === undefined) text.insertFirst([], `"requestState":"${own}"`);
      else text.replaceValue('requestState', `"${own}"`);
      return sliceOf(text.finish());
    },
  };
}

function readState(bytes: Uint8Array, options: ReadInputOptions): string | undefined {
  if (!scanner.scan(bytes, 0, bytes.length) || scanner.root !== 'object') throw brokenBy(options, 'gave no result');
  if (scanner.rootFlags & SCAN.duplicateName && hasTwice(bytes))
    throw brokenBy(options, 'gave a result with a name twice');
  const at = scanner.find('requestState', bytes);
  if (at < 0) return undefined;
  const start = scanner.valueStart[at]!;
  const end = scanner.valueEnd[at]!;
  if (bytes[start] !== QUOTE) throw brokenBy(options, 'gave a requestState that is not a string');
  if (end - start > MAX_STATE_BYTES) {
    throw brokenBy(options, `gave a requestState of more than ${MAX_STATE_BYTES} bytes`);
  }
  return decodeText(bytes, start, end);
}

/** @returns undefined where there is no such member */
export function readInputRequests(
  bytes: Uint8Array,
  options: ReadInputOptions,
  warnings: ElicitationWarning[],
): readonly InputRequest[] | undefined {
  const member = findMember(membersOf(bytes, 0, bytes.length), 'inputRequests');
  if (member === undefined) return undefined;
  if (bytes[member.valueStart] !== OPEN_BRACE) throw brokenBy(options, 'gave inputRequests that are not an object');
  const requests: InputRequest[] = [];
  const keys = new Set<string>();
  let size = 0;
  for (const { name: key, valueStart, end } of membersOf(bytes, member.valueStart, member.end)) {
    if (keys.has(key)) throw brokenBy(options, 'gave two inputRequests of one key');
    keys.add(key);
    if (keys.size > MAX_QUESTIONS) throw brokenBy(options, `asks for more than ${MAX_QUESTIONS} things at once`);
    const request = readRequest(key, { bytes, start: valueStart, end }, options, warnings);
    requests.push(request);
    size += REQUEST_OVERHEAD + key.length + (request.sealed.params?.length ?? 0);
    // At once: a form is compiled for each one more.
    if (size > MAX_STATE_BYTES) throw brokenBy(options, `asks for more than ${MAX_STATE_BYTES} characters can say`);
  }
  return requests;
}

function readRequest(
  key: string,
  { bytes, start, end }: JsonSlice,
  options: ReadInputOptions,
  warnings: ElicitationWarning[],
): InputRequest {
  const members = membersOf(bytes, start, end);
  const method = stringOf(bytes, findMember(members, 'method'));
  const paramsAt = findMember(members, 'params');
  if (method === undefined || !isCallerMethod(method)) {
    throw brokenBy(options, 'asks for input by a method that is no way to ask');
  }
  const params = paramsAt === undefined ? undefined : { bytes, start: paramsAt.valueStart, end: paramsAt.end };
  const sealed = readQuestion(key, method, params, options, warnings);
  return { key, method, params, sealed };
}

function readQuestion(
  key: string,
  method: CallerMethod,
  params: JsonSlice | undefined,
  options: ReadInputOptions,
  warnings: ElicitationWarning[],
): SealedRequest {
  const capability = options.capabilities[REQUIRED_CAPABILITY[method]];
  if (capability === undefined) throw brokenBy(options, `asks by ${method}, which the caller did not declare`);
  if (method !== 'elicitation/create') return { key, method };
  const elicitation = readElicitation(params, { ...options, capability });
  if (elicitation.kind === 'refused') throw brokenBy(options, elicitation.error.message, elicitation.error);
  warnings.push(...elicitation.warnings);
  return { key, method, params: judgingParams(params!) };
}

/** As much of an elicitation's params as its answer is judged by. */
export function judgingParams({ bytes, start, end }: JsonSlice): string {
  const kept = membersOf(bytes, start, end).filter(({ name }) => JUDGING.has(name));
  return `{${kept.map((member) => decodeText(bytes, member.nameStart, member.end)).join(',')}}`;
}

const JUDGING = new Set(['mode', 'requestedSchema', 'url']);

function hasTwice(bytes: Uint8Array): boolean {
  const names = membersOf(bytes, 0, bytes.length).map(({ name }) => name);
  return new Set(names).size < names.length;
}

function brokenBy({ upstream }: ReadInputOptions, what: string, cause?: DoorError): DoorError {
  return brokeProtocol(upstream, cause === undefined ? what : `asks badly: ${what}`, cause);
}
