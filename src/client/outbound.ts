import type { Piece, Retry } from '../base/index.js';
import type { ListedTool } from '../catalog/index.js';
import {
  type CallParams,
  type Codec,
  forwardCall,
  forwardRequest,
  paramHeadersOf,
  type RequestParams,
  requestMessage,
  withMeta,
} from '../protocol/index.js';
import type { RequestOptions } from './pending.js';
import type { Outgoing, Transport } from './transport.js';

/** A message to an upstream, and what its transport is told beside it. */
export interface Outbound {
  readonly pieces: readonly Piece[];
  readonly about: Outgoing;
}

/** How the requests of one connection are worded. */
export class Wording {
  codec: Codec;
  readonly #transport: Transport;
  readonly #meta: (codec: Codec, options: RequestOptions) => string;

  /** @param meta what a request says in `_meta`, to upstreams that are told so with each (`requestMeta`) */
  constructor(transport: Transport, codec: Codec, meta: (codec: Codec, options: RequestOptions) => string) {
    this.#transport = transport;
    this.codec = codec;
    this.#meta = meta;
  }

  /** A request of our own; `params` is JSON text. */
  request(id: number, method: string, params: string | undefined, options: RequestOptions, codec: Codec): Outbound {
    return {
      pieces: requestMessage(id, method, withMeta(params, this.#metaOf(codec, options))),
      about: { id, method, codec },
    };
  }

  /** A call of a tool that has been judged. */
  call(id: number, params: CallParams, tool: ListedTool, options: RequestOptions, retry: Retry | undefined): Outbound {
    const meta = this.#metaOf(this.codec, options);
    return {
      pieces: forwardCall(params, id, tool.quotedName, { meta, retry }),
      about: {
        id,
        method: 'tools/call',
        name: tool.name,
        principal: options.principal,
        ...this.#paramHeaders(params, tool),
      },
    };
  }

  /** Any other request of a caller. @param key the upstream's own name or URI for what it names */
  relay(
    id: number,
    method: string,
    params: RequestParams,
    key: string,
    options: RequestOptions,
    retry: Retry | undefined,
  ): Outbound {
    const meta = this.#metaOf(this.codec, options);
    return {
      pieces: forwardRequest(method, params, id, JSON.stringify(key), { meta, retry }),
      // What a completion is for is not named in a header (MCP 2026-07-28 transports, Standard Request Headers).
      about: {
        id,
        method,
        principal: options.principal,
        ...(method !== 'completion/complete' && { name: key }),
      },
    };
  }

  #metaOf(codec: Codec, options: RequestOptions): string {
    return codec.era === 'handshake' ? '' : this.#meta(codec, options);
  }

  /** What a tool wants to see in headers too. */
  #paramHeaders({ bytes, argumentsStart: start, argumentsEnd: end }: CallParams, tool: ListedTool): Partial<Outgoing> {
    const { hasStreams } = this.#transport;
    if (!hasStreams || this.codec.era === 'handshake' || tool.paramHeaders.length === 0 || start < 0) return {};
    return { headers: paramHeadersOf(tool.paramHeaders, { bytes, start, end }) };
  }
}
