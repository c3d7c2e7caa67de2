/** Every failure doorward can name. Each has a heading in docs/errors.md and a row in `ERROR_TABLE`. */
export type ErrorCode =
  | 'TOOL_UNKNOWN'
  | 'TOOL_EXCLUDED'
  | 'PROMPT_UNKNOWN'
  | 'RESOURCE_UNKNOWN'
  | 'INVALID_ARGUMENTS'
  | 'INVALID_ANSWER'
  | 'STATE_INVALID'
  | 'HEADER_MISMATCH'
  | 'CAPABILITY_MISSING'
  | 'VERSION_UNSUPPORTED'
  | 'UPSTREAM_UNREACHABLE'
  | 'UPSTREAM_LOST'
  | 'UPSTREAM_BROKE_PROTOCOL'
  | 'TIMEOUT'
  | 'AUTH_REQUIRED'
  | 'FORBIDDEN'
  | 'MESSAGE_TOO_LARGE'
  | 'BUSY'
  | 'RATE_LIMITED'
  | 'INTERNAL'
  | 'UNSUPPORTED_DIALECT'
  | 'UNRESOLVED_REF'
  | 'SCHEMA_INVALID'
  | 'SCHEMA_TOO_LARGE'
  | 'CONFIG_INVALID'
  | 'CONTRACT_INVALID'
  | 'DRIFT';

export interface ErrorRow {
  /** JSON-RPC error code; `null` where the failure never reaches the wire by itself. */
  readonly wire: number | null;
  /** Process exit code of the command line. */
  readonly exit: number;
}

const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
/** Of revisions before 2026-07-28 (MCP 2025-11-25 server/resources, Error Handling). */
const RESOURCE_NOT_FOUND = -32002;

/** The wire and the terminal read the same row, so the two can never tell different stories. */
export const ERROR_TABLE = {
  TOOL_UNKNOWN: { wire: INVALID_PARAMS, exit: 6 },
  TOOL_EXCLUDED: { wire: INVALID_PARAMS, exit: 6 },
  PROMPT_UNKNOWN: { wire: INVALID_PARAMS, exit: 6 },
  RESOURCE_UNKNOWN: { wire: RESOURCE_NOT_FOUND, exit: 6 },
  INVALID_ARGUMENTS: { wire: INVALID_PARAMS, exit: 6 },
  INVALID_ANSWER: { wire: INVALID_PARAMS, exit: 6 },
  STATE_INVALID: { wire: INVALID_PARAMS, exit: 6 },
  HEADER_MISMATCH: { wire: -32020, exit: 1 },
  CAPABILITY_MISSING: { wire: -32021, exit: 1 },
  VERSION_UNSUPPORTED: { wire: -32022, exit: 1 },
  UPSTREAM_UNREACHABLE: { wire: INTERNAL_ERROR, exit: 4 },
  UPSTREAM_LOST: { wire: INTERNAL_ERROR, exit: 4 },
  UPSTREAM_BROKE_PROTOCOL: { wire: INTERNAL_ERROR, exit: 4 },
  TIMEOUT: { wire: INTERNAL_ERROR, exit: 124 },
  AUTH_REQUIRED: { wire: INTERNAL_ERROR, exit: 3 },
  FORBIDDEN: { wire: INTERNAL_ERROR, exit: 3 },
  MESSAGE_TOO_LARGE: { wire: INTERNAL_ERROR, exit: 1 },
  BUSY: { wire: INTERNAL_ERROR, exit: 1 },
  RATE_LIMITED: { wire: INTERNAL_ERROR, exit: 1 },
  INTERNAL: { wire: INTERNAL_ERROR, exit: 1 },
  UNSUPPORTED_DIALECT: { wire: null, exit: 7 },
  UNRESOLVED_REF: { wire: null, exit: 7 },
  SCHEMA_INVALID: { wire: null, exit: 7 },
  SCHEMA_TOO_LARGE: { wire: null, exit: 7 },
  CONFIG_INVALID: { wire: null, exit: 2 },
  CONTRACT_INVALID: { wire: null, exit: 7 },
  DRIFT: { wire: null, exit: 7 },
} as const satisfies Record<ErrorCode, ErrorRow>;

export interface DoorErrorOptions {
  /** Facts for programs. JSON only; never a secret, never an argument's value. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** One imperative sentence: what the reader can do now. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** The one error class. Programs branch on `code`; people read `message`, then `hint`. */
export class DoorError extends Error {
  static {
    Object.defineProperty(DoorError.prototype, 'name', { value: 'DoorError' });
  }

  readonly code: ErrorCode;
  readonly data: Readonly<Record<string, unknown>>;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: DoorErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.data = options.data ?? {};
    this.hint = options.hint;
  }
}

/** Turns whatever was thrown into a DoorError; what is not ours becomes `INTERNAL`. Never throws: answers hang on it. */
export function toDoorError(thrown: unknown): DoorError {
  try {
    if (thrown instanceof DoorError) return thrown;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return new DoorError('INTERNAL', message, { cause: thrown });
  } catch {
    // Objects without a prototype and their like have no text.
    return new DoorError('INTERNAL', 'something was thrown that has no message', { cause: thrown });
  }
}

/** The same failure for a call that was never sent: nobody need wonder whether it had its effect. */
export function unsent(thrown: unknown): unknown {
  if (!(thrown instanceof DoorError) || thrown.data.outcome === undefined) return thrown;
  const { outcome: _, ...data } = thrown.data;
  return new DoorError(thrown.code, thrown.message, {
    data,
    ...(thrown.hint !== undefined && { hint: thrown.hint }),
    cause: thrown,
  });
}
