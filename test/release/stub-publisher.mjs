#!/usr/bin/env node
// Stands for mcp-publisher: the same commands, the same words of failure, against the stub of the Registry.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const VERSION = '__VERSION__';
const DEFAULT_REGISTRY = process.env.MCP_REGISTRY_URL;
const TOKEN_FILE = join(process.env.HOME, '.mcp_publisher_token');

const [command, ...args] = process.argv.slice(2);

function fail(message) {
  console.error(`Error: ${message}`);
  process.exit(1);
}

async function post(url, body, token) {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const response = await fetch(url, { method: 'POST', headers, body }).catch((error) =>
    fail(`error sending request: ${error.cause}`),
  );
  return { status: response.status, text: await response.text() };
}

async function validate(file) {
  const { text } = await post(`${DEFAULT_REGISTRY}/v0/validate`, readFileSync(file));
  const { valid, issues, hasNewerSchema } = JSON.parse(text);
  if (hasNewerSchema) console.log('⚠️  Deprecated schema detected');
  if (!valid) fail(`validation failed: ${issues.map(({ path, message }) => `${path} ${message}`).join('; ')}`);
  console.log('✅ server.json is valid');
}

async function logIn(method, registry) {
  if (method !== 'github-oidc') fail(`unknown authentication method: ${method}`);
  // What a job gets whose permissions say id-token: write.
  if (!process.env.ACTIONS_ID_TOKEN_REQUEST_TOKEN)
    fail('login failed: ACTIONS_ID_TOKEN_REQUEST_TOKEN is not set: id-token permission needed');
  const audience = VERSION === '1.5.0' ? 'mcp-registry' : registry;
  const { status, text } = await post(`${registry}/v0/auth/github-oidc`, JSON.stringify({ audience }));
  if (status !== 200) {
    fail(`failed to get token: failed to exchange OIDC token: token exchange failed with status ${status}: ${text}`);
  }
  writeFileSync(TOKEN_FILE, JSON.stringify({ token: JSON.parse(text).registry_token, registry }), { mode: 0o600 });
  console.log('✓ Successfully logged in');
}

async function publish(file) {
  const { token, registry } = JSON.parse(readFileSync(TOKEN_FILE, 'utf8'));
  const { status, text } = await post(`${registry}/v0/publish`, readFileSync(file), token);
  if (status !== 200) fail(`publish failed: server returned status ${status}: ${text}`);
  console.log('✓ Successfully published');
}

switch (command) {
  case 'validate':
    await validate(args[0]);
    break;
  case 'login':
    await logIn(args[0], args[args.indexOf('--registry') + 1]);
    break;
  case 'logout':
    rmSync(TOKEN_FILE, { force: true });
    break;
  case 'publish':
    await publish(args[0]);
    break;
  default:
    fail(`unknown command ${command}`);
}
