/** The two ends over HTTP and the relay between them: what is measured must be true, and a changed byte must end the bench. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

// The bench is plain JavaScript, so that node runs it as it stands; these are the few of its shapes used here.
interface Payload {
  readonly arguments: Buffer;
  readonly result: Buffer;
}
interface Caller {
  readonly url: URL;
  initialize(): Promise<unknown>;
  findName(tool: string): Promise<string>;
  drive(options: { name: string; pool: readonly Payload[]; calls: number; inFlight: number }): Promise<{
    readonly latenciesMs: Float64Array;
  }>;
  close(): Promise<void>;
}
interface Served {
  readonly url: Promise<URL>;
  close(): Promise<void>;
}
interface LoadModule {
  readonly HttpCaller: new (served: Served, url: URL, era: string) => Caller;
}
interface WireModule {
  readonly MessageReader: new (
    onMessage: (head: string, pieces: readonly Buffer[], length: number) => void,
  ) => { push(chunk: Buffer): void };
  idOf(pieces: readonly Buffer[]): string;
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const { HttpCaller } = (await import(here('./http-load.mjs'))) as LoadModule;
const { Served } = (await import(here('./served.mjs'))) as {
  Served: new (argv: readonly string[], options: { env: NodeJS.ProcessEnv }) => Served;
};
const { MessageReader, idOf } = (await import(here('./http-wire.mjs'))) as WireModule;
const { makePool } = (await import(here('./payloads.mjs'))) as {
  makePool(kind: string, directory: string): readonly Payload[];
};

const directory = mkdtempSync(join(tmpdir(), 'doorward-http-load-'));
let pool: readonly Payload[];
beforeAll(() => {
  pool = makePool('structured-1k', directory);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const serve = (...argv: readonly string[]) => new Served([process.execPath, ...argv], { env: process.env });
const upstream = (era: string) => serve(here('./http-upstream.mjs'), era, directory, 'structured-1k');

test.each(['handshake', 'modern'])('%s: calls through the relay come back whole, each to its own', async (era) => {
  const behind = upstream(era);
  const relay = serve(here('./http-relay.mjs'), (await behind.url).href);
  const caller = new HttpCaller(relay, await relay.url, era);
  try {
    await caller.initialize();
    const name = await caller.findName('records');
    const { latenciesMs } = await caller.drive({ name, pool, calls: 300, inFlight: 16 });
    expect(latenciesMs.every((ms) => ms > 0)).toBe(true);
  } finally {
    await caller.close();
    await behind.close();
  }
});

test.each([
  {
    why: 'one byte of a result is another',
    change: (text: string) => text.replace('see structured', 'sea structured'),
  },
  {
    why: 'the id is that of the call before',
    change: (text: string) => text.replace(/"id":(\d+)/, (_, id) => `"id":${id - 1}`),
  },
  { why: 'something was cut off', change: (text: string) => text.replace('see structuredContent', '') },
])('the load stops where $why', async ({ change }) => {
  const behind = upstream('modern');
  const { href } = await behind.url;
  // A middle that changes what passes.
  const middle = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = { 'Content-Type': 'application/json' };
    // What is still under way when the load has stopped fails, and concerns nobody.
    const sent = fetch(href, { method: 'POST', headers, body: Buffer.concat(chunks) });
    const text = await sent.then((answer) => answer.text()).catch(() => '');
    response.end(change(text));
  });
  await new Promise<void>((resolve) => middle.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(middle.address() as AddressInfo).port}/mcp`);
  const caller = new HttpCaller(behind, url, 'modern');
  try {
    await expect(caller.drive({ name: 'records', pool, calls: 40, inFlight: 4 })).rejects.toThrow(/call \d/);
  } finally {
    await caller.close();
    middle.closeAllConnections();
    middle.close();
  }
});

test('messages are found wherever they are cut', () => {
  const body = '{"result":{"text":"é\\r\\n\\r\\n"},"jsonrpc":"2.0","id":42}';
  const length = Buffer.byteLength(body);
  const chunked = `2\r\n{"\r\n${(length - 2).toString(16)}\r\n${body.slice(2)}\r\n0\r\n\r\n`;
  const wire = Buffer.from(
    `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${body}HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n` +
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
  );
  for (let cut = 1; cut < wire.length; cut++) {
    const seen: string[] = [];
    const reader = new MessageReader((head, pieces, bytes) => {
      seen.push(`${head.slice(9, 12)} ${bytes} ${Buffer.concat(pieces)} ${pieces.length > 0 ? idOf(pieces) : ''}`);
    });
    for (let at = 0; at < wire.length; at += cut) reader.push(wire.subarray(at, at + cut));
    expect(seen, `cut every ${cut} bytes`).toEqual([`200 ${length} ${body} 42`, '202 0  ', `200 ${length} ${body} 42`]);
  }
});
