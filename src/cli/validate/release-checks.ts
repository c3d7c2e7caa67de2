import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gitPath } from '../../generate/index.js';
import { matchesGlob } from './glob.js';
import { type Check, Skipped, type Subject } from './types.js';

export const RELEASE_CHECKS: readonly Check[] = [
  {
    name: 'release',
    about: 'what package.json publishes is there',
    run: async ({ project, git }) => {
      if (git === undefined) return new Skipped('the project is in no git repository with a commit');
      const { folder } = project;
      const named = namedFiles(project);
      const built = await git.ignored(named.map(({ path }) => path));
      const head = [...git.head];
      const isCommitted = (path: string): boolean =>
        head.some((each) => each === path || each.startsWith(`${path}/`) || matchesGlob(each, path));
      return named
        .filter(({ path }) =>
          built.has(path) ? !existsSync(join(folder, path.replace(/\/?\*.*$/, ''))) : !isCommitted(path),
        )
        .map(({ field, path }) => ({
          message: `package.json ${field} names ${path}, which is ${built.has(path) ? 'not there' : 'not in HEAD'}`,
          hint: built.has(path) ? 'Build the project first.' : 'Name what is there, or commit it.',
        }));
    },
  },
];

interface Named {
  readonly field: string;
  readonly path: string;
}

function namedFiles({ packageJson, settings }: Subject['project']): readonly Named[] {
  const { files, bin, main, types, exports } = packageJson;
  const fields = Object.entries({ files, bin, main, types, exports });
  const published = fields.flatMap(([field, value]) => textsIn(value).map((path) => ({ field, path: gitPath(path) })));
  const own = [...new Set([settings.contract, settings.implementation ?? settings.contract])];
  return [
    ...published.filter(({ path }) => path !== '' && !path.startsWith('!')),
    ...own.map((path) => ({ field: 'doorward', path: gitPath(path) })),
  ];
}

/** The texts in a value, however deep: targets of exports stand in conditions. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
