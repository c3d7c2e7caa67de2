import type { Place, RemoteShape, SecretSpec, Source, StdioShape } from '../spec.js';

/** Shapes that many clients share. Sources that several rows cite. */
export const COMMAND_ARGS_ENV: StdioShape = { command: 'command', env: 'env' };
export const TYPED_STDIO: StdioShape = { command: 'command', env: 'env', fixed: { type: 'stdio' } };

export const URL_HEADERS: RemoteShape = { url: 'url', headers: ['headers'] };
export const TYPED_HTTP: RemoteShape = {
  url: 'url',
  transport: { field: 'type', http: 'http', sse: 'sse' },
  headers: ['headers'],
};
export const SERVER_URL: RemoteShape = { url: 'serverUrl', headers: ['headers'] };

export const LITERALS: SecretSpec = { dialect: 'none', fields: [] };
export const EVERYWHERE = ['command', 'args', 'env', 'cwd', 'url', 'headers'] as const;

export const ADD_MCP: Source = { cited: 'npm package add-mcp 2.4.0, its table of agents' };
export const AGENT_TOOLS: Source = { cited: 'https://github.com/WolframResearch/AgentTools docs/mcp-clients.md' };

export function cited(what: string): Source {
  return { cited: what };
}

export function unverified(why: string): Source {
  return { unverified: why };
}

export function place(base: Place['base'], folder: string, ...files: readonly string[]): Place {
  return { base, folder, files };
}
