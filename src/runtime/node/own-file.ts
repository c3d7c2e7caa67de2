import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';

/**
 * Reads a file that nobody but us can have written.
 *
 * @throws {Error} when it is a link, no plain file, not ours, writable for others, or larger than `maxBytes`
 */
export function readOwnFile(path: string, maxBytes: number): Buffer {
  // Neither through a link nor waiting for whoever is at the other end of a pipe. Windows knows neither flag.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error(`${path} is no plain file`);
    if (!isOursAlone(stats)) throw new Error(`others than us can write ${path}`);
    if (stats.size > maxBytes) throw new Error(`${path} has ${stats.size} bytes, more than ${maxBytes}`);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** Whether it belongs to us and nobody else can write it. On Windows the mode says nothing; a profile's folders are private. */
export function isOursAlone({ mode, uid }: Pick<Stats, 'mode' | 'uid'>): boolean {
  return process.platform === 'win32' || ((mode & 0o022) === 0 && uid === process.getuid?.());
}
