import { Hono } from 'hono/tiny';
import { sliceOf, toDoorError } from '../../base/index.js';
import { Documents, type DoorRoute, type Route, routesOf, type Surface } from '../../discovery/index.js';
import { ExactRouter } from './exact-router.js';
import type { HttpExchange } from './exchange.js';
import type { HttpDoor } from './http-door.js';
import type { Readiness } from './readiness.js';
import { JSON_HEADERS, refusal, refusalOf, refuse } from './refusal.js';

/** An exchange that hono can be given an answer of: the answer itself, or a sign that it was given elsewhere. */
export interface RoutedExchange extends HttpExchange {
  readonly response: Response | Promise<Response>;
}

export interface HttpAppOptions {
  readonly door: HttpDoor;
  readonly readiness: () => Readiness;
  /** What documents are made from, and whose paths are served. */
  readonly surface: () => Surface;
}

/** The environment that hono hands to each route. */
export interface HttpEnvironment {
  readonly Bindings: { readonly exchange: RoutedExchange };
}

type Handle = (exchange: RoutedExchange) => void | Promise<void>;

const HEALTH_METHODS = 'GET, HEAD';

/** All that is answered over HTTP: the rows of the route table, and nothing else. */
export function createHttpApp(options: HttpAppOptions): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>();
  app.router = new ExactRouter();
  const { path } = options.surface();
  const routes = routesOf(options.surface());
  const handlers = new Handlers(options);
  for (const route of routes)
    mount(app, [route.method.toUpperCase()], { path: route.path, handle: handlers.of(route) });
  // Whatever else is asked for by a path that is there: OPTIONS, and what is not for it.
  for (const route of new Map(routes.map((each) => [each.path, each])).values()) {
    mount(app, ['ALL'], { path: route.path, handle: handlers.otherwise(route) });
  }
  app.onError((thrown, { env: { exchange } }) => {
    refuse(exchange, refusalOf(500, toDoorError(thrown)));
    return exchange.response;
  });
  app.notFound(({ env: { exchange } }) => {
    const there = `the MCP endpoint is ${path}, and /openapi.json lists all that is there`;
    refuse(exchange, refusal(404, `nothing is served here; ${there}`));
    return exchange.response;
  });
  return app;
}

interface Mounted {
  readonly path: string;
  readonly handle: Handle;
}

function mount(app: Hono<HttpEnvironment>, methods: string[], { path, handle }: Mounted): void {
  app.on(methods, [path], async ({ env: { exchange } }) => {
    await handle(exchange);
    return exchange.response;
  });
}

/** What answers each row. */
class Handlers {
  readonly #options: HttpAppOptions;
  readonly #documents = new Documents();
  readonly #door: Readonly<Record<DoorRoute, Handle>>;

  constructor(options: HttpAppOptions) {
    this.#options = options;
    const { door } = options;
    this.#door = {
      endpoint: (exchange) => door.handle(exchange),
      // Whoever looks after the process asks by an address of its own, and has no token.
      health: (exchange) => exchange.answer(200, JSON_HEADERS, ['{"status":"alive"}']),
      readiness: (exchange) => this.#readiness(exchange),
    };
  }

  of({ serves }: Route): Handle {
    if ('door' in serves) return this.#door[serves.door];
    const { document } = serves;
    return (exchange) => {
      const { method } = exchange;
      const request = { method, ifNoneMatch: exchange.header('if-none-match') };
      const { status, headers, body } = this.#documents.answer(document, this.#options.surface(), request);
      exchange.answer(status, headers, body === undefined ? [] : [typeof body === 'string' ? body : sliceOf(body)]);
    };
  }

  /** For methods that the table does not have at the path of a row. */
  otherwise(route: Route): Handle {
    const { serves } = route;
    if (!('door' in serves) || serves.door === 'endpoint') return this.of(route);
    return (exchange) => refuse(exchange, refusal(405, `only ${HEALTH_METHODS}`, ['Allow', HEALTH_METHODS]));
  }

  async #readiness(exchange: RoutedExchange): Promise<void> {
    const state = this.#options.readiness();
    // What stands behind the door is told to those who may come in.
    const told = (await this.#options.door.isWelcome(exchange)) ? state : { status: state.status };
    exchange.answer(state.status === 'ready' ? 200 : 503, JSON_HEADERS, [JSON.stringify(told)]);
  }
}
