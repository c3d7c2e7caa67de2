import { DoorError, orAborted } from '../../base/index.js';
import type { World } from './world.js';

const ANSWER_MS = 30_000;

/** What somebody answered, whole. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

interface Question {
  readonly url: string;
  readonly accept: string;
  readonly maxBytes: number;
}

/**
 * Gets what lies at a URL.
 *
 * @throws {DoorError} UPSTREAM_UNREACHABLE where nobody answers in 30 s or the answer breaks off, MESSAGE_TOO_LARGE
 */
export async function ask({ url, accept, maxBytes }: Question, { signal }: World): Promise<Answer> {
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(new Error(`no answer in ${ANSWER_MS / 1000} s`)), ANSWER_MS);
  try {
    return await orAborted(get({ url, accept, maxBytes }, ended.signal), signal);
  } finally {
    clearTimeout(timer);
    ended.abort();
  }
}

async function get({ url, accept, maxBytes }: Question, signal: AbortSignal): Promise<Answer> {
  try {
    const response = await fetch(url, { headers: { accept, 'user-agent': 'doorward' }, signal });
    const bytes = await bodyOf(response, url, maxBytes);
    return { status: response.status, contentType: response.headers.get('content-type') ?? '', bytes };
  } catch (thrown) {
    if (thrown instanceof DoorError) throw thrown;
    const { message, cause } = thrown as Error;
    const why =
      cause instanceof Error ? `${message}: ${cause.message || (cause as NodeJS.ErrnoException).code}` : message;
    throw new DoorError('UPSTREAM_UNREACHABLE', `cannot get ${url}: ${why}`, {
      data: { url },
      hint: 'Look at its status page, then run this step again.',
      cause: thrown,
    });
  }
}

async function bodyOf(response: Response, url: string, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > maxBytes)
      throw new DoorError('MESSAGE_TOO_LARGE', `what lies at ${url} has more than ${maxBytes} bytes`);
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks);
}

/** The JSON of an answer, or undefined where it is none: an error page, half an answer. */
export function findJson({ bytes }: Answer): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}
