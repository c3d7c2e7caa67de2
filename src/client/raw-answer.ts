import { decodeText, encodeText, type JsonScanner, type Span, spells } from '../base/index.js';
import type { LocatedResult, Message } from '../protocol/index.js';
import type { Judge } from '../schema/index.js';
import { isPlainContent } from './content.js';
import { isSurelyValid } from './judging-text.js';

/** An upstream's answer to one request of ours, located. Offsets are into `bytes`; -1 where a member is absent. */
export interface RawAnswer extends LocatedResult {
  readonly kind: 'result' | 'error';
  readonly bytes: Uint8Array;
  /** The result or error object, braces included. */
  readonly start: number;
  readonly end: number;
  /** `SCAN` flags of the result or error. */
  readonly flags: number;
  readonly isError: boolean;
  /** What kind of result it is (MCP 2026-07-28 basic/index, ResultType); 'complete' where it does not say. */
  readonly resultType: string;
  /** Every block of the content is of a kind that needs no closer look. */
  readonly hasPlainContent: boolean;
  readonly contentStart: number;
  readonly contentEnd: number;
  readonly structuredStart: number;
  readonly structuredEnd: number;
  /** String values of more than 64 KiB in the message. */
  readonly longStrings: readonly Span[];
  /** `SCAN` flags of structuredContent. */
  readonly structuredFlags: number;
  /** What the request named as its `output` accepts structuredContent. */
  readonly isSurelyValid: boolean;
}

/** Notes where the parts of an answer lie that are looked at later; the scanner goes on to other messages. */
export function locateAnswer(scanner: JsonScanner, message: Message, output: Judge | undefined): RawAnswer {
  const { bytes, body } = message;
  const isResult = message.kind === 'result';
  const structured = isResult ? scanner.find('structuredContent', bytes, body) : -1;
  const content = isResult ? scanner.find('content', bytes, body) : -1;
  const isError = isResult ? scanner.find('isError', bytes, body) : -1;
  const type = isResult ? scanner.find('resultType', bytes, body) : -1;
  const meta = isResult ? scanner.find('_meta', bytes, body) : -1;
  return {
    kind: isResult ? 'result' : 'error',
    bytes,
    start: scanner.valueStart[body]!,
    end: scanner.valueEnd[body]!,
    flags: message.bodyFlags,
    isError: isError >= 0 && bytes[scanner.valueStart[isError]!] === 0x74,
    resultType: resultTypeOf(scanner, bytes, type),
    typeStart: type < 0 ? -1 : scanner.valueStart[type]!,
    typeEnd: type < 0 ? -1 : scanner.valueEnd[type]!,
    metaStart: meta < 0 ? -1 : scanner.valueStart[meta]!,
    metaEnd: meta < 0 ? -1 : scanner.valueEnd[meta]!,
    hasPlainContent: content < 0 || isPlainContent(scanner, bytes, content),
    contentStart: content < 0 ? -1 : scanner.valueStart[content]!,
    contentEnd: content < 0 ? -1 : scanner.valueEnd[content]!,
    structuredStart: structured < 0 ? -1 : scanner.valueStart[structured]!,
    structuredEnd: structured < 0 ? -1 : scanner.valueEnd[structured]!,
    longStrings: scanner.longStrings,
    structuredFlags: structured < 0 ? 0 : scanner.flags[structured]!,
    isSurelyValid: isSurelyValid(output, scanner, bytes, structured),
  };
}

function resultTypeOf(scanner: JsonScanner, bytes: Uint8Array, at: number): string {
  if (at < 0 || spells(bytes, scanner.valueStart[at]!, scanner.valueEnd[at]!, '"complete"')) return 'complete';
  // A value that is no string is no result type that we know.
  return String(JSON.parse(decodeText(bytes, scanner.valueStart[at]!, scanner.valueEnd[at]!)));
}

/** An answer that we give ourselves in an upstream's stead. @param text the result as JSON */
export function ownAnswer(text: string): RawAnswer {
  const bytes = encodeText(text);
  return {
    kind: 'result',
    bytes,
    start: 0,
    end: bytes.length,
    flags: 0,
    isError: false,
    resultType: 'complete',
    typeStart: -1,
    typeEnd: -1,
    metaStart: -1,
    metaEnd: -1,
    hasPlainContent: true,
    contentStart: -1,
    contentEnd: -1,
    structuredStart: -1,
    structuredEnd: -1,
    longStrings: [],
    structuredFlags: 0,
    isSurelyValid: true,
  };
}
