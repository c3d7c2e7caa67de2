/** A running `doorward serve`, and requests to it that say exactly what a test wants them to say. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as openRequest } from 'node:http';
import { createServer } from 'node:net';
import type { TestContext } from 'vitest';
import { CLI, requireBuild, type Setup, TestFolder, until } from '../fixtures/open-door.js';

/** A message of the wire. */
export interface Wire {
  readonly jsonrpc?: string;
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>> & { readonly _meta?: Readonly<Record<string, unknown>> };
  readonly result?: Readonly<Record<string, unknown>> & { readonly _meta?: Readonly<Record<string, unknown>> };
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: Readonly<Record<string, unknown>>;
  };
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The messages in it: one of JSON, or those of a stream. */
  readonly messages: readonly Wire[];
}

/** A stream that stays open. */
export interface OpenStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: () => string;
  /** What has come so far. */
  readonly messages: () => readonly Wire[];
  readonly isOver: () => boolean;
  close(): void;
}

/** A request under way. */
export interface Started {
  readonly answered: Promise<OpenStream>;
  hangUp(): void;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

const BOTH_KINDS = 'application/json, text/event-stream';

export class Serving {
  readonly folder: TestFolder;
  readonly #url: URL;

  constructor(folder: TestFolder, port: number) {
    this.folder = folder;
    this.#url = new URL(`http://127.0.0.1:${port}/mcp`);
  }

  /** Sends one HTTP request; resolves when its answer is whole. */
  async ask(asked: Asked): Promise<HttpAnswer> {
    const stream = await this.open(asked);
    await until(stream.isOver, 'the end of the answer', 10_000);
    return { status: stream.status, headers: stream.headers, body: stream.body(), messages: stream.messages() };
  }

  /** Sends one HTTP request; resolves as soon as its answer begins. */
  open(asked: Asked): Promise<OpenStream> {
    return this.start(asked).answered;
  }

  /** Sends one HTTP request whose caller may hang up before anything is answered. */
  start({ method = 'POST', headers = {}, body }: Asked): Started {
    const plain = { accept: BOTH_KINDS, ...(body !== undefined && { 'content-type': 'application/json' }) };
    const request = openRequest(this.#url, { method, headers: { ...plain, ...headers } });
    const answered = new Promise<OpenStream>((resolve, reject) => {
      request.on('response', (response) => resolve(streamOf(request, response)));
      request.on('error', reject);
    });
    answered.catch(() => {});
    request.end(body);
    return { answered, hangUp: () => request.destroy() };
  }
}

function streamOf(request: ClientRequest, response: IncomingMessage): OpenStream {
  let text = '';
  let over = false;
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  for (const end of ['end', 'close', 'error']) {
    response.on(end, () => {
      over = true;
    });
  }
  const isStream = /^text\/event-stream/.test(response.headers['content-type'] ?? '');
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: () => text,
    messages: () => (isStream ? messagesOfStream(text) : messagesOf(text)),
    isOver: () => over,
    close: () => request.destroy(),
  };
}

/** Starts `doorward serve` for one test, on a free port of 127.0.0.1. */
export async function serve(test: TestContext, { config = {}, ...setup }: Setup = {}): Promise<Serving> {
  requireBuild();
  const folder = new TestFolder();
  const port = await freePort();
  const path = folder.write({
    ...setup,
    config: { ...config, http: { port, ...(config.http as object | undefined) } },
  });
  const child = spawn(process.execPath, [CLI, 'serve', '--config', path], {
    cwd: folder.path,
    env: { ...process.env, ...folder.env, ...setup.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = once(child, 'close');
  test.onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
    folder.remove();
  });
  const serving = new Serving(folder, port);
  await until(() => child.exitCode !== null || said.includes(String(port)), 'a word about the port', 10_000);
  if (child.exitCode !== null) throw new Error(`doorward serve ended with ${child.exitCode}: ${said}`);
  return serving;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, 'close');
  return port;
}

function messagesOf(text: string): readonly Wire[] {
  try {
    return [JSON.parse(text) as Wire];
  } catch {
    return [];
  }
}

function messagesOfStream(text: string): readonly Wire[] {
  const events = text.split('\n\n').slice(0, -1);
  const data = events.map((event) =>
    event.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : [])),
  );
  return data.flatMap((lines) => messagesOf(lines.join('\n')));
}
