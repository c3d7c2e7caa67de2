import { DoorError } from '../base/index.js';
import { findNearest, quoted } from '../config/index.js';

/** @param hint said instead of what was probably meant */
export function unknownServer(id: string, ids: readonly string[], hint?: string): DoorError {
  const nearest = findNearest(id, ids);
  const known = ids.length === 0 ? 'No server is configured.' : `Servers: ${ids.map(shown).join(', ')}.`;
  return new DoorError('CONFIG_INVALID', `there is no server ${quoted(id)}`, {
    data: { server: id },
    hint: hint ?? (nearest ? `Did you mean ${shown(nearest)}?` : known),
  });
}

function shown(id: string): string {
  return /^[\w.-]+$/.test(id) ? id : quoted(id);
}
