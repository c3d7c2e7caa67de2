import { resolve } from 'node:path';
import { toolDocsFiles } from '../../generate/index.js';
import { loadProject } from '../../runtime/node/index.js';
import type { Cli } from '../cli.js';
import { deliverFiles } from '../generated-files.js';
import type { Run } from '../parse-command-line.js';

/** `doorward docs [FOLDER]`: the reference of the tools, and a page for each client. */
export async function runDocs(run: Run, cli: Cli): Promise<number> {
  const { folder, contract, settings } = await loadProject(resolve(cli.cwd, run.operands[0] ?? '.'));
  const files = toolDocsFiles(contract, { ...(settings.docs !== undefined && { path: settings.docs }) });
  return deliverFiles(files, folder, run, cli);
}
