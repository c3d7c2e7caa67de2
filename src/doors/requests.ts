import {
  type CallOptions,
  decodeText,
  encodeText,
  type JsonScanner,
  onOneLine,
  type Piece,
  sliceOf,
} from '../base/index.js';
import type {
  CatalogEntry,
  Offer,
  OfferKind,
  RelayedAnswer,
  RelayedMethod,
  TaskMethod,
  View,
} from '../gateway/index.js';
import {
  type Era,
  errorHead,
  isClientMethod,
  isLogLevel,
  LOG_LEVELS,
  locateCompletion,
  locateRequestParams,
  type Message,
  progressTokenOf,
  type RequestParams,
  RPC,
  resultHead,
} from '../protocol/index.js';
import { ListPages } from './list-pages.js';

/** A request that has been understood: what is done for it, and which progress token its caller gave. */
export interface Work {
  readonly progressToken?: string | undefined;
  run(view: View, options: CallOptions): Promise<RelayedAnswer>;
}

const OFFER_LISTS: Readonly<Record<string, { readonly kind: OfferKind; readonly member: string }>> = {
  'resources/list': { kind: 'resources', member: 'resources' },
  'resources/templates/list': { kind: 'templates', member: 'resourceTemplates' },
  'prompts/list': { kind: 'prompts', member: 'prompts' },
};

/** Reads the requests of one caller, tools/call aside, and says what is to be done for each. */
export class RequestReader {
  readonly #scanner: JsonScanner;
  readonly #era: Era;
  readonly #tools: ListPages<CatalogEntry>;
  readonly #offers = new Map<OfferKind, ListPages<Offer>>();

  /** @param era of the callers: what a tool is shown as differs */
  constructor(scanner: JsonScanner, pageSize: number, era: Era) {
    this.#scanner = scanner;
    this.#era = era;
    this.#tools = new ListPages(
      'tools',
      pageSize,
      (entry) => entry.name,
      era === 'modern' ? (entry) => entry.advertisedModern : undefined,
    );
    for (const { kind, member } of Object.values(OFFER_LISTS)) {
      this.#offers.set(kind, new ListPages(member, pageSize, (offer) => offer.key));
    }
  }

  /** @returns undefined for a method that is not served; a sentence where its params are no good */
  read(message: Message): Work | string | undefined {
    const { method } = message;
    if (!isClientMethod(method, this.#era)) return undefined;
    switch (method) {
      case 'tools/list':
        return this.#listTools(message);
      case 'resources/list':
      case 'resources/templates/list':
      case 'prompts/list':
        return this.#listOffers(message);
      case 'prompts/get':
        return this.#relay(method, this.#locate(message, 'prompt'));
      case 'resources/read':
        return this.#relay(method, this.#locate(message, 'resource'));
      case 'completion/complete':
        return this.#relay(method, locateCompletion(this.#scanner, message.bytes, message.body));
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        return this.#subscribe(message, this.#locate(message, 'resource'));
      case 'tasks/get':
      case 'tasks/update':
      case 'tasks/cancel':
        return this.#task(message, method);
      case 'logging/setLevel':
        return this.#setLevel(message);
      default:
        return undefined;
    }
  }

  #listTools(message: Message): Work {
    const cursor = this.#cursorOf(message);
    return {
      run: async (view, options) => {
        const entries = await view.listTools(options);
        const stale = view.staleMounts();
        const meta = stale.length === 0 ? undefined : `{"doorward/stale":${JSON.stringify(stale)}}`;
        return pageAnswer(message, this.#tools.read(entries, cursor, meta));
      },
    };
  }

  #listOffers(message: Message): Work {
    const { kind } = OFFER_LISTS[message.method]!;
    const cursor = this.#cursorOf(message);
    return {
      run: async (view, options) => {
        const offers = await view.listOffers(kind, options);
        return pageAnswer(message, this.#offers.get(kind)!.read(offers, cursor));
      },
    };
  }

  #relay(method: RelayedMethod, params: RequestParams | string): Work | string {
    if (typeof params === 'string') return params;
    return {
      progressToken: progressTokenOf(params),
      run: (view, options) => view.relay(method, params, options),
    };
  }

  #subscribe({ method }: Message, params: RequestParams | string): Work | string {
    if (typeof params === 'string') return params;
    return {
      run: (view, options) =>
        method === 'resources/subscribe' ? view.subscribe(params, options) : view.unsubscribe(params, options),
    };
  }

  #task({ bytes, body }: Message, method: TaskMethod): Work | string {
    if (body < 0 || bytes[this.#scanner.valueStart[body]!] !== 0x7b) return 'params are not an object';
    const params = { bytes, start: this.#scanner.valueStart[body]!, end: this.#scanner.valueEnd[body]! };
    return { run: (view, options) => view.task(method, params, options) };
  }

  #setLevel(message: Message): Work | string {
    const level = this.#paramsOf(message)?.level;
    if (!isLogLevel(level)) return `params.level is none of ${LOG_LEVELS.join(', ')}`;
    return {
      run: async (view) => {
        view.setLogLevel(level);
        return NOTHING;
      },
    };
  }

  #locate({ bytes, body }: Message, names: 'prompt' | 'resource'): RequestParams | string {
    return locateRequestParams(this.#scanner, bytes, body, names);
  }

  #cursorOf(message: Message): unknown {
    return this.#paramsOf(message)?.cursor ?? undefined;
  }

  #paramsOf({ bytes, body }: Message): Readonly<Record<string, unknown>> | undefined {
    if (body < 0) return undefined;
    const text = decodeText(bytes, this.#scanner.valueStart[body]!, this.#scanner.valueEnd[body]!);
    return (JSON.parse(text) as Readonly<Record<string, unknown>> | null) ?? undefined;
  }
}

const NOTHING: RelayedAnswer = { kind: 'result', json: sliceOf(encodeText('{}')), hasLineBreaks: false };

function pageAnswer({ method }: Message, page: Uint8Array | undefined): RelayedAnswer {
  if (page !== undefined) return { kind: 'result', json: sliceOf(page), hasLineBreaks: false };
  const error = { code: RPC.invalidParams, message: `${method}: this cursor was not given out here` };
  return { kind: 'error', json: sliceOf(encodeText(JSON.stringify(error))), hasLineBreaks: false };
}

/** The caller's envelope around the upstream's own bytes. */
export function answerMessage(id: string, { kind, json, hasLineBreaks }: RelayedAnswer): Piece[] {
  return [kind === 'result' ? resultHead(id) : errorHead(id), hasLineBreaks ? onOneLine(json) : json, '}'];
}
