import type { Cli } from '../cli.js';
import { deliverFiles } from '../generated-files.js';
import { openProject } from '../open-project.js';
import type { Run } from '../parse-command-line.js';
import { docsFiles } from '../project-files.js';

/** `doorward docs [FOLDER]`: the reference of the tools, and a page for each client. */
export async function runDocs(run: Run, cli: Cli): Promise<number> {
  const project = await openProject(run, cli);
  return deliverFiles(await docsFiles(project), project.folder, run, cli);
}
