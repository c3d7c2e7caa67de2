import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DoorError } from '../../base/index.js';
import { tryLock } from './file-lock.js';
import { makeFolder } from './make-folder.js';

/** A file of another program's that is about to be changed. */
export interface ClientFile {
  /** As it was looked for: what people are told. */
  readonly path: string;
  /** Where it really lies: links are followed, so that a file kept elsewhere stays a link. */
  readonly real: string;
  /** What it holds; absent where there is none yet. */
  readonly bytes: Uint8Array | undefined;
}

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_LINKS = 40;
const MAX_BACKUPS = 1000;
const MAX_TRIES = 20;
const POLL_MS = 30;
/** A lock that a kill left behind is taken over after ten seconds. */
const PATIENCE_MS = 15_000;

/** The first of these paths where something is; where nothing is, the first of all. */
export function findClientFile(candidates: readonly string[], cwd: string): string | undefined {
  const paths = candidates.map((candidate) => resolve(cwd, candidate));
  return paths.find((path) => existsSync(path)) ?? paths[0];
}

/**
 * Reads a client's file, to be changed.
 *
 * @param path absolute
 * @param project the folder that the file must not lead out of: whoever made a project may have put links into it
 * @throws {DoorError} `CONFIG_INVALID` where something else than a file is there, or it cannot be read
 */
export function readClientFile(path: string, project?: string): ClientFile {
  try {
    const real = realPathOf(path);
    if (project !== undefined && !isWithin(real, project))
      throw unusable(path, `it leads out of the project, to ${real}`);
    const stats = statSync(real, { throwIfNoEntry: false });
    if (stats === undefined) return { path, real, bytes: undefined };
    if (!stats.isFile()) throw unusable(path, 'it is not a file');
    if (stats.size > MAX_BYTES) throw unusable(path, `it has ${stats.size} bytes, more than ${MAX_BYTES}`);
    return { path, real, bytes: readFileSync(real) };
  } catch (thrown) {
    throw thrown instanceof DoorError ? thrown : unusable(path, whyOf(thrown), thrown);
  }
}

/** A link may lead to a file that is not there yet: then that is where it will be. */
function realPathOf(path: string): string {
  let real = path;
  for (let links = 0; links < MAX_LINKS; links++) {
    if (existsSync(real)) return realpathSync(real);
    if (!lstatSync(real, { throwIfNoEntry: false })?.isSymbolicLink()) return real;
    real = resolve(dirname(real), readlinkSync(real));
  }
  throw unusable(path, 'its links lead in a circle');
}

/** Whether a path, all links on its way followed, lies in a folder. */
function isWithin(path: string, folder: string): boolean {
  let above = path;
  while (!existsSync(above) && dirname(above) !== above) above = dirname(above);
  const way = relative(realpathSync(folder), realpathSync(above));
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}

export interface ClientFileChange {
  /** As `findClientFile` has it. */
  readonly path: string;
  /** See `readClientFile`. */
  readonly project?: string | undefined;
  /** True: for its owner's eyes, should it be made anew. */
  readonly isPrivate: boolean;
  /**
   * What the file is to hold, of what it holds now. Asked again where another changed the file meanwhile.
   *
   * @returns undefined where nothing is to be changed
   */
  change(bytes: Uint8Array | undefined): Uint8Array | undefined;
}

/**
 * Changes a client's file: whole, or not at all. The old one is kept beside it; its mode and owner stay. Changes that two
 * processes make at once are made one after the other.
 *
 * @returns where the old one is kept; undefined where there was none, or nothing was changed
 * @throws {DoorError} `CONFIG_INVALID` where it may not be written, or others keep changing it
 */
export async function changeClientFile(wanted: ClientFileChange): Promise<string | undefined> {
  const { path, project, isPrivate, change } = wanted;
  for (let tries = 1; ; tries++) {
    const file = readClientFile(path, project);
    const bytes = change(file.bytes);
    if (bytes === undefined) return undefined;
    const written = await writeClientFile(file, bytes, isPrivate);
    if (written !== 'changed-meanwhile') return written.backup;
    if (tries === MAX_TRIES) {
      throw new DoorError('CONFIG_INVALID', `${path} was changed by somebody else, again and again`, {
        data: { file: path },
        hint: 'Close the program it belongs to, and run this again.',
      });
    }
  }
}

interface Written {
  readonly backup?: string;
}

async function writeClientFile(
  { path, real, bytes: old }: ClientFile,
  bytes: Uint8Array,
  isPrivate: boolean,
): Promise<Written | 'changed-meanwhile'> {
  try {
    makeFolder(dirname(real), isPrivate ? 0o700 : 0o777);
    const release = await locked(path, real);
    try {
      if (!isUnchanged(real, old)) return 'changed-meanwhile';
      // A file that is not to be written could still be replaced by another.
      if (old !== undefined) accessSync(real, constants.W_OK);
      const { writeWhole } = await import('./write-whole.js');
      if (old === undefined) {
        await writeWhole(real, bytes, { mode: isPrivate ? 0o600 : 0o644 });
        return {};
      }
      const backup = keepOld(real);
      await writeWhole(real, bytes).catch((thrown: unknown) => {
        rmSync(backup, { force: true });
        throw thrown;
      });
      return { backup };
    } finally {
      await release();
    }
  } catch (thrown) {
    if (thrown instanceof DoorError) throw thrown;
    throw new DoorError('CONFIG_INVALID', `cannot write ${path}: ${whyOf(thrown)}`, {
      data: { file: path },
      hint: 'Print the block with --print, and put it into the file by hand.',
      cause: thrown,
    });
  }
}

/** One doorward waits for another. The client itself knows nothing of this lock; what it writes is found by its bytes. */
async function locked(path: string, real: string): Promise<() => Promise<void>> {
  const lockPath = `${real}.doorward-lock`;
  const startedMs = performance.now();
  for (;;) {
    const release = await tryLock(lockPath);
    if (release !== undefined) return release;
    if (performance.now() - startedMs > PATIENCE_MS) {
      throw new DoorError('CONFIG_INVALID', `another doorward has been changing ${path} for ${PATIENCE_MS / 1000} s`, {
        data: { file: path },
        hint: `End it; if there is none, remove ${lockPath}.`,
      });
    }
    await delay(POLL_MS * (1 + Math.random()));
  }
}

/** The program whose file it is may have written it meanwhile: what it wrote must not be lost. */
function isUnchanged(real: string, bytes: Uint8Array | undefined): boolean {
  const isThere = existsSync(real);
  return bytes === undefined ? !isThere : isThere && readFileSync(real).equals(bytes);
}

function keepOld(real: string): string {
  for (let number = 0; number < MAX_BACKUPS; number++) {
    const backup = `${real}.bak${number === 0 ? '' : number}`;
    try {
      copyFileSync(real, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    }
  }
  throw new DoorError('CONFIG_INVALID', `${real} has ${MAX_BACKUPS} backups already`, { hint: 'Remove some of them.' });
}

function whyOf(thrown: unknown): string {
  const { code } = thrown as NodeJS.ErrnoException;
  return code === 'EACCES' || code === 'EPERM' || code === 'EROFS' ? 'no permission' : String(code ?? thrown);
}

function unusable(path: string, why: string, cause?: unknown): DoorError {
  return new DoorError('CONFIG_INVALID', `cannot use ${path}: ${why}`, { data: { file: path }, cause });
}
