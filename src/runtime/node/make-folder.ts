import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and what is missing above it, for its owner alone unless `mode` says otherwise. Node's own way to do that never returns where a
 * file system lets nobody make anything, such as below /proc, and says that the parent is missing though it is there.
 *
 * @param path absolute
 * @throws the system's error where it cannot be made
 */
export function makeFolder(path: string, mode = 0o700): void {
  const parent = dirname(path);
  if (whyNotMade(path, mode)?.code === 'ENOENT' && parent !== path) makeFolder(parent, mode);
  // What is missing now is not the parent.
  const error = whyNotMade(path, mode);
  if (error) throw error;
}

/** Makes it. @returns nothing where it is there now, whoever made it */
function whyNotMade(path: string, mode: number): NodeJS.ErrnoException | undefined {
  try {
    mkdirSync(path, { mode });
  } catch (thrown) {
    const error = thrown as NodeJS.ErrnoException;
    if (error.code !== 'EEXIST') return error;
  }
  return undefined;
}
