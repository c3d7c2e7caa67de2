import { defineContract } from 'doorward/contract';
import packageJson from '../package.json' with { type: 'json' };
import { diffSummary, fileHistory, listBranches, repoStatus, searchCommits } from './git/tools.js';
import { checkLicences, findLicence, recommendLicence, searchLicences } from './licences/tools.js';

/** All that the server is. No handler is imported here, so reading it costs nothing and runs anywhere. */
export const contract = defineContract({
  server: {
    name: packageJson.mcpName,
    title: 'Repo tools',
    description: packageJson.description,
    version: packageJson.version,
    repository: { url: 'https://github.com/doorward/doorward', source: 'github', subfolder: 'examples/repo-tools' },
    instructions:
      'Ask for repo_status first: it says which branch is checked out and what has changed. Commits and paths that one ' +
      'tool answers with can be handed to the others as they are.',
  },
  tools: [
    repoStatus,
    diffSummary,
    listBranches,
    searchCommits,
    fileHistory,
    findLicence,
    searchLicences,
    checkLicences,
    recommendLicence,
  ],
  resources: [
    {
      name: 'licence',
      uriTemplate: 'licence://{id}',
      title: 'Licence facts',
      description: 'What is known of a licence, as text.',
      mimeType: 'text/markdown',
    },
  ],
  prompts: [
    {
      name: 'explain_licence',
      title: 'Explain a licence',
      description: 'Has a licence explained to somebody who wants to use what is under it.',
      arguments: [{ name: 'id', description: 'The SPDX identifier, such as MIT', required: true }],
    },
  ],
  remotes: [{ type: 'streamable-http', url: 'https://repo-tools.example/mcp' }],
  packages: [{ registryType: 'npm', identifier: packageJson.name, transport: { type: 'stdio' } }],
});
