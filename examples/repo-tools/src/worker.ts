import { ToolError } from 'doorward/contract';
import { createWorker, tokenIdentifier, type WorkerUpstream } from 'doorward/worker';
import { BUILT_AT } from './built-at.js';
import { implementWith } from './implement-with.js';

interface Env {
  /** Where the Worker is reached: `https://repo-tools.example/mcp`. Without it documents name no address. */
  readonly PUBLIC_URL?: string;
  /** What `/.well-known/mcp-registry-auth` says, for a name of your own domain in the MCP Registry. */
  readonly REGISTRY_AUTH?: string;
  /** Another MCP server, whose tools are served too. */
  readonly TEAM_URL?: string;
  readonly TEAM_TOKEN?: string;
  /** SHA-256 of the token that callers need, in hex. Without it everybody may come in, and TEAM_URL is not mounted. */
  readonly CALLER_SHA256?: string;
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
export default createWorker(implementWith(local), (env: Env) => ({
  ...(env.PUBLIC_URL !== undefined && { publicUrl: env.PUBLIC_URL }),
  ...(env.REGISTRY_AUTH !== undefined && { registryAuth: env.REGISTRY_AUTH }),
  ...(BUILT_AT !== '' && { generatedAt: BUILT_AT }),
  ...(env.CALLER_SHA256 !== undefined && {
    identifier: tokenIdentifier([{ name: 'caller', sha256: env.CALLER_SHA256, scopes: [] }]),
    upstreams: teamOf(env),
  }),
}));

function teamOf({ TEAM_URL: url, TEAM_TOKEN: token }: Env): readonly WorkerUpstream[] {
  if (url === undefined) return [];
  return [{ id: 'team', url, headers: token === undefined ? {} : { Authorization: `Bearer ${token}` } }];
}
