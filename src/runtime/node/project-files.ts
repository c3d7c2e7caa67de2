import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DoorError } from '../../base/index.js';

/** A file of a project as it should be; what `generate` makes. */
interface WantedFile {
  /** Relative to the project's folder. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** How a file of a project compares with what it should be. */
export type FileState = 'same' | 'different' | 'absent';

/** @throws {DoorError} CONFIG_INVALID naming the file that cannot be read */
export function stateOf(folder: string, { path, bytes }: WantedFile): FileState {
  try {
    return readFileSync(join(folder, path)).equals(bytes) ? 'same' : 'different';
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return 'absent';
    throw unusable(path, 'read', thrown);
  }
}

/** @throws {DoorError} CONFIG_INVALID naming the file that cannot be written */
export async function writeProjectFile(folder: string, { path, bytes }: WantedFile): Promise<void> {
  const { writeWhole } = await import('./write-whole.js');
  try {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    await writeWhole(join(folder, path), bytes);
  } catch (thrown) {
    throw unusable(path, 'write', thrown);
  }
}

function unusable(path: string, what: string, thrown: unknown): DoorError {
  return new DoorError('CONFIG_INVALID', `cannot ${what} ${path}: ${(thrown as NodeJS.ErrnoException).code}`, {
    data: { file: path },
    cause: thrown,
  });
}
