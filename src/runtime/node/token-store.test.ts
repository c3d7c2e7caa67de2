import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ServerRecord } from '../../client/index.js';
import { FileTokenStore } from './token-store.js';

const SERVER = 'https://mcp.example/mcp';

const record = (access: string): ServerRecord => ({
  server: SERVER,
  current: 'https://as.example',
  credentials: [
    {
      issuer: 'https://as.example',
      resource: SERVER,
      client: { id: 'c', secret: 'hush', origin: 'registered' },
      tokenEndpoint: 'https://as.example/token',
      tokens: { access, refresh: `${access}-refresh`, givenAtMs: 1 },
      loggedInAtMs: 1,
    },
  ],
});

function openFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'doorward-tokens-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const environment = { XDG_STATE_HOME: folder };
  return { tokens: join(folder, 'doorward/tokens'), environment, store: () => new FileTokenStore({ environment }) };
}

const accessOf = (found: ServerRecord | undefined) => found?.credentials[0]?.tokens?.access;

describe('tokens in files', () => {
  test('lie where only their owner can read them', async () => {
    const { tokens, store } = openFolder();
    await store().write(SERVER, record('a'));
    const [name = ''] = readdirSync(tokens);
    expect(name).toMatch(/^[0-9a-f]{64}\.json$/);
    expect(statSync(join(tokens, name)).mode & 0o777).toBe(0o600);
    expect(statSync(tokens).mode & 0o777).toBe(0o700);
    expect(await store().read(SERVER)).toEqual(record('a'));
  });

  test('are seen as soon as another process has written them, and gone when it has removed them', async () => {
    const { store } = openFolder();
    const [here, there] = [store(), store()];
    expect(await here.read(SERVER)).toBeUndefined();
    for (const access of ['a', 'b', 'c']) {
      await there.write(SERVER, record(access));
      expect(accessOf(await here.read(SERVER))).toBe(access);
    }
    await there.write(SERVER, undefined);
    expect(await here.read(SERVER)).toBeUndefined();
  });

  test('are not read from the disk again while nothing has changed', async () => {
    const { store } = openFolder();
    const here = store();
    await here.write(SERVER, record('a'));
    expect(await here.read(SERVER)).toBe(await here.read(SERVER));
  });

  test.each([
    { why: 'cut off', spoil: (path: string) => writeFileSync(path, readFileSync(path, 'utf8').slice(0, 50)) },
    { why: 'no JSON', spoil: (path: string) => writeFileSync(path, 'hello') },
    { why: 'null', spoil: (path: string) => writeFileSync(path, 'null') },
    { why: 'writable for others', spoil: (path: string) => chmodSync(path, 0o622) },
    {
      why: 'a folder',
      spoil: (path: string) => {
        rmSync(path);
        mkdirSync(path);
      },
    },
    {
      why: 'of another server',
      spoil: (path: string) => writeFileSync(path, readFileSync(path, 'utf8').replace(SERVER, 'https://evil.example')),
    },
    {
      why: 'of another shape',
      spoil: (path: string) => writeFileSync(path, JSON.stringify({ server: SERVER, credentials: [{ issuer: 1 }] })),
    },
  ])('are none where the file is $why', async ({ spoil }) => {
    const { tokens, store } = openFolder();
    await store().write(SERVER, record('a'));
    spoil(join(tokens, readdirSync(tokens)[0]!));
    expect(await store().read(SERVER)).toBeUndefined();
  });

  test('cannot be kept where there is no home, and none are there', async () => {
    const store = new FileTokenStore({ environment: {} });
    expect(await store.read(SERVER)).toBeUndefined();
    await expect(store.write(SERVER, record('a'))).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('cannot be kept below a file, and the error names no token', async () => {
    const { environment, store } = openFolder();
    writeFileSync(join(environment.XDG_STATE_HOME, 'doorward'), '');
    const error = await store()
      .write(SERVER, record('secret-a'))
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'INTERNAL', hint: expect.stringContaining('XDG_STATE_HOME') });
    expect(String((error as Error).message)).not.toContain('secret');
  });
});

describe('the lock', () => {
  test('lets one in at a time, and none is lost', async () => {
    const { store } = openFolder();
    let inside = 0;
    let most = 0;
    const add = async (own: FileTokenStore) =>
      own.locked(SERVER, async () => {
        most = Math.max(most, ++inside);
        const before = Number(accessOf(await own.read(SERVER)) ?? 0);
        await new Promise((resolve) => setTimeout(resolve, 5));
        await own.write(SERVER, record(String(before + 1)));
        inside--;
      });
    await Promise.all(Array.from({ length: 8 }, () => add(store())));
    expect(most).toBe(1);
    expect(accessOf(await store().read(SERVER))).toBe('8');
  });

  test('is free again when the task fails', async () => {
    const { store, tokens } = openFolder();
    await expect(store().locked(SERVER, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await store().locked(SERVER, async () => 'in')).toBe('in');
    expect(readdirSync(tokens)).toEqual([]);
  });

  test('of a process that was killed is taken over after a while', { timeout: 30_000 }, async () => {
    const { store, environment, tokens } = openFolder();
    const lockfile = fileURLToPath(import.meta.resolve('proper-lockfile'));
    // The name is what the store calls it; a process of its own holds it and dies without a word.
    await store().locked(SERVER, async () => {
      const [name = ''] = readdirSync(tokens).filter((each) => each.endsWith('.lock'));
      expect(name).toMatch(/\.json\.lock$/);
      writeFileSync(join(environment.XDG_STATE_HOME, 'name'), name);
    });
    const path = join(tokens, readFileSync(join(environment.XDG_STATE_HOME, 'name'), 'utf8'));
    const script = `require(${JSON.stringify(lockfile)}).lock(${JSON.stringify(path)}, { realpath: false, lockfilePath: ${JSON.stringify(path)} }).then(() => process.kill(process.pid, 'SIGKILL'))`;
    const child = spawn(process.execPath, ['-e', script]);
    await new Promise((resolve) => child.once('close', resolve));
    expect(readdirSync(tokens)).toHaveLength(1);
    const startedMs = performance.now();
    expect(await store().locked(SERVER, async () => 'in')).toBe('in');
    expect(performance.now() - startedMs).toBeGreaterThan(5_000);
  });

  test('of a login is another one', async () => {
    const { store } = openFolder();
    const [here, there] = [store(), store()];
    const release = await here.tryLogin(SERVER);
    expect(await there.tryLogin(SERVER)).toBeUndefined();
    expect(await there.locked(SERVER, async () => 'in')).toBe('in');
    await release?.();
    const again = await there.tryLogin(SERVER);
    expect(again).toBeDefined();
    await again?.();
  });
});
