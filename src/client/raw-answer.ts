import { decodeText, encodeText, type JsonScanner, type Span } from '../base/index.js';
import type { Message } from '../protocol/index.js';
import type { Judge } from '../schema/index.js';
import { isPlainContent } from './content.js';
import { isSurelyValid } from './judging-text.js';

/** An upstream's answer to one request of ours, located. Offsets are into `bytes`; -1 where a member is absent. */
export interface RawAnswer {
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
  return {
    kind: isResult ? 'result' : 'error',
    bytes,
    start: scanner.valueStart[body]!,
    end: scanner.valueEnd[body]!,
    flags: message.bodyFlags,
    isError: isError >= 0 && bytes[scanner.valueStart[isError]!] === 0x74,
    resultType: isResult ? resultTypeOf(scanner, message) : 'complete',
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

function resultTypeOf(scanner: JsonScanner, { bytes, body }: Message): string {
  const at = scanner.find('resultType', bytes, body);
  if (at < 0) return 'complete';
  const text = decodeText(bytes, scanner.valueStart[at]!, scanner.valueEnd[at]!);
  // A value that is no string is no result type that we know.
  return text === '"complete"' ? 'complete' : String(JSON.parse(text));
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
