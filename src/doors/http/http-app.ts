import { Hono } from 'hono';
import { toDoorError } from '../../base/index.js';
import type { Surface } from '../../discovery/index.js';
import type { HttpExchange } from './exchange.js';
import type { HttpDoor } from './http-door.js';
import type { Readiness } from './readiness.js';
import { JSON_HEADERS, refusal, refusalOf, refuse } from './refusal.js';
import type { ResourceMetadata } from './resource-metadata.js';

/** An exchange that hono can be given an answer of: the answer itself, or a sign that it was given elsewhere. */
export interface RoutedExchange extends HttpExchange {
  readonly response: Response | Promise<Response>;
}

export interface HttpAppOptions {
  readonly door: HttpDoor;
  /** The path of the MCP endpoint. */
  readonly path: string;
  readonly readiness: () => Readiness;
  /** What documents are made from. */
  readonly surface?: () => Surface;
  /** Absent where callers do not get their tokens from an authorization server. */
  readonly metadata?: ResourceMetadata;
}

/** The environment that hono hands to each route. */
export interface HttpEnvironment {
  readonly Bindings: { readonly exchange: RoutedExchange };
}

const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** All that is answered over HTTP, by its path. */
export function createHttpApp({ door, path, readiness, metadata }: HttpAppOptions): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>();
  app.all(path, ({ env: { exchange } }) => {
    door.handle(exchange);
    return exchange.response;
  });
  // Whoever looks after the process asks by an address of its own, and has no token.
  app.get('/healthz', ({ env: { exchange } }) => {
    exchange.answer(200, JSON_HEADERS, ['{"status":"alive"}']);
    return exchange.response;
  });
  app.get('/readyz', async ({ env: { exchange } }) => {
    const state = readiness();
    // What stands behind the door is told to those who may come in.
    const told = (await door.isWelcome(exchange)) ? state : { status: state.status };
    exchange.answer(state.status === 'ready' ? 200 : 503, JSON_HEADERS, [JSON.stringify(told)]);
    return exchange.response;
  });
  if (metadata) {
    const { body, resourcePath } = metadata;
    for (const inserted of new Set(['', path, resourcePath === '/' ? '' : resourcePath])) {
      app.get(`${METADATA_PATH}${inserted}`, ({ env: { exchange } }) => {
        const cors = door.admitPublic(exchange);
        if (cors) exchange.answer(200, [...JSON_HEADERS, ...cors], [body]);
        return exchange.response;
      });
    }
  }
  app.onError((thrown, { env: { exchange } }) => {
    refuse(exchange, refusalOf(500, toDoorError(thrown)));
    return exchange.response;
  });
  app.notFound(({ env: { exchange } }) => {
    refuse(exchange, refusal(404, `nothing is served here; the MCP endpoint is ${path}`));
    return exchange.response;
  });
  return app;
}
