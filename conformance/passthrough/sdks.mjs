/** The two versions of the official SDK's client, behind what they do differently. */
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

const SCHEMAS_V1 = {
  'roots/list': ListRootsRequestSchema,
  'sampling/createMessage': CreateMessageRequestSchema,
  'elicitation/create': ElicitRequestSchema,
};

const INFO = { name: 'pass-through', version: '1.0.0' };

export const SDKS = {
  v1: {
    title: 'SDK v1',
    makeClient: (capabilities) => new ClientV1(INFO, { capabilities }),
    makeTransport: (command, onStderr) => listening(new StdioV1({ ...command, stderr: 'pipe' }), onStderr),
    onRequest: (client, method, answer) => client.setRequestHandler(SCHEMAS_V1[method], ({ params }) => answer(params)),
    callTool: (client, params, options) => client.callTool(params, undefined, options),
  },
  v2: {
    title: 'SDK v2',
    makeClient: (capabilities) => new ClientV2(INFO, { capabilities }),
    makeTransport: (command, onStderr) => listening(new StdioV2({ ...command, stderr: 'pipe' }), onStderr),
    onRequest: (client, method, answer) => client.setRequestHandler(method, ({ params }) => answer(params)),
    callTool: (client, params, options) => client.callTool(params, options),
  },
};

function listening(transport, onStderr) {
  transport.stderr?.on('data', (chunk) => onStderr(String(chunk)));
  return transport;
}
