/** What the suite looks at: a fixture, doorward before one, doorward's client. Whatever is started here ends here. */
import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { rolldown } from 'rolldown';
import { endProcess, endWithUs, ROOT, withServedDoorward } from '../../test/fixtures/served-doorward.mjs';

const START_MS = 20_000;

/** The fixture, on both versions of the SDK and over both transports. */
export const UPSTREAMS = [
  { title: 'SDK v1, stdio', sdk: 'v1', transport: 'stdio' },
  { title: 'SDK v1, HTTP', sdk: 'v1', transport: 'http' },
  { title: 'SDK v2, stdio', sdk: 'v2', transport: 'stdio' },
  { title: 'SDK v2, HTTP', sdk: 'v2', transport: 'http' },
];

const fixturePath = (sdk) => join(ROOT, 'conformance', 'mcp', 'fixture', `server-${sdk}.mjs`);

/** Gives `use` the URL of the fixture itself. */
export async function withFixture({ sdk }, use) {
  const child = endWithUs(
    spawn(process.execPath, [fixturePath(sdk), 'http'], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  try {
    return await use(await firstLine(child));
  } finally {
    await endProcess(child);
  }
}

/** Gives `use` the URL of a doorward that has the fixture behind it. */
export function withDoorward(upstream, folder, use) {
  if (upstream.transport === 'stdio') {
    const entry = { command: process.execPath, args: [fixturePath(upstream.sdk), 'stdio'] };
    return serve(entry, folder, async (url) => {
      await warmUp(url);
      return use(url);
    });
  }
  return withFixture(upstream, (url) => serve({ type: 'http', url }, folder, use));
}

function serve(entry, folder, use) {
  const config = join(folder, 'doorward.json');
  writeFileSync(config, JSON.stringify({ prefix: 'never', mcpServers: { fixture: entry } }));
  return withServedDoorward({ config, folder: mkdtempSync(join(folder, 'home-')) }, use);
}

/**
 * Over stdio a caller that can be asked gets a server process of its own. One check gives it 600 ms for its first answer,
 * less than a process takes to start on a busy machine: so somebody with the same name and capabilities comes first.
 */
async function warmUp(url) {
  const method = 'tools/list';
  const revision = '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'conformance-client', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      'mcp-method': method,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta } }),
  });
  await response.text();
}

/** Bundles the client's command. @returns the command line that the suite is to run */
export async function bundleClient(folder) {
  const file = join(folder, 'client.mjs');
  const build = await rolldown({
    input: join(ROOT, 'conformance', 'mcp', 'client', 'main.ts'),
    platform: 'node',
    external: (id) => id.startsWith('node:'),
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] }, mainFields: ['module', 'main'] },
    logLevel: 'warn',
  });
  await build.write({ format: 'esm', file, codeSplitting: false });
  await build.close();
  return `${process.execPath} ${file}`;
}

async function firstLine(child) {
  const lines = createInterface({ input: child.stdout });
  const timer = setTimeout(() => lines.close(), START_MS);
  try {
    for await (const line of lines) return line;
    throw new Error('the fixture did not say where it listens');
  } finally {
    clearTimeout(timer);
  }
}
