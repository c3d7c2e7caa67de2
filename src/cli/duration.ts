import { usageError } from './usage-error.js';

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const MAX_MS = 86_400_000;

/** Reads a time as people write it: seconds, or a number with ms, s, m or h. @returns milliseconds */
export function readDuration(text: string, flag: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  const ms = match ? Math.round(Number(match[1]) * UNITS_MS[match[2] ?? 's']!) : Number.NaN;
  if (ms >= 1 && ms <= MAX_MS) return ms;
  throw usageError(
    `${flag} is a time of at least 1ms and at most 24h`,
    'Write seconds, or a unit: 30, 30s, 500ms, 2m.',
  );
}
