import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import vm from 'node:vm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { useCodeCache } from './code-cache.js';

const PADDING = `// ${'-'.repeat(40_000)}`;
const DAY_MS = 86_400_000;

let home: string;
let chunks: string;
/**
 * Whether V8 was given code, for each file that was compiled. Whether it takes it shows in a new process only, see
 * test/code-cache.test.ts: here it remembers what it compiled before.
 */
let compiled: boolean[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'doorward-code-'));
  chunks = join(home, 'chunks');
  mkdirSync(chunks);
  compiled = [];
  const { getBuiltinModule } = process;
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(((id: string) =>
    id === 'node:vm' ? { Script: watchedScript } : getBuiltinModule(id)) as typeof getBuiltinModule);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  rmSync(home, { recursive: true, force: true });
});

const watchedScript = class extends vm.Script {
  constructor(code: string, options: vm.ScriptOptions) {
    super(code, options);
    compiled.push(options.cachedData !== undefined);
  }
};

const codeFolder = (): string => join(home, 'cache', 'doorward', 'code');
const kept = (): string[] => (existsSync(codeFolder()) ? readdirSync(codeFolder()).sort() : []);
const keptPath = (): string => join(codeFolder(), kept()[0]!);

function writeChunk(code: string, name = 'big.cjs'): string {
  const path = join(chunks, name);
  writeFileSync(path, `${code}\n${PADDING}\n`);
  return path;
}

const loadPlain = (loaded: NodeJS.Module): void => {
  loaded.exports = 'plain';
};

interface StartOptions {
  readonly environment?: Record<string, string>;
  readonly isWriting?: boolean;
  readonly version?: string;
}

/** What Node would load by itself is 'plain' here. @returns a stand-in for require, and the table it goes through */
function start({ environment, isWriting = true, version = '1.0.0' }: StartOptions = {}) {
  const loaders: NodeJS.RequireExtensions = Object.assign(Object.create(null), { '.js': loadPlain });
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const whole = { XDG_CACHE_HOME: join(home, 'cache'), ...environment };
  useCodeCache({ environment: whole, chunks, version, loaders, isWriting });
  const load = (path: string): unknown => {
    const module = { exports: {}, require: createRequire(path) } as unknown as NodeJS.Module;
    (loaders['.cjs'] ?? loaders['.js'])(module, path);
    return module.exports;
  };
  return { loaders, load };
}

/** Lets the time pass after which code is written, and waits for it. */
async function letWrite(): Promise<void> {
  await vi.advanceTimersByTimeAsync(2_000);
  vi.useRealTimers();
  // Its import and its writes have no promise that could be waited for.
  await new Promise((resolve) => setTimeout(resolve, 250));
}

/** Loads a chunk in one process and lets it be kept. */
async function keep(path: string, options: StartOptions = {}): Promise<void> {
  start(options).load(path);
  await letWrite();
  compiled = [];
}

describe('what is loaded', () => {
  test('has all that CommonJS has, and its own place in stack traces', () => {
    const path = writeChunk(
      'const { sep } = require("node:path");\nmodule.exports = { sep, __filename, __dirname, at() { throw new Error("here"); } };',
    );
    const exported = start().load(path) as Record<string, unknown> & { readonly at: () => void };
    expect(exported).toMatchObject({ sep: '/', __filename: path, __dirname: chunks });
    expect(exported.at).toThrow(expect.objectContaining({ stack: expect.stringContaining(`${path}:2:`) }));
  });

  test('is left to Node where it is small, or none of ours', () => {
    const { load } = start();
    const small = join(chunks, 'small.cjs');
    writeFileSync(small, 'exports.a = 1;');
    const foreign = join(home, 'foreign.cjs');
    writeFileSync(foreign, PADDING);
    expect([load(small), load(foreign)]).toEqual(['plain', 'plain']);
  });

  test.each([
    { why: 'there is no home', environment: { XDG_CACHE_HOME: '' } },
    { why: 'Node is told to keep no code', environment: { NODE_DISABLE_COMPILE_CACHE: '1' } },
    { why: 'coverage is taken', environment: { NODE_V8_COVERAGE: '/tmp/x' } },
  ])('is left to Node where $why', ({ environment }) => {
    expect(start({ environment }).loaders['.cjs']).toBeUndefined();
  });

  test('is left to whoever loads such files already', () => {
    const loader = (): void => {};
    const loaders = { '.js': loader, '.cjs': loader } as unknown as NodeJS.RequireExtensions;
    const environment = { XDG_CACHE_HOME: join(home, 'cache') };
    useCodeCache({ environment, chunks, version: '1', loaders, isWriting: true });
    expect(loaders['.cjs']).toBe(loader);
    useCodeCache({ environment, chunks, version: '1', loaders: undefined, isWriting: true });
  });
});

