/** A server of the official SDK over HTTP, which wants a token: what a Worker mounts. */
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as z from 'zod';
import { listening } from '../fixtures/http-server.js';

/** @returns its address, how many calls of `add` it has had, and how many callers hung up on it */
export async function startUpstream(token: string) {
  let calls = 0;
  let hangUps = 0;
  const server = createServer(async (request, response) => {
    if (request.headers.authorization !== `Bearer ${token}`) return response.writeHead(401).end();
    // One server a request: it keeps no sessions.
    const mcp = new McpServer({ name: 'team', version: '1.0.0' });
    mcp.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => {
      calls++;
      return { content: [{ type: 'text', text: String(a + b) }] };
    });
    mcp.registerTool('wait', {}, async ({ _meta, sendNotification }) => {
      const progressToken = _meta?.progressToken;
      for (let progress = 1; !response.closed; progress++) {
        if (progressToken !== undefined) {
          await sendNotification({ method: 'notifications/progress', params: { progressToken, progress } });
        }
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return { content: [] };
    });
    response.on('close', () => {
      if (!response.writableEnded) hangUps++;
    });
    const transport = new StreamableHTTPServerTransport({} as never);
    await mcp.connect(transport as never);
    await transport.handleRequest(request, response);
    return undefined;
  });
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    calls: () => calls,
    hangUps: () => hangUps,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
