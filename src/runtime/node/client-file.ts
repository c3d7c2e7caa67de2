import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { DoorError } from '../../base/index.js';
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
  readonly file: ClientFile;
  readonly bytes: Uint8Array;
  /** True: for its owner's eyes, should it be made anew. */
  readonly isPrivate: boolean;
}

/**
 * Writes a client's file whole or not at all. The old one is kept beside it; its mode and owner stay.
 *
 * @returns where the old one is kept
 * @throws {DoorError} `CONFIG_INVALID` where it may not be written, or was changed since it was read
 */
export async function writeClientFile({ file, bytes, isPrivate }: ClientFileChange): Promise<string | undefined> {
  const { path, real } = file;
  try {
    checkUnchanged(file);
    const backup = file.bytes === undefined ? undefined : keepOld(real);
    makeFolder(dirname(real), isPrivate ? 0o700 : 0o777);
    const { default: writeFileAtomic } = await import('write-file-atomic');
    await writeFileAtomic(real, bytes, file.bytes === undefined ? { mode: isPrivate ? 0o600 : 0o644 } : {});
    return backup;
  } catch (thrown) {
    if (thrown instanceof DoorError) throw thrown;
    throw new DoorError('CONFIG_INVALID', `cannot write ${path}: ${whyOf(thrown)}`, {
      data: { file: path },
      hint: 'Print the block with --print, and put it into the file by hand.',
      cause: thrown,
    });
  }
}

/** The program whose file it is may have written it meanwhile: what it wrote must not be lost. */
function checkUnchanged({ path, real, bytes }: ClientFile): void {
  const isThere = existsSync(real);
  const isSame = bytes === undefined ? !isThere : isThere && readFileSync(real).equals(bytes);
  if (!isSame) {
    const hint = 'Close the program it belongs to, and run this again.';
    throw new DoorError('CONFIG_INVALID', `${path} was changed by somebody else just now`, {
      data: { file: path },
      hint,
    });
  }
  // A file that is not to be written could still be replaced by another.
  if (isThere) accessSync(real, constants.W_OK);
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
