import { openapiFiles } from '../../generate/index.js';
import type { Cli } from '../cli.js';
import { deliverFiles } from '../generated-files.js';
import { openProject } from '../open-project.js';
import type { Run } from '../parse-command-line.js';

/** `doorward openapi [FOLDER]`: what the contract's server answers over HTTP. */
export async function runOpenapi(run: Run, cli: Cli): Promise<number> {
  const { folder, contract, settings } = await openProject(run, cli);
  const files = openapiFiles(contract, { ...(settings.openapi !== undefined && { path: settings.openapi }) });
  return deliverFiles(files, folder, run, cli);
}
