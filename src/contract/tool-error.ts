/**
 * Thrown by a handler for what its caller should read. The message of any other error stays here: it may name paths,
 * addresses or worse.
 */
export class ToolError extends Error {
  static {
    Object.defineProperty(ToolError.prototype, 'name', { value: 'ToolError' });
  }
}
