import { isNamed, MAX_IF_NONE_MATCH } from './entity-tag.js';

/** A document, as it goes out. */
export interface Document {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** Weak, in quotes. */
  readonly entityTag: string;
  /** How long whoever has it need not ask again. */
  readonly maxAgeSeconds: number;
  /** The value of its Link header. */
  readonly link?: string;
}

export interface DocumentRequest {
  readonly method: string;
  /** All If-None-Match headers, joined by commas; undefined where there was none. */
  readonly ifNoneMatch: string | undefined;
}

/** An HTTP answer: names and values of headers in turn. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body?: Uint8Array | string;
}

const METHODS = 'GET, HEAD, OPTIONS';

/**
 * Any page may read public documents (SEP-2127, Discovery, CORS); none is answered to a caller in particular, so no origin
 * needs to be allowed.
 */
const CORS = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Allow-Methods',
  'GET',
  'Access-Control-Allow-Headers',
  'Content-Type, If-None-Match',
  'Access-Control-Expose-Headers',
  'ETag',
];

const SAFE = ['X-Content-Type-Options', 'nosniff'];

/** Answers a request for a document: by what it asks alone, whoever asks, and whatever host it was asked by. */
export function answerDocument(document: Document, { method, ifNoneMatch }: DocumentRequest): Answer {
  if (method === 'OPTIONS') return answerOptions();
  if (method !== 'GET' && method !== 'HEAD') return refuseMethod(method);
  const { contentType, bytes, entityTag, maxAgeSeconds, link } = document;
  const kept = [
    'ETag',
    entityTag,
    'Cache-Control',
    `public, max-age=${maxAgeSeconds}`,
    // The same for everybody, save for whoever compresses it on the way.
    'Vary',
    'Accept-Encoding',
    ...CORS,
    ...(link === undefined ? [] : ['Link', link]),
  ];
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch.length > MAX_IF_NONE_MATCH) return refuseCondition(ifNoneMatch.length);
    if (isNamed(entityTag, ifNoneMatch)) return { status: 304, headers: kept };
  }
  const headers = ['Content-Type', contentType, ...kept, ...SAFE, 'Content-Length', String(bytes.length)];
  return method === 'HEAD' ? { status: 200, headers } : { status: 200, headers, body: bytes };
}

/** A document that is not there, or not here: says so, and what is. */
export function answerMissing(message: string, { method }: DocumentRequest): Answer {
  if (method === 'OPTIONS') return answerOptions();
  return refusal(404, message, method === 'HEAD');
}

function answerOptions(): Answer {
  return { status: 204, headers: ['Allow', METHODS, ...CORS, 'Access-Control-Max-Age', '86400'] };
}

function refuseMethod(method: string): Answer {
  const { headers, ...rest } = refusal(405, `${method.slice(0, 20)} is not for documents: ${METHODS}`, false);
  return { ...rest, headers: ['Allow', METHODS, ...headers] };
}

function refuseCondition(length: number): Answer {
  return refusal(431, `If-None-Match has ${length} characters, the limit is ${MAX_IF_NONE_MATCH}`, false);
}

function refusal(status: number, message: string, isHead: boolean): Answer {
  const body = JSON.stringify({ error: { message } });
  const headers = ['Content-Type', 'application/json', 'Cache-Control', 'no-store', ...CORS, ...SAFE];
  return isHead ? { status, headers } : { status, headers, body };
}
