import { type DoorError, encodeText, joinPieces, SCAN, sliceOf, stringifyJson } from '../base/index.js';
import type { CatalogEntry, ListedTool } from '../catalog/index.js';
import type { RawAnswer } from '../client/index.js';
import { toHandshakeResult } from '../protocol/index.js';
import type { Issue } from '../schema/index.js';
import type { ToolAnswer } from './types.js';

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

/** An upstream's answer to a call of a tool, as a caller of the handshake era can read it. */
export function handshakeAnswerOf(tool: ListedTool, raw: RawAnswer, violations: readonly Issue[]): ToolAnswer {
  const answer = answerOf(raw, violations);
  if (raw.kind === 'error' || raw.resultType !== 'complete') return answer;
  const pieces = toHandshakeResult(raw, { tool: { wrapsOutput: tool.wrapsOutput === true } });
  return { ...answer, json: sliceOf(joinPieces(pieces)) };
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
