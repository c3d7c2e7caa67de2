import { type Caller, DoorError } from '../base/index.js';
import { declaresTasks } from '../protocol/index.js';
import type { RawAnswer } from './raw-answer.js';

/**
 * A kind of result that is not known is no result (MCP 2026-07-28 basic/index, ResultType); those of extensions are known
 * where the caller declared them.
 *
 * @throws {DoorError} UPSTREAM_BROKE_PROTOCOL
 */
export function checkResultType(
  upstream: string,
  about: string,
  { resultType }: RawAnswer,
  caller: Caller | undefined,
): void {
  if (resultType === 'complete' || resultType === 'input_required') return;
  if (resultType === 'task' && caller !== undefined && declaresTasks(caller.capabilities)) return;
  throw new DoorError(
    'UPSTREAM_BROKE_PROTOCOL',
    `${upstream}: ${about}: a result of an unknown kind, ${JSON.stringify(resultType.slice(0, 80))}`,
    { data: { upstream, outcome: 'unknown' } },
  );
}
