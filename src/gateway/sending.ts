import { type CallOptions, DoorError, type JsonSlice } from '../base/index.js';
import type { CatalogEntry } from '../catalog/index.js';
import { type CallParams, type Comeback, type RequestParams, taskParams } from '../protocol/index.js';
import type { Judge } from '../schema/index.js';
import { answerOf, handshakeAnswerOf, refusalAsResult, violationAsResult } from './answers.js';
import { CallRecord } from './call-record.js';
import type { FleetOptions } from './fleet-options.js';
import type { MountedUpstream } from './mounted.js';
import type { Notifications } from './notifications.js';
import { type Attempt, isFinal, isOfOneRound, type RoundedRequest } from './rounds/index.js';
import type { RelayedAnswer, RelayedMethod, TaskMethod, ToolAnswer } from './types.js';

/** Sends a request down once; rounds may need that several times. */
type Send = (options: CallOptions) => Promise<ToolAnswer>;

/** What rounds need to know of a request's params. */
interface RoundedParams extends JsonSlice {
  readonly key: string;
  readonly comeback: Comeback;
}

interface Where {
  readonly mounted: MountedUpstream;
  /** The upstream's own name or URI of what is asked for. */
  readonly tool: string;
}

/** The one way of requests from a fleet to its clients, and of their answers back. */
export class Sending {
  readonly #options: FleetOptions;
  readonly #notifications: Notifications;

  constructor(options: FleetOptions, notifications: Notifications) {
    this.#options = options;
    this.#notifications = notifications;
  }

  /** A call of a tool. */
  call(mounted: MountedUpstream, entry: CatalogEntry, params: CallParams, options: CallOptions): Promise<ToolAnswer> {
    mounted.serve(options.principal);
    const { caller, logLevel } = options;
    if (caller === undefined || (caller.takesRequests && mounted.era === 'handshake')) {
      return this.#attempt(mounted, entry, params, options);
    }
    const send: Send = (changed) => this.#attempt(mounted, entry, params, changed);
    const where = { mounted, tool: entry.tool.name };
    const { bytes, start, end, comeback } = params;
    const rounded = { bytes, start, end, key: params.name, comeback };
    if (logLevel === undefined) return this.#inRounds('tools/call', rounded, where, options, send);
    const heard = this.#notifications.hear(mounted, logLevel);
    return heard.then(() => this.#inRounds('tools/call', rounded, where, options, send));
  }

  #attempt(mount: MountedUpstream, entry: CatalogEntry, params: CallParams, options: CallOptions): Promise<ToolAnswer> {
    const target = { upstream: entry.mount, tool: entry.tool.name, transport: mount.transport };
    const { events, clock, tasks } = this.#options;
    const record = CallRecord.begin(events, clock, target, params, options);
    return mount
      .getClient()
      .call(entry.tool, params, options)
      .then(
        ({ raw, violations }) => {
          record?.completed(raw);
          const isEnforced = violations.length > 0 && mount.validation.outputs === 'enforce';
          if (isEnforced) return violationAsResult(entry, violations);
          const answer = answerOf(raw, violations);
          if (isOfHandshake(options) && (mount.era === 'modern' || entry.tool.wrapsOutput)) {
            return handshakeAnswerOf(answer, 'tools/call', entry.tool);
          }
          if (mount.era !== 'modern' || raw.resultType !== 'task') return answer;
          return tasks.wrapResult(answer, { caller: options.caller!, ...target });
        },
        (thrown: unknown) => failed(mount, record, thrown),
      );
  }

  /** Any other request that names one thing. @param key the upstream's own name or URI of it */
  async pass(
    mounted: MountedUpstream,
    method: RelayedMethod | 'resources/subscribe',
    params: RequestParams,
    key: string,
    options: CallOptions,
  ): Promise<RelayedAnswer> {
    mounted.serve(options.principal);
    const send: Send = async (changed) => {
      const isPassing = changed.caller?.takesRequests === false;
      if (isPassing && changed.logLevel !== undefined) await this.#notifications.hear(mounted, changed.logLevel);
      const answer = answerOf(await mounted.getClient().relay(method, params, key, changed), []);
      return mounted.era === 'modern' && isOfHandshake(changed) ? handshakeAnswerOf(answer, method) : answer;
    };
    if (method !== 'prompts/get' && method !== 'resources/read') return send(options);
    return this.#inRounds(method, params, { mounted, tool: key }, options, send);
  }

  /** Where an upstream may want to know something first, or its caller comes back with what it wanted to know. */
  #inRounds(
    method: RoundedRequest['method'],
    params: RoundedParams,
    { mounted, tool }: Where,
    options: CallOptions,
    send: Send,
  ): Promise<ToolAnswer> {
    const { caller, signal } = options;
    if (caller === undefined || (caller.takesRequests && mounted.era === 'handshake')) return send(options);
    const { rounds } = this.#options;
    const { elicitationFormats: formats, elicitationSchemas: schemas } = mounted.validation;
    const { key, comeback } = params;
    const request = (): RoundedRequest => ({ caller, method, key, params, signal, ...comeback });
    const target = { upstream: mounted.id, tool, formats, schemas, send: (a: Attempt) => send(attemptOf(options, a)) };
    if (!isOfOneRound(caller, comeback) || options.retry !== undefined) return rounds.run(request(), target);
    return send(options).then((answer) => (isFinal(answer) ? answer : rounds.receive(request(), target, answer)));
  }

  /**
   * What a caller asks about a task of its own.
   *
   * @param find the upstream of a task, and what the results of its tool are judged by
   */
  async task(
    method: TaskMethod,
    params: JsonSlice,
    options: CallOptions,
    find: (upstream: string, tool: string) => { readonly mounted: MountedUpstream; readonly output: Judge | undefined },
  ): Promise<RelayedAnswer> {
    const { caller } = options;
    if (caller === undefined) throw new DoorError('INTERNAL', `${method} is of a caller of the modern era`);
    return this.#options.tasks.run({ caller, method, params }, ({ upstream, tool }) => {
      const { mounted, output } = find(upstream, tool);
      mounted.serve(options.principal);
      const { elicitationFormats: formats, elicitationSchemas: schemas } = mounted.validation;
      const send = async (what: TaskMethod, about: JsonSlice): Promise<RelayedAnswer> => {
        const located = taskParams(about);
        return answerOf(await mounted.getClient().relay(what, located, located.key, options), []);
      };
      return { formats, schemas, output, send };
    });
  }
}

function failed(mount: MountedUpstream, record: CallRecord | undefined, thrown: unknown): ToolAnswer {
  record?.failed(thrown);
  const isRefusal = thrown instanceof DoorError && thrown.code === 'INVALID_ARGUMENTS';
  if (isRefusal && mount.validation.invalidArguments === 'tool-error') return refusalAsResult(thrown);
  throw thrown;
}

/** The options of one attempt of a request that may need several. */
function attemptOf({ signal: _, retry: __, ...options }: CallOptions, { caller, signal, retry }: Attempt): CallOptions {
  return { ...options, caller, ...(signal !== undefined && { signal }), ...(retry !== undefined && { retry }) };
}

/** Callers of our own process are spoken to as of old. */
function isOfHandshake({ caller }: CallOptions): boolean {
  return caller === undefined || caller.takesRequests;
}
