import type { ClientSpec } from '../spec.js';
import {
  ADD_MCP,
  AGENT_TOOLS,
  COMMAND_ARGS_ENV,
  cited,
  LITERALS,
  place,
  TYPED_STDIO,
  URL_HEADERS,
  unverified,
} from './shapes.js';

const MAP = [['mcpServers']] as const;
const GOOSE_EXTENSION = 'https://github.com/aaif-goose/goose crates/goose/src/agents/extension.rs';
const GOOSE_CONFIG = 'https://github.com/aaif-goose/goose documentation/docs/guides/config-files.md';

/** Desktop applications, and the portable plugin. */
export const DESKTOPS: readonly ClientSpec[] = [
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    format: 'jsonc',
    user: place('support', 'Claude', 'claude_desktop_config.json'),
    roots: MAP,
    stdio: COMMAND_ARGS_ENV,
    remote: {
      instead:
        'Its file holds local servers only. Add the URL in the application, under Settings > Connectors; or mount the server in doorward, and add doorward by --mode stdio.',
    },
    secrets: {
      ...LITERALS,
      note: 'Mount the server in doorward: its configuration may say ${VAR}.',
    },
    notes: ['Quit and start the application anew: it reads the file at its start.'],
    sources: {
      files: ADD_MCP,
      stdio: AGENT_TOOLS,
      remote: ADD_MCP,
      secrets: unverified('no form of reference is documented'),
    },
  },
  {
    id: 'lmstudio',
    title: 'LM Studio',
    aliases: ['lm-studio'],
    format: 'jsonc',
    user: place('home', '.lmstudio', 'mcp.json'),
    roots: MAP,
    stdio: COMMAND_ARGS_ENV,
    remote: URL_HEADERS,
    secrets: LITERALS,
    link: 'lmstudio',
    notes: ['On some machines the folder is ~/.cache/lm-studio (lmstudio-ai/lmstudio-bug-tracker#1371).'],
    sources: {
      files: cited('https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1371, quoting the documentation'),
      stdio: cited("https://lmstudio.ai/docs/app/mcp: follows Cursor's notation"),
      remote: cited('https://lmstudio.ai/docs/app/mcp'),
      secrets: cited('https://lmstudio.ai/docs/app/mcp: the token is written into the file'),
      link: cited('https://lmstudio.ai/docs/app/mcp/deeplink'),
    },
  },
  {
    id: 'goose',
    title: 'Goose',
    format: 'yaml',
    user: {
      linux: place('config', 'goose', 'config.yaml'),
      darwin: place('home', '.config/goose', 'config.yaml'),
      win32: place('support', 'Block/goose/config', 'config.yaml'),
    },
    roots: [['extensions']],
    repeatsName: true,
    stdio: {
      command: 'cmd',
      env: 'envs',
      fixed: { type: 'stdio', description: '', enabled: true, timeout: 300 },
    },
    remote: {
      url: 'uri',
      transport: { field: 'type', http: 'streamable_http' },
      headers: ['headers'],
      fixed: { description: '', enabled: true, timeout: 300 },
    },
    secrets: {
      dialect: 'braces',
      fields: ['headers'],
      envNames: 'env_keys',
      declares: 'env_keys',
      note: 'Goose looks for the names under env_keys in its keyring and in the environment.',
    },
    link: 'goose',
    sources: {
      files: cited(GOOSE_CONFIG),
      stdio: cited(GOOSE_CONFIG),
      remote: cited(GOOSE_CONFIG),
      secrets: cited(GOOSE_EXTENSION),
      link: cited('https://goose-docs.ai/deeplink-generator'),
    },
  },
  {
    id: 'agent-plugin',
    title: 'Agent Plugin (portable)',
    aliases: ['plugin'],
    format: 'jsonc',
    project: ['mcp.json'],
    roots: MAP,
    seed: { $schema: 'https://agent-plugins.org/schemas/1.0.0/mcp.schema.json' },
    stdio: TYPED_STDIO,
    remote: { url: 'url', transport: { field: 'type', http: 'streamable-http', sse: 'sse' }, headers: ['headers'] },
    secrets: {
      ...LITERALS,
      note: 'The specification forbids secrets in headers; whoever installs the plugin is asked.',
    },
    notes: ['The file lies at the root of the plugin.'],
    sources: {
      files: cited('https://github.com/agentplugins/agent-plugins-spec 1.0.0'),
      stdio: cited('https://github.com/agentplugins/agent-plugins-spec 1.0.0'),
      remote: cited('https://github.com/agentplugins/agent-plugins-spec 1.0.0'),
      secrets: cited('https://github.com/agentplugins/agent-plugins-spec 1.0.0, 7.2'),
    },
  },
];
