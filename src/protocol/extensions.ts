import { type CallerCapabilities, encodeText, membersOf } from '../base/index.js';

/** The identifier of the tasks extension (SEP-2663, Extension Identifier). */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** Whether a caller declared that it takes a task for an answer. */
export function declaresTasks({ extensions }: CallerCapabilities): boolean {
  if (extensions === undefined) return false;
  const bytes = encodeText(extensions);
  return membersOf(bytes, 0, bytes.length).some(({ name }) => name === TASKS_EXTENSION);
}
