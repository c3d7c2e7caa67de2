/** What the suite looks at: a fixture, doorward before one, doorward's client. Whatever is started here ends here. */
import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { rolldown } from 'rolldown';
import { endProcess, ROOT, withServedDoorward } from '../../test/fixtures/served-doorward.mjs';

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
  const child = spawn(process.execPath, [fixturePath(sdk), 'http'], { stdio: ['ignore', 'pipe', 'inherit'] });
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
    return serve(entry, folder, use);
  }
  return withFixture(upstream, (url) => serve({ type: 'http', url }, folder, use));
}

function serve(entry, folder, use) {
  const config = join(folder, 'doorward.json');
  writeFileSync(config, JSON.stringify({ prefix: 'never', mcpServers: { fixture: entry } }));
  return withServedDoorward({ config, folder: mkdtempSync(join(folder, 'home-')) }, use);
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
