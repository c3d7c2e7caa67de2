import type { SchemaJudge } from './judge.js';
import type { SchemaWarning } from './types.js';

/** A judge, and what its compilation had to say. */
export interface Compiled {
  readonly judge: SchemaJudge;
  readonly warnings: readonly SchemaWarning[];
}

interface Known {
  readonly judge: Pick<WeakRef<SchemaJudge>, 'deref'>;
  readonly warnings: readonly SchemaWarning[];
}

/**
 * Every judge that somebody still holds, by its identity: upstreams list the same schemas again and again. What nobody
 * holds any more goes, where the platform can tell; some Workers cannot, and live shortly anyway.
 */
const known = new Map<string, Known>();
const canTell = typeof WeakRef === 'function' && typeof FinalizationRegistry === 'function';
const abandoned = canTell ? new FinalizationRegistry<string>(forget) : undefined;

function forget(identity: string): void {
  if (known.get(identity)?.judge.deref() === undefined) known.delete(identity);
}

export function findJudge(identity: string): Compiled | undefined {
  const found = known.get(identity);
  const judge = found?.judge.deref();
  return found === undefined || judge === undefined ? undefined : { judge, warnings: found.warnings };
}

export function rememberJudge(identity: string, { judge, warnings }: Compiled): void {
  known.set(identity, { judge: canTell ? new WeakRef(judge) : { deref: () => judge }, warnings });
  abandoned?.register(judge, identity);
}
