/** An author's project with a generated workflow, the stubs it publishes to, and the programs that stand for npm and the publisher. */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Moods, Registries } from './registries.js';
import { parseWorkflow, type Ran, runWorkflow, type Trigger } from './workflow-run.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLI = process.env.DOORWARD_CLI ?? join(ROOT, 'dist', 'cli.cjs');

export const SERVER = 'io.github.ada/weather';
export const PACKAGE = '@ada/weather-mcp';
export const VERSION = '1.2.3';
export const WORKFLOW = '.github/workflows/publish-mcp-registry.yml';

const PACKAGE_JSON = {
  name: PACKAGE,
  version: VERSION,
  type: 'module',
  files: ['contract.js'],
  scripts: { build: 'true' },
  doorward: { contract: './contract.js' },
};

/** One world of stubs, with one project in it. */
export class Setting {
  readonly #root: string;
  readonly registries: Registries;

  private constructor(root: string, registries: Registries) {
    this.#root = root;
    this.registries = registries;
  }

  static async open({ publisherVersion = '1.8.1' } = {}): Promise<Setting> {
    const root = mkdtempSync(join(tmpdir(), 'doorward-release-test-'));
    const registries = await Registries.open(packPublisher(root, publisherVersion));
    const setting = new Setting(root, registries);
    try {
      setting.#putPrograms();
      setting.#putProject();
      return setting;
    } catch (thrown) {
      await setting.close();
      throw thrown;
    }
  }

  async close(): Promise<void> {
    await this.registries.close();
    rmSync(this.#root, { recursive: true, force: true });
  }

  get folder(): string {
    return join(this.#root, 'project');
  }

  /** Runs the workflow that lies in the project, in a world like that. */
  async run(trigger: Trigger, moods: Moods = {}): Promise<Ran & { readonly npmPublished: number }> {
    this.registries.be(moods);
    writeFileSync(this.#journal, '');
    const workflow = parseWorkflow(readFileSync(join(this.folder, WORKFLOW), 'utf8'));
    const ran = await runWorkflow(workflow, trigger, { folder: this.folder, environment: this.#environment });
    const npmPublished = this.journal.filter((line) => line.startsWith('npm publish')).length;
    return { ...ran, npmPublished };
  }

  /** What npm and npx were asked. */
  get journal(): readonly string[] {
    return readFileSync(this.#journal, 'utf8').split('\n');
  }

  get manifest(): Readonly<Record<string, unknown>> {
    return JSON.parse(readFileSync(join(this.folder, 'server.json'), 'utf8'));
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.folder, path), text);
  }

  git(...args: readonly string[]): void {
    gitIn(this.folder, ...args);
  }

  get #journal(): string {
    return join(this.#root, 'journal');
  }

  get #environment(): Readonly<Record<string, string>> {
    return {
      ...this.registries.environment,
      PATH: `${join(this.#root, 'bin')}:${process.env.PATH}`,
      RELEASE_PAUSE: '20ms',
      RELEASE_TIMEOUT: '20s',
      STUB_JOURNAL: this.#journal,
      STUB_CLI: CLI,
      STUB_REAL_NPM: execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim(),
      npm_config_update_notifier: 'false',
    };
  }

  #putPrograms(): void {
    const bin = join(this.#root, 'bin');
    mkdirSync(bin);
    const stub = fileURLToPath(new URL('./stub-npm.mjs', import.meta.url));
    for (const name of ['npm', 'npx']) {
      writeFileSync(join(bin, name), `#!/bin/sh\nexec "${process.execPath}" "${stub}" ${name} "$@"\n`);
      chmodSync(join(bin, name), 0o755);
    }
  }

  #putProject(): void {
    template ??= makeTemplate();
    cpSync(template, this.folder, { recursive: true });
  }
}

/** The project before anything happens to it: made once, since three programs have a hand in it. */
let template: string | undefined;

function makeTemplate(): string {
  const folder = mkdtempSync(join(tmpdir(), 'doorward-release-project-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const contract = ownText('project-contract.mjs').replaceAll('__ROOT__', pathToFileURL(ROOT.replace(/\/$/, '')).href);
  writeFileSync(join(folder, 'contract.js'), contract);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(PACKAGE_JSON, null, 2)}\n`);
  const own = { name: PACKAGE, version: VERSION };
  const lock = { ...own, lockfileVersion: 3, packages: { '': own } };
  writeFileSync(join(folder, 'package-lock.json'), `${JSON.stringify(lock)}\n`);
  for (const command of ['manifest', 'workflow']) {
    execFileSync(process.execPath, [CLI, command], { cwd: folder, stdio: 'pipe' });
  }
  execFileSync('git', ['init', '-q', '-b', 'main', folder]);
  gitIn(folder, 'add', '-A');
  gitIn(folder, 'commit', '-q', '-m', 'A server');
  return folder;
}

function gitIn(folder: string, ...args: readonly string[]): void {
  execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@a.example', ...args], { stdio: 'pipe' });
}

/** The archive of the publisher, as its releases have it. */
function packPublisher(root: string, version: string): Buffer {
  const folder = join(root, 'publisher');
  mkdirSync(folder);
  const source = ownText('stub-publisher.mjs');
  // An ES module without an ending: the program's name has none.
  const script = source
    .replaceAll('__VERSION__', version)
    .replace('#!/usr/bin/env node', `#!/bin/sh\n":" //; exec "${process.execPath}" --input-type=module - "$@" < "$0"`);
  writeFileSync(join(folder, 'mcp-publisher'), script);
  chmodSync(join(folder, 'mcp-publisher'), 0o755);
  execFileSync('tar', ['-czf', join(root, 'mcp-publisher.tar.gz'), '-C', folder, 'mcp-publisher']);
  return readFileSync(join(root, 'mcp-publisher.tar.gz'));
}

function ownText(name: string): string {
  return readFileSync(fileURLToPath(new URL(`./${name}`, import.meta.url)), 'utf8');
}
