import { DoorError } from '../base/index.js';

/** A command line that cannot be followed. It shares its code, and exit 2, with a configuration that cannot be. */
export function usageError(message: string, hint?: string): DoorError {
  return new DoorError('CONFIG_INVALID', message, {
    data: { reason: 'usage' },
    ...(hint !== undefined && { hint }),
  });
}
