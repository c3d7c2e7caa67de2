import { ToolError, type ToolHandler } from 'doorward/contract';
import type { Git } from './git.js';
import {
  BRANCH_FORMAT,
  COMMIT_FORMAT,
  type FoundCommit,
  readBranches,
  readCommits,
  readNumstat,
  readStatus,
  shownCommit,
} from './read-output.js';
import type { diffSummary, fileHistory, listBranches, repoStatus, searchCommits } from './tools.js';

const MAX_FILES = 500;
/** So many commits are read at once; progress is told after each lot. */
const LOT = 500;
const MAX_SEARCHED = 20_000;
/** A submodule has a configuration of its own, which git would follow to look for changes in it. */
const SUBMODULES = '--ignore-submodules=dirty';

/** A handler for each tool that needs a working tree. */
export interface GitHandlers {
  readonly repo_status: ToolHandler<typeof repoStatus>;
  readonly diff_summary: ToolHandler<typeof diffSummary>;
  readonly list_branches: ToolHandler<typeof listBranches>;
  readonly search_commits: ToolHandler<typeof searchCommits>;
  readonly file_history: ToolHandler<typeof fileHistory>;
}

/** The tools over the working tree, given something that runs git. */
export function gitHandlers(git: Git): GitHandlers {
  return {
    repo_status: async (_, { signal }) => {
      const { text, isCut } = await git.run(['status', '--porcelain=v2', '--branch', '-z', SUBMODULES], { signal });
      const status = readStatus(text);
      return {
        ...status,
        files: status.files.slice(0, MAX_FILES),
        isTruncated: isCut || status.files.length > MAX_FILES,
      };
    },

    diff_summary: async ({ against, commit = 'HEAD', path }, { signal }) => {
      const what = { unstaged: [], staged: ['--cached'], commit: [commit] }[against];
      const how = ['--numstat', '-z', '--no-renames', '--no-ext-diff', '--no-textconv', SUBMODULES];
      const args = ['diff', ...how, ...what];
      const { text, isCut } = await git.run([...args, ...pathspec(path)], { signal });
      const files = readNumstat(text);
      return {
        files: files.slice(0, MAX_FILES),
        added: files.reduce((sum, { added }) => sum + (added ?? 0), 0),
        removed: files.reduce((sum, { removed }) => sum + (removed ?? 0), 0),
        isTruncated: isCut || files.length > MAX_FILES,
      };
    },

    list_branches: async ({ limit }, { signal }) => {
      const args = ['for-each-ref', '--sort=-committerdate', `--count=${limit + 1}`, `--format=${BRANCH_FORMAT}%00`];
      const { text, isCut } = await git.run([...args, 'refs/heads'], { signal });
      const branches = readBranches(text);
      return { branches: branches.slice(0, limit), isTruncated: isCut || branches.length > limit };
    },

    search_commits: async ({ text, author, since, limit }, { signal, progress }) => {
      const isWanted = filterOf(text, author);
      const from = since === undefined ? [] : [`--since=${since}T00:00:00Z`];
      const total = Math.min(
        Number((await git.run(['rev-list', '--count', ...from, 'HEAD'], { signal })).text),
        MAX_SEARCHED,
      );
      const found: FoundCommit[] = [];
      let searched = 0;
      let isCutOff = false;
      while (searched < total && found.length <= limit) {
        const lot = [`--skip=${searched}`, `--max-count=${LOT}`, ...from];
        const { text: log } = await git.run(['log', '-z', `--format=${COMMIT_FORMAT}`, ...lot], { signal });
        const commits = readCommits(log);
        // A lot that is larger than what is read of it ends the search; it must not go on for ever.
        isCutOff = commits.length === 0;
        if (isCutOff) break;
        found.push(...commits.filter(isWanted));
        searched += commits.length;
        progress({ progress: searched, total, message: `${found.length} found` });
      }
      const isTruncated = isCutOff || found.length > limit || (searched === MAX_SEARCHED && total === MAX_SEARCHED);
      return { commits: found.slice(0, limit).map(shownCommit), searched, isTruncated };
    },

    file_history: async ({ path, limit }, { signal }) => {
      const args = ['log', '-z', `--format=${COMMIT_FORMAT}`, '--follow', `--max-count=${limit + 1}`];
      const { text, isCut } = await git.run([...args, ...pathspec(path)], { signal });
      const commits = readCommits(text);
      return { commits: commits.slice(0, limit).map(shownCommit), isTruncated: isCut || commits.length > limit };
    },
  };
}

/** Arguments that name a path and nothing else, whatever is in it. */
function pathspec(path: string | undefined): readonly string[] {
  // Without the mark a file could pass for a commit.
  if (path === undefined) return ['--'];
  const leadsOut = path.startsWith('/') || /^[A-Za-z]:/.test(path) || path.split(/[\\/]/).includes('..');
  if (leadsOut) throw new ToolError('The path must be relative to the top of the repository and stay within it.');
  return ['--', path];
}

function filterOf(text: string, author: string | undefined): (commit: FoundCommit) => boolean {
  const wanted = text.toLowerCase();
  const by = author?.toLowerCase();
  return (commit) =>
    commit.message.toLowerCase().includes(wanted) &&
    (by === undefined || `${commit.author} <${commit.address}>`.toLowerCase().includes(by));
}
