/** A server that wants to be authorized, from the first refusal to the first answer, with the built command. */
import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { browse } from './fixtures/authorization-server.js';
import { OAuthSetting } from './fixtures/oauth-setting.js';
import { CLI, requireBuild } from './fixtures/open-door.js';

const TOOL = { name: 'greet', inputSchema: { type: 'object' } };

async function open(): Promise<OAuthSetting> {
  requireBuild();
  const setting = await OAuthSetting.start({ onTestFinished });
  Object.assign(setting.rs.results, {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'team', version: '1' },
    },
    'tools/list': { tools: [TOOL] },
    'tools/call': { content: [{ type: 'text', text: 'hello' }] },
  });
  const servers = { team: { type: 'http', url: setting.rs.url } };
  writeFileSync(join(setting.folder, 'doorward.json'), JSON.stringify({ mcpServers: servers }));
  return setting;
}

function start(setting: OAuthSetting, words: readonly string[]) {
  const config = join(setting.folder, 'doorward.json');
  const child = spawn(process.execPath, [CLI, ...words, '--config', config], {
    env: { ...setting.environment, PATH: process.env.PATH },
  });
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.err += text));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, written, ended };
}

async function runToEnd(setting: OAuthSetting, words: readonly string[]) {
  const { child, written, ended } = start(setting, words);
  child.stdin.end();
  return { code: await ended, ...written };
}

async function logIn(setting: OAuthSetting): Promise<void> {
  const { written, ended } = start(setting, ['login', 'team', '--no-browser']);
  await browse(await until(() => /^ {2}(http\S+)$/m.exec(written.err)?.[1]));
  expect(await ended).toBe(0);
}

async function until<Value>(look: () => Value | undefined): Promise<Value> {
  for (const startedMs = performance.now(); performance.now() - startedMs < 20_000; ) {
    const value = look();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('it did not come');
}

test('a command says that a login is needed, and works after it', async () => {
  const setting = await open();
  const refused = await runToEnd(setting, ['call', 'team.greet']);
  expect(refused.code).toBe(3);
  expect(refused.err).toContain('doorward login team --config');
  await logIn(setting);
  expect(await runToEnd(setting, ['call', 'team.greet'])).toMatchObject({ code: 0, out: 'hello\n' });
  // The token runs out: it is renewed, and nobody is asked.
  setting.as.tokens.clear();
  await setting.change((credential) => ({
    ...credential,
    tokens: { ...credential.tokens!, expiresAtMs: 1, givenAtMs: 0 },
  }));
  expect(await runToEnd(setting, ['call', 'team.greet'])).toMatchObject({ code: 0, out: 'hello\n' });
  expect(setting.shown).toEqual([]);
});

test('a door that serves goes on with the token of a login elsewhere', async () => {
  const setting = await open();
  const door = start(setting, ['stdio']);
  const send = (message: object): void =>
    void door.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answerTo = (id: number): Promise<string> =>
    until(() => door.written.out.split('\n').find((line) => line.includes(`"id":${id}`)));
  const clientInfo = { name: 'story', version: '1' };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  await answerTo(1);
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/list' });
  expect(await answerTo(2)).not.toContain('greet');
  send({ id: 3, method: 'tools/call', params: { name: 'team__greet', arguments: {} } });
  expect(await answerTo(3)).toContain('doorward login team');
  await logIn(setting);
  send({ id: 4, method: 'tools/call', params: { name: 'team__greet', arguments: {} } });
  expect(await answerTo(4)).toContain('hello');
  door.child.stdin.end();
  expect(await door.ended).toBe(0);
});

test('a login that is interrupted leaves nothing behind', async () => {
  const setting = await open();
  const { child, written, ended } = start(setting, ['login', 'team', '--no-browser']);
  const page = await until(() => /^ {2}(http\S+)$/m.exec(written.err)?.[1]);
  child.kill('SIGINT');
  expect(await ended).toBe(130);
  expect(readdirSync(join(setting.folder, 'doorward/tokens'))).toEqual([]);
  // Nobody listens for that page any more.
  await expect(browse(page)).rejects.toThrow();
});
