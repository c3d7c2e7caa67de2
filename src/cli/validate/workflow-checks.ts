import { matchesGlob } from './glob.js';
import { type Check, type Finding, Skipped, type Subject } from './types.js';
import { readWorkflows, type Workflow } from './workflow-files.js';

const NO_GIT = new Skipped('the project is in no git repository with a commit');

export const WORKFLOW_CHECKS: readonly Check[] = [
  {
    name: 'workflows',
    about: 'workflows can be read, and name files that are there',
    run: async ({ git, project }) => {
      if (git === undefined) return NO_GIT;
      const files = readWorkflows(project.folder, git.present);
      const broken = files.flatMap((file) =>
        'why' in file ? [{ message: `${file.path} cannot be read: ${file.why}` }] : [],
      );
      const sound = files.filter((file) => 'text' in file);
      const findings = await Promise.all(sound.map((workflow) => checkPaths(workflow, git)));
      return [...broken, ...findings.flat()];
    },
  },
  {
    name: 'pins',
    about: 'actions are pinned to commits',
    run: ({ git, project }) => {
      if (git === undefined) return NO_GIT;
      const files = readWorkflows(project.folder, git.present);
      return files.flatMap((file) => ('text' in file ? checkPins(file) : []));
    },
  },
];

async function checkPaths(workflow: Workflow, git: NonNullable<Subject['git']>): Promise<readonly Finding[]> {
  const { watched, named } = workflow;
  const head = [...git.head];
  const isThere = (name: string): boolean =>
    git.head.has(name) || head.some((path) => path.startsWith(`${name.replace(/\/$/, '')}/`));
  const unmatched = watched.filter((one) => !isThere(one) && !head.some((path) => matchesGlob(path, one)));
  const absent = named.filter((name) => !isThere(name));
  // What is built is there when the workflow runs.
  const ignored = await git.ignored(absent);
  return [
    ...unmatched.map((pattern) => ({
      message: `${placeIn(workflow, pattern)} watches ${pattern}, which matches no file of HEAD`,
      hint: 'Watch what is there, or commit the file.',
    })),
    ...absent
      .filter((name) => !ignored.has(name))
      .map((name) => ({
        message: `${placeIn(workflow, name)} names ${name}, which is not in HEAD`,
        hint: 'Name what is there, or commit the file.',
      })),
  ];
}

function placeIn({ path, text }: Workflow, what: string): string {
  const line = text.split('\n').findIndex((each) => each.includes(what));
  return line < 0 ? path : `${path}:${line + 1}`;
}

const PINNED = /@[0-9a-f]{40}$/;
const PINNED_IMAGE = /^docker:\/\/.+@sha256:[0-9a-f]{64}$/;

function checkPins(workflow: Workflow): readonly Finding[] {
  return workflow.used
    .filter((used) => !used.startsWith('./') && !PINNED.test(used) && !PINNED_IMAGE.test(used))
    .map((used) => ({
      message: `${placeIn(workflow, used)} uses ${used}, which is not pinned to a commit`,
      hint: 'Write the full SHA after the @, and the version in a comment.',
    }));
}
