import { METHOD_NAME_ALL, type Result, type Router } from 'hono/router';

/** Finds handlers by paths that are exactly theirs: hono's own routers take a slash behind a path for the same path. */
export class ExactRouter<Handler> implements Router<Handler> {
  readonly name = 'exact';
  readonly #handlers = new Map<string, [Handler, Record<string, string>][]>();

  add(method: string, path: string, handler: Handler): void {
    const key = keyOf(method, path);
    this.#handlers.set(key, [...(this.#handlers.get(key) ?? []), [handler, {}]]);
  }

  match(method: string, path: string): Result<Handler> {
    const own = this.#handlers.get(keyOf(method, path)) ?? [];
    return [[...own, ...(this.#handlers.get(keyOf(METHOD_NAME_ALL, path)) ?? [])]];
  }
}

function keyOf(method: string, path: string): string {
  return `${method} ${path}`;
}
