import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_BYTES = 64 * 1024 * 1024;

/** What git knows of a folder. Paths are relative to it, with `/`. */
export interface GitTree {
  /** The files of HEAD. */
  readonly head: ReadonlySet<string>;
  /** The files that are there and not ignored, committed or not. */
  readonly present: readonly string[];
  /** When HEAD was committed, RFC 3339. */
  readonly committedAt: string;
  /** Which of these git would ignore. */
  ignored(paths: readonly string[]): Promise<ReadonlySet<string>>;
}

/** @returns undefined where the folder is in no repository, HEAD is no commit, or there is no git */
export async function readGitTree(folder: string): Promise<GitTree | undefined> {
  const git = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await run('git', ['-C', folder, ...args], { maxBuffer: MAX_BYTES });
    return stdout;
  };
  try {
    const [head, present, committedAt] = await Promise.all([
      git('ls-tree', '-r', '-z', '--name-only', 'HEAD'),
      git('ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'),
      git('log', '-1', '--format=%cI'),
    ]);
    return {
      head: new Set(split(head)),
      present: split(present),
      committedAt: committedAt.trim(),
      ignored: async (paths) => {
        if (paths.length === 0) return new Set();
        // It ends with 1 where it names none.
        const named = await git('-c', 'core.quotePath=false', 'check-ignore', '--no-index', '--', ...paths).catch(
          () => '',
        );
        return new Set(named.split('\n').filter((path) => path !== ''));
      },
    };
  } catch {
    return undefined;
  }
}

function split(text: string): readonly string[] {
  return text.split('\0').filter((path) => path !== '');
}
