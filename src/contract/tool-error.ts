/**
 * Thrown by a handler for what its caller should read. The message of any other error stays here: it may name paths,
 * addresses or worse.
 */
export class ToolError extends Error {
  static {
    Object.defineProperty(ToolError.prototype, 'name', { value: 'ToolError' });
  }
}

/** Whether a handler threw one; it may have been made by another copy of doorward than the one that serves it. */
export function isToolError(thrown: unknown): thrown is ToolError {
  return thrown instanceof Error && thrown.name === 'ToolError';
}
