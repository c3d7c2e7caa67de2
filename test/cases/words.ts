/** The words of cases.json, and what doorward says in their place. One table, so that nobody has to guess twice. */

/** Why a tool is left out: the word of `excluded[].reason` and `expect.compile`, our error code. */
export const EXCLUSION_CODES: Readonly<Record<string, string>> = {
  InvalidSchema: 'SCHEMA_INVALID',
  UnresolvedRef: 'UNRESOLVED_REF',
  UnsupportedDialect: 'UNSUPPORTED_DIALECT',
  TooComplex: 'SCHEMA_TOO_LARGE',
};

/** How a call ends: the word of `outcome`, what the caller sees. `wire` is the JSON-RPC code, `code` is data.code. */
export const OUTCOMES: Readonly<Record<string, { readonly wire?: number; readonly code?: string }>> = {
  forwarded: {},
  rejected_before_send: { wire: -32602, code: 'INVALID_ARGUMENTS' },
};

/** A call to a tool that is not there, or is there no more. */
export const UNKNOWN_TOOL = { wire: -32602, code: 'TOOL_UNKNOWN' } as const;

/** A call to a tool that was left out; data names the reason. */
export const EXCLUDED_TOOL = { wire: -32602, code: 'TOOL_EXCLUDED' } as const;

/** Failures beside verdicts: the word of the case, our data.code. */
export const FAILURES: Readonly<Record<string, string>> = {
  timeout: 'TIMEOUT',
  command_not_found: 'UPSTREAM_UNREACHABLE',
  message_too_large: 'MESSAGE_TOO_LARGE',
  'immediate busy error with the limit': 'BUSY',
};

/** What a server hears that asked a caller for something it cannot have. */
export const ASKED = {
  invalidAnswer: { wire: -32602, code: 'INVALID_ANSWER', event: 'elicitation.rejected' },
  undeclaredMode: { wire: -32602 },
} as const;

/** Warnings: the word of the case, the event and the stable kind it carries. */
export const WARNINGS: Readonly<Record<string, { readonly event: string; readonly warning?: string }>> = {
  'warning per excluded tool': { event: 'tool.excluded' },
  'warning inputSchema-without-type': { event: 'server.warning', warning: 'missing-root-type' },
  'pagination loop': { event: 'server.warning', warning: 'pagination-loop' },
  'duplicate response': { event: 'server.warning', warning: 'late-or-duplicate-response' },
  'unknown response id': { event: 'server.warning', warning: 'unknown-response-id' },
  late_response: { event: 'server.warning', warning: 'late-or-duplicate-response' },
  'made_up_token dropped with diagnostics': { event: 'server.warning', warning: 'unknown-progress-token' },
  'one rate-limited per upstream with a sample': { event: 'server.warning', warning: 'noise-on-stdout' },
  'unknown content block': { event: 'server.warning', warning: 'odd-content' },
  'no structuredContent': { event: 'server.warning', warning: 'missing-structured-content' },
  'a wrong format': { event: 'server.warning', warning: 'elicitation-format' },
  'passed to the client with one warning': { event: 'server.warning', warning: 'elicitation-form' },
};
