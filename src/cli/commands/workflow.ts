import { workflowFiles } from '../../generate/index.js';
import type { Cli } from '../cli.js';
import { deliverFiles } from '../generated-files.js';
import { openProject } from '../open-project.js';
import type { Run } from '../parse-command-line.js';

/** `doorward workflow [FOLDER]`: the workflow that publishes on npm and in the MCP Registry. */
export async function runWorkflow(run: Run, cli: Cli): Promise<number> {
  const { folder, contract, packageJson, settings } = await openProject(run, cli);
  return deliverFiles(workflowFiles(contract, { ...packageJson, settings }), folder, run, cli);
}
