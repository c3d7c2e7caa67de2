import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../house/tree.js';

const FIXTURE = join(ROOT, 'test', 'fixtures', 'project');
export const CLI = join(ROOT, 'dist', 'cli.cjs');

/** As npm writes it for a package without dependencies. */
const LOCK = {
  name: 'fixture-notes',
  version: '1.4.2',
  lockfileVersion: 3,
  packages: { '': { name: 'fixture-notes', version: '1.4.2' } },
};

/** What a run of the command came to. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Projects in folders of their own, each a repository; all gone in the end. */
export class ProjectFolders {
  readonly #root = realpathSync(mkdtempSync(join(tmpdir(), 'doorward-validate-test-')));
  #count = 0;

  constructor() {
    // As an author has them: what a project imports is found above it.
    mkdirSync(join(this.#root, 'node_modules', '.bin'), { recursive: true });
    symlinkSync(CLI, join(this.#root, 'node_modules', '.bin', 'doorward'));
    symlinkSync(ROOT, join(this.#root, 'node_modules', 'doorward'), 'junction');
    symlinkSync(join(ROOT, 'node_modules', 'zod'), join(this.#root, 'node_modules', 'zod'), 'junction');
  }

  /** A project that is as it should be: built, everything generated, all of it committed. */
  sound(): ProjectFolder {
    const project = this.#next(FIXTURE);
    project.write('package-lock.json', JSON.stringify(LOCK));
    project.build();
    for (const command of ['manifest', 'docs', 'openapi', 'workflow']) {
      const { code, err } = project.run(command);
      if (code !== 0) throw new Error(`doorward ${command} ended with ${code}: ${err}`);
    }
    project.git('init', '--quiet', '--initial-branch=main');
    project.commit();
    return project;
  }

  copyOf(project: ProjectFolder): ProjectFolder {
    return this.#next(project.folder);
  }

  #next(from: string): ProjectFolder {
    const folder = join(this.#root, String(this.#count++));
    cpSync(from, folder, { recursive: true });
    return new ProjectFolder(folder);
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}

export class ProjectFolder {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  /** @throws where there is nothing to replace: a break that breaks nothing proves nothing */
  replace(path: string, from: string | RegExp, to: string): void {
    const text = this.read(path);
    const changed = text.replace(from, to);
    if (changed === text) throw new Error(`${path} has no ${from}`);
    this.write(path, changed);
  }

  build(): void {
    execFileSync(process.execPath, ['build.mjs'], { cwd: this.folder });
  }

  git(...args: readonly string[]): void {
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
    execFileSync('git', [...identity, ...args], { cwd: this.folder, stdio: 'pipe' });
  }

  commit(): void {
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '--message', 'As it is');
  }

  /** @param cli another build of the command */
  run(command: string, options: readonly string[] = [], cli = CLI): Ran {
    const args = [cli, command, ...options];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: this.folder,
      encoding: 'utf8',
      timeout: 60_000,
    });
    return { code: status, out: stdout, err: stderr };
  }
}
