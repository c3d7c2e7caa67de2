import { defineTool } from 'doorward/contract';
import * as z from 'zod';

/** These need the working tree of whoever calls: `locality: 'local'`, so they are served on stdio only. */

const path = z
  .string()
  .min(1)
  .max(1_000)
  .describe('A file or folder, relative to the top of the repository. It cannot lead out of it.');
const ref = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_./@~^{}-]*$/)
  .describe('A branch, a tag or a commit.');
const commit = z.object({
  hash: z.string(),
  author: z.string(),
  date: z.string().describe('ISO 8601'),
  subject: z.string(),
});
const isTruncated = z.boolean().describe('There is more than what is listed.');

export const repoStatus = defineTool({
  name: 'repo_status',
  title: 'Repository status',
  description:
    'Says which branch is checked out, how it stands to its upstream branch, and which files have changed. Use it before ' +
    'anything else in a repository.',
  kind: 'read',
  locality: 'local',
  input: z.object({}),
  output: z.object({
    branch: z.string().nullable().describe('null where no branch is checked out'),
    commit: z.string().nullable().describe('null where there is none yet'),
    upstream: z.string().nullable(),
    ahead: z.int(),
    behind: z.int(),
    files: z.array(
      z.object({
        path: z.string(),
        staged: z.string().describe('One letter, as git has it: A, M, D, R; a dot for no change'),
        unstaged: z.string(),
      }),
    ),
    isTruncated,
  }),
  examples: [{ title: 'What has changed here?', input: {} }],
});

export const diffSummary = defineTool({
  name: 'diff_summary',
  title: 'Diff summary',
  description: 'Counts the lines that changed in each file: in the working tree, in what is staged, or since a commit.',
  kind: 'read',
  locality: 'local',
  input: z.object({
    against: z.enum(['unstaged', 'staged', 'commit']).default('unstaged'),
    commit: ref.optional().describe('With `against: "commit"`: since which one. Default: HEAD.'),
    path: path.optional(),
  }),
  output: z.object({
    files: z.array(
      z.object({
        path: z.string(),
        added: z.int().nullable().describe('null for files that are not text'),
        removed: z.int().nullable(),
      }),
    ),
    added: z.int(),
    removed: z.int(),
    isTruncated,
  }),
  examples: [
    { title: 'What would the next commit hold?', input: { against: 'staged' } },
    { title: 'What has changed since the last commit?', input: { against: 'commit', commit: 'HEAD' } },
  ],
});

export const listBranches = defineTool({
  name: 'list_branches',
  title: 'List branches',
  description: 'Lists the local branches, the one that was worked on last first.',
  kind: 'read',
  locality: 'local',
  input: z.object({ limit: z.int().min(1).max(200).default(30) }),
  output: z.object({
    branches: z.array(
      z.object({ name: z.string(), isCurrent: z.boolean(), upstream: z.string().nullable(), lastCommit: commit }),
    ),
    isTruncated,
  }),
  examples: [{ input: { limit: 5 } }],
});

export const searchCommits = defineTool({
  name: 'search_commits',
  title: 'Search commits',
  description:
    'Finds commits whose message holds a text, newest first. Reports progress: a long history takes its time.',
  kind: 'read',
  locality: 'local',
  input: z.object({
    text: z.string().min(1).max(200).describe('Looked for as it is, whatever its case.'),
    author: z.string().min(1).max(200).optional().describe('A part of the name or address of the author.'),
    since: z.iso.date().optional().describe('Not before this day.'),
    limit: z.int().min(1).max(100).default(20),
  }),
  output: z.object({ commits: z.array(commit), searched: z.int().describe('How many were looked at.'), isTruncated }),
  examples: [{ title: 'When was something fixed?', input: { text: 'fix', limit: 3 } }],
});

export const fileHistory = defineTool({
  name: 'file_history',
  title: 'History of a file',
  description: 'Lists the commits that changed a file or folder, newest first, under its earlier names too.',
  kind: 'read',
  locality: 'local',
  input: z.object({ path, limit: z.int().min(1).max(100).default(20) }),
  output: z.object({ commits: z.array(commit), isTruncated }),
  examples: [{ input: { path: 'README.md', limit: 3 } }],
});
