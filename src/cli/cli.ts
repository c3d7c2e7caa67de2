import type { CancelSignal } from '../base/index.js';
import type { Environment } from '../config/index.js';
import type { Gateway, GatewayOptions } from '../gateway/index.js';
import type { Screen } from './screen.js';

/** What a command has of the world. Tests hand in their own. */
export interface Cli {
  readonly environment: Environment;
  readonly cwd: string;
  /** For results. */
  readonly out: Screen;
  /** For everything else. */
  readonly err: Screen;
  /** Ends the command: Ctrl-C, or nobody reads its output any more. */
  readonly signal: CancelSignal;
  /** For a command that serves and ends by itself: from now on signals are its own. */
  readonly releaseSignals?: () => void;
  readStdin(): Promise<Uint8Array>;
  createGateway(options: GatewayOptions): Promise<Gateway>;
}

/** Thrown through whatever is waiting when the person at the terminal has had enough. */
export class Interrupted extends Error {
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'Interrupted' });
  }
}
