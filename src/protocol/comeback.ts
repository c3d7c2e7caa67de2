import { dropEdits, type Edit, type JsonScanner, type JsonSlice, membersOf } from '../base/index.js';
import { readString } from './strings.js';

/**
 * What a request carries that is sent again with what was asked for (MCP 2026-07-28 basic/patterns/mrtr): both are absent
 * from a first one.
 */
export interface Comeback {
  readonly requestState?: string;
  /** The text of `inputResponses`, an object. */
  readonly inputResponses?: JsonSlice;
}

export const NO_COMEBACK: Comeback = Object.freeze({});

/** Reads what a request comes back with. @returns a sentence where it is no good */
export function locateComeback(scanner: JsonScanner, bytes: Uint8Array, params: number): Comeback | string {
  const state = scanner.find('requestState', bytes, params);
  const responses = scanner.find('inputResponses', bytes, params);
  if (state < 0 && responses < 0) return NO_COMEBACK;
  if (state >= 0 && bytes[scanner.valueStart[state]!] !== 0x22) return 'params.requestState is not a string';
  if (responses >= 0 && bytes[scanner.valueStart[responses]!] !== 0x7b) return 'params.inputResponses is not an object';
  return {
    ...(state >= 0 && { requestState: readString(bytes, scanner.valueStart[state]!, scanner.valueEnd[state]!) }),
    ...(responses >= 0 && {
      inputResponses: { bytes, start: scanner.valueStart[responses]!, end: scanner.valueEnd[responses]! },
    }),
  };
}

const OWN_MEMBERS: ReadonlySet<string> = new Set(['task', 'requestState', 'inputResponses']);

/** Takes out of a request's params what is not passed on. */
export function ownMemberEdits(bytes: Uint8Array, start: number, end: number): Edit[] {
  return dropEdits(membersOf(bytes, start, end), OWN_MEMBERS);
}
