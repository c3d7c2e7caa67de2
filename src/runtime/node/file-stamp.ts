import { lstatSync } from 'node:fs';

/**
 * Tells one content of a file from another: writing makes a new file each time. A link is not followed. Never throws: what
 * cannot be looked at (a folder that lets nobody in, or that is none) is not there.
 *
 * @returns '' where there is none
 */
export function fileStamp(path: string): string {
  try {
    const { ino, mtimeMs, size } = lstatSync(path);
    return `${ino} ${mtimeMs} ${size}`;
  } catch {
    return '';
  }
}
