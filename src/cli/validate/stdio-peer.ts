import { decodeText } from '../../base/index.js';
import type { LineTransport } from '../../client/index.js';
import { LineFramer } from '../../protocol/index.js';
import { type SpawnOptions, spawnTransport } from '../../runtime/node/index.js';
import { type Peer, resultOf } from './peer.js';

const MAX_BYTES = 32 * 1024 * 1024;
/** A server that says nothing for so long will not say more. */
const ANSWER_MS = 20_000;

interface Waiting {
  answered(message: unknown): void;
  failed(reason: Error): void;
}

/** Starts a server as a client would, and speaks with it over its stdin and stdout. */
export async function openStdioPeer(options: SpawnOptions): Promise<Peer> {
  const transport = spawnTransport(options);
  const waiting = new Map<number, Waiting>();
  const failAll = (reason: Error): void => {
    for (const one of waiting.values()) one.failed(reason);
    waiting.clear();
  };
  const framer = new LineFramer(MAX_BYTES, {
    line: (bytes, start, end) => {
      const text = decodeText(bytes.subarray(start, end));
      const message = parse(text);
      if (message === undefined && text.trim() !== '')
        failAll(new Error('it wrote a line to stdout that is no message'));
      const one = waiting.get(message?.id as number);
      waiting.delete(message?.id as number);
      one?.answered(message);
    },
    oversize: () => failAll(new Error(`it sent a message of more than ${MAX_BYTES} bytes`)),
    flood: () => failAll(new Error('it sent a line without an end')),
  });
  await transport.open({ data: (chunk) => framer.push(chunk), closed: failAll, activity: () => {} });
  let lastId = 0;
  return {
    request: async (method, params) => {
      const id = ++lastId;
      const answer = answerOf(waiting, { id, method });
      send(transport, { jsonrpc: '2.0', id, method, params });
      return resultOf(await answer, method);
    },
    notify: async (method) => send(transport, { jsonrpc: '2.0', method }),
    close: () => transport.close(),
  };
}

function answerOf(waiting: Map<number, Waiting>, { id, method }: { id: number; method: string }): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      waiting.delete(id);
      reject(new Error(`${method} was not answered within ${ANSWER_MS / 1_000} s`));
    }, ANSWER_MS);
    waiting.set(id, {
      answered: (message) => {
        clearTimeout(timer);
        resolve(message);
      },
      failed: (reason) => {
        clearTimeout(timer);
        reject(reason);
      },
    });
  });
}

function send(transport: LineTransport, message: object): void {
  transport.send([JSON.stringify(message)]);
}

/** @returns undefined for what is no message */
function parse(line: string): { readonly id?: unknown } | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === 'object' && message !== null ? message : undefined;
  } catch {
    return undefined;
  }
}
