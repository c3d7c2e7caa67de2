import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { requireBuild } from '../fixtures/open-door.js';
import { CLI, type ProjectFolder, ProjectFolders } from './project-folder.js';

// An author's modules run in the process of `doorward validate`: whatever they do, it ends, and says what is so.

const folders = new ProjectFolders();
let sound: ProjectFolder;

beforeAll(() => {
  requireBuild();
  sound = folders.sound();
});
afterAll(() => folders.remove());

const NO_FAULTS = '"faults":[]';
/** The program that serves it on stdio is another process, and fares as it may. */
const STDIO = '{"faults":[{"check":"stdio",';
const COUNT = 'count_notes: () => ({ count: notes.length })';

interface Deed {
  readonly what: string;
  /** At the top of the implementation's module. */
  readonly top?: string;
  /** Of the handler of count_notes. */
  readonly body?: string;
  readonly code: number;
  readonly out: string;
  readonly err?: string;
}

test.each<Deed>([
  {
    what: 'prints, at its top',
    top: "process.stdout.write('RAW\\n'); console.log('LOG');",
    code: 7,
    out: 'wrote a line to stdout that is no message',
    err: 'RAW\nLOG',
  },
  { what: 'prints, in a call', body: "process.stdout.write('RAW\\n');", code: 0, out: NO_FAULTS, err: 'RAW' },
  { what: 'ends stdout', top: 'process.stdout.end();', code: 7, out: STDIO },
  { what: 'destroys stdout', top: 'process.stdout.destroy();', code: 7, out: STDIO },
  { what: 'sets the exit code', top: 'process.exitCode = 3;', code: 0, out: NO_FAULTS },
  { what: 'has a timer that never ends', top: 'setInterval(() => {}, 1e6);', code: 0, out: NO_FAULTS },
  {
    what: 'exits, at its top',
    top: 'process.exit(0);',
    code: 7,
    out: 'failed while it was loaded: it called process.exit',
  },
  {
    what: 'exits by an import',
    top: "import { exit } from 'node:process'; exit(0);",
    code: 7,
    out: 'failed while it was loaded: it called process.exit',
  },
  {
    what: 'exits, in a call',
    body: 'process.exit(0);',
    code: 7,
    out: 'tools/count_notes: Error: it called process.exit',
  },
  {
    what: 'throws on the side',
    top: "setTimeout(() => { throw new Error('late'); }, 1);",
    code: 7,
    out: STDIO,
    err: 'thrown outside of any call: late',
  },
  {
    what: 'rejects on the side',
    body: "void Promise.reject(new Error('aside'));",
    code: 7,
    out: NO_FAULTS,
    err: 'thrown outside of any call: aside',
  },
  {
    what: 'throws what has no text',
    top: 'throw Object.create(null);',
    code: 7,
    out: 'dist/implementation.js: failed',
  },
  {
    what: 'throws nothing',
    top: 'throw undefined;',
    code: 7,
    out: 'dist/implementation.js: failed while it was loaded',
  },
  {
    what: 'exports what throws when it is looked at',
    top: "export default new Proxy({}, { get() { throw new Error('trap'); } });",
    code: 0,
    out: NO_FAULTS,
  },
  { what: 'never settles, in a call', body: 'return new Promise(() => {});', code: 7, out: 'tools/count_notes: ' },
])('what $what', ({ top = '', body, code, out, err = '' }) => {
  const project = folders.copyOf(sound);
  const text = project.read('dist/implementation.js');
  expect(text).toContain(COUNT);
  const handler = body === undefined ? COUNT : `count_notes: () => { ${body} return { count: notes.length }; }`;
  project.write('dist/implementation.js', `${top}\n${text.replace(COUNT, handler)}`);
  const ran = project.run('validate', ['--json', '--no-build']);
  expect(ran.code, ran.err).toBe(code);
  expect(ran.out).toContain(out);
  if (ran.out !== '') expect(JSON.parse(ran.out).faults).toBeDefined();
  expect(ran.err).toContain(err);
});

test.skipIf(process.platform === 'win32')(
  'a build that never ends goes with the command, and so does all that it started',
  { timeout: 60_000 },
  async () => {
    const project = folders.copyOf(sound);
    const hangs =
      "require('node:fs').writeFileSync(process.env.PID_FILE, String(process.pid)); setInterval(() => {}, 1e6);";
    project.write('hang.cjs', hangs);
    project.replace('package.json', '"build": "node build.mjs"', '"build": "node hang.cjs"');
    project.commit();
    const pidFile = join(project.folder, 'pid');
    const command = spawn(process.execPath, [CLI, 'validate', project.folder], {
      env: { ...process.env, PID_FILE: pidFile },
      stdio: 'ignore',
    });
    await vi.waitFor(() => expect(readFileSync(pidFile, 'utf8')).not.toBe(''), { timeout: 40_000, interval: 50 });
    const build = Number(readFileSync(pidFile, 'utf8'));
    command.kill('SIGINT');
    const [code] = (await once(command, 'exit')) as [number | null];
    expect(code).toBe(130);
    await vi.waitFor(() => expect(() => process.kill(build, 0)).toThrow('ESRCH'), { timeout: 5_000 });
  },
);
