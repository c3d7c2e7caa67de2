import { JsonScanner, type JsonSlice, joinPieces, onOneLine, sliceOf, splice } from '../base/index.js';
import { notificationMessage } from '../protocol/index.js';
import type { Reply } from './types.js';

/** Progress comes while a message of the caller may be half read: its own scanner keeps that one's index untouched. */
const scanner = new JsonScanner();

/** Passes a progress notification on under the caller's own token; the rest of it is the upstream's text. */
export function tellProgress({ bytes, start, end }: JsonSlice, token: string, tell: Reply): void {
  scanner.scan(bytes, start, end);
  const at = scanner.find('progressToken', bytes);
  const edit = { start: scanner.valueStart[at]!, end: scanner.valueEnd[at]!, by: token };
  const body = joinPieces(splice(bytes, start, end, [edit]));
  tell(notificationMessage('notifications/progress', onOneLine(sliceOf(body))));
}
