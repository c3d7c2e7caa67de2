/** `doorward manifest` and `doorward workflow` in an author's project, and `doorward release` where it cannot go on. */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CLI, requireBuild } from '../fixtures/open-door.js';
import { Setting, WORKFLOW } from './setting.js';

let setting: Setting;
beforeAll(async () => {
  requireBuild();
  setting = await Setting.open();
});
afterAll(() => setting?.close());
beforeEach(() => setting.git('reset', '-q', '--hard'));

function doorward(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...words], {
    cwd: setting.folder,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const textOf = (path: string) => readFileSync(join(setting.folder, path), 'utf8');

describe.each([
  { command: 'manifest', path: 'server.json' },
  { command: 'workflow', path: WORKFLOW },
])('doorward $command', ({ command, path }) => {
  test('says so where all is as it should be, and changes nothing', () => {
    const before = textOf(path);
    expect(doorward([command, '--check'])).toMatchObject({ status: 0, stderr: '' });
    expect(doorward([command]).stdout).toContain(`as it should be: ${path}`);
    expect(textOf(path)).toBe(before);
  });

  test('--check names a file that was changed, exits with 7 and leaves it', () => {
    const changed = textOf(path).replace('weather', 'whether').replace('ubuntu', 'debian');
    setting.write(path, changed);
    const { status, stderr } = doorward([command, '--check']);
    expect(status).toBe(7);
    expect(stderr).toContain(`${path} is not what doorward ${command} would write`);
    expect(stderr).toContain(`Run doorward ${command}`);
    expect(textOf(path)).toBe(changed);
  });

  test('--check names a file that is not there', () => {
    rmSync(join(setting.folder, path));
    expect(doorward([command, '--check', '--json'])).toMatchObject({ status: 7 });
    expect(doorward([command, '--check']).stderr).toContain(`${path} is not there`);
  });

  test('writes what is missing, and says so', () => {
    const before = textOf(path);
    rmSync(join(setting.folder, path));
    expect(doorward([command]).stdout).toContain(`written: ${path}`);
    expect(textOf(path)).toBe(before);
  });

  test('--print shows what it would write, to the byte', () => {
    expect(doorward([command, '--print']).stdout).toBe(textOf(path));
  });

  test('--json names the files', () => {
    const { files } = JSON.parse(doorward([command, '--json']).stdout);
    expect(files).toContainEqual({ path, written: false });
  });

  test('--print and --check exclude each other', () => {
    expect(doorward([command, '--print', '--check'])).toMatchObject({ status: 2, stdout: '' });
  });
});

test('doorward manifest puts mcpName into package.json', () => {
  setting.write('package.json', textOf('package.json').replace(/ *"mcpName".*\n/, ''));
  expect(doorward(['manifest', '--check']).stderr).toContain('package.json');
  expect(doorward(['manifest']).stdout).toContain('written: package.json');
  expect(JSON.parse(textOf('package.json')).mcpName).toBe('io.github.ada/weather');
});

test('npm version changes package.json, and doorward manifest brings the rest along', () => {
  setting.write('package.json', textOf('package.json').replace('1.2.3', '1.3.0'));
  expect(doorward(['manifest', '--check']).status).toBe(7);
  doorward(['manifest']);
  const { version, packages } = JSON.parse(textOf('server.json'));
  expect([version, packages[0].version]).toEqual(['1.3.0', '1.3.0']);
});

describe('doorward release', () => {
  const release = (...words: readonly string[]) => doorward(['release', ...words], setting.registries.environment);

  test.each([
    { why: 'an unknown step', words: ['publish'], status: 2, says: 'Steps: dry-run, fetch-publisher' },
    {
      why: 'a registry in the clear',
      words: ['read-back', '--registry', 'http://r.example'],
      status: 2,
      says: 'no https URL',
    },
    { why: 'a time that is none', words: ['wait-npm', '--timeout', 'soon'], status: 2, says: '--timeout is a time' },
    {
      why: 'a publisher that is not there',
      words: ['dry-run', '--publisher', './gone'],
      status: 2,
      says: 'cannot start',
    },
  ])('refuses $why', ({ words, status, says }) => {
    const ran = release(...words);
    expect(ran.status).toBe(status);
    expect(ran.stderr).toContain(says);
  });

  test.each([
    { why: 'a mistake in it', text: '{\n  "name": oops\n}', status: 2, says: 'server.json:2' },
    {
      why: 'a wrong version',
      text: JSON.stringify({ ...{}, version: 'latest' }),
      status: 7,
      says: 'the Registry would refuse server.json',
    },
  ])('names a manifest with $why', ({ text, status, says }) => {
    setting.write('server.json', text);
    const ran = release('read-back');
    expect(ran.status).toBe(status);
    expect(ran.stderr).toContain(says);
  });

  test.each([
    { field: 'mcpName', change: { mcpName: 'io.github.eve/weather' } },
    { field: 'version', change: { version: '9.9.9' } },
    { field: 'npm packages of the manifest', change: { name: 'other' } },
  ])('npm: refuses a package.json whose $field is not the manifest’s', ({ field, change }) => {
    setting.write('package.json', JSON.stringify({ ...JSON.parse(textOf('package.json')), ...change }));
    const ran = release('npm');
    expect(ran.status).toBe(7);
    expect(ran.stderr).toContain(field);
  });
});
