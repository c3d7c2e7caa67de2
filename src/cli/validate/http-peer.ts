import { createParser } from 'eventsource-parser';
import { type Peer, resultOf } from './peer.js';

/** What answers a request: a server in this process. */
export type Fetch = (request: Request) => Promise<Response>;

/** Speaks with a server by its fetch handler, in a session of the handshake era. @param url of its endpoint */
export function openHttpPeer(fetch: Fetch, url: string): Peer {
  let session: string | undefined;
  let lastId = 0;
  const post = async (message: object): Promise<Response> => {
    const response = await fetch(
      new Request(url, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...(session !== undefined && { 'Mcp-Session-Id': session }),
        },
        body: JSON.stringify(message),
      }),
    );
    session ??= response.headers.get('Mcp-Session-Id') ?? undefined;
    return response;
  };
  return {
    request: async (method, params) => {
      const id = ++lastId;
      const response = await post({ jsonrpc: '2.0', id, method, params });
      return resultOf(await answerIn(response, id), method);
    },
    notify: async (method) => {
      const response = await post({ jsonrpc: '2.0', method });
      await response.body?.cancel();
    },
    close: async () => {
      if (session === undefined) return;
      await fetch(new Request(url, { method: 'DELETE', headers: { 'Mcp-Session-Id': session } }));
    },
  };
}

/** The answer to `id`: the body, or one of the events in it. */
async function answerIn(response: Response, id: number): Promise<unknown> {
  const text = await response.text();
  if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
    if (!response.ok) throw new Error(`it answered with HTTP ${response.status}: ${text.slice(0, 300)}`);
    return JSON.parse(text);
  }
  const messages: { readonly id?: unknown }[] = [];
  const parser = createParser({ onEvent: ({ data }) => void (data !== '' && messages.push(JSON.parse(data))) });
  parser.feed(text);
  const answer = messages.find((message) => message.id === id);
  if (answer !== undefined) return answer;
  throw new Error('its stream ended without the answer');
}
