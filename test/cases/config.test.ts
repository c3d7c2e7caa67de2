/** Cases of kind `config`: what a person wrote, and what is made of it. Read by the room itself: a file in, a value out. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DoorError } from '../../src/base/index.js';
import { type Config, readConfig, type ServerEntry } from '../../src/config/index.js';
import { DoorClient } from '../fixtures/door-client.js';
import { anyTool, CLI, namesOf, openDoor, requireBuild, TestFolder, upstreamWith } from '../fixtures/open-door.js';
import { getCase, titleOf } from './cases.js';

const textOfCase = (id: string) => getCase(id).input.text as string;

function read(text: string | Uint8Array, environment: Readonly<Record<string, string>> = {}): Config {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  return readConfig({ file: { name: 'doorward.json', bytes }, environment });
}

function serverOf(config: Config, id: string): ServerEntry {
  const found = config.servers.find((entry) => entry.id === id);
  if (!found) throw new Error(`no server ${id}`);
  return found;
}

/** What the entry says in the shape it was written in, to be laid beside the case's `parsed`. */
function writtenBack(config: Config, id: string): object {
  const entry = serverOf(config, id);
  if (entry.kind !== 'ready') throw new Error(`${id} is ${entry.kind}: ${JSON.stringify(config.problems)}`);
  if (entry.target.kind === 'http') {
    const headers = Object.fromEntries(entry.target.headers);
    return { url: entry.target.url, ...(entry.target.headers.size > 0 && { headers }) };
  }
  const { command, args, env, cwd } = entry.target;
  return {
    command,
    ...(args.length > 0 && { args }),
    ...(env.size > 0 && { env: Object.fromEntries(env) }),
    ...(cwd !== undefined && { cwd }),
  };
}

const parsedOf = (id: string) => (getCase(id).expect.parsed as { mcpServers: Record<string, object> }).mcpServers;
const readyIds = ({ servers }: Config) => servers.filter(({ kind }) => kind === 'ready').map(({ id }) => id);

/** The error that reading throws. */
function errorOf(act: () => unknown): DoorError {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof DoorError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}

test(titleOf('f10'), () => {
  const { url } = writtenBack(read(textOfCase('f10')), 'a') as { url: string };
  expect(url).toBe('https://h.example/x//y');
  // An HTTP entry has no args to keep; under a command they come through as they were.
  const local = textOfCase('f10').replace('"url":"https://h.example/x//y"', '"command":"//x/*y"');
  expect(writtenBack(read(local), 'a')).toEqual({ command: '//x/*y', args: ['/* no */', '// no', ',]'] });
});

test(titleOf('f11'), () => {
  const bom = Buffer.from(getCase('f11').input.bytes_hex_prefix as string, 'hex');
  const text = textOfCase('f11');
  expect(writtenBack(read(Buffer.concat([bom, Buffer.from(text)])), 'a')).toEqual(parsedOf('f11').a);
  expect(writtenBack(read(text.replaceAll('{', '{\r\n')), 'a')).toEqual(parsedOf('f11').a);
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
  const error = errorOf(() => read(utf16));
  expect(error.code).toBe('CONFIG_INVALID');
  expect(error.message).toContain('UTF-16');
});

test(`${titleOf('f11')} (the file is left as it is)`, async (test) => {
  const { door, folder } = await openDoor(test, { upstreams: { u: upstreamWith([anyTool('a')]) } });
  const before = readFileSync(folder.configPath);
  await door.request('tools/list');
  expect(readFileSync(folder.configPath).equals(before)).toBe(true);
});

test(titleOf('f12'), () => {
  const config = read(textOfCase('f12'));
  expect(readyIds(config)).toEqual(['good']);
  const wanted = getCase('f12').expect.errors as readonly { readonly path: string; readonly hint?: string }[];
  for (const { path, hint } of wanted) {
    const problem = config.problems.find((one) => one.path === path && one.severity === 'error');
    expect(problem, path).toBeDefined();
    expect(problem?.place?.line, path).toBe(1);
    if (hint !== undefined) expect(problem?.hint).toContain(hint);
  }
  const error = errorOf(() => read(getCase('f12').input.also_text as string));
  expect(error.data).toMatchObject({ file: 'doorward.json', line: 1 });
  expect(error.data.column).toBeGreaterThan(1);
});

