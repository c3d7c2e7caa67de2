// @ts-check
/**
 * HTTP/1.1 as the bench's own two ends speak it, on bare sockets: the load and the upstream share a core, and Node's
 * client and server would cost there more than most of what stands in the middle.
 */

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = /\r\ncontent-length: *(\d+)/i;
const CHUNKED = /\r\ntransfer-encoding: *chunked/i;

/** @typedef {(head: string, pieces: readonly Buffer[], length: number) => void} OnMessage `length` in bytes, of all pieces */

/** Finds the ends of the messages that come on one connection, each with its body. */
export class MessageReader {
  /** @param {OnMessage} onMessage */
  constructor(onMessage) {
    this.onMessage = onMessage;
    /** What has come of a head. @type {Buffer | undefined} */
    this.begun = undefined;
    /** The head whose body is under way. @type {string | undefined} */
    this.head = undefined;
    /** @type {Buffer[]} */
    this.pieces = [];
    this.wanted = 0;
    this.length = 0;
    this.isChunked = false;
  }

  /** @param {Buffer} chunk */
  push(chunk) {
    /** @type {Buffer | undefined} */
    let rest = chunk;
    while (rest !== undefined && rest.length > 0)
      rest = this.head === undefined ? this.readHead(rest) : this.readBody(rest);
  }

  /** @param {Buffer} chunk @returns {Buffer | undefined} what follows the head */
  readHead(chunk) {
    const bytes = this.begun === undefined ? chunk : Buffer.concat([this.begun, chunk]);
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) {
      this.begun = bytes;
      return undefined;
    }
    this.begun = undefined;
    const head = bytes.toString('latin1', 0, end);
    this.isChunked = CHUNKED.test(head);
    this.wanted = Number(LENGTH.exec(head)?.[1] ?? 0);
    this.length = 0;
    this.pieces = [];
    const rest = bytes.subarray(end + HEAD_END.length);
    if (this.wanted === 0 && !this.isChunked) {
      this.onMessage(head, [], 0);
      return rest;
    }
    this.head = head;
    return rest;
  }

  /** @param {Buffer} chunk @returns {Buffer | undefined} what follows the body */
  readBody(chunk) {
    if (this.isChunked) return this.readChunks(chunk);
    const missing = this.wanted - this.length;
    const piece = chunk.length <= missing ? chunk : chunk.subarray(0, missing);
    this.pieces.push(piece);
    this.length += piece.length;
    if (this.length === this.wanted) this.finish();
    return chunk.length > missing ? chunk.subarray(missing) : undefined;
  }

  /** Slow, and nobody's usual way here: laid together and read again until its last chunk is there. @param {Buffer} chunk */
  readChunks(chunk) {
    const bytes = this.begun === undefined ? chunk : Buffer.concat([this.begun, chunk]);
    const pieces = [];
    let length = 0;
    for (let at = 0; ; ) {
      const lineEnd = bytes.indexOf('\r\n', at);
      const size = lineEnd < 0 ? -1 : Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
      const end = lineEnd + 2 + size + 2;
      if (size < 0 || end > bytes.length) {
        this.begun = bytes;
        return undefined;
      }
      if (size > 0) pieces.push(bytes.subarray(lineEnd + 2, end - 2));
      length += size;
      at = end;
      if (size > 0) continue;
      this.begun = undefined;
      this.pieces = pieces;
      this.length = length;
      this.finish();
      return bytes.subarray(at);
    }
  }

  finish() {
    const { head = '', pieces, length } = this;
    this.head = undefined;
    this.pieces = [];
    this.onMessage(head, pieces, length);
  }
}

const ID_FIRST = '{"jsonrpc":"2.0","id":';
const ID_LAST = '"id":';
/** So far from a message's ends an id may stand. */
const EDGE_BYTES = 64;

/**
 * The id's text: first in the message, as most write it, or last, as the official SDK does.
 *
 * @param {readonly Buffer[]} pieces @returns {string}
 */
export function idOf(pieces) {
  const first = /** @type {Buffer} */ (pieces[0]).toString('latin1', 0, EDGE_BYTES);
  if (first.startsWith(ID_FIRST)) return first.slice(ID_FIRST.length, first.indexOf(',', ID_FIRST.length));
  const last = tailOf(pieces);
  const at = last.lastIndexOf(ID_LAST);
  if (at < 0) throw new Error(`the id stands at neither end: ${first}`);
  return /** @type {string} */ (/^[^,}]*/.exec(last.slice(at + ID_LAST.length))?.[0]);
}

/** @param {readonly Buffer[]} pieces */
function tailOf(pieces) {
  let tail = '';
  for (let index = pieces.length - 1; index >= 0 && tail.length < EDGE_BYTES; index--) {
    const piece = /** @type {Buffer} */ (pieces[index]);
    tail = piece.toString('latin1', Math.max(0, piece.length - EDGE_BYTES)) + tail;
  }
  return tail;
}

/** @param {readonly Buffer[]} pieces @returns {Buffer} */
export function whole(pieces) {
  return pieces.length === 1 ? /** @type {Buffer} */ (pieces[0]) : Buffer.concat(pieces);
}
