import {
  type Caller,
  type CallerAnswer,
  type CallerCapabilities,
  DoorError,
  type Piece,
  type Principal,
} from '../base/index.js';
import { notificationMessage } from '../protocol/index.js';
import type { Reply } from './types.js';

export interface RequestCallerOptions {
  readonly principal: Principal;
  readonly door: string;
  readonly capabilities: CallerCapabilities;
  readonly program: string;
  /** Takes what belongs to the request while it runs; absent where there is no way for it. */
  readonly beside: Reply | undefined;
}

/** Who calls by one request of the modern era. */
export class RequestCaller implements Caller {
  readonly principal: Principal;
  readonly door: string;
  readonly capabilities: CallerCapabilities;
  readonly program: string;
  readonly takesRequests = false;
  readonly #beside: Reply | undefined;

  constructor({ principal, door, capabilities, program, beside }: RequestCallerOptions) {
    this.principal = principal;
    this.door = door;
    this.capabilities = capabilities;
    this.program = program;
    this.#beside = beside;
  }

  ask(): Promise<CallerAnswer> {
    return Promise.reject(new DoorError('INTERNAL', 'a caller of the modern era is answered, not asked'));
  }

  tell(method: string, params?: Piece): void {
    this.#beside?.(notificationMessage(method, params));
  }
}
