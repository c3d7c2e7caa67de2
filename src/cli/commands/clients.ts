import { findNearest, type loadClients, quoted } from '../../config/index.js';
import { usageError } from '../usage-error.js';

/** What `loadClients` gives: the table of clients, and what writes and reads their files. */
export type Clients = Awaited<ReturnType<typeof loadClients>>;
export type ClientSpec = Clients['CLIENTS'][number];
export type ClientEntry = Parameters<Clients['writeEntry']>[0];

/** @throws {DoorError} `CONFIG_INVALID` (exit 2) for a client that is not in the table */
export function getClient(name: string, { CLIENTS, findClient }: Clients): ClientSpec {
  const client = findClient(name);
  if (client) return client;
  const names = CLIENTS.flatMap(({ id, aliases = [] }) => [id, ...aliases]);
  const nearest = findNearest(name, names);
  const hint = nearest ? `Did you mean ${nearest}?` : 'See doorward client list.';
  throw usageError(`there is no client ${quoted(name)}`, hint);
}
