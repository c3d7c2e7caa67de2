import {
  type CallerAnswer,
  type CallerMethod,
  CallSignal,
  DoorError,
  encodeText,
  type JsonSlice,
  membersOf,
  ObjectText,
  onOneLine,
  orAborted,
  type Retry,
  randomId,
  sliceOf,
} from '../../base/index.js';
import type { AskCaller } from '../../client/index.js';
import { brokeProtocol } from '../broke-protocol.js';
import type { ToolAnswer } from '../types.js';
import { type InputRequest, type InputRequired, readInputRequired } from './input-requests.js';
import { writeResponses } from './input-responses.js';
import { MAX_ROUNDS, tooManyRounds } from './limits.js';
import type { RoundedRequest, RoundTarget } from './request.js';

export interface AskForInputOptions {
  readonly request: RoundedRequest;
  readonly target: RoundTarget;
  /** How the caller is asked; only wanted where it is. */
  readonly ask: () => AskCaller;
}

/**
 * Sends a request of a caller who can be asked at any time. Where the upstream answers that it wants to know something
 * first, the caller is asked, and the request is sent again with what it said.
 *
 * @throws {DoorError} INVALID_ANSWER where the caller's answer is none: the upstream does not see it; BUSY after too many
 * rounds; UPSTREAM_BROKE_PROTOCOL; what `send` rejects with otherwise
 */
export async function askForInput(options: AskForInputOptions): Promise<ToolAnswer> {
  const { request, target } = options;
  const { caller, signal } = request;
  let answer = await target.send({ caller, signal });
  for (let round = 1; answer.isInputRequired; round++) {
    if (round > MAX_ROUNDS) throw tooManyRounds(target);
    const { upstream, formats, schemas } = target;
    const { capabilities } = caller;
    const required = readInputRequired(answer.json, { upstream, formats, schemas, capabilities });
    const retry = await answersFor(required, options);
    answer = await target.send({ caller, signal, retry });
  }
  return answer;
}

async function answersFor({ requests, state }: InputRequired, options: AskForInputOptions): Promise<Retry> {
  const answers = new Map<string, CallerAnswer>();
  // One after the other: a person answers them.
  for (const question of requests) answers.set(question.key, await ask(question, options));
  return {
    ...(requests.length > 0 && { inputResponses: writeResponses(answers) }),
    ...(state !== undefined && { requestState: state }),
  };
}

async function ask({ method, params }: InputRequest, options: AskForInputOptions): Promise<CallerAnswer> {
  const { request, target } = options;
  const { upstream, tool } = target;
  const signal = new CallSignal();
  const listener = { handleEvent: () => signal.abort(request.signal?.reason) };
  request.signal?.addEventListener('abort', listener);
  try {
    if (request.signal?.aborted) throw request.signal.reason;
    const put = options.ask();
    const asked = put(
      method,
      params === undefined ? undefined : fitForPush(method, params),
      signal,
      tool,
      request.caller,
    );
    if (asked === undefined) throw brokeProtocol(upstream, `asks by ${method}, which the caller did not declare`);
    return answerOf(method, await orAborted(asked, signal));
  } finally {
    request.signal?.removeEventListener('abort', listener);
  }
}

/** In the handshake era a user who is sent to a URL is sent there under an id, which later tells that it is done. */
function fitForPush(method: CallerMethod, params: JsonSlice): JsonSlice {
  const line = onOneLine(params);
  if (method !== 'elicitation/create') return line;
  const members = membersOf(line.bytes, line.start, line.end);
  const hasUrl = members.some(({ name }) => name === 'url');
  if (!hasUrl || members.some(({ name }) => name === 'elicitationId')) return line;
  const text = new ObjectText(line.bytes);
  text.insertFirst([], `"elicitationId":"${randomId()}"`);
  return sliceOf(text.finish());
}

/** An input response has no place for an error: a form that could not be shown was dismissed. */
function answerOf(method: CallerMethod, answer: CallerAnswer): CallerAnswer {
  if (answer.kind === 'result') return answer;
  if (method === 'elicitation/create') return { kind: 'result', json: sliceOf(encodeText('{"action":"cancel"}')) };
  throw new DoorError('INVALID_ANSWER', `the caller answered ${method} with an error`);
}
