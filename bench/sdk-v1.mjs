// @ts-check
/**
 * The official SDK (v1) as a proxy at its best: the low-level Server with one fallback handler, and Client.request with a
 * schema that lets everything pass. No tool schema is looked at. usage: node bench/sdk-v1.mjs COMMAND [ARG...]
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const [command = '', ...args] = process.argv.slice(2);
/**
 * Looks like a schema of the library's third version, which the SDK takes; nothing is cheaper.
 * @type {import('@modelcontextprotocol/sdk/server/zod-compat.js').AnySchema}
 */
const anything = /** @type {never} */ ({ safeParse: (/** @type {unknown} */ data) => ({ success: true, data }) });

const client = new Client({ name: 'bench-proxy', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command, args, stderr: 'inherit' }));
const server = new Server({ name: 'bench-proxy', version: '1.0.0' }, { capabilities: { tools: {} } });
server.fallbackRequestHandler = (request) => client.request(request, anything);
await server.connect(new StdioServerTransport());
process.stdin.on('end', () => process.exit(0));
