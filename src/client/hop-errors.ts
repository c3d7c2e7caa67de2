import { DoorError, decodeText, JsonScanner } from '../base/index.js';
import { type Era, errorCodeOf, HOP_ERROR } from '../protocol/index.js';
import type { RawAnswer } from './raw-answer.js';

/** The request surely had no effect: it was refused before anything was done with it. */
export function isNotExecuted(thrown: unknown): boolean {
  return thrown instanceof DoorError && thrown.data.outcome === 'not-executed' && thrown.code === 'UPSTREAM_LOST';
}

/** The upstream says that headers and body differ: it may want headers that we do not know of (MCP 2026-07-28 transports). */
export function isHeaderMismatch(answer: RawAnswer): boolean {
  return answer.kind === 'error' && errorCodeOf(answer) === HOP_ERROR.headerMismatch;
}

const HOP_CODES: readonly number[] = Object.values(HOP_ERROR);
const MAX_MESSAGE = 1_000;

const scanner = new JsonScanner();

/**
 * Refuses an error of an upstream that speaks of the connection between it and us. To our caller the same code would
 * speak of its own, where nothing is wrong. All other errors are the caller's to read.
 *
 * @throws {DoorError} UPSTREAM_BROKE_PROTOCOL; `data.upstreamError` holds what the upstream said. CAPABILITY_MISSING where
 *   that is what it says
 */
export function refuseHopError(upstream: string, about: string, answer: RawAnswer, era: Era): void {
  if (answer.kind !== 'error') return;
  const code = errorCodeOf(answer);
  if (!HOP_CODES.includes(code)) return;
  const { bytes, start, end } = answer;
  scanner.scan(bytes, start, end);
  const textOf = (name: string): string => {
    const at = scanner.find(name, bytes);
    if (at < 0) return '';
    return decodeText(bytes, scanner.valueStart[at]!, scanner.valueEnd[at]!);
  };
  // What we declared is what the caller did.
  if (code === HOP_ERROR.capabilityMissing && era === 'modern') throw capabilityMissing(upstream, about, textOf);
  const message = (JSON.parse(textOf('message')) as string).slice(0, MAX_MESSAGE);
  throw new DoorError(
    'UPSTREAM_BROKE_PROTOCOL',
    `${upstream}: ${about}: refused what doorward sent (error ${code}): ${message}`,
    {
      data: { upstream, upstreamError: { code, message } },
      hint: 'Report this: it is between doorward and the server, and nothing a caller can change.',
    },
  );
}

function capabilityMissing(upstream: string, about: string, textOf: (name: string) => string): DoorError {
  const data = textOf('data');
  const { requiredCapabilities } = (data === '' ? {} : (JSON.parse(data) ?? {})) as { requiredCapabilities?: unknown };
  return new DoorError(
    'CAPABILITY_MISSING',
    `${upstream}: ${about} needs a capability that its caller did not declare`,
    {
      data: { upstream, requiredCapabilities: requiredCapabilities ?? {} },
      hint: 'Use a client that declares it, or another tool.',
    },
  );
}
