import { DoorError, EventBus, toDoorError } from '../../base/index.js';
import type { Implementation } from '../../contract/index.js';
import { openServer, type Server, type ServerOptions } from '../../doors/index.js';
import { forbidCodeGeneration } from '../../schema/index.js';
import { fetchWire } from './fetch-wire.js';
import { holdingImplementation } from './holding-handlers.js';
import { logEvents } from './log-events.js';
import { type RequestContext, RequestHolds } from './request-holds.js';
import { whenRead } from './when-read.js';
import { WorkerClock } from './worker-clock.js';
import { mountOf, type WorkerUpstream } from './worker-upstream.js';

// Workers refuse it, some of them only when a request is there: it must not be tried at all.
forbidCodeGeneration();

export interface WorkerOptions extends Omit<ServerOptions, 'upstreams' | 'listening' | 'clock' | 'cache'> {
  /** Other servers whose tools are served too, over HTTP. Needs an `identifier`: they are called in the Worker's name. */
  readonly upstreams?: readonly WorkerUpstream[];
}

/** What a module of a Worker exports by default. */
export interface DoorWorker<Env> {
  fetch(request: Request, env: Env, context?: RequestContext): Promise<Response>;
}

/**
 * Serves a contract from a Worker (Cloudflare's, workerd, or whatever calls a `fetch` handler): its tools, and those of
 * upstreams over HTTP, through the same gateway and judge as on Node. Nothing is made before the first request.
 *
 * @param options as they are, or made from `env` (variables and secrets), once an isolate
 */
export function createWorker<Env = unknown>(
  implementation: Implementation,
  options: WorkerOptions | ((env: Env) => WorkerOptions) = {},
): DoorWorker<Env> {
  const holds = new RequestHolds();
  const means = { holds, clock: new WorkerClock(holds) };
  let server: Server | undefined;
  return {
    fetch: async (request, env, context) => {
      holds.enter(context);
      try {
        server ??= open(implementation, typeof options === 'function' ? options(env) : options, means);
      } catch (thrown) {
        return notSetUp(thrown);
      }
      const release = holds.open();
      try {
        return whenRead(await server.fetch(request), release);
      } catch (thrown) {
        release();
        throw thrown;
      }
    },
  };
}

interface Means {
  readonly holds: RequestHolds;
  readonly clock: WorkerClock;
}

function open(implementation: Implementation, options: WorkerOptions, { holds, clock }: Means): Server {
  const { upstreams = [], events = new EventBus(), ...rest } = options;
  if (upstreams.length > 0 && options.identifier === undefined) throw openToAll();
  logEvents(events);
  const wire = fetchWire({ hold: (lost) => holds.open(lost) });
  return openServer(holdingImplementation(implementation, holds), {
    ...rest,
    events,
    clock,
    upstreams: upstreams.map((upstream) => mountOf(upstream, { wire, clock })),
  });
}

/** A Worker is on the internet, and its upstreams are called with credentials of its own: whoever may come in has them. */
function openToAll(): DoorError {
  return new DoorError('CONFIG_INVALID', 'upstreams are mounted, and nobody is asked who they are', {
    hint: 'Set identifier: tokenIdentifier([...]), or identifier: anyone if everybody may use them.',
  });
}

/** What is wrong is for the operator's log alone: it may name secrets. */
function notSetUp(thrown: unknown): Response {
  const { code, message, hint } = toDoorError(thrown);
  console.error(JSON.stringify({ level: 'error', event: 'worker.unset', code, message, hint }));
  const error = new DoorError('INTERNAL', 'this server is not set up; its log says why');
  // No request was read whose id it could have.
  const body = { jsonrpc: '2.0', error: { code: -32603, message: error.message, data: { code: error.code } } };
  return Response.json(body, { status: 500 });
}
