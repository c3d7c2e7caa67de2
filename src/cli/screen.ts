import type { Writable } from 'node:stream';
import pc from 'picocolors';
import type { Environment } from '../config/index.js';

export type Colors = ReturnType<typeof pc.createColors>;

/** Where text goes: stdout or stderr, or what stands for them in a test. */
export interface Screen {
  write(text: string | Uint8Array): void;
  readonly isTerminal: boolean;
  /** Columns of the terminal; unlimited where there is none. */
  readonly columns: number;
  readonly colors: Colors;
  /** The stream it writes to, where it is one. */
  readonly stream?: Writable;
}

interface Sink {
  write(text: string | Uint8Array): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export function screenOf(sink: Sink, environment: Environment): Screen {
  const isTerminal = sink.isTTY === true;
  return {
    write: (text) => void sink.write(text),
    isTerminal,
    columns: isTerminal && sink.columns ? sink.columns : Number.POSITIVE_INFINITY,
    colors: pc.createColors(isColorful(isTerminal, environment)),
    ...(isStream(sink) && { stream: sink }),
  };
}

function isStream(sink: Sink): sink is Sink & Writable {
  return 'writableLength' in sink;
}

/** https://no-color.org, and FORCE_COLOR for those who page colors on purpose. */
function isColorful(isTerminal: boolean, environment: Environment): boolean {
  if (environment.NO_COLOR) return false;
  if (environment.FORCE_COLOR) return environment.FORCE_COLOR !== '0';
  return isTerminal && environment.TERM !== 'dumb';
}

/** Text of a server for a terminal: control characters, which terminals obey, are left out; line breaks and tabs stay. */
export function printable(text: string): string {
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, '');
}

/** The same in one line. */
export function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ')).trim();
}

/** Cut to `width` columns, with an ellipsis where something was cut. */
export function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  return width < 2 ? '' : `${text.slice(0, width - 1).trimEnd()}…`;
}
