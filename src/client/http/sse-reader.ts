import { createParser, type EventSourceParser } from 'eventsource-parser';
import { decodeText, type JsonSlice, joinPieces, type Piece, sliceOf } from '../../base/index.js';
import { OversizeLine } from '../../protocol/index.js';
import { GatheredBytes } from './gathered-bytes.js';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
/** Names and ids of events are short. A longer line that is no data is nothing we know, nor are more of them than this. */
const MAX_FIELD_BYTES = 8_192;
const MAX_FIELDS_LENGTH = 65_536;
/** What a line of data costs beside its bytes: many empty ones are not free. */
const LINE_COST = 16;

export interface SseHandlers {
  /** One event. The memory is the receiver's. @param type `message` where the stream names none */
  event(type: string, data: JsonSlice): void;
  /** The data of an event grew past the limit; nothing of it is kept. Said while it is still coming in. */
  tooLarge?(): void;
  /** That event has ended; this is what could be read of it in passing. */
  oversize?(message: OversizeLine): void;
}

/**
 * Reads Server-Sent Events without making text of their data, which may be megabytes and must come through byte for byte.
 * Here the stream is cut into lines, and data set aside; what the lines mean is eventsource-parser's, which is given each
 * `data` line empty.
 */
export class SseReader {
  /** The id of the last event that had one; undefined where none had. An empty one takes it back. */
  lastEventId: string | undefined;
  /** How long the server wants us to wait before we come back, in milliseconds; undefined where it has not said. */
  retryMs: number | undefined;

  readonly #maxBytes: number;
  readonly #handlers: SseHandlers;
  readonly #parser: EventSourceParser;
  /** The lines of the event that is coming in, save its data. */
  #fields = '';
  #data: JsonSlice[] = [];
  #dataBytes = 0;
  /** The beginning of a line whose end has not come. */
  readonly #line = new GatheredBytes();
  #hasLineBegun = false;
  #isFirstLine = true;
  #isAfterCarriageReturn = false;
  #oversize: OversizeLine | undefined;
  #isStopped = false;

  constructor(maxBytes: number, handlers: SseHandlers) {
    this.#maxBytes = maxBytes;
    this.#handlers = handlers;
    this.#parser = createParser({
      onEvent: ({ id, event }) => {
        if (id !== undefined) this.lastEventId = id === '' ? undefined : id;
        this.#deliver(event ?? 'message');
      },
      onRetry: (retryMs) => {
        this.retryMs = retryMs;
      },
    });
  }

  /** The stream broke off and is taken up again: what had not ended is dropped, where it stood is not. */
  restart(): void {
    this.#line.takePieces();
    this.#hasLineBegun = false;
    this.#isFirstLine = true;
    this.#isAfterCarriageReturn = false;
    this.#dropEvent();
  }

  /** Nothing more is delivered, not even of the chunk that is being read. */
  stop(): void {
    this.#isStopped = true;
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    let from = this.#isAfterCarriageReturn && chunk[0] === LINE_FEED ? 1 : 0;
    this.#isAfterCarriageReturn = false;
    let feed = from - 1;
    let carriageReturn = from - 1;
    while (from < chunk.length && !this.#isStopped) {
      // Each kind of line end is looked for once, not once a line: a stream may have but one of them.
      if (feed < from) feed = indexOrEnd(chunk, LINE_FEED, from);
      if (carriageReturn < from) carriageReturn = indexOrEnd(chunk, CARRIAGE_RETURN, from);
      const end = Math.min(feed, carriageReturn);
      if (end === chunk.length) {
        this.#keep(chunk, from, end);
        return;
      }
      this.#endLine(chunk, from, end);
      from = end + 1;
      if (end === carriageReturn) {
        if (from === chunk.length) this.#isAfterCarriageReturn = true;
        else if (chunk[from] === LINE_FEED) from++;
      }
    }
  }

  #keep(chunk: Uint8Array, start: number, end: number): void {
    if (start === end) return;
    this.#hasLineBegun = true;
    const piece = chunk.subarray(start, end);
    if (this.#oversize !== undefined) this.#oversize.read(piece);
    else if (this.#dataBytes + this.#line.length + piece.length > this.#maxBytes) this.#overflow(piece);
    else this.#line.push(piece);
  }

  #overflow(piece: Uint8Array): void {
    const oversize = new OversizeLine();
    for (const slice of this.#data) oversize.read(slice.bytes.subarray(slice.start, slice.end));
    for (const each of this.#line.takePieces()) oversize.read(each);
    oversize.read(piece);
    this.#oversize = oversize;
    this.#data = [];
    // It is still an event, whose id counts.
    this.#fields += 'data:\n';
    this.#handlers.tooLarge?.();
  }

  #endLine(chunk: Uint8Array, start: number, end: number): void {
    const isBlank = start === end && !this.#hasLineBegun;
    this.#hasLineBegun = false;
    if (isBlank) {
      this.#isFirstLine = false;
      return this.#endEvent();
    }
    if (this.#oversize !== undefined) return this.#oversize.read(chunk.subarray(start, end));
    if (this.#line.length === 0) return this.#readLine(chunk, start, end);
    this.#line.push(chunk.subarray(start, end));
    const line = this.#line.take();
    this.#readLine(line, 0, line.length);
  }

  #readLine(bytes: Uint8Array, from: number, end: number): void {
    let start = from;
    if (this.#isFirstLine) {
      this.#isFirstLine = false;
      if (bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf) start += 3;
    }
    if (isData(bytes, start, end)) return this.#readData(bytes, Math.min(end, start + 5), end);
    if (bytes[start] === COLON || end - start > MAX_FIELD_BYTES || this.#fields.length > MAX_FIELDS_LENGTH) return;
    this.#fields += `${decodeText(bytes, start, end)}\n`;
  }

  #readData(bytes: Uint8Array, from: number, end: number): void {
    const start = bytes[from] === SPACE && from < end ? from + 1 : from;
    if (this.#dataBytes + end - start > this.#maxBytes) return this.#overflow(bytes.subarray(start, end));
    this.#dataBytes += end - start + LINE_COST;
    this.#fields += 'data:\n';
    this.#data.push({ bytes, start, end });
  }

  #endEvent(): void {
    if (this.#fields !== '' || this.#oversize !== undefined) this.#parser.feed(`${this.#fields}\n`);
    const oversize = this.#oversize;
    this.#dropEvent();
    if (oversize !== undefined) this.#handlers.oversize?.(oversize);
  }

  #dropEvent(): void {
    this.#fields = '';
    this.#data = [];
    this.#dataBytes = 0;
    this.#oversize = undefined;
  }

  #deliver(type: string): void {
    if (this.#oversize !== undefined) return;
    const slices = this.#data;
    if (slices.length === 1) return this.#handlers.event(type, slices[0]!);
    const pieces: Piece[] = [];
    for (const slice of slices) pieces.push(...(pieces.length === 0 ? [slice] : ['\n', slice]));
    this.#handlers.event(type, sliceOf(joinPieces(pieces)));
  }
}

function indexOrEnd(chunk: Uint8Array, byte: number, from: number): number {
  const at = chunk.indexOf(byte, from);
  return at < 0 ? chunk.length : at;
}

/** A line `data: …` or, bare, `data`. */
function isData(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < 4) return false;
  if (bytes[start] !== 0x64 || bytes[start + 1] !== 0x61 || bytes[start + 2] !== 0x74 || bytes[start + 3] !== 0x61) {
    return false;
  }
  return end - start === 4 || bytes[start + 4] === COLON;
}
