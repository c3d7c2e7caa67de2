import { compileSchema } from '../../src/schema/index.js';
import type { Bomb } from './bombs/index.js';

export interface BombResult {
  readonly name: string;
  readonly answer: string;
  /** Schema paths of the compilation's warnings. */
  readonly warnings: readonly string[];
  /** CPU of all threads for compiling, in milliseconds. */
  readonly compileMs: number;
  /** The same for the verdict; 0 where there is none. */
  readonly checkMs: number;
  /** Resident memory at the answer, beyond that before, in MiB; the texts themselves were there before. */
  readonly rssMiB: number;
  /** The heap's growth once garbage is collected; NaN where the process was not started with --expose-gc. */
  readonly keptMiB: number;
}

/** Compiles and judges one bomb in this process. */
export function runBomb(bomb: Bomb): BombResult {
  const schema = handedOver(bomb.schema(), bomb);
  const value = bomb.value === undefined ? undefined : handedOver(bomb.value(), bomb);
  globalThis.gc?.();
  const heapBefore = heapBytes();
  const rssBefore = process.memoryUsage.rss();
  const outcome = goOff(schema, value);
  const rssMiB = (process.memoryUsage.rss() - rssBefore) / 2 ** 20;
  globalThis.gc?.();
  const keptMiB = globalThis.gc === undefined ? Number.NaN : (heapBytes() - heapBefore) / 2 ** 20;
  return { name: bomb.name, ...outcome, rssMiB, keptMiB };
}

function heapBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function handedOver(text: string, { asValues }: Bomb): unknown {
  return asValues ? JSON.parse(text) : text;
}

function goOff(schema: unknown, value: unknown): Omit<BombResult, 'name' | 'rssMiB' | 'keptMiB'> {
  const start = process.cpuUsage();
  const compilation = compileSchema(schema);
  const compileMs = millisSince(start);
  if (!compilation.ok) return { answer: compilation.error.code, warnings: [], compileMs, checkMs: 0 };
  const warnings = compilation.warnings.map(({ schemaPath }) => schemaPath);
  if (value === undefined) return { answer: 'compiled', warnings, compileMs, checkMs: 0 };
  const compiled = process.cpuUsage();
  const verdict = compilation.judge.check(value);
  const checkMs = millisSince(compiled);
  if (verdict.valid) return { answer: 'valid', warnings, compileMs, checkMs };
  return { answer: verdict.gaveUp ? 'no verdict' : 'invalid', warnings, compileMs, checkMs };
}

function millisSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** What is wrong with the answer; empty where it is one of those that may be given. */
export function faultOf({ answers, warnsAt }: Bomb, { answer, warnings }: BombResult): string {
  if (!answers.some((one) => one === answer)) return `answered ${answer}, expected ${answers.join(' or ')}`;
  if (answer === 'valid' && warnsAt !== undefined && !warnings.includes(warnsAt))
    return `valid, without a warning at ${warnsAt}`;
  return '';
}
