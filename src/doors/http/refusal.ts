import type { DoorError } from '../../base/index.js';
import { doorErrorMessage, errorMessage, RPC } from '../../protocol/index.js';
import type { HeaderList, HttpExchange } from './exchange.js';

/** An answer that is given at the door, before any message is understood. */
export interface Refusal {
  readonly status: number;
  /** JSON-RPC: an error response without an id (MCP 2026-07-28 and 2025-11-25 basic/transports). */
  readonly body: string;
  readonly headers?: HeaderList;
}

export const JSON_HEADERS: HeaderList = [
  'Content-Type',
  'application/json',
  'Cache-Control',
  'no-store',
  'X-Content-Type-Options',
  'nosniff',
];

/** The id of a request that was not read is not known, and MCP's schema has no null there. */
const NO_ID = '"id":null,';

/** A refusal in HTTP's own terms. */
export function refusal(status: number, message: string, headers?: HeaderList): Refusal {
  return {
    status,
    body: errorMessage('null', RPC.invalidRequest, message).replace(NO_ID, ''),
    ...(headers && { headers }),
  };
}

/** A refusal for a reason that programs know by its code. */
export function refusalOf(status: number, error: DoorError, headers?: HeaderList): Refusal {
  return { status, body: doorErrorMessage('null', error).replace(NO_ID, ''), ...(headers && { headers }) };
}

export function refuse(exchange: HttpExchange, { status, body, headers = [] }: Refusal, more: HeaderList = []): void {
  exchange.answer(status, [...JSON_HEADERS, ...headers, ...more], [body]);
}
