// @ts-check
/**
 * The official SDK (v2) as a proxy at its best, as in sdk-v1.mjs. usage: node bench/sdk-v2.mjs COMMAND [ARG...]
 */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

const [command = '', ...args] = process.argv.slice(2);
/** A Standard Schema that lets everything pass: no schema library is asked. @type {import('@modelcontextprotocol/client').StandardSchemaV1} */
const anything = {
  '~standard': { version: 1, vendor: 'bench', validate: (/** @type {unknown} */ value) => ({ value }) },
};

const client = new Client({ name: 'bench-proxy', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command, args, stderr: 'inherit' }));
const server = new Server({ name: 'bench-proxy', version: '1.0.0' }, { capabilities: { tools: {} } });
server.fallbackRequestHandler = (request) => client.request(request, anything);
await server.connect(new StdioServerTransport());
process.stdin.on('end', () => process.exit(0));
