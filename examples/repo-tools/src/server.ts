import { serve } from 'doorward/node';
import { BUILT_AT } from './built-at.js';
import { implementation } from './implementation.js';

/** The remote tools, over HTTP, for everybody on this machine: `node dist/server.js`. */
const { PORT = '7450', PUBLIC_URL, REGISTRY_AUTH } = process.env;
const server = await serve(implementation, {
  port: Number(PORT),
  ...(PUBLIC_URL !== undefined && { publicUrl: PUBLIC_URL }),
  ...(REGISTRY_AUTH !== undefined && { registryAuth: REGISTRY_AUTH }),
  ...(BUILT_AT !== '' && { generatedAt: BUILT_AT }),
});
console.error(`repo-tools: listening on ${server.url}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
