import { DoorError } from '../base/index.js';

/** What a process wrote beside the protocol: the last of its stderr, and the first on its stdout that was no message. */
export interface Written {
  readonly tail: string;
  readonly noise: string;
  /** It is reached over a network: there is no process of ours to look at. */
  readonly isRemote: boolean;
}

/** A connection that was lost says what the process itself had to say about it. */
export function explainLoss(reason: DoorError, { tail }: Written): DoorError {
  const said = tellingLines(tail);
  if (said === '') return reason;
  const { code, message, data, hint } = reason;
  const options = { data, ...(hint !== undefined && { hint }), cause: reason };
  return new DoorError(code, `${message}. It wrote: ${said}`, options);
}

/** A start that failed says what the process itself had to say about it. */
export function explainStart(upstream: string, error: DoorError, written: Written): DoorError {
  const tail = tellingLines(written.tail);
  if (error.code === 'TIMEOUT' && written.noise !== '') return explainNoise(upstream, error, written.noise);
  const { code: first } = error.cause instanceof DoorError ? error.cause : error;
  const code = first === 'UPSTREAM_LOST' || first === 'INTERNAL' ? 'UPSTREAM_UNREACHABLE' : first;
  // No call was under way: that handshake's outcome is nobody's concern.
  const { outcome: _, ...facts } = error.data;
  const message = isNamed(upstream, error) ? error.message : `${upstream}: ${error.message}`;
  const said = tail === '' ? '' : `. It wrote: ${tail}`;
  return new DoorError(code, `${message}${said}`, {
    data: { ...facts, upstream },
    hint:
      error.hint ?? (written.isRemote ? REMOTE_HINT : 'See all it wrote with --verbose, or run its command by hand.'),
    cause: error,
  });
}

const REMOTE_HINT = 'Check its url, type and headers, and that it is up.';

/** Whether a message says already whom it is about. */
function isNamed(upstream: string, { message }: DoorError): boolean {
  return message.startsWith(`${upstream}: `) || message.startsWith(`${upstream} `);
}

/** Raising the time would not help: it speaks, but something else. */
function explainNoise(upstream: string, error: DoorError, noise: string): DoorError {
  const message = `${upstream}: ${error.message}. On stdout it wrote ${noise}, which is no MCP message`;
  return new DoorError('TIMEOUT', message, {
    data: { ...error.data, upstream },
    hint: 'Start it in its stdio mode, and have it log to stderr: its stdout must carry MCP messages only.',
    cause: error,
  });
}

/** What names the failure in the output of most runtimes: `Error: Cannot find module`, `panic: ...`, `Traceback`'s last line. */
const TELLING_LINE = /^\s*(?:Uncaught )?(?:[\w.]*(?:Error|Exception)\b|(?:fatal|panic|error)\b)/i;

/** The line of a process's last output that says what went wrong; the last lines where none stands out. */
function tellingLines(tail: string): string {
  const lines = tail.split('\n').filter((line) => line.trim() !== '');
  const telling = lines.find((line) => TELLING_LINE.test(line));
  return (telling ?? lines.slice(-3).join(' | ')).trim().slice(0, 400);
}
