import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../../config/index.js';
import type { Mount } from '../../gateway/index.js';
import { gatewayLimitsOf, mountsOf } from './mounts.js';

function configOf(value: object) {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return readConfig({ file: { name: 'doorward.json', bytes }, environment: {} });
}

/** What a program of a mount prints, to its end. */
async function printedBy(mount: Mount): Promise<string> {
  const transport = mount.connect();
  let text = '';
  await new Promise<void>((resolve, reject) => {
    const data = (chunk: Uint8Array): void => {
      text += Buffer.from(chunk).toString();
    };
    transport
      .open({ data, message: () => {}, failed: () => {}, closed: () => resolve(), activity: () => {} })
      .catch(reject);
  });
  await transport.close();
  return text;
}

function print(expression: string) {
  return { command: process.execPath, args: ['-e', `process.stdout.write(String(${expression}))`] };
}

test('every entry is a mount in the order of the file; one that cannot be used carries its reason', () => {
  const config = configOf({
    mcpServers: {
      good: { command: 'x' },
      off: { enabled: false },
      bad: { command: 5 },
      remote: { url: 'https://h.example/mcp' },
      '': { command: 'x' },
    },
  });
  const mounts = mountsOf(config, { folder: '/' });
  expect(mounts.map((mount) => [mount.id, 'error' in mount ? mount.error.code : 'mount'])).toEqual([
    ['good', 'mount'],
    ['bad', 'CONFIG_INVALID'],
    ['remote', 'mount'],
  ]);
  expect(mounts[1]).toMatchObject({ error: { message: expect.stringContaining('doorward.json:1:') } });
});

test('a server has its own settings, and the limits of the file where it has none', () => {
  const config = configOf({
    mcpServers: {
      own: {
        command: 'x',
        prefix: 'never',
        startTimeoutMs: 1,
        callTimeoutMs: 2,
        tools: { allow: ['a*'] },
        validation: { outputs: 'enforce', elicitationFormats: 'assert' },
        isolation: 'caller',
      },
      plain: { command: 'x' },
    },
    limits: { startTimeoutMs: 3, callTimeoutMs: 4, maxInFlight: 5 },
  });
  const [own, plain] = mountsOf(config, { folder: '/' });
  expect(own).toMatchObject({
    prefix: 'never',
    startTimeoutMs: 1,
    callTimeoutMs: 2,
    tools: { allow: ['a*'] },
    isolation: 'caller',
  });
  expect(own).toHaveProperty('validation', { outputs: 'enforce', elicitationFormats: 'assert' });
  expect(plain).toMatchObject({ startTimeoutMs: 3, callTimeoutMs: 4 });
  expect(plain).not.toHaveProperty('prefix');
  expect(plain).not.toHaveProperty('isolation');
  expect(gatewayLimitsOf(config)).toMatchObject({ maxInFlight: 5, maxDepth: 512 });
});

test('cwd is relative to the configuration; without one a server starts where doorward did', async (context) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'doorward-mounts-')));
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'below'));
  const config = configOf({
    mcpServers: { below: { ...print('process.cwd()'), cwd: 'below' }, here: print('process.cwd()') },
  });
  const [below, here] = mountsOf(config, { folder }) as Mount[];
  expect(await printedBy(below!)).toBe(join(folder, 'below'));
  expect(await printedBy(here!)).toBe(process.cwd());
});

test('what the entry names is added to the environment', async () => {
  const config = configOf({ mcpServers: { a: { ...print('process.env.GREETING'), env: { GREETING: 'hello' } } } });
  const [mount] = mountsOf(config, { folder: '/' }) as Mount[];
  expect(await printedBy(mount!)).toBe('hello');
});

test('a mount is known on disk by what it starts, not by its id', () => {
  const keysOf = (servers: object, folder = '/'): unknown[] =>
    mountsOf(configOf({ mcpServers: servers }), { folder }).map((mount) => (mount as Mount).cacheKey);
  const [a, b, other] = keysOf({ a: { command: 'x' }, b: { command: 'x' }, c: { command: 'x', args: ['y'] } });
  expect(a).toMatch(/^[0-9a-f]{64}$/);
  expect(b).toBe(a);
  expect(other).not.toBe(a);
  expect(keysOf({ a: { command: 'x', cwd: process.cwd() } }), 'the folder it starts in anyway').toEqual([a]);
  expect(keysOf({ a: { command: 'x', cwd: 'd' } }, '/e')).not.toEqual(keysOf({ a: { command: 'x', cwd: 'd' } }, '/f'));
});
