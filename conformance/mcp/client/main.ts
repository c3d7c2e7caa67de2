/**
 * The command that the official suite tests as a client: doorward with the scenario's server as its one upstream, and a
 * caller in front of it that uses everything there is.
 *
 *     MCP_CONFORMANCE_SCENARIO=tools_call MCP_CONFORMANCE_PROTOCOL_VERSION=2026-07-28 node client.mjs URL
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DoorError } from '../../../src/base/index.js';
import { type Config, readConfig } from '../../../src/config/index.js';
import { createGateway } from '../../../src/gateway/index.js';
import {
  authStatusOf,
  gatewayLimitsOf,
  logInTo,
  mountsOf,
  oauthServerOf,
  validationOf,
} from '../../../src/runtime/node/index.js';
import { DoorCaller, type Json } from './door-caller.js';
import { useEverything } from './use-everything.js';

const SERVER = 'subject';
const NEWEST_HANDSHAKE = '2025-11-25';
/** What a user would bear: the login, and two for more scopes. */
const MOST_LOGINS = 3;
const LOGIN_MS = 20_000;
const START_MS = 30_000;
/** The scenario that wants a client known by its metadata document; it looks at the URL alone. */
const METADATA_DOCUMENT = {
  scenario: 'auth/basic-cimd',
  clientId: 'https://conformance-test.local/client-metadata.json',
};

const url = process.argv[2] ?? '';
const revision = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION ?? NEWEST_HANDSHAKE;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as Json;
const folder = mkdtempSync(join(tmpdir(), 'doorward-conformance-'));
const environment = { PATH: process.env.PATH ?? '', HOME: folder, XDG_STATE_HOME: folder, XDG_CACHE_HOME: folder };
try {
  await run();
} catch (error) {
  process.exitCode = 1;
  say(String(error));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Uses the server; where it wants a login, logs in and uses it again, as a user would. */
async function run(): Promise<void> {
  const file = { name: 'conformance', bytes: new TextEncoder().encode(configText()) };
  const config = readConfig({ file, environment });
  for (let logins = 0; ; logins++) {
    await useServer(config);
    if (logins === MOST_LOGINS || !(await wantsLogin(config))) return;
    await logIn(config);
  }
}

async function useServer(config: Config): Promise<void> {
  const gateway = createGateway({
    mounts: mountsOf(config, { folder, environment }),
    prefix: config.prefix,
    validation: validationOf(config.validation),
    limits: gatewayLimitsOf(config),
  });
  gateway.events.onAny((name, event) => say(`${name} ${JSON.stringify(event)}`));
  const settled = Promise.race([
    new Promise<void>((resolve) => gateway.events.on('upstream.connected', () => resolve())),
    new Promise<void>((resolve) => gateway.events.on('upstream.lost', () => resolve())),
    sleep(START_MS, undefined, { ref: false }),
  ]);
  const caller = new DoorCaller(gateway, revision);
  try {
    const errors = await useEverything(caller, context.toolCalls as undefined, settled);
    for (const { message } of errors) say(message);
  } finally {
    await caller.close();
    await gateway.close();
  }
}

async function wantsLogin(config: Config): Promise<boolean> {
  const { state, wantedScope } = await authStatusOf(serverOf(config), environment);
  return state === 'needed' || wantedScope !== undefined;
}

/** The page of a scenario's authorization server says yes by itself, and sends whoever opens it back. */
async function logIn(config: Config): Promise<void> {
  const show = async (page: string): Promise<void> => {
    say(`login ${page}`);
    await fetch(page);
  };
  const credential = await logInTo({ server: serverOf(config), environment, show, timeoutMs: LOGIN_MS });
  say(`logged in by ${credential?.issuer}`);
}

function serverOf(config: Config): NonNullable<ReturnType<typeof oauthServerOf>> {
  const server = config.servers[0] && oauthServerOf(config.servers[0]);
  if (!server) throw new DoorError('INTERNAL', `${url} cannot be configured`);
  return server;
}

function configText(): string {
  const isDocument = process.env.MCP_CONFORMANCE_SCENARIO === METADATA_DOCUMENT.scenario;
  const clientId = isDocument ? METADATA_DOCUMENT.clientId : context.client_id;
  const oauth = clientId === undefined ? {} : { oauth: { clientId, clientSecret: context.client_secret } };
  return JSON.stringify({ prefix: 'never', mcpServers: { [SERVER]: { type: 'http', url, ...oauth } } });
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
