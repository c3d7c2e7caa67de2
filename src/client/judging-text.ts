import { type JsonScanner, SCAN } from '../base/index.js';
import type { CallParams } from '../protocol/index.js';
import type { Judge } from '../schema/index.js';

/** What a judge cannot tell from the text alone. */
const NEEDS_PARSING = SCAN.riskyNumber | SCAN.duplicateName | SCAN.deep;

/** Whether a call's arguments are surely valid, as far as that can be told without parsing them. */
export function hasValidText(input: Judge, params: CallParams): boolean {
  if (params.argumentsStart < 0 || (params.argumentsFlags & NEEDS_PARSING) !== 0) return false;
  // A call that had to wait for its upstream has lost its tokens to others.
  if (params.tokens.text !== params.text) return false;
  return input.acceptsText(params.bytes, params.tokens, params.argumentsToken);
}

/**
 * The same of an answer's structuredContent, the member `at`. To be asked while the message is the scanner's last: when
 * the one who waits for the answer runs, others have been read.
 */
export function isSurelyValid(output: Judge | undefined, scanner: JsonScanner, bytes: Uint8Array, at: number): boolean {
  if (output === undefined || at < 0 || (scanner.flags[at]! & NEEDS_PARSING) !== 0) return false;
  return output.acceptsText(bytes, scanner.tokens, scanner.token[at]!);
}
