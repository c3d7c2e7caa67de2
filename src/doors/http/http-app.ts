import { sliceOf, toDoorError } from '../../base/index.js';
import { Documents, type DoorRoute, type Route, routesOf, type Surface } from '../../discovery/index.js';
import type { HttpExchange } from './exchange.js';
import type { HttpDoor } from './http-door.js';
import type { Readiness } from './readiness.js';
import { JSON_HEADERS, type Refusal, refusal, refusalOf, refuse } from './refusal.js';

/** An exchange that a runtime can be given the answer of: the answer itself, or a sign that it was given elsewhere. */
export interface RoutedExchange extends HttpExchange {
  readonly response: Response | Promise<Response>;
}

export interface HttpAppOptions {
  readonly door: HttpDoor;
  readonly readiness: () => Readiness;
  /** What documents are made from, and whose paths are served. */
  readonly surface: () => Surface;
}

/** What goes with each request. */
export interface HttpEnvironment {
  readonly exchange: RoutedExchange;
}

/** Answers whatever is asked over HTTP. */
export interface HttpApp {
  /** What is mounted, as it is; `ALL` is whatever other method is asked for by that path. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
  fetch(request: Request, environment: HttpEnvironment): Promise<Response>;
}

type Handle = (exchange: RoutedExchange) => void | Promise<void>;

const HEALTH_METHODS = 'GET, HEAD';

/** All that is answered over HTTP: the rows of the route table, and nothing else. Paths are exact, so a map finds them. */
export function createHttpApp(options: HttpAppOptions): HttpApp {
  const { path } = options.surface();
  const handlers = new Handlers(options);
  const mounted = new Map<string, Map<string, Handle>>();
  for (const route of routesOf(options.surface())) {
    // OPTIONS, and what is not for this path, is answered there as well.
    const methods = mounted.get(route.path) ?? new Map<string, Handle>([['ALL', handlers.otherwise(route)]]);
    methods.set(route.method.toUpperCase(), handlers.of(route));
    mounted.set(route.path, methods);
  }
  const handle = async (request: Request, exchange: RoutedExchange): Promise<void> => {
    const methods = mounted.get(new URL(request.url).pathname);
    if (methods === undefined) return refuse(exchange, nothingThere(path));
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    await (methods.get(method) ?? methods.get('ALL')!)(exchange);
  };
  return {
    routes: [...mounted].flatMap(([at, methods]) => [...methods.keys()].map((method) => ({ method, path: at }))),
    async fetch(request, { exchange }) {
      try {
        await handle(request, exchange);
      } catch (thrown) {
        refuse(exchange, refusalOf(500, toDoorError(thrown)));
      }
      const response = await exchange.response;
      return request.method === 'HEAD' ? new Response(null, response) : response;
    },
  };
}

function nothingThere(path: string): Refusal {
  const there = `the MCP endpoint is ${path}, and /openapi.json lists all that is there`;
  return refusal(404, `nothing is served here; ${there}`);
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
