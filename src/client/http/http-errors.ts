import { DoorError, type DoorErrorOptions, decodeText, type ErrorCode } from '../../base/index.js';
import { withoutSecrets } from './secrets.js';

/** What a server said instead of doing what it was asked. */
export interface Refusal {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  /** The body, as much of it as is worth reading. */
  readonly body: Uint8Array;
}

/** Whom an error speaks of, and what must not be in it. */
export interface Told {
  /** Without user and query: both may hold secrets. */
  readonly place: string;
  /** The name of the server in the configuration, for the commands that hints name; undefined where it has none. */
  readonly server: string | undefined;
  /** It is sent an Authorization header of its own: no login would change anything while it is. */
  readonly hasOwnToken: boolean;
  /** Texts never to be repeated: the values of headers that were sent, what of a URL may be one. */
  readonly secrets: readonly string[];
}

const SNIPPET_SOURCE_BYTES = 65_536;
const SNIPPET_SOURCE_LENGTH = 1_024;
const SNIPPET_LENGTH = 160;

/** A URL as it may be shown. */
export function placeOf(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

/**
 * Whether a refusal may come from a server that does not know requests without a handshake, or none over POST at all
 * (MCP 2026-07-28 basic/transports/streamable-http, Backward Compatibility). Refused credentials and trouble of the server's
 * own say nothing of its era, nor does what had no HTTP status.
 */
export function isNoModernEvidence(error: DoorError): boolean {
  const { httpStatus } = error.data;
  return httpStatus === 400 || httpStatus === 404 || httpStatus === 405;
}

/** The error of a refusal that is no JSON-RPC error. */
export function refusalError(refusal: Refusal, told: Told): DoorError {
  const { status } = refusal;
  if (status === 401 || status === 403) return leaveError(refusal, told);
  const said = status === 429 || status === 503 ? refusal.header('retry-after') : undefined;
  const retryAfter = said && withoutSecrets(said, told.secrets).slice(0, 40);
  const code: ErrorCode = status >= 500 ? 'UPSTREAM_LOST' : 'UPSTREAM_UNREACHABLE';
  const wait = retryAfter === undefined ? '' : `, to be tried again after ${retryAfter}`;
  // A request that ran out of time, or whose client was thought to be gone, may have begun.
  const hasSurelyNotRun = status < 500 && status !== 408 && status !== 499;
  return new DoorError(code, `${told.place} answered HTTP ${status}${wait}${snippetOf(refusal, told)}`, {
    data: {
      httpStatus: status,
      outcome: hasSurelyNotRun ? 'not-executed' : 'unknown',
      ...(retryAfter !== undefined && { retryAfter }),
    },
    ...hintFor(status),
  });
}

/** Refused for want of rights, and nobody there who could get them. */
function leaveError(refusal: Refusal, told: Told): DoorError {
  const { status } = refusal;
  const data = { httpStatus: status, outcome: 'not-executed' };
  const login = told.server === undefined ? 'doorward login' : `doorward login ${told.server}`;
  if (status === 401) {
    return new DoorError('AUTH_REQUIRED', `${told.place} wants to know who asks (HTTP 401)`, {
      data,
      hint: told.hasOwnToken
        ? `Correct the Authorization header in the entry of this server, or take it out and run \`${login}\`.`
        : `Run \`${login}\`, or set its Authorization header in the entry of this server.`,
    });
  }
  return new DoorError('FORBIDDEN', `${told.place} does not allow this (HTTP 403)${snippetOf(refusal, told)}`, {
    data,
    hint: told.hasOwnToken
      ? 'Ask those who run it for the right, or for another token.'
      : `Run \`${login}\` as somebody who may, or ask for the right.`,
  });
}

/** An answer that is none: no JSON, not of the request, not there at all. */
export function brokenAnswer(message: string, httpStatus: number): DoorError {
  return new DoorError('UPSTREAM_BROKE_PROTOCOL', message, { data: { httpStatus, outcome: 'unknown' } });
}

/** @param length what was counted when it was given up, or what the server announced */
export function tooLarge(length: number, maxBytes: number): DoorError {
  const message = `an answer of at least ${length} bytes is over the limit of ${maxBytes}`;
  return new DoorError('MESSAGE_TOO_LARGE', message, { data: { outcome: 'unknown' } });
}

/** The beginning of a body, for people; '' where there is nothing to show. */
export function snippetOf(refusal: Refusal, told: Told): string {
  // Secrets first: cut in two, or with a tag for a part of it, one would not be known.
  const text = withoutSecrets(decodeText(refusal.body.subarray(0, SNIPPET_SOURCE_BYTES)), told.secrets)
    .slice(0, SNIPPET_SOURCE_LENGTH)
    .replace(/<(?:style|script)\b[\s\S]*?(?:<\/(?:style|script)>|$)|<[^>]*>/g, ' ')
    .replace(/[\s\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g, ' ')
    .trim();
  return text === '' ? '' : `: ${text.slice(0, SNIPPET_LENGTH)}${text.length > SNIPPET_LENGTH ? '…' : ''}`;
}

function hintFor(status: number): DoorErrorOptions {
  if (status === 404 || status === 405) return { hint: 'Check the url in the entry of this server.' };
  if (status >= 500) return { hint: 'Look at the log of that server, or try again later.' };
  return {};
}
