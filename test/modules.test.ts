import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { requireBuild } from './fixtures/open-door.js';
import { ROOT } from './house/tree.js';
import { type Loaded, listLoaded, type Run } from './modules/loaded.js';

// What is loaded at start-up is most of what start-up costs. A change of these lists is a change of that cost: if it is
// meant, `UPDATE_GOLDEN=1 npx vitest run test/modules.test.ts` writes them anew, and the diff goes through review.
const GOLDEN = join(ROOT, 'test', 'golden', 'modules');

/** Which of Node's modules load which others differs between its versions; the lists were taken on this one. */
const GOLDEN_NODE_MAJOR = '20';

const folder = mkdtempSync(join(tmpdir(), 'doorward-modules-'));
const config = join(folder, 'doorward.json');
const upstream = join(ROOT, 'test', 'fixtures', 'hostile-server.mjs');
writeFileSync(config, JSON.stringify({ mcpServers: { one: { command: process.execPath, args: [upstream] } } }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'modules', version: '1' } },
});

const RUNS: readonly ({ readonly name: string } & Run)[] = [
  { name: 'version', args: ['--version'] },
  { name: 'help', args: ['--help'] },
  { name: 'stdio-until-initialized', args: ['stdio', '--config', config], input: `${initialize}\n` },
];

describe.each(RUNS)('doorward $name', ({ name, ...run }) => {
  test('loads the modules that test/golden/modules lists, and no others', async () => {
    requireBuild();
    const env = { XDG_CACHE_HOME: folder, XDG_CONFIG_HOME: folder };
    const loaded = await listLoaded({ ...run, env });
    const file = join(GOLDEN, `${name}.txt`);
    if (process.env.UPDATE_GOLDEN) {
      mkdirSync(GOLDEN, { recursive: true });
      writeFileSync(file, toText(loaded));
    }
    expect(existsSync(file), `${file} is there`).toBe(true);
    const golden = fromText(readFileSync(file, 'utf8'));
    expect(loaded.chunks).toEqual(golden.chunks);
    if (process.versions.node.startsWith(`${GOLDEN_NODE_MAJOR}.`)) expect(loaded.builtins).toEqual(golden.builtins);
  });
});

function toText({ chunks, builtins }: Loaded): string {
  return [...chunks, ...builtins.map((name) => `node:${name}`)].map((line) => `${line}\n`).join('');
}

function fromText(text: string): Loaded {
  const lines = text.split('\n').filter(Boolean);
  return {
    chunks: lines.filter((line) => !line.startsWith('node:')),
    builtins: lines.filter((line) => line.startsWith('node:')).map((line) => line.slice('node:'.length)),
  };
}
