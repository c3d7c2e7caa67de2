import {
  type Caller,
  type Clock,
  DoorError,
  decodeText,
  type EventBus,
  encodeText,
  findMember,
  type JsonSlice,
  type MemberSpan,
  membersOf,
  ObjectText,
  OPEN_BRACE,
  sliceOf,
  stringOf,
} from '../../base/index.js';
import type { ElicitationWarning, FormRules } from '../../client/index.js';
import { declaresTasks, TASKS_EXTENSION } from '../../protocol/index.js';
import type { Judge } from '../../schema/index.js';
import { brokeProtocol } from '../broke-protocol.js';
import type { RelayedAnswer, TaskMethod, ToolAnswer } from '../types.js';
import { InputJudge } from './input-judge.js';
import { readInputRequests } from './input-requests.js';
import { writeResponses } from './input-responses.js';
import { StateSealer, taskUnknown } from './sealing.js';

/** Where a task is: what a sealed id says. */
export interface TaskPlace {
  readonly upstream: string;
  /** The upstream's own name of the tool whose call it is. */
  readonly tool: string;
  /** The upstream's own id of the task. */
  readonly taskId: string;
}

/** The way to the upstream of a task. */
export interface TaskTarget extends FormRules {
  /** The tool's outputSchema; absent where it has none, or is listed no more. */
  readonly output?: Judge | undefined;
  /** Sends a request about the task; `params` hold the upstream's own id, and of `_meta` what the caller wrote. */
  send(method: TaskMethod, params: JsonSlice): Promise<RelayedAnswer>;
}

export interface TaskRequest {
  readonly caller: Caller;
  readonly method: TaskMethod;
  /** The params object, the caller's own bytes. */
  readonly params: JsonSlice;
}

export interface TasksOptions {
  /** 32 bytes. Processes with one key know each other's tasks. */
  readonly key: Uint8Array;
  readonly clock: Clock;
  readonly events: EventBus;
}

/**
 * Relays the tasks of upstreams (SEP-2663). A task's id is sealed together with whose it is and where: nobody else can
 * use it, and any process with the same key knows where it leads, without keeping anything.
 */
export class Tasks {
  readonly #options: TasksOptions;
  readonly #sealer: StateSealer;
  readonly #judge: InputJudge;

  constructor(options: TasksOptions) {
    this.#options = options;
    this.#sealer = new StateSealer(options);
    this.#judge = new InputJudge(options);
  }

  /**
   * An upstream's answer to a call, the id of a task in it sealed. Anything but a task comes back as it is.
   *
   * @throws {DoorError} UPSTREAM_BROKE_PROTOCOL where the caller did not declare tasks, or it is none
   */
  async wrapResult(
    answer: ToolAnswer,
    { caller, upstream, tool }: { readonly caller: Caller; readonly upstream: string; readonly tool: string },
  ): Promise<ToolAnswer> {
    if (answer.kind === 'error') return answer;
    const { bytes, start, end } = answer.json;
    const resultType = memberOf(answer.json, 'resultType');
    if (resultType === undefined || decodeText(bytes, resultType.valueStart, resultType.end) !== '"task"')
      return answer;
    if (!declaresTasks(caller.capabilities)) {
      throw brokeProtocol(upstream, `made a task of a call of ${tool}, for a caller that did not declare tasks`);
    }
    // A copy: sealing takes its time, and the memory is lent.
    const json = sliceOf(new Uint8Array(bytes.subarray(start, end)));
    const taskId = stringOf(json.bytes, memberOf(json, 'taskId'));
    if (taskId === undefined) throw brokeProtocol(upstream, 'made a task without a taskId');
    const sealed = await this.#sealer.seal({ kind: 'task', principal: caller.principal.id, upstream, tool, taskId });
    return { ...answer, json: withMember(json, 'taskId', JSON.stringify(sealed)) };
  }

  /**
   * Where the task of a sealed id is.
   *
   * @throws {DoorError} STATE_INVALID where the id is not as it was given, or was given to somebody else
   */
  async open(taskId: string, principal: string): Promise<TaskPlace> {
    const sealed = await this.#sealer.open(taskId).catch(() => undefined);
    if (sealed?.kind !== 'task' || sealed.principal !== principal) throw taskUnknown();
    return { upstream: sealed.upstream, tool: sealed.tool, taskId: sealed.taskId };
  }

