import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CLI, requireBuild, until } from './fixtures/open-door.js';
import { readText } from './house/tree.js';

const REPORT = fileURLToPath(new URL('modules/compiled.cjs', import.meta.url));
const CHUNKS = join(dirname(CLI), 'cli');

let home: string;
beforeEach(() => {
  requireBuild();
  home = mkdtempSync(join(tmpdir(), 'doorward-code-'));
  writeFileSync(join(home, 'doorward.json'), '{"mcpServers":{}}');
});
afterEach(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));

const folder = (): string => join(home, 'cache', 'doorward', 'code');
const kept = (): string[] => (existsSync(folder()) ? readdirSync(folder()).sort() : []);
const isKept = (): boolean => kept().length === 2 && kept().every((name) => !/\.\d+$/.test(name));

const INITIALIZE = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
const MESSAGES = [
  { jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 2, method: 'tools/list' },
];

interface Ran {
  readonly answers: string;
  /** `start.cjs anew`, and so on, in order. */
  readonly compiled: readonly string[];
  readonly code: number | null;
}

/** Starts the door, lets it answer, keeps it until `condition` holds, and ends it. */
async function serve({
  nodeArgs = [],
  env = {},
  condition = () => true,
}: {
  readonly nodeArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly condition?: () => boolean;
} = {}): Promise<Ran> {
  const args = ['--require', REPORT, ...nodeArgs, CLI, 'stdio', '--config', join(home, 'doorward.json')];
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, args, { env: { PATH, XDG_CACHE_HOME: join(home, 'cache'), ...env } });
  let answers = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    answers += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.stdin.write(MESSAGES.map((message) => `${JSON.stringify(message)}\n`).join(''));
  try {
    await until(() => answers.includes('"id":2') && condition(), `${stderr}\nthe door did not answer or write`, 15_000);
  } finally {
    child.stdin.end();
  }
  const code = await ended;
  return { answers, compiled: [...stderr.matchAll(/^COMPILED (.+)$/gm)].map(([, line]) => line!), code };
}

test('a second door starts from what the first one compiled, and answers the same', async () => {
  const first = await serve({ condition: isKept });
  expect(first).toMatchObject({ compiled: ['start.cjs anew', 'gateway.cjs anew'], code: 0 });
  expect(kept().map((name) => statSync(join(folder(), name)).mode & 0o777)).toEqual([0o600, 0o600]);
  const second = await serve();
  expect(second).toMatchObject({ compiled: ['start.cjs kept', 'gateway.cjs kept'], code: 0, answers: first.answers });
}, 30_000);

test('code that V8 refuses is made anew, and kept instead', async () => {
  await serve({ condition: isKept });
  const before = kept().map((name) => statSync(join(folder(), name)).ino);
  const others = (): boolean => isKept() && kept().every((name, i) => statSync(join(folder(), name)).ino !== before[i]);
  const flags = ['--no-use-osr'];
  const { compiled } = await serve({ nodeArgs: flags, condition: others });
  expect(compiled).toEqual(['start.cjs refused', 'gateway.cjs refused']);
  expect((await serve({ nodeArgs: flags })).compiled).toEqual(['start.cjs kept', 'gateway.cjs kept']);
}, 45_000);

test('two doors that start at once both answer, and leave what a third can use', async () => {
  const both = await Promise.all([serve({ condition: isKept }), serve({ condition: isKept })]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect((await serve()).compiled).toEqual(['start.cjs kept', 'gateway.cjs kept']);
}, 30_000);

describe('nothing is kept', () => {
  test.each([
    { why: 'there is no home', env: { XDG_CACHE_HOME: '' } },
    { why: 'nothing can be written there', env: { XDG_CACHE_HOME: '/proc/doorward' } },
    { why: 'Node is told so', env: { NODE_DISABLE_COMPILE_CACHE: '1' } },
  ])(
    'and the door answers where $why',
    async ({ env }) => {
      const since = performance.now();
      // Longer than it takes until code would be written.
      const ran = await serve({ env, condition: () => performance.now() - since > 3_000 });
      expect(ran).toMatchObject({ code: 0, answers: expect.stringContaining('"id":2') });
      expect(kept()).toEqual([]);
    },
    30_000,
  );
});

describe('the bundle', () => {
  const filesWhere = (isSo: (bytes: Buffer) => boolean): string[] =>
    readdirSync(CHUNKS).filter((name) => isSo(readFileSync(join(CHUNKS, name))));

  test('has no import(), which kept code could not run, but where authors’ modules are loaded, which is never kept', () => {
    const atStart = readText('test/golden/modules/stdio-until-initialized.txt');
    const files = filesWhere((bytes) => /\bimport\(/.test(bytes.toString()));
    expect(files).toEqual(['project-loading.cjs']);
    for (const file of files) expect(atStart).not.toContain(file);
  });

  test('is ASCII: one other character would double what V8 holds of it', () => {
    expect(filesWhere((bytes) => bytes.some((byte) => byte > 0x7f))).toEqual([]);
  });
});
