import { DoorError, decodeText, JsonScanner } from '../base/index.js';
import type { RawAnswer } from './raw-answer.js';

/** HEADER_MISMATCH, CAPABILITY_MISSING and VERSION_UNSUPPORTED (MCP 2026-07-28 basic): about a connection, not a call. */
const HOP_CODES = new Set(['-32020', '-32021', '-32022']);
const MAX_MESSAGE = 1_000;

const scanner = new JsonScanner();

/**
 * Refuses an error of an upstream that speaks of the connection between it and us. To our caller the same code would
 * speak of its own, where nothing is wrong. All other errors are the caller's to read.
 *
 * @throws {DoorError} UPSTREAM_BROKE_PROTOCOL; `data.upstreamError` holds what the upstream said
 */
export function refuseHopError(upstream: string, about: string, answer: RawAnswer): void {
  if (answer.kind !== 'error') return;
  const { bytes, start, end } = answer;
  scanner.scan(bytes, start, end);
  const textOf = (name: string): string => {
    const at = scanner.find(name, bytes);
    return decodeText(bytes, scanner.valueStart[at]!, scanner.valueEnd[at]!);
  };
  const code = textOf('code');
  if (!HOP_CODES.has(code)) return;
  const message = (JSON.parse(textOf('message')) as string).slice(0, MAX_MESSAGE);
  throw new DoorError(
    'UPSTREAM_BROKE_PROTOCOL',
    `${upstream}: ${about}: refused what doorward sent (error ${code}): ${message}`,
    {
      data: { upstream, upstreamError: { code: Number(code), message } },
      hint: 'Report this: it is between doorward and the server, and nothing a caller can change.',
    },
  );
}
