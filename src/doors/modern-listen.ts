import {
  type Caller,
  type CallerAnswer,
  type CallerCapabilities,
  type CallOptions,
  type CallSignal,
  DoorError,
  decodeText,
  encodeText,
  type JsonScanner,
  ObjectText,
  type Piece,
  type Principal,
  sliceOf,
} from '../base/index.js';
import type { Gateway, ListName, View } from '../gateway/index.js';
import { declaresTasks, META, type Message, notificationMessage, TASKS_EXTENSION } from '../protocol/index.js';
import type { RequestMeta } from './modern-request.js';
import type { OpenRequest } from './open-requests.js';
import type { Reply } from './types.js';

/** What a caller wants to be told of (MCP 2026-07-28 basic/patterns/subscriptions, Notification Filter). */
export interface Filter {
  readonly lists: readonly ListName[];
  readonly uris: readonly string[];
}

/** So many resources are told of on one stream. */
const MAX_URIS = 1_000;
/** So many are asked for at once: what is in flight to an upstream is bounded, and others call it too. */
const WATCH_AT_ONCE = 16;
/** So long an upstream may take to agree; what else was asked for is not to wait for it any longer. */
const AGREE_MS = 10_000;
const FLAGS: Readonly<Record<ListName, string>> = {
  tools: 'toolsListChanged',
  resources: 'resourcesListChanged',
  prompts: 'promptsListChanged',
};
const LISTS: readonly ListName[] = ['tools', 'prompts', 'resources'];

/** Reads the filter of `subscriptions/listen`. @returns a sentence where it is no good, CAPABILITY_MISSING where it needs more */
export function readFilter(
  scanner: JsonScanner,
  { bytes, body: params }: Message,
  { capabilities }: RequestMeta,
): Filter | DoorError | string {
  const at = params < 0 ? -1 : scanner.find('notifications', bytes, params);
  if (at < 0 || bytes[scanner.valueStart[at]!] !== 0x7b) return 'params.notifications is not an object';
  const said = JSON.parse(decodeText(bytes, scanner.valueStart[at]!, scanner.valueEnd[at]!)) as Record<string, unknown>;
  if (said.taskIds !== undefined && !declaresTasks(capabilities)) {
    return new DoorError('CAPABILITY_MISSING', 'taskIds need the tasks extension, which the caller did not declare', {
      data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
    });
  }
  for (const list of LISTS) {
    const flag = said[FLAGS[list]];
    if (flag !== undefined && typeof flag !== 'boolean') return `params.notifications.${FLAGS[list]} is not a boolean`;
  }
  const { resourceSubscriptions: uris = [] } = said;
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) {
    return 'params.notifications.resourceSubscriptions is not an array of strings';
  }
  if (uris.length > MAX_URIS) return `params.notifications.resourceSubscriptions names more than ${MAX_URIS} resources`;
  return { lists: LISTS.filter((list) => said[FLAGS[list]] === true), uris: [...new Set(uris as string[])] };
}

export interface ListenOptions {
  /** The token of the request's id, which is that of the subscription. */
  readonly id: string;
  readonly filter: Filter;
  readonly request: OpenRequest;
  readonly beside: Reply;
  readonly meta: RequestMeta;
  readonly principal: Principal;
  readonly door: string;
}

/** One stream of notifications, from its acknowledgment to its end. */
export class ListenStream implements Caller {
  readonly principal: Principal;
  readonly door: string;
  readonly capabilities: CallerCapabilities;
  readonly program: string;
  readonly takesRequests = false;
  readonly #options: ListenOptions;
  /** What happens before the acknowledgment is told after it. */
  #held: (readonly [method: string, params: Piece | undefined])[] | undefined = [];
  #view: View | undefined;
  #isClosed = false;
  readonly #end: Promise<void>;
  #finish!: () => void;

