import { type HttpWire, httpTransport, type Transport } from '../../client/index.js';
import type { Environment } from '../../config/index.js';
import { httpWire } from './http-wire.js';

export { authorizerFor } from './oauth.js';

/** One set of kept connections for all upstreams of this process; by the environment that names its proxies. */
const wires = new WeakMap<Environment, HttpWire>();

/** A transport over connections that are shared with those of all other upstreams. */
export function makeHttpTransport(
  environment: Environment,
  options: Omit<Parameters<typeof httpTransport>[0], 'wire'>,
): Transport {
  let wire = wires.get(environment);
  if (wire === undefined) {
    wire = httpWire({ env: environment });
    wires.set(environment, wire);
  }
  return httpTransport({ ...options, wire });
}
