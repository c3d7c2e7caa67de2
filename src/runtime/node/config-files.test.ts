import { execFileSync, spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { findConfig } from './config-files.js';
import { removeTrust, sha256Of, writeTrust } from './trust-store.js';

interface Place {
  readonly cwd: string;
  readonly user: string;
  readonly environment: Record<string, string>;
}

function makePlace(context: TestContext): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'doorward-config-')));
  context.onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [cwd, user] = [join(root, 'project'), join(root, 'home', '.config', 'doorward')] as const;
  for (const folder of [cwd, user]) mkdirSync(folder, { recursive: true });
  return { cwd, user, environment: { HOME: join(root, 'home') } };
}

async function trust({ environment }: Place, path: string, text: string): Promise<void> {
  await writeTrust(environment, { path, sha256: await sha256Of(text) });
}

function outcomes(search: Awaited<ReturnType<typeof findConfig>>): readonly string[] {
  return search.looked.map(({ source, outcome }) => `${source} ${outcome}`);
}

test('without any file nothing is found, and every place was looked at', async (context) => {
  const search = await findConfig(makePlace(context));
  expect(search.found).toBeUndefined();
  expect(outcomes(search)).toEqual(['folder absent', 'folder absent', 'user absent', 'user absent']);
});

test('a place that is in no folder is absent, one that cannot be looked at is named', async (context) => {
  const place = makePlace(context);
  const search = await findConfig({ ...place, environment: { HOME: '/dev/null' } });
  expect(outcomes(search)).toEqual(['folder absent', 'folder absent', 'user absent', 'user absent']);
  const circle = join(place.cwd, 'circle');
  symlinkSync(circle, circle);
  await expect(findConfig({ ...place, environment: { XDG_CONFIG_HOME: circle } })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining(circle),
  });
});

test('what is named counts, and its absence is an error', async (context) => {
  const place = makePlace(context);
  writeFileSync(join(place.user, 'doorward.json'), '{}');
  const missing = findConfig({ ...place, flag: 'nowhere.json' });
  await expect(missing).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: 'cannot read nowhere.json: there is no such file',
  });
  writeFileSync(join(place.cwd, 'named.json'), '{"a":1}');
  const environment = { ...place.environment, DOORWARD_CONFIG: 'named.json' };
  expect((await findConfig({ ...place, environment })).found).toMatchObject({ source: 'variable', name: 'named.json' });
  expect((await findConfig({ ...place, environment, flag: join(place.user, 'doorward.json') })).found?.source).toBe(
    'flag',
  );
});

test('a file that lies in the current folder is passed over until it is trusted, and again once it changed', async (context) => {
  const place = makePlace(context);
  const path = join(place.cwd, 'doorward.json');
  writeFileSync(path, '{"prefix":"never"}');
  writeFileSync(join(place.user, 'doorward.jsonc'), '{}');

  const before = await findConfig(place);
  expect(before.found).toMatchObject({ source: 'user', path: join(place.user, 'doorward.jsonc') });
  expect(before.looked[0]).toMatchObject({ outcome: 'refused', error: { data: { trust: 'unknown' } } });
  expect(before.looked[0]?.error?.hint).toContain('doorward config trust');

  await trust(place, path, '{"prefix":"never"}');
  expect((await findConfig(place)).found).toMatchObject({ source: 'folder', name: 'doorward.json', path });

  writeFileSync(path, '{"prefix":"always"}');
  const after = await findConfig(place);
  expect(after.found?.source).toBe('user');
  expect(after.looked[0]?.error?.message).toContain('has changed since you trusted it');

  writeFileSync(path, '{"prefix":"never"}');
  await removeTrust(place.environment, path);
  expect((await findConfig(place)).found?.source).toBe('user');
});

test('trust follows the file, not the way to it', async (context) => {
  const place = makePlace(context);
  const path = join(place.cwd, 'doorward.json');
  writeFileSync(path, '{}');
  await trust(place, path, '{}');
  const alias = `${place.cwd}-alias`;
  symlinkSync(place.cwd, alias);
  expect((await findConfig({ ...place, cwd: alias })).found?.source).toBe('folder');
});

test('another file with the same content is not trusted with it', async (context) => {
  const place = makePlace(context);
  await trust(place, join(place.user, 'doorward.json'), '{}');
  writeFileSync(join(place.cwd, 'doorward.json'), '{}');
  expect((await findConfig(place)).found).toBeUndefined();
});

test("in the user's own folder the file is the user's own", async (context) => {
  const place = makePlace(context);
  writeFileSync(join(place.user, 'doorward.json'), '{}');
  expect((await findConfig({ ...place, cwd: place.user })).found?.path).toBe(join(place.user, 'doorward.json'));
});

test.skipIf(process.platform === 'win32')('a pipe lying in the folder holds nobody up', async (context) => {
  const place = makePlace(context);
  execFileSync('mkfifo', [join(place.cwd, 'doorward.json')]);
  const search = await findConfig(place);
  expect(search.looked[0]).toMatchObject({
    outcome: 'refused',
    error: { message: expect.stringContaining('not a file') },
  });
});

test.skipIf(process.platform === 'win32')(
  'what is trusted is kept where only the user reads and writes',
  async (context) => {
    const place = makePlace(context);
    await trust(place, join(place.cwd, 'doorward.json'), '{}');
    const folder = join(place.environment.HOME!, '.local', 'state', 'doorward', 'trust');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const [name] = readdirSync(folder);
    expect(statSync(join(folder, name!)).mode & 0o777).toBe(0o600);
  },
);

test('twenty agreements at once lose none', async (context) => {
  const place = makePlace(context);
  const paths = Array.from({ length: 20 }, (_, at) => join(place.cwd, String(at), 'doorward.json'));
  for (const path of paths) {
    mkdirSync(join(path, '..'));
    writeFileSync(path, '{}');
  }
  await Promise.all(paths.map((path) => trust(place, path, '{}')));
  for (const path of paths) expect((await findConfig({ ...place, cwd: join(path, '..') })).found?.path).toBe(path);
});

test.skipIf(process.platform === 'win32')('a pipe that was named is read', async (context) => {
  const place = makePlace(context);
  const pipe = join(place.cwd, 'pipe');
  execFileSync('mkfifo', [pipe]);
  spawn('sh', ['-c', `echo '{}' > "$0"`, pipe]);
  const { found } = await findConfig({ ...place, flag: pipe });
  expect(Buffer.from(found!.bytes).toString()).toBe('{}\n');
});

test('a folder is no configuration, though it was named', async (context) => {
  const place = makePlace(context);
  await expect(findConfig({ ...place, flag: place.cwd })).rejects.toThrow('it is not a file');
});