test(`${titleOf('f12')} (on start: exit 2, nothing started)`, async (test) => {
  requireBuild();
  const folder = new TestFolder();
  test.onTestFinished(() => folder.remove());
  const path = join(folder.path, 'broken.json');
  writeFileSync(path, getCase('f12').input.also_text as string);
  const args = [CLI, 'stdio', '--config', path];
  const door = new DoorClient({ command: process.execPath, args, env: folder.env, mark: folder.mark });
  expect((await door.ended()).code).toBe(2);
  expect(door.stderr).toContain('broken.json:1:');
  expect(door.lines).toEqual([]);
});

test(`${titleOf('f12')} (the good server serves)`, async (test) => {
  const bad = (JSON.parse(textOfCase('f12')) as { mcpServers: Record<string, never> }).mcpServers;
  const { nocmd = {}, both = {}, typo = {} } = bad;
  const { door } = await openDoor(test, {
    upstreams: { good: upstreamWith([anyTool('a')]) },
    servers: { nocmd, both, typo },
  });
  expect(namesOf(await door.request('tools/list'))).toEqual(['good__a']);
  for (const id of ['nocmd', 'both', 'typo']) expect(door.stderr).toContain(id);
  expect((await door.call('typo__a')).message?.error?.message).toContain('typo');
});

test(titleOf('f13'), () => {
  const config = read(textOfCase('f13'), getCase('f13').input.env as Record<string, string>);
  expect(writtenBack(config, 'a')).toEqual(parsedOf('f13').a);
  expect(writtenBack(config, 'b')).toEqual(parsedOf('f13').b);
});

test(titleOf('f14'), () => {
  const config = read(textOfCase('f14'));
  expect(readyIds(config)).toEqual(['ok']);
  const wanted = getCase('f14').expect.errors as readonly { readonly path: string; readonly variable: string }[];
  for (const { path, variable } of wanted) {
    expect(config.problems).toContainEqual(expect.objectContaining({ path, variable, severity: 'error', server: 'a' }));
  }
});

test(titleOf('f15'), () => {
  const config = read(textOfCase('f15'), getCase('f15').input.env as Record<string, string>);
  const { args } = writtenBack(config, 'p') as { args: string[] };
  expect(args).toEqual(getCase('f15').expect.trusted_args);
});

test(`${titleOf('f15')} (untrusted: no expansion, no spawn)`, async (test) => {
  requireBuild();
  const folder = new TestFolder();
  test.onTestFinished(() => folder.remove());
  const proof = join(folder.path, 'proof');
  const code = `require('fs').writeFileSync(${JSON.stringify(proof)}, process.argv[1] ?? '')`;
  const p = { command: process.execPath, args: ['-e', code, `\${A}`] };
  writeFileSync(folder.configPath, JSON.stringify({ mcpServers: { p } }));
  const env = { ...folder.env, A: 'exfiltrated' };
  const door = new DoorClient({
    command: process.execPath,
    args: [CLI, 'stdio'],
    env,
    cwd: folder.path,
    mark: folder.mark,
  });
  door.send('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  await new Promise((resolve) => setTimeout(resolve, 700));
  await door.stop(0);
  expect(() => readFileSync(proof)).toThrow();
  expect(door.stderr).toContain('doorward config trust');
  expect(door.stderr).not.toContain('exfiltrated');
});

test('siblings: `servers` beside `mcpServers`, comments, trailing commas, odd but legal ids', () => {
  const text = `{ // comment
    "servers": { "b": { "command": "x", }, /* two */ },
    "mcpServers": { "__proto__": { "command": "y" }, "a/b~c": { "command": "z", "args": [""] } },
  }`;
  const config = read(text);
  expect(readyIds(config).sort()).toEqual(['__proto__', 'a/b~c', 'b']);
});

test('siblings: every place that expands, and every reference that does not', () => {
  const text = `{ "mcpServers": {
    "unset": { "command": "\${NO}" },
    "args": { "command": "x", "args": ["ok", "\${NO}"] },
    "env": { "command": "x", "env": { "K": "\${env:NO}" } },
    "cwd": { "command": "x", "cwd": "\${NO}" },
    "open": { "command": "x", "args": ["\${NO"] },
    "names": { "command": "x", "env": { "\${A}": "v" } },
    "nested": { "command": "x", "args": ["\${A:-\${B}}"] }
  } }`;
  const config = read(text, { A: 'a' });
  expect(readyIds(config)).toEqual(['names']);
  const paths = config.problems.filter(({ severity }) => severity === 'error').map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      '/mcpServers/unset/command',
      '/mcpServers/args/args/1',
      '/mcpServers/env/env/K',
      '/mcpServers/cwd/cwd',
    ]),
  );
});
