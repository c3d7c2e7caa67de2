import type { ClientSpec } from '../spec.js';
import { DESKTOPS } from './desktops.js';
import { EDITORS } from './editors.js';
import { TERMINALS } from './terminals.js';
import { VENDORS } from './vendors.js';

/** Every client that doorward can write for, by id. */
export const CLIENTS: readonly ClientSpec[] = Object.freeze(
  [...EDITORS, ...TERMINALS, ...VENDORS, ...DESKTOPS].toSorted((one, other) => (one.id < other.id ? -1 : 1)),
);

/** A client by its id or one of its other names. */
export function findClient(name: string): ClientSpec | undefined {
  const wanted = name.toLowerCase();
  return CLIENTS.find(({ id, aliases = [] }) => id === wanted || aliases.includes(wanted));
}
