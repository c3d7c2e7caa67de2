import { encodeText } from '../../base/index.js';
import type { Headers, HttpLink } from './http-link.js';

/** Before a stream is opened again, where the server has not said. */
const UNSAID_RETRY_MS = 1_000;
/** A server that wants us back at once, and then has nothing to say, must not keep both of us busy. */
const LEAST_RETRY_MS = 200;

/** How long a stream is left alone before it is opened again. @param saidMs what the server said of that */
export function retryWaitMs(saidMs: number | undefined): number {
  return Math.max(saidMs ?? UNSAID_RETRY_MS, LEAST_RETRY_MS);
}

/** Whether a body is Server-Sent Events, by its `Content-Type`. */
export function isEventStream(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*text\/event-stream\s*(?:;|$)/i.test(contentType);
}

/** The headers of a GET that opens a stream, or takes one up again behind an event. */
export function resumingHeaders(link: HttpLink, lastEventId: string | undefined): Headers {
  const headers = { ...link.headersWithoutBody(), accept: 'text/event-stream' };
  return lastEventId === undefined ? headers : { ...headers, 'last-event-id': asHeader(lastEventId) };
}

/** A header carries bytes: the id's UTF-8 (HTML, Server-Sent Events, The Last-Event-ID header), each as one character. */
function asHeader(id: string): string {
  let header = '';
  for (const byte of encodeText(id)) header += String.fromCharCode(byte);
  return header;
}
