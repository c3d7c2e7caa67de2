/** How long what is still unwritten may take once all else has ended. */
const LAST_CHANCE_MS = 200;

/**
 * The process is done, or about to be: whoever holds its stdout or stderr but does not read it must not keep it for ever.
 * It ends with the exit code that is set by then; at once where everything has been written.
 */
export function leaveSoon(): void {
  const isHeld = (): boolean => process.stdout.writableLength > 0 || process.stderr.writableLength > 0;
  setTimeout(() => isHeld() && process.exit(), LAST_CHANCE_MS).unref();
}
