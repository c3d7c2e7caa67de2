import { type EventBus, findDuplicateName, SCAN } from '../base/index.js';
import type { ListedTool } from '../catalog/index.js';
import type { Issue } from '../schema/index.js';
import { findOddContent } from './content.js';
import { judgeAnswer } from './judging.js';
import type { RareWarnings } from './rare-warnings.js';
import type { RawAnswer } from './raw-answer.js';

const NO_ISSUES: readonly Issue[] = Object.freeze([]);
/** So many odd blocks of one answer are told of. */
const MAX_ODD = 5;

export interface InspectingOptions {
  readonly upstream: string;
  readonly events: EventBus;
  readonly warnings: RareWarnings;
}

/** Judges what came back from a call, and tells what is odd about it. The answer itself stays as it is. */
export function inspectAnswer(
  tool: ListedTool,
  answer: RawAnswer,
  { upstream, events, warnings }: InspectingOptions,
): readonly Issue[] {
  if (answer.kind === 'error') return NO_ISSUES;
  const violations = judgeAnswer(tool, answer);
  if (violations.length > 0) events.emit('output.violation', { upstream, tool: tool.name, issues: violations });
  if (!events.hears('server.warning')) return violations;
  const warn = (warning: string, ...messages: readonly string[]): void =>
    warnings.tell(
      warning,
      messages.map((message) => `${tool.name}: ${message}`),
      tool.name,
    );
  if (tool.output !== undefined && !answer.isError && answer.structuredStart < 0) {
    warn('missing-structured-content', 'declares an outputSchema but answered without structuredContent');
  }
  if (!answer.hasPlainContent) {
    const odd = findOddContent(answer.bytes, answer.contentStart, answer.contentEnd);
    warn('odd-content', ...odd.slice(0, MAX_ODD));
  }
  if (answer.flags & SCAN.duplicateName) {
    const name = findDuplicateName(answer.bytes, answer.start, answer.end);
    if (name !== undefined) warn('duplicate-name', `the name ${JSON.stringify(name)} occurs twice in an object`);
  }
  return violations;
}
