/** An upstream over HTTP that understands as little as possible: it writes down each request, byte for byte, and answers by a script. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'vitest';

/** One HTTP request as it came. */
export interface Taken {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they were written. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
  /** What the body says, where it is JSON. */
  readonly message: Wire | undefined;
}

/** A message of the wire. */
export interface Wire {
  readonly jsonrpc?: string;
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>> & { readonly _meta?: Readonly<Record<string, unknown>> };
  readonly result?: unknown;
  readonly error?: unknown;
}

/** What comes of one request; undefined leaves it to what is usual. */
export type Answer =
  | { readonly result: object; readonly asStream?: boolean; readonly headers?: Readonly<Record<string, string>> }
  | {
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
      readonly status?: number;
    }
  | { readonly status: number }
  /** Writes the response by itself. */
  | { readonly write: (response: ServerResponse) => void };

export type Script = (taken: Taken) => Answer | undefined;

export interface HttpUpstream {
  readonly url: string;
  readonly taken: Taken[];
  /** The requests that carried a message of this method. */
  of(method: string): Taken[];
}

/** Starts an upstream for one test. `usual` answers what the test's own script leaves to it. */
export async function startHttpUpstream(
  test: TestContext,
  usual: Script,
  script: Script = () => undefined,
): Promise<HttpUpstream> {
  const taken: Taken[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const { method = '', headers, rawHeaders } = request;
      const one: Taken = { method, headers, rawHeaders, body, message: parse(body) };
      taken.push(one);
      answer(response, one, script(one) ?? usual(one) ?? { status: 404 });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const of = (method: string) => taken.filter(({ message }) => message?.method === method);
  return { url: `http://127.0.0.1:${port}/mcp`, taken, of };
}

/** A server of 2026-07-28 with these tools, whose calls give back their arguments. */
export function modernScript(tools: readonly object[]): Script {
  return ({ method, message }) => {
    if (method !== 'POST') return { status: 405 };
    const cached = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
    switch (message?.method) {
      case 'server/discover':
        return {
          result: {
            ...cached,
            supportedVersions: ['2026-07-28'],
            capabilities: { tools: {}, resources: {}, prompts: {} },
          },
        };
      case 'tools/list':
        return { result: { ...cached, tools } };
      case 'resources/list':
        return { result: { ...cached, resources: [{ uri: 'x:é', name: 'one' }] } };
      case 'resources/templates/list':
        return { result: { ...cached, resourceTemplates: [] } };
      case 'prompts/list':
        return { result: { ...cached, prompts: [{ name: 'p' }] } };
      case 'resources/read':
        return { result: { ...cached, contents: [{ uri: 'x:é', text: 'content' }] } };
      case 'prompts/get':
        return { result: { resultType: 'complete', messages: [] } };
      case 'tools/call':
        return {
          result: {
            resultType: 'complete',
            content: [{ type: 'text', text: JSON.stringify(message.params?.arguments) }],
          },
        };
      default:
        return message?.id === undefined
          ? { status: 202 }
          : { error: { code: -32601, message: 'Method not found' }, status: 404 };
    }
  };
}

/** A server of 2025-11-25 with sessions. Each `initialize` begins one; `ended` names those it knows no more. */
export function handshakeScript(tools: readonly object[], ended: ReadonlySet<string> = new Set()): Script {
  let sessions = 0;
  return ({ method, headers, message }) => {
    const session = headers['mcp-session-id'];
    if (message?.method === 'initialize') {
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'u', version: '1' },
      };
      return { result, headers: { 'Mcp-Session-Id': `session-${++sessions}` } };
    }
    if (session === undefined) return { status: 400 };
    if (ended.has(String(session))) return { status: 404 };
    if (method === 'GET') return { status: 405 };
    if (method === 'DELETE') return { status: 200 };
    if (message?.method === undefined || message.id === undefined) return { status: 202 };
    if (message.method === 'tools/list') return { result: { tools } };
    if (message.method === 'ping') return { result: {} };
    if (message.method === 'tools/call') {
      return { result: { content: [{ type: 'text', text: JSON.stringify(message.params?.arguments) }] } };
    }
    return { error: { code: -32601, message: 'Method not found' } };
  };
}

function parse(body: string): Wire | undefined {
  try {
    return JSON.parse(body) as Wire;
  } catch {
    return undefined;
  }
}

function answer(response: ServerResponse, { message }: Taken, said: Answer): void {
  if ('write' in said) return said.write(response);
  if (!('result' in said) && !('error' in said)) return void response.writeHead(said.status).end();
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: message?.id,
    ...('result' in said ? { result: said.result } : { error: said.error }),
  });
  if ('result' in said && said.asStream) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', ...said.headers });
    return void response.end(`: hello\n\nevent: message\ndata: ${body}\n\n`);
  }
  const status = 'error' in said ? (said.status ?? 200) : 200;
  const headers = 'result' in said ? said.headers : {};
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body);
}
