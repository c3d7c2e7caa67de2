/**
 * Every field of the configuration, once. The check walks this table, the types below are read off it, the published
 * JSON Schema is printed from it, and a test holds docs/config.md to it.
 */

import type { FieldTable } from './field-kinds.js';
import { HTTP_FIELDS } from './http-fields.js';

const DAY_MS = 86_400_000;
const KIB = 1024;
const MIB = KIB * KIB;

const VALIDATION_FIELDS = {
  invalidArguments: {
    kind: 'choice',
    choices: ['protocol-error', 'tool-error'],
    default: 'protocol-error',
    description:
      'How a call with invalid arguments is refused: as JSON-RPC error -32602, or as a tool result with isError, for models that cannot see protocol errors. The upstream sees nothing either way.',
  },
  outputs: {
    kind: 'choice',
    choices: ['warn', 'enforce'],
    default: 'warn',
    description:
      "What happens when a result breaks the tool's outputSchema: it is reported and delivered unchanged, or replaced by a result with isError.",
  },
  uncompilableOutput: {
    kind: 'choice',
    choices: ['exclude', 'ignore'],
    default: 'exclude',
    description:
      'Whether a tool whose outputSchema alone cannot be compiled is left out, or kept with its results unjudged.',
  },
  elicitationFormats: {
    kind: 'choice',
    choices: ['warn', 'assert'],
    default: 'warn',
    description:
      'Whether a wrong email, uri, date or date-time in an answer to an elicitation is a warning or makes it invalid.',
  },
  elicitationSchemas: {
    kind: 'choice',
    choices: ['warn', 'refuse'],
    default: 'warn',
    description:
      'Whether a server that asks by a schema outside the flat subset that MCP allows for elicitation is warned about, or refused.',
  },
} as const satisfies FieldTable;

const PREFIX_CHOICES = ['always', 'conflict', 'never'] as const;

/** One entry of `mcpServers`. */
export const SERVER_FIELDS = {
  type: {
    kind: 'choice',
    choices: ['stdio', 'http', 'sse', 'streamable-http'],
    description:
      'The transport. Read from `command` or `url` where absent. `http` and `streamable-http` are the same, and fall back to `sse`, the HTTP+SSE of 2024.',
  },
  command: {
    kind: 'text',
    expands: true,
    description: 'The program to start, found by PATH; no shell is involved.',
  },
  args: { kind: 'texts', expands: true, default: [], description: 'Its arguments, one a string.' },
  env: {
    kind: 'text-map',
    expands: true,
    description:
      'Environment variables it gets beside the few that every server gets (PATH, HOME, LANG, proxy settings and their like).',
  },
  cwd: {
    kind: 'text',
    expands: true,
    description:
      'The folder it starts in. Relative to the folder of the configuration file; the current one if absent.',
  },
  url: { kind: 'text', expands: true, description: 'The http or https address of a remote server.' },
  headers: { kind: 'text-map', expands: true, description: 'HTTP headers sent to the remote server.' },
  era: {
    kind: 'choice',
    choices: ['auto', 'handshake', 'modern'],
    default: 'auto',
    description:
      'Which way of MCP the server speaks: `handshake` is 2025-11-25 and before, `modern` 2026-07-28. `auto` finds out and remembers.',
  },
  oauth: {
    kind: 'group',
    description: 'How `doorward login` introduces itself to the authorization server of a remote server.',
    isOptional: true,
    fields: {
      clientId: { kind: 'text', expands: true, description: 'The client id, where it was registered by hand.' },
      clientSecret: {
        kind: 'text',
        expands: true,
        description: 'The secret that belongs to `clientId`, if it has one.',
      },
      scope: {
        kind: 'text',
        description: 'The scopes to ask for, separated by spaces, where the server names too few.',
      },
      redirectPort: {
        kind: 'integer',
        min: 1,
        max: 65_535,
        description: 'The port on 127.0.0.1 that the browser comes back to; a free one if absent.',
      },
    },
  },
  enabled: {
    kind: 'boolean',
    default: true,
    description: 'Whether the server is used; if false, nothing else is read.',
  },
  prefix: {
    kind: 'choice',
    choices: PREFIX_CHOICES,
    description: "When this server's tool names carry its id; overrides the `prefix` of the file.",
  },
  tools: {
    kind: 'group',
    description: "Which of the server's tools are mounted.",
    fields: {
      allow: {
        kind: 'texts',
        description: "Patterns of the server's own tool names that are mounted, `*` the only wildcard; all if absent.",
      },
      deny: { kind: 'texts', default: [], description: 'Patterns of tool names left out; they win over `allow`.' },
    },
  },
  startTimeoutMs: {
    kind: 'integer',
    unit: 'ms',
    min: 1,
    max: DAY_MS,
    description:
      'How long starting and listing may take; output on stderr extends it. Overrides `limits.startTimeoutMs`.',
  },
  callTimeoutMs: {
    kind: 'integer',
    unit: 'ms',
    min: 1,
    max: DAY_MS,
    description: 'How long a call may take without progress. Overrides `limits.callTimeoutMs`.',
  },
  validation: {
    kind: 'group',
    description: 'Overrides the `validation` of the file for this server, field by field.',
    fields: withoutDefaults(VALIDATION_FIELDS),
  },
  isolation: {
    kind: 'choice',
    choices: ['shared', 'caller'],
    default: 'shared',
    description: 'Whether callers may share one connection to this server, or each gets its own.',
  },
  loginShellPath: {
    kind: 'boolean',
    default: false,
    description:
      'Whether to take PATH from the login shell: for programs that a desktop application does not find because it was started without one.',
  },
} as const satisfies FieldTable;

