import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  clientDocsFiles,
  type GeneratedFile,
  gitPath,
  MANIFEST_PATH,
  manifestFiles,
  openapiFiles,
  toolDocsFiles,
  WORKFLOW_PATH,
  workflowFiles,
} from '../generate/index.js';
import type { Project } from '../runtime/node/index.js';

/** What writes files of a project, by the command that does so. */
export interface Generator {
  readonly command: string;
  /** The files that the project wants of it: those its settings name, and those that are there already. */
  files(project: Project): readonly GeneratedFile[] | Promise<readonly GeneratedFile[]>;
}

export const GENERATORS: readonly Generator[] = [
  {
    command: 'manifest',
    files: ({ folder, contract, settings: { manifest: path = MANIFEST_PATH } }) =>
      existsSync(join(folder, path))
        ? manifestFiles(contract, { path, packageText: readFileSync(join(folder, 'package.json'), 'utf8') })
        : [],
  },
  {
    command: 'workflow',
    files: ({ folder, contract, packageJson, settings }) =>
      settings.workflow !== undefined || existsSync(join(folder, WORKFLOW_PATH))
        ? workflowFiles(contract, { ...packageJson, settings })
        : [],
  },
  { command: 'docs', files: (project) => (project.settings.docs === undefined ? [] : toolDocs(project)) },
  { command: 'docs', files: (project) => clientDocs(project) },
  {
    command: 'openapi',
    files: ({ contract, settings: { openapi: path } }) => (path === undefined ? [] : openapiFiles(contract, { path })),
  },
];

/** What `doorward docs` writes: the reference always, pages for clients where the settings say where. */
export async function docsFiles(project: Project): Promise<readonly GeneratedFile[]> {
  return [...toolDocs(project), ...(await clientDocs(project))];
}

function toolDocs({ contract, settings: { docs: path } }: Project): readonly GeneratedFile[] {
  return toolDocsFiles(contract, { ...(path !== undefined && { path }) });
}

function clientDocs({ folder: root, contract, packageJson, settings }: Project): Promise<readonly GeneratedFile[]> {
  const { clientDocs: folder, clientArgs, localServer } = settings;
  if (folder === undefined) return Promise.resolve([]);
  const { name, version } = packageJson;
  const args = ['-y', `--package=${name}@${version}`, localServer ?? ''];
  const readme = join(root, 'README.md');
  return clientDocsFiles(contract, {
    folder: gitPath(folder),
    ...(existsSync(readme) && { readme: { path: 'README.md', text: readFileSync(readme, 'utf8') } }),
    ...(clientArgs !== undefined && { args: clientArgs }),
    ...(localServer !== undefined && { local: { name: localServer, command: 'npx', args } }),
  });
}
