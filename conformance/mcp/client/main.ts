/**
 * The command that the official suite tests as a client: doorward with the scenario's server as its one upstream, and a
 * caller in front of it that uses everything there is.
 *
 *     MCP_CONFORMANCE_SCENARIO=tools_call MCP_CONFORMANCE_PROTOCOL_VERSION=2026-07-28 node client.mjs URL
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../src/config/index.js';
import { createGateway } from '../../../src/gateway/index.js';
import { gatewayLimitsOf, mountsOf, validationOf } from '../../../src/runtime/node/index.js';
import { DoorCaller, type Json } from './door-caller.js';
import { useEverything } from './use-everything.js';

const SERVER = 'subject';
const NEWEST_HANDSHAKE = '2025-11-25';

const url = process.argv[2] ?? '';
const revision = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION ?? NEWEST_HANDSHAKE;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as Json;
const folder = mkdtempSync(join(tmpdir(), 'doorward-conformance-'));
try {
  process.exitCode = await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<number> {
  const file = { name: 'conformance', bytes: new TextEncoder().encode(configText()) };
  const config = readConfig({ file, environment: {} });
  const gateway = createGateway({
    mounts: mountsOf(config, { folder }),
    prefix: config.prefix,
    validation: validationOf(config.validation),
    limits: gatewayLimitsOf(config),
  });
  gateway.events.onAny((name, event) => process.stderr.write(`${name} ${JSON.stringify(event)}\n`));
  const caller = new DoorCaller(gateway, revision);
  try {
    const errors = await useEverything(caller, context.toolCalls as undefined);
    for (const { message } of errors) process.stderr.write(`${message}\n`);
    return 0;
  } finally {
    await caller.close();
    await gateway.close();
  }
}

function configText(): string {
  const { client_id: clientId, client_secret: clientSecret } = context;
  const oauth = clientId === undefined ? {} : { oauth: { clientId, clientSecret } };
  return JSON.stringify({ prefix: 'never', mcpServers: { [SERVER]: { type: 'http', url, ...oauth } } });
}
