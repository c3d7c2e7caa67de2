import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifestFiles } from '../../generate/index.js';
import type { Project } from '../../runtime/node/index.js';
import type { Cli } from '../cli.js';
import { deliverFiles } from '../generated-files.js';
import { openProject } from '../open-project.js';
import type { Run } from '../parse-command-line.js';

/** `doorward manifest [FOLDER]`: the manifest for the MCP Registry, and `mcpName` in package.json. */
export async function runManifest(run: Run, cli: Cli): Promise<number> {
  const project = await openProject(run, cli);
  // Printed, it is what goes into a file; package.json is changed, not made.
  const files = run.options.has('print') ? filesOf(project).slice(0, 1) : filesOf(project);
  return deliverFiles(files, project.folder, run, cli);
}

function filesOf({ folder, contract, settings }: Project) {
  const packageText = readFileSync(join(folder, 'package.json'), 'utf8');
  return manifestFiles(contract, {
    packageText,
    ...(settings.manifest !== undefined && { path: settings.manifest }),
  });
}
