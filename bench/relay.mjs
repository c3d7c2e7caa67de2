// @ts-check
/**
 * The floor: a framed relay. It does what any relay of JSON-RPC must do and nothing else: finds each message's end,
 * gives a request an id of its own, remembers whose it was, gives it back in the answer, and hands over one write a
 * chunk. Bodies are never parsed, checked or changed. A whole message is held until its end has come, as a relay must
 * that has more than one upstream: half a message cannot be called back.
 *
 * usage: node bench/relay.mjs COMMAND [ARG...]
 */
import { spawn } from 'node:child_process';

const NEWLINE = 10;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const ZERO = 0x30;
const NINE = 0x39;
const LETTER_E = 0x65;
const LETTER_M = 0x6d;
const LETTER_R = 0x72;

const SCRATCH_BYTES = 256 * 1024;
/** Up to here copying is cheaper than another piece in the write. */
const COPY_BYTES = 8 * 1024;
/** An id that the usual place holds ends well before this. */
const HEAD_BYTES = 256;
const ID_FIRST = Buffer.from('{"jsonrpc":"2.0","id":');

/** @typedef {{ start: number, end: number, isRequest: boolean }} IdPlace where the id's token stands */

const [command = '', ...args] = process.argv.slice(2);
const upstream = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });

/** Whose call it was, by our id: a number where the caller's id is plain digits, else its JSON text. @type {Map<number, number | string>} */
const callers = new Map();
let lastId = 0;

relayBytes(process.stdin, upstream.stdin, (bytes, place) => {
  if (!place.isRequest) return readToken(bytes, place);
  callers.set(++lastId, readToken(bytes, place));
  return lastId;
});
relayBytes(upstream.stdout, process.stdout, (bytes, place) => {
  const id = readToken(bytes, place);
  // A request of the upstream's own keeps its id: there is one upstream here, nobody else could mean the same.
  if (place.isRequest) return id;
  if (typeof id === 'string') return undefined;
  const caller = callers.get(id);
  callers.delete(id);
  return caller;
});
upstream.on('exit', () => process.exit(0));

/**
 * One direction. A message without an id passes as it is; one that `mapId` gives no id (an answer to nobody) is dropped.
 *
 * @param {import('node:stream').Readable} source
 * @param {import('node:stream').Writable} sink
 * @param {(bytes: Buffer, place: IdPlace) => number | string | undefined} mapId
 */
function relayBytes(source, sink, mapId) {
  let scratch = Buffer.allocUnsafe(SCRATCH_BYTES);
  let filled = 0;
  let isCorked = false;
  /** The chunks of a message whose end has not come yet. @type {Buffer[]} */
  let held = [];
  const place = { start: 0, end: 0, isRequest: false };
  const resume = () => source.resume();

  source.on('data', (/** @type {Buffer} */ chunk) => {
    let at = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, at)) {
      if (held.length === 0) pass(chunk, at, end + 1);
      else {
        held.push(chunk.subarray(0, end + 1));
        const pieces = held;
        held = [];
        passPieces(pieces);
      }
      at = end + 1;
    }
    if (at < chunk.length) held.push(at === 0 ? chunk : chunk.subarray(at));
    flush();
    if (isCorked) {
      isCorked = false;
      sink.uncork();
    }
    if (sink.writableNeedDrain) {
      source.pause();
      sink.once('drain', resume);
    }
  });
  source.on('end', () => sink.end());

  /** @param {Buffer} bytes @param {number} start @param {number} end */
  function pass(bytes, start, end) {
    if (!findFirstId(bytes, start, end, place) && !findAnyId(bytes, start, end, place)) return add(bytes, start, end);
    const id = mapId(bytes, place);
    if (id === undefined) return;
    add(bytes, start, place.start);
    filled = typeof id === 'number' ? putNumber(scratch, filled, id) : filled + scratch.write(id, filled);
    add(bytes, place.end, end);
  }

  /** @param {Buffer[]} pieces */
  function passPieces(pieces) {
    const [first] = pieces;
    // The id of a large message is looked for in its first chunk only; elsewhere the message must be laid together.
    if (!first || first.length < HEAD_BYTES || !findFirstId(first, 0, first.length, place)) {
      const whole = Buffer.concat(pieces);
      return pass(whole, 0, whole.length);
    }
    const id = mapId(first, place);
    if (id === undefined) return;
    add(first, 0, place.start);
    filled = typeof id === 'number' ? putNumber(scratch, filled, id) : filled + scratch.write(id, filled);
    add(first, place.end, first.length);
    for (let index = 1; index < pieces.length; index++) {
      const piece = /** @type {Buffer} */ (pieces[index]);
      add(piece, 0, piece.length);
    }
  }

  /** @param {Buffer} bytes @param {number} start @param {number} end */
  function add(bytes, start, end) {
    const length = end - start;
    if (length <= COPY_BYTES) {
      if (filled + length + HEAD_BYTES > SCRATCH_BYTES) flush();
      filled += bytes.copy(scratch, filled, start, end);
      return;
    }
    if (!isCorked) {
      isCorked = true;
      sink.cork();
    }
    flush();
    sink.write(length === bytes.length ? bytes : bytes.subarray(start, end));
  }

  /** The scratch is free again once nothing of it waits to be written. */
  function flush() {
    if (filled === 0) return;
    sink.write(scratch.subarray(0, filled));
    if (sink.writableLength > 0) {
      scratch = Buffer.allocUnsafe(SCRATCH_BYTES);
    }
    filled = 0;
  }
}