  constructor(options: ListenOptions) {
    this.#options = options;
    this.principal = options.principal;
    this.door = options.door;
    this.capabilities = options.meta.capabilities;
    this.program = options.meta.program;
    this.#end = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  get view(): View | undefined {
    return this.#view;
  }

  ask(): Promise<CallerAnswer> {
    return Promise.reject(new DoorError('INTERNAL', 'a stream of notifications is told, not asked'));
  }

  tell(method: string, params?: Piece): void {
    if (this.#isClosed || !this.#isWanted(method)) return;
    if (this.#held !== undefined) this.#held.push([method, params]);
    else this.#say(method, params);
  }

  /** Only what was asked for by name is told (MCP 2026-07-28 subscriptions). */
  #isWanted(method: string): boolean {
    if (method === 'notifications/resources/updated') return this.#options.filter.uris.length > 0;
    return this.#options.filter.lists.some((list) => method === `notifications/${list}/list_changed`);
  }

  /**
   * Tells until the caller gives it up or we end.
   *
   * @returns the `_meta` of the last answer
   */
  async run(gateway: Gateway): Promise<object> {
    const { filter, request, principal, door, id } = this.#options;
    const view = gateway.admit(this);
    this.#view = view;
    view.start();
    view.watchLists(filter.lists);
    view.onListChanged((list) => this.tell(`notifications/${list}/list_changed`));
    const options: CallOptions = { principal, door, signal: request, timeoutMs: AGREE_MS };
    const agreed = await watchEach(view, filter.uris, options);
    this.#acknowledge(filter.uris.filter((_, at) => agreed[at]));
    await Promise.race([this.#end, whenAborted(request)]);
    if (request.aborted) throw request.reason;
    return { [META.subscriptionId]: JSON.parse(id) as unknown };
  }

  #acknowledge(uris: readonly string[]): void {
    const { filter } = this.#options;
    const notifications = {
      ...Object.fromEntries(filter.lists.map((list) => [FLAGS[list], true])),
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    };
    this.#say('notifications/subscriptions/acknowledged', JSON.stringify({ notifications }));
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const [method, params] of held) this.#say(method, params);
  }

  #say(method: string, params: Piece | undefined): void {
    this.#options.beside(notificationMessage(method, this.#named(params)));
  }

  /** The params with the name of the subscription in `_meta`. */
  #named(params: Piece | undefined): Piece {
    const member = `"${META.subscriptionId}":${this.#options.id}`;
    if (params === undefined) return `{"_meta":{${member}}}`;
    const bytes = typeof params === 'string' ? encodeText(params) : params.bytes.subarray(params.start, params.end);
    const text = new ObjectText(bytes);
    if (text.has('_meta')) text.insertFirst(['_meta'], member);
    else text.insertFirst([], `"_meta":{${member}}`);
    return sliceOf(text.finish());
  }

  /** We end it: the caller is told so by the answer (MCP 2026-07-28 subscriptions, Graceful Closure). */
  finish(): void {
    this.#finish();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#view?.close();
  }
}

/**
 * Asks for word of each resource, a few at a time. Once one upstream has let the time pass that there is, whatever has not
 * been asked for is left out.
 *
 * @returns for each whether there will be word of it
 */
async function watchEach(view: View, uris: readonly string[], options: CallOptions): Promise<readonly boolean[]> {
  const agreed: boolean[] = [];
  const left = uris.entries();
  let isLate = false;
  const work = async (): Promise<void> => {
    for (const [at, uri] of left) {
      if (isLate || options.signal?.aborted) return;
      try {
        agreed[at] = await view.watchResource(uri, options);
      } catch (thrown) {
        // What cannot be watched is left out of the acknowledgment: the caller sees that.
        isLate ||= thrown instanceof DoorError && thrown.code === 'TIMEOUT';
      }
    }
  };
  await Promise.all(Array.from({ length: WATCH_AT_ONCE }, work));
  return agreed;
}

function whenAborted(signal: CallSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', { handleEvent: () => resolve() });
  });
}
