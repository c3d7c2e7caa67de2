import { ToolError } from 'doorward/contract';
import { createWorker } from 'doorward/worker';
import { implementWith } from './implement-with.js';

interface Env {
  /** Where the Worker is reached: `https://repo-tools.example/mcp`. Without it documents name no address. */
  readonly PUBLIC_URL?: string;
  /** Another MCP server, whose tools are served too. */
  readonly TEAM_URL?: string;
  readonly TEAM_TOKEN?: string;
}

// A Worker has no working tree: the kit does not serve local tools here. The contract wants a handler of each all the same.
const elsewhere = (): never => {
  throw new ToolError('This tool needs a working tree: run the stdio entry.');
};
const local = {
  repo_status: elsewhere,
  diff_summary: elsewhere,
  list_branches: elsewhere,
  search_commits: elsewhere,
  file_history: elsewhere,
};

/** The remote tools as a Worker. */
export default createWorker(implementWith(local), ({ PUBLIC_URL, TEAM_URL, TEAM_TOKEN }: Env) => ({
  ...(PUBLIC_URL !== undefined && { publicUrl: PUBLIC_URL }),
  upstreams:
    TEAM_URL === undefined
      ? []
      : [
          {
            id: 'team',
            url: TEAM_URL,
            headers: TEAM_TOKEN === undefined ? {} : { Authorization: `Bearer ${TEAM_TOKEN}` },
          },
        ],
}));
