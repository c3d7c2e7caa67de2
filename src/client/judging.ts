import { DoorError, findDuplicateName, readValue, SCAN, type Span } from '../base/index.js';
import type { ListedTool } from '../catalog/index.js';
import type { CallParams } from '../protocol/index.js';
import type { Issue } from '../schema/index.js';
import { hasValidText } from './judging-text.js';
import type { RawAnswer } from './raw-answer.js';

const NO_ARGUMENTS = Object.freeze({});
const NO_SPANS: readonly Span[] = Object.freeze([]);
const NO_ISSUES: readonly Issue[] = Object.freeze([]);

/**
 * Judges the arguments of a call from the caller's own bytes. Returns quietly, or refuses the call.
 *
 * @throws {DoorError} INVALID_ARGUMENTS; `data.issues` says what is wrong where, never with the value itself
 */
export function judgeArguments(upstream: string, tool: ListedTool, params: CallParams, maxDepth: number): void {
  const { bytes, argumentsStart: start, argumentsEnd: end, argumentsFlags: flags } = params;
  if (params.mayRepeatNames) {
    const name = findDuplicateName(bytes, params.start, params.end);
    if (name !== undefined)
      throw refused(upstream, tool, [
        rootIssue('uniqueNames', `the name ${JSON.stringify(name.slice(0, 200))} occurs twice`),
      ]);
  }
  if (flags & SCAN.deep) {
    throw refused(upstream, tool, [rootIssue('maxDepth', `nested more than ${maxDepth} levels deep`)]);
  }
  if (hasValidText(tool.input, params)) return;
  const value =
    start < 0
      ? NO_ARGUMENTS
      : readValue(bytes, start, end, {
          exact: (flags & SCAN.riskyNumber) !== 0,
          standIns: tool.input.looksIntoStrings ? NO_SPANS : params.longStrings,
        });
  const verdict = tool.input.checkValue(value);
  if (!verdict.valid) throw refused(upstream, tool, verdict.issues, verdict.truncated);
}

/** Where an answer's structuredContent breaks the tool's outputSchema; empty when it does not or is not judged. */
export function judgeAnswer(tool: ListedTool, answer: RawAnswer): readonly Issue[] {
  if (tool.output === undefined || answer.isError || answer.structuredStart < 0) return NO_ISSUES;
  if (answer.isSurelyValid) return NO_ISSUES;
  const value = readValue(answer.bytes, answer.structuredStart, answer.structuredEnd, {
    exact: (answer.structuredFlags & SCAN.riskyNumber) !== 0,
    standIns: tool.output.looksIntoStrings ? NO_SPANS : answer.longStrings,
  });
  const verdict = tool.output.checkValue(value);
  return verdict.valid ? NO_ISSUES : verdict.issues;
}

function rootIssue(keyword: string, message: string): Issue {
  return { path: '$', pointer: '', keyword, expected: 'well-formed arguments', received: 'object', message };
}

function refused(upstream: string, tool: ListedTool, issues: readonly Issue[], truncated = false): DoorError {
  const first = issues[0];
  const where = first === undefined ? 'they do not match the schema' : `${first.path}: ${first.message}`;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return new DoorError('INVALID_ARGUMENTS', `Invalid arguments for ${tool.name}: ${where}${more}`, {
    data: { upstream, tool: tool.name, issues, ...(truncated && { truncated }) },
    hint: 'Correct the arguments as the issues say and call again; the server saw nothing of this call.',
  });
}