describe('what is kept', () => {
  test('is taken at the next start, and not written again', async () => {
    const path = writeChunk('exports.answer = () => 42;');
    await keep(path);
    expect(kept()).toEqual([`big-1.0.0-${process.version}-${process.arch}`]);
    const before = statSync(keptPath());
    const { load } = start();
    const { answer } = load(path) as { readonly answer: () => number };
    expect([answer(), compiled]).toEqual([42, [true]]);
    await letWrite();
    expect(statSync(keptPath()).ino).toBe(before.ino);
  });

  test('is for its owner alone', async () => {
    await keep(writeChunk('exports.a = 1;'));
    expect(statSync(codeFolder()).mode & 0o777).toBe(0o700);
    expect(statSync(keptPath()).mode & 0o777).toBe(0o600);
  });

  test('is not taken by another version', async () => {
    const path = writeChunk('exports.a = 1;');
    await keep(path);
    start({ version: '1.0.1' }).load(path);
    expect(compiled).toEqual([false]);
  });

  test.each<{ why: string; spoil: (path: string) => void }>([
    {
      why: 'the source is another one of the same length',
      spoil: (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('= 1', '= 2')),
    },
    { why: 'a sector of it is lost', spoil: () => rewriteKept((bytes) => bytes.fill(0, 512, 1024)) },
    { why: 'its end is lost', spoil: () => rewriteKept((bytes) => bytes.subarray(0, -100)) },
    { why: 'it is empty', spoil: () => rewriteKept(() => Buffer.alloc(0)) },
    { why: 'others can write it', spoil: () => chmodSync(keptPath(), 0o622) },
    { why: 'others can write the folder', spoil: () => chmodSync(codeFolder(), 0o777) },
  ])('is not taken where $why', async ({ spoil }) => {
    const path = writeChunk('exports.a = 1;');
    await keep(path);
    spoil(path);
    start().load(path);
    expect(compiled).toEqual([false]);
  });

  test('is nothing where the process is not to write', async () => {
    const path = writeChunk('exports.a = 1;');
    await keep(path, { isWriting: false });
    expect(kept()).toEqual([]);
  });

  test('is nothing where the folder is open to others, or cannot be made', async () => {
    const path = writeChunk('exports.a = 1;');
    mkdirSync(codeFolder(), { recursive: true });
    chmodSync(codeFolder(), 0o777);
    await keep(path);
    expect(kept()).toEqual([]);
    writeFileSync(join(home, 'file'), '');
    await keep(path, { environment: { XDG_CACHE_HOME: join(home, 'file') } });
  });

  test('is whole when several write it at once', async () => {
    const path = writeChunk('exports.a = 1;');
    const processes = [start(), start(), start()];
    for (const { load } of processes) load(path);
    await letWrite();
    // Drafts lie beside it as long as one of them writes.
    await vi.waitUntil(() => kept().length === 1, { timeout: 5_000 });
    compiled = [];
    start().load(path);
    expect(compiled).toEqual([true]);
  });

  test('goes after 30 days, when other code is written', async () => {
    await keep(writeChunk('exports.a = 1;'));
    const old = (Date.now() - 31 * DAY_MS) / 1000;
    utimesSync(keptPath(), old, old);
    await keep(writeChunk('exports.a = 1;', 'other.cjs'));
    expect(kept()).toEqual([`other-1.0.0-${process.version}-${process.arch}`]);
  });
});

function rewriteKept(change: (bytes: Buffer) => Buffer): void {
  const path = keptPath();
  writeFileSync(path, change(readFileSync(path)), { mode: 0o600 });
}
