import {
  type CallerAnswer,
  DoorError,
  decodeText,
  encodeText,
  JsonScanner,
  type JsonSlice,
  joinPieces,
  membersOf,
  OPEN_BRACE,
  onOneLine,
  sliceOf,
} from '../../base/index.js';
import { type ElicitationWarning, type FormRules, readElicitation } from '../../client/index.js';
import type { Issue } from '../../schema/index.js';
import type { SealedRequest } from './sealing.js';

/** What a caller said to an upstream's questions, fit to be passed on. */
export interface JudgedResponses {
  /** By the key of the question; what was not asked is not among them. */
  readonly answers: ReadonlyMap<string, CallerAnswer>;
  /** Which questions have no answer. */
  readonly missing: readonly string[];
  readonly warnings: readonly ElicitationWarning[];
}

export interface JudgeResponsesOptions extends Pick<FormRules, 'formats'> {
  readonly upstream: string;
  /** Told why an answer was refused, for the event. */
  readonly rejected: (issues: readonly Issue[]) => void;
}

const scanner = new JsonScanner();

/**
 * Judges what a caller came back with by what was asked: defaults are filled in, and forms are held to their schemas. What
 * nobody asked for is left out (MCP 2026-07-28 basic/patterns/mrtr, Error Handling): it was judged by nothing.
 *
 * @param responses the JSON text of `inputResponses`; absent where the caller sent none
 * @throws {DoorError} INVALID_ANSWER: none of it is to go anywhere
 */
export function judgeResponses(
  responses: JsonSlice | undefined,
  requests: readonly SealedRequest[],
  options: JudgeResponsesOptions,
): JudgedResponses {
  const given = responses === undefined ? new Map<string, JsonSlice>() : readResponses(responses);
  const answers = new Map<string, CallerAnswer>();
  const missing: string[] = [];
  const warnings: ElicitationWarning[] = [];
  for (const request of requests) {
    const json = given.get(request.key);
    if (json === undefined) missing.push(request.key);
    else answers.set(request.key, judgeResponse(request, json, options, warnings));
  }
  return { answers, missing, warnings };
}

/**
 * What the caller sent, by its keys.
 *
 * @throws {DoorError} INVALID_ANSWER where it is no object of answers
 */
export function readResponses({ bytes, start, end }: JsonSlice): ReadonlyMap<string, JsonSlice> {
  if (!scanner.scan(bytes, start, end) || scanner.root !== 'object') throw malformed('inputResponses is not an object');
  const given = new Map<string, JsonSlice>();
  for (const { name, valueStart, end: behind } of membersOf(bytes, start, end)) {
    if (given.has(name)) throw malformed('inputResponses holds a key twice');
    given.set(name, onOneLine({ bytes, start: valueStart, end: behind }));
  }
  return given;
}

function judgeResponse(
  request: SealedRequest,
  json: JsonSlice,
  { upstream, formats, rejected }: JudgeResponsesOptions,
  warnings: ElicitationWarning[],
): CallerAnswer {
  const answer: CallerAnswer = { kind: 'result', json };
  if (request.method !== 'elicitation/create') {
    if (json.bytes[json.start] === OPEN_BRACE) return answer;
    throw malformed(`the answer to ${request.method} is not an object`, request.key);
  }
  const elicitation = readElicitation(sliceOf(encodeText(request.params ?? '{}')), { upstream, formats });
  if (elicitation.kind === 'refused') throw elicitation.error;
  const reply = elicitation.judge(answer);
  if (reply.kind === 'refused') {
    rejected(reply.issues);
    const { code, message, data, hint } = reply.error;
    throw new DoorError(code, message, { data: { ...data, key: request.key }, ...(hint !== undefined && { hint }) });
  }
  warnings.push(...reply.warnings);
  return { kind: 'result', json: sliceOf(joinPieces(reply.pieces)) };
}

/** The text of an `inputResponses` that holds these answers and nothing else. */
export function writeResponses(answers: ReadonlyMap<string, CallerAnswer>): string {
  const members = [...answers].map(([key, { json }]) => {
    return `${JSON.stringify(key)}:${decodeText(json.bytes, json.start, json.end)}`;
  });
  return `{${members.join(',')}}`;
}

function malformed(what: string, key?: string): DoorError {
  return new DoorError('INVALID_ANSWER', `The answer was not accepted: ${what}`, {
    data: key === undefined ? {} : { key },
    hint: 'Send an object with one answer for each of the inputRequests, under its key.',
  });
}
