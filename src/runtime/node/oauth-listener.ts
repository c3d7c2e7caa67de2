import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DoorError } from '../../base/index.js';

const PATH = '/callback';

/** Hears where an authorization server sends the user's browser back to. */
export interface RedirectListener {
  readonly redirectUri: string;
  /** Waits for the redirect that carries `state`. Others are answered, and are no answer to us. */
  waitFor(state: string): Promise<URLSearchParams>;
  close(): void;
}

/**
 * Listens on this machine alone (RFC 8252 section 7.3).
 *
 * @param port 0 takes any that is free
 * @throws {DoorError} CONFIG_INVALID where the port is taken
 */
export async function listenForRedirect(port: number): Promise<RedirectListener> {
  const { createServer } = await import('node:http');
  const waiting = new Map<string, (answer: URLSearchParams) => void>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (request.method !== 'GET' || pathname !== PATH) return show(response, 404, 'There is nothing here.');
    const state = searchParams.get('state') ?? '';
    const settle = waiting.get(state);
    // Somebody else's, or one that has been used: it neither ends nor feeds the login that is under way.
    if (!settle)
      return show(response, 400, 'This is not the answer to a login that is under way. Run the command again.');
    waiting.delete(state);
    const worked = searchParams.has('code');
    show(
      response,
      200,
      worked
        ? 'doorward has been let in. You can close this page.'
        : 'doorward has not been let in. The terminal says why.',
    );
    settle(searchParams);
  });
  await listening(server, port);
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
  return {
    redirectUri,
    waitFor: (state) => new Promise((resolve) => waiting.set(state, resolve)),
    close: () => {
      server.close();
      // A browser keeps its connection; nobody is going to use it.
      server.closeIdleConnections();
    },
  };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new DoorError('CONFIG_INVALID', `port ${port} cannot be listened on for the redirect: ${cause.code}`, {
          data: { port },
          hint: 'End what uses it, or set another oauth.redirectPort and allow that one at the authorization server.',
          cause,
        }),
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
}

/** One page, whole in itself; nothing of the request is in it. */
function show(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(`<!doctype html><html lang="en"><meta charset="utf-8"><title>doorward</title><p>${text}</p></html>\n`);
}