  /**
   * Serves a caller's request about a task.
   *
   * @param targetOf the way to where the task is; throws where there is none any more
   * @throws {DoorError} CAPABILITY_MISSING, STATE_INVALID, INVALID_ANSWER: the upstream was told nothing;
   * UPSTREAM_BROKE_PROTOCOL; what `send` rejects with otherwise
   */
  async run(request: TaskRequest, targetOf: (place: TaskPlace) => TaskTarget): Promise<RelayedAnswer> {
    const { caller, method, params } = request;
    if (!declaresTasks(caller.capabilities)) throw tasksUndeclared();
    const id = stringOf(params.bytes, memberOf(params, 'taskId'));
    if (id === undefined) throw taskUnknown();
    const place = await this.open(id, caller.principal.id);
    const target = targetOf(place);
    const own = withMember(params, 'taskId', JSON.stringify(place.taskId));
    if (method === 'tasks/get') return this.#read(await target.send(method, own), { caller, id, place, target });
    if (method === 'tasks/cancel') return target.send(method, own);
    return this.#update(own, { caller, id, place, target });
  }

  /** What a task is now: its id as the caller knows it, its questions fit to be asked, its result judged. */
  #read(answer: RelayedAnswer, { caller, id, place, target }: TaskAtHand): RelayedAnswer {
    const { upstream } = place;
    const { json } = answer;
    if (answer.kind === 'error') return answer;
    if (stringOf(json.bytes, memberOf(json, 'taskId')) !== place.taskId)
      throw brokeProtocol(upstream, 'answered for another task');
    this.#readRequests(json, { caller, id, place, target });
    this.#judgeResult(json, place, target);
    return { ...answer, json: withMember(json, 'taskId', JSON.stringify(id)) };
  }

  #readRequests({ bytes, start, end }: JsonSlice, { caller, place, target }: TaskAtHand) {
    const { upstream } = place;
    const { formats, schemas } = target;
    const warnings: ElicitationWarning[] = [];
    const options = { upstream, formats, schemas, capabilities: caller.capabilities };
    const requests = readInputRequests(bytes.subarray(start, end), options, warnings) ?? [];
    this.#judge.warn(upstream, warnings);
    return requests;
  }

  /** Told of each time it is asked for: what was seen before is kept nowhere. */
  #judgeResult(json: JsonSlice, { upstream, tool }: TaskPlace, { output }: TaskTarget): void {
    const result = memberOf(json, 'result');
    if (output === undefined || result === undefined || json.bytes[result.valueStart] !== OPEN_BRACE) return;
    const inside = { bytes: json.bytes, start: result.valueStart, end: result.end };
    const isError = memberOf(inside, 'isError');
    if (isError !== undefined && decodeText(json.bytes, isError.valueStart, isError.end) === 'true') return;
    const structured = memberOf(inside, 'structuredContent');
    if (structured === undefined) return;
    const verdict = output.check(decodeText(json.bytes, structured.valueStart, structured.end));
    if (verdict.valid) return;
    const issues = verdict.issues.map(({ path, message }) => ({ path, message }));
    this.#options.events.emit('output.violation', { upstream, tool, issues });
  }

  /**
   * Passes answers on. What they are judged by is what the upstream asks at this moment: it is asked first, so that any
   * process can judge them.
   */
  async #update(params: JsonSlice, task: TaskAtHand): Promise<RelayedAnswer> {
    const { place, target } = task;
    const { upstream, tool, taskId } = place;
    const { formats } = target;
    const responses = memberOf(params, 'inputResponses');
    if (responses === undefined) throw new DoorError('INVALID_ANSWER', 'params.inputResponses is missing');
    const now = await target.send('tasks/get', sliceOf(encodeText(`{"taskId":${JSON.stringify(taskId)}}`)));
    if (now.kind === 'error') return now;
    const requests = this.#readRequests(now.json, task).map(({ sealed }) => sealed);
    const given = { bytes: params.bytes, start: responses.valueStart, end: responses.end };
    const { answers } = this.#judge.judge({ upstream, tool, formats }, given, requests);
    return target.send('tasks/update', withMember(params, 'inputResponses', writeResponses(answers)));
  }
}

/** A task that a caller's request is about. */
interface TaskAtHand {
  readonly caller: Caller;
  /** Its id as the caller knows it. */
  readonly id: string;
  readonly place: TaskPlace;
  readonly target: TaskTarget;
}

/** What a caller gets that asks for tasks and did not declare them (SEP-2663, Protocol Errors). */
export function tasksUndeclared(): DoorError {
  return new DoorError('CAPABILITY_MISSING', `The request needs the extension ${TASKS_EXTENSION}`, {
    data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
    hint: 'Declare the extension in the clientCapabilities of each request.',
  });
}

function memberOf({ bytes, start, end }: JsonSlice, name: string): MemberSpan | undefined {
  return findMember(membersOf(bytes, start, end), name);
}

function withMember({ bytes, start, end }: JsonSlice, name: string, text: string): JsonSlice {
  const object = new ObjectText(bytes.subarray(start, end));
  object.replaceValue(name, text);
  return sliceOf(object.finish());
}
