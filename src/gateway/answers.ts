import { type DoorError, encodeText, joinPieces, SCAN, sliceOf, stringifyJson } from '../base/index.js';
import type { CatalogEntry, ListedTool } from '../catalog/index.js';
import type { RawAnswer } from '../client/index.js';
import { toHandshakeError, toHandshakeResult } from '../protocol/index.js';
import type { Issue } from '../schema/index.js';
import type { RelayedAnswer, ToolAnswer } from './types.js';

/** An upstream's answer as it came. */
export function answerOf(raw: RawAnswer, violations: readonly Issue[]): ToolAnswer {
  return {
    kind: raw.kind,
    json: raw,
    hasLineBreaks: (raw.flags & SCAN.lineBreak) !== 0,
    isError: raw.isError,
    violations,
    ...(raw.resultType === 'input_required' && { isInputRequired: true }),
  };
}

/**
 * The answer of an upstream of the modern era, as a caller of the handshake era can read it.
 *
 * @param tool where it is the answer to a call of one
 */
export function handshakeAnswerOf(answer: ToolAnswer, method: string, tool?: ListedTool): ToolAnswer {
  const { kind, json, isInputRequired } = answer;
  if (isInputRequired) return answer;
  const options = tool && { tool: { wrapsOutput: tool.wrapsOutput } };
  const pieces = kind === 'error' ? toHandshakeError(json, method) : toHandshakeResult(json, options);
  return pieces.length === 1 && pieces[0] === json ? answer : { ...answer, json: sliceOf(joinPieces(pieces)) };
}

/** A refused call as an isError result, for models that are never shown protocol errors. */
export function refusalAsResult(refusal: DoorError): ToolAnswer {
  const issues = (refusal.data.issues ?? []) as readonly Issue[];
  const lines = issues.map(
    (issue) => `- ${issue.path}: ${issue.message}${issue.hint === undefined ? '' : ` (${issue.hint})`}`,
  );
  const text = [refusal.message, ...lines, refusal.hint ?? ''].join('\n').trim();
  return errorResult(text, { code: refusal.code, ...refusal.data }, []);
}

/** An answer that broke its outputSchema, where the operator chose to enforce it. */
export function violationAsResult(entry: CatalogEntry, violations: readonly Issue[]): ToolAnswer {
  const lines = violations.map((issue) => `- ${issue.path}: ${issue.message}`);
  const text = [`The answer of ${entry.tool.name} breaks its outputSchema and is not delivered:`, ...lines].join('\n');
  return errorResult(text, { code: 'INVALID_ANSWER', upstream: entry.mount, tool: entry.tool.name }, violations);
}

function errorResult(text: string, facts: Record<string, unknown>, violations: readonly Issue[]): ToolAnswer {
  const result = { content: [{ type: 'text', text }], isError: true, _meta: { 'doorward/error': facts } };
  return {
    kind: 'result',
    json: sliceOf(encodeText(stringifyJson(result))),
    hasLineBreaks: false,
    isError: true,
    violations,
  };
}

/** An answer of our own. @param text the result as JSON */
export function resultOf(text: string): RelayedAnswer {
  return { kind: 'result', json: sliceOf(encodeText(text)), hasLineBreaks: false };
}
