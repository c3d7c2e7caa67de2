import type { AnyHandlers, Implementation } from '../../contract/index.js';
import type { RequestHolds } from './request-holds.js';

type Handler = (given: never, context: never) => unknown;

/** The same implementation, whose handlers keep the request that called them alive for as long as they run. */
export function holdingImplementation(implementation: Implementation, holds: RequestHolds): Implementation {
  const { tools, resources, prompts } = implementation.handlers;
  const held = { tools: heldBy(holds, tools), resources: heldBy(holds, resources), prompts: heldBy(holds, prompts) };
  return Object.freeze({ ...implementation, handlers: held as unknown as AnyHandlers });
}

function heldBy(holds: RequestHolds, handlers: Readonly<Record<string, Handler>>): Record<string, Handler> {
  return Object.fromEntries(
    Object.entries(handlers).map(([name, handler]): [string, Handler] => [
      name,
      async (given, context) => {
        const release = holds.open();
        try {
          return await handler(given, context);
        } finally {
          release();
        }
      },
    ]),
  );
}
