import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DoorError } from '../../base/index.js';
import { routeTable } from '../../discovery/index.js';
import {
  checkManifest,
  type GeneratedFile,
  gitPath,
  isError,
  MANIFEST_PATH,
  packageFaults,
  readManifest,
} from '../../generate/index.js';
import { type Project, stateOf } from '../../runtime/node/index.js';
import { GENERATORS, type Generator } from '../project-files.js';
import { generatedPaths } from './generated-paths.js';
import { TEST_PATHS } from './test-paths.js';
import { type Check, type Finding, Skipped } from './types.js';

export const GENERATED_CHECKS: readonly Check[] = [
  {
    name: 'manifest',
    about: 'the MCP Registry would take the manifest, and npm the package',
    run: ({ project }) => {
      const path = project.settings.manifest ?? MANIFEST_PATH;
      if (!existsSync(join(project.folder, path))) return manifestAbsent(project, path);
      return [...manifestFindings(project.folder, path), ...packageFindings(project)];
    },
  },
  {
    name: 'generated',
    about: 'generated files are what would be generated',
    run: async ({ project }) =>
      (await Promise.all(GENERATORS.map((generator) => staleFiles(generator, project)))).flat(),
  },
  {
    name: 'committed',
    about: 'generated files are committed, discovery documents are not',
    run: ({ project, git }) => {
      if (git === undefined) return new Skipped('the project is in no git repository with a commit');
      const head = [...git.head];
      const wanted = generatedPaths(project.settings).filter((path) => existsSync(join(project.folder, path)));
      const absent = wanted.filter((path) => !head.some((each) => each === path || each.startsWith(`${path}/`)));
      const tracked = git.present.filter(
        (path) => isDiscovery(path) && !TEST_PATHS.test(path) && !generatedPaths(project.settings).includes(path),
      );
      return [
        ...absent.map((path) => ({ message: `${path} is not in HEAD`, hint: 'Commit it.' })),
        ...tracked.map((path) => ({
          message: `${path} is a discovery document, and in the repository`,
          hint: path.endsWith('openapi.json')
            ? 'Remove it, or name it in package.json (doorward.openapi): then it is held to what is served.'
            : 'Remove it: the server answers it from what it serves.',
        })),
      ];
    },
  },
];

function manifestAbsent({ settings, contract }: Project, path: string): readonly Finding[] | Skipped {
  const isWanted = settings.manifest !== undefined || contract.packages.length > 0 || contract.remotes.length > 0;
  if (!isWanted) return new Skipped('the contract has neither packages nor remotes');
  return [{ message: `${path} is not there`, hint: 'Run doorward manifest.' }];
}

function manifestFindings(folder: string, path: string): readonly Finding[] {
  try {
    const manifest = readManifest(path, readFileSync(join(folder, path)));
    return checkManifest(manifest)
      .filter(isError)
      .map(({ pointer, message, hint }) => ({ message: `${path} ${pointer}: ${message}`, hint }));
  } catch (thrown) {
    if (!(thrown instanceof DoorError)) throw thrown;
    return [{ message: thrown.message, ...(thrown.hint !== undefined && { hint: thrown.hint }) }];
  }
}

function packageFindings({ contract, packageJson }: Project): readonly Finding[] {
  // The version has a check of its own.
  return packageFaults(contract, packageJson)
    .filter(({ field }) => field !== 'version')
    .map(({ field, message, hint }) => ({ message: `package.json ${field}: ${message}`, hint }));
}

async function staleFiles({ command, files }: Generator, project: Project): Promise<readonly Finding[]> {
  let wanted: readonly GeneratedFile[];
  try {
    wanted = await files(project);
  } catch (thrown) {
    if (!(thrown instanceof DoorError)) throw thrown;
    return [
      { message: `doorward ${command} cannot write: ${thrown.message}`, ...(thrown.hint && { hint: thrown.hint }) },
    ];
  }
  return wanted.flatMap((file) => {
    const state = stateOf(project.folder, file);
    if (state === 'same') return [];
    const what = state === 'absent' ? 'is not there' : `is not what doorward ${command} would write`;
    return [{ message: `${gitPath(file.path)} ${what}`, hint: `Run doorward ${command}, and commit what it writes.` }];
  });
}

/** Paths of documents as a static site would have them, wherever in the repository. */
const DISCOVERY: readonly string[] = routeTable({ path: '/mcp' }).flatMap(({ path, serves }) =>
  'document' in serves ? [path.slice(1)] : [],
);

function isDiscovery(path: string): boolean {
  return DISCOVERY.some((one) => path === one || path.endsWith(`/${one}`));
}