/** The usual layout: `{"jsonrpc":"2.0","id":` first, then what tells a request from an answer. @returns {boolean} whether it is that
 * @param {Buffer} bytes @param {number} start @param {number} end @param {IdPlace} place */
function findFirstId(bytes, start, end, place) {
  for (let index = 0; index < ID_FIRST.length; index++) if (bytes[start + index] !== ID_FIRST[index]) return false;
  let at = start + ID_FIRST.length;
  place.start = at;
  const limit = Math.min(end, start + HEAD_BYTES);
  if (bytes[at] === QUOTE) {
    for (at++; at < limit && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) return false;
    at++;
  } else while (at < limit && bytes[at] !== COMMA) at++;
  if (bytes[at] !== COMMA || bytes[at + 1] !== QUOTE || at + 2 >= limit) return false;
  place.end = at;
  const letter = bytes[at + 2];
  place.isRequest = letter === LETTER_M;
  return letter === LETTER_M || letter === LETTER_R || letter === LETTER_E;
}

/** Any other layout: walks the whole message for its own `id` and `method`. @returns {boolean} whether there is an id
 * @param {Buffer} bytes @param {number} start @param {number} end @param {IdPlace} place */
function findAnyId(bytes, start, end, place) {
  let depth = 0;
  let name = '';
  let hasId = false;
  place.isRequest = false;
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const from = at + 1;
      for (at++; at < end && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
      if (depth === 1) {
        let next = at + 1;
        while (bytes[next] === 0x20 || bytes[next] === 0x09 || bytes[next] === 0x0d) next++;
        if (bytes[next] === COLON) {
          name = at - from < 16 ? bytes.toString('latin1', from, at) : '';
          if (name === 'method') place.isRequest = true;
          if (name === 'id') {
            place.start = next + 1;
            hasId = true;
          }
        }
      }
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    if ((byte === COMMA && depth === 1) || (byte === CLOSE_BRACE && depth === 1)) {
      if (name === 'id') place.end = at;
      name = '';
    }
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
  }
  return hasId;
}

/** @param {Buffer} bytes @param {IdPlace} place @returns {number | string} */
function readToken(bytes, { start, end }) {
  if (end - start <= 15) {
    let value = 0;
    let at = start;
    for (; at < end; at++) {
      const byte = /** @type {number} */ (bytes[at]);
      if (byte < ZERO || byte > NINE) break;
      value = value * 10 + byte - ZERO;
    }
    if (at === end && (bytes[start] !== ZERO || end - start === 1)) return value;
  }
  return bytes.toString('utf8', start, end);
}

/** @param {Buffer} bytes @param {number} at @param {number} value @returns {number} where the digits end */
function putNumber(bytes, at, value) {
  let digits = 1;
  for (let bound = 10; value >= bound; bound *= 10) digits++;
  for (let index = at + digits - 1; index >= at; index--) {
    const rest = Math.floor(value / 10);
    bytes[index] = ZERO + value - rest * 10;
    value = rest;
  }
  return at + digits;
}