/** The file itself. */
export const CONFIG_FIELDS = {
  $schema: { kind: 'text', description: 'Where editors find the JSON Schema of this file; not read by doorward.' },
  mcpServers: { kind: 'servers', description: 'The servers behind the door, by id. Any text may be an id.' },
  servers: { kind: 'servers', aliasOf: 'mcpServers', description: 'Another name of `mcpServers`.' },
  prefix: {
    kind: 'choice',
    choices: PREFIX_CHOICES,
    default: 'always',
    description: "When a tool's public name carries its server's id: always, only where two would collide, or never.",
  },
  expose: {
    kind: 'choice',
    choices: ['tools'],
    default: 'tools',
    description: 'What a caller is shown: every tool.',
  },
  ownTools: {
    kind: 'boolean',
    default: false,
    description:
      "Whether doorward's own tools, `doorward_status` and `doorward_check`, are listed beside the servers'.",
  },
  validation: { kind: 'group', description: 'How strictly calls are judged.', fields: VALIDATION_FIELDS },
  limits: {
    kind: 'group',
    description: 'What one call, one message or one server may use.',
    fields: {
      maxMessageBytes: {
        kind: 'integer',
        unit: 'bytes',
        min: 64 * KIB,
        max: 1024 * MIB,
        default: 32 * MIB,
        description: 'Size of one message. A larger one fails its call; beyond four times this the connection closes.',
      },
      maxDepth: {
        kind: 'integer',
        unit: 'levels',
        min: 8,
        max: 512,
        default: 512,
        description: 'How deep the arguments of a call may be nested.',
      },
      startTimeoutMs: {
        kind: 'integer',
        unit: 'ms',
        min: 1,
        max: DAY_MS,
        default: 60_000,
        description: 'How long a server may take to start and list its tools; output on stderr extends it.',
      },
      callTimeoutMs: {
        kind: 'integer',
        unit: 'ms',
        min: 1,
        max: DAY_MS,
        default: 60_000,
        description: 'How long a call may take without progress.',
      },
      maxCallMs: {
        kind: 'integer',
        unit: 'ms',
        min: 1,
        max: 7 * DAY_MS,
        default: 600_000,
        description: 'How long a call may take that keeps reporting progress.',
      },
      maxInFlight: {
        kind: 'integer',
        unit: 'calls',
        min: 1,
        max: 65_536,
        default: 1024,
        description: 'Calls on their way to one server at a time; one more is refused as BUSY.',
      },
      pageSize: {
        kind: 'integer',
        unit: 'tools',
        min: 0,
        max: 100_000,
        default: 0,
        description: 'Tools on one page of tools/list; 0 puts all on one page.',
      },
    },
  },
  http: { kind: 'group', description: 'The HTTP door: `doorward serve`.', fields: HTTP_FIELDS },
  store: { kind: 'open', isLater: true, description: 'Where the record of calls is kept.' },
  telemetry: { kind: 'open', isLater: true, description: 'Traces and metrics.' },
} as const satisfies FieldTable;

/** A server's overrides have no default of their own: the file's value is their default. */
function withoutDefaults<Table extends FieldTable>(table: Table): Table {
  const stripped = Object.entries(table).map(([name, { ...field }]) => {
    if (field.kind === 'choice') delete (field as { default?: unknown }).default;
    return [name, field] as const;
  });
  return Object.fromEntries(stripped) as unknown as Table;
}
