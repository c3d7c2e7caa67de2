/** What the suite looks at: a fixture, doorward before one, doorward's client. Whatever is started here ends here. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { isAbsolute, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const START_MS = 20_000;
const END_MS = 5_000;

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
  const child = spawn(process.execPath, [fixturePath(sdk), 'http'], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    return await use(await firstLine(child));
  } finally {
    await end(child);
  }
}

/** Gives `use` the URL of a doorward that has the fixture behind it. */
export function withDoorward(upstream, folder, use) {
  if (upstream.transport === 'stdio') {
    const entry = { command: process.execPath, args: [fixturePath(upstream.sdk), 'stdio'] };
    return serve(entry, folder, use);
  }
  return withFixture(upstream, (url) => serve({ type: 'http', url }, folder, use));
}

async function serve(entry, folder, use) {
  const port = await freePort();
  const config = join(folder, `doorward-${port}.json`);
  const http = { host: '127.0.0.1', port };
  writeFileSync(config, JSON.stringify({ prefix: 'never', http, mcpServers: { fixture: entry } }));
  const child = spawn(process.execPath, [join(ROOT, 'dist', 'cli.cjs'), 'serve', '--config', config], {
    // A folder of its own: nothing is remembered from another run.
    env: {
      PATH: process.env.PATH,
      XDG_CACHE_HOME: folder,
      XDG_STATE_HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  try {
    await whenReady(`http://127.0.0.1:${port}/readyz`, child);
    return await use(`http://127.0.0.1:${port}/mcp`);
  } finally {
    await end(child);
  }
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
  if (!isAbsolute(file)) throw new Error('the suite runs the client from its own folder');
  return `${process.execPath} ${file}`;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
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

async function whenReady(url, child) {
  for (const until = Date.now() + START_MS; Date.now() < until; await sleep(50)) {
    if (child.exitCode !== null) throw new Error(`doorward serve ended with exit code ${child.exitCode}`);
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return;
  }
  throw new Error(`doorward serve is not ready after ${START_MS} ms`);
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
  await ended;
  clearTimeout(timer);
}
