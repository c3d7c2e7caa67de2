import { z } from 'zod';
import { defineContract, defineTool } from '../../contract/index.js';
import { IDENTITY } from './identity.js';

const Server = z.object({
  id: z.string().describe('As in the configuration.'),
  state: z.enum(['idle', 'connecting', 'ready', 'failed', 'closed']),
  tools: z.int().min(0).optional().describe('How many tools it lists; known while it is ready.'),
  reason: z.string().optional().describe('Why it cannot be used.'),
  code: z.string().optional().describe('The error code of the reason.'),
  retryAt: z.iso.datetime().optional().describe('When it is tried again by itself.'),
});

const Excluded = z.object({
  server: z.string(),
  tool: z.string().describe("The server's own name of the tool."),
  code: z.string(),
  reason: z.string(),
});

const status = defineTool({
  name: 'doorward_status',
  title: 'Status of the servers behind doorward',
  description:
    'Shows which MCP servers stand behind this door, the state of each, and the tools that were left out with the reasons. Use it when a tool that should be there is missing, or a server does not answer.',
  kind: 'read',
  input: z.object({ server: z.string().optional().describe('Only this server, by its id.') }),
  output: z.object({
    tools: z.int().min(0).describe('How many tools are in the list now.'),
    servers: z.array(Server),
    excluded: z.array(Excluded),
  }),
  examples: [{ title: 'All servers', input: {} }],
});

const check = defineTool({
  name: 'doorward_check',
  title: 'Check the arguments of a call',
  description:
    "Tells whether a tool would take these arguments, judged by the tool's own schema. Nothing is called and nothing is sent. Use it before a call that cannot be undone.",
  kind: 'read',
  input: z.object({
    tool: z.string().min(1).describe('The name of the tool, as it is listed.'),
    arguments: z.record(z.string(), z.unknown()).default({}).describe('The arguments that the call would have.'),
  }),
  output: z.object({
    tool: z.string(),
    accepted: z.boolean(),
    reason: z.string().optional().describe('Why not, where it is not the arguments: no such tool, or left out.'),
    issues: z
      .array(
        z.object({
          path: z.string().describe('The place in the arguments: `$.days`.'),
          message: z.string(),
        }),
      )
      .describe('What is wrong with the arguments; empty where nothing is.'),
  }),
  examples: [{ title: 'A tool of doorward itself', input: { tool: 'doorward_status', arguments: {} } }],
});

/** doorward's own tools, and who doorward is: what its manifest, documents and reference are made from. */
export const contract = defineContract({
  server: IDENTITY,
  tools: [status, check],
  packages: [
    {
      registryType: 'npm',
      identifier: 'doorward',
      runtimeHint: 'npx',
      transport: { type: 'stdio' },
      packageArguments: [
        { type: 'positional', value: 'stdio' },
        // What a client starts from the Registry has no configuration yet.
        { type: 'named', name: '--own-tools' },
      ],
    },
  ],
});
