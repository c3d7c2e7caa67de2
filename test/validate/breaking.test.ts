import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireBuild } from '../fixtures/open-door.js';
import { ROOT } from '../house/tree.js';
import { type ProjectFolder, ProjectFolders } from './project-folder.js';

// Each promise that `doorward validate` holds a project to is broken in a project of its own, alone, and is found.

const folders = new ProjectFolders();
let sound: ProjectFolder;

beforeAll(() => {
  requireBuild();
  sound = folders.sound();
});
afterAll(() => folders.remove());

test('a project that is as it should be has no faults, and every check was made', () => {
  const { code, out, err } = sound.run('validate', ['--json']);
  expect(JSON.parse(out).faults, err).toEqual([]);
  expect(code).toBe(0);
  const { checks } = JSON.parse(out) as {
    readonly checks: readonly { readonly check: string; readonly skipped?: string }[];
  };
  expect(checks.length).toBeGreaterThan(12);
  expect(checks.filter(({ skipped }) => skipped !== undefined)).toEqual([]);
});

interface Break {
  readonly why: string;
  readonly break: (project: ProjectFolder) => void;
  /** The line that says so, beginning with the check. */
  readonly line: string;
  readonly options?: readonly string[];
}

const QUICK = ['--no-build'];
const WORKFLOW = '.github/workflows/publish.yml';
const LONG = 'x'.repeat(101);

/** A program that serves a contract of its own. */
const WITHOUT_COUNT = `import { defineContract, implement } from 'doorward/contract';
import { serveStdio } from 'doorward/node';
import { contract } from './contract.js';
import { implementation } from './implementation.js';

const { count_notes, ...tools } = implementation.handlers.tools;
const other = defineContract({ ...contract, tools: contract.tools.filter(({ name }) => name !== 'count_notes') });
await serveStdio(implement(other, { tools }));
`;

const BREAKS: readonly Break[] = [
  {
    why: 'a watched file is renamed',
    break: (project) => project.git('mv', 'docs/openapi.json', 'docs/api.json'),
    line: `workflows: ${WORKFLOW}:LINE watches docs/openapi.json, which matches no file of HEAD`,
  },
  {
    why: 'one version is bumped',
    break: (project) => project.replace('server.json', '"version": "1.4.2"', '"version": "1.4.3"'),
    line: 'version: server.json says 1.4.3, package.json says 1.4.2',
  },
  {
    why: 'the version in package.json is bumped by hand',
    break: (project) => project.replace('package.json', '"version": "1.4.2"', '"version": "2.0.0"'),
    line: 'version: the head of CHANGELOG.md says 1.4.2, package.json says 2.0.0',
  },
  {
    why: 'a description is edited',
    break: (project) => {
      project.replace('src/contract.js', 'Counts the notes.', 'Counts all notes.');
      project.build();
    },
    line: 'generated: docs/tools.md is not what doorward docs would write',
  },
  {
    why: 'a document is stale',
    break: (project) => project.replace('docs/tools.md', 'Counts the notes.', 'Counts notes.'),
    line: 'generated: docs/tools.md is not what doorward docs would write',
  },
  {
    why: 'an action is not pinned',
    break: (project) => project.replace(WORKFLOW, /actions\/checkout@\w+/, 'actions/checkout@v4'),
    line: `pins: ${WORKFLOW}:LINE uses actions/checkout@v4, which is not pinned to a commit`,
  },
  {
    why: 'a step names a script that is not there',
    break: (project) =>
      project.write('.github/workflows/more.yml', 'on: push\njobs: { a: { steps: [{ run: bash tools/gone.sh }] } }\n'),
    line: 'workflows: .github/workflows/more.yml:2 names tools/gone.sh, which is not in HEAD',
  },
  {
    why: 'a workflow is no YAML',
    break: (project) => project.write('.github/workflows/more.yml', 'on: [push\njobs: {}\n'),
    line: 'workflows: .github/workflows/more.yml cannot be read:',
  },
  {
    why: 'a name is local and remote',
    break: (project) => {
      project.replace('src/contract.js', "name: 'remove_note'", "name: 'count_notes'");
      project.build();
    },
    line: 'contract: ./dist/contract.js: tools/count_notes /name: the name count_notes is both local and remote',
  },
  {
    why: 'a description has 101 characters',
    break: (project) => {
      project.replace('src/contract.js', 'Notes that are kept in memory.', LONG);
      project.build();
    },
    line: 'contract: ./dist/contract.js: server /description: has 101 characters, 100 are allowed',
  },
  {
    why: 'the manifest says what the Registry refuses',
    break: (project) => project.replace('server.json', 'Notes that are kept in memory.', LONG),
    line: 'manifest: server.json /description:',
  },
  {
    why: 'an output breaks its schema',
    break: (project) => {
      project.replace('src/implementation.js', 'count: notes.length', "count: 'two'");
      project.build();
    },
    line: 'calls: tools/count_notes: breaks its output schema: $.count',
  },
  {
    why: 'a handler fails',
    break: (project) => {
      project.replace('src/implementation.js', 'count: notes.length', 'count: nothing.length');
      project.build();
    },
    line: 'calls: tools/count_notes: ReferenceError: nothing is not defined',
  },
  {
    why: 'more tools decline than may',
    break: () => {},
    options: ['--call-writes'],
    line: 'calls: tools/remove_note: declined its call: there is no note',
  },
  {
    why: 'a tool is dropped from one surface',
    break: (project) => {
      project.write('src/stdio.js', WITHOUT_COUNT);
      project.build();
    },
    line: 'stdio: the program dist/stdio.js lacks the tool count_notes, which tools/list has',
  },
  {
    why: 'the version is written a second time',
    break: (project) => {
      project.write('src/version.js', "export const VERSION = '1.4.2';\n");
      project.build();
    },
    line: "version-literals: src/version.js:1 has a version of its own: '1.4.2'",
  },
  {
    why: 'readers are told a version by hand',
    break: (project) => project.write('README.md', '# Notes\n\nRun `npx fixture-notes@1.4.2`.\n'),
    line: 'version-literals: README.md:3 has a version of its own: fixture-notes@1.4.2',
  },
  {
    why: 'a discovery document is committed',
    break: (project) => project.write('public/.well-known/mcp.json', '{}'),
    line: 'committed: public/.well-known/mcp.json is a discovery document, and in the repository',
  },
  {
    why: 'what is generated is not committed',
    break: (project) => {
      project.git('rm', '--quiet', '--cached', 'server.json');
      project.write('.gitignore', 'node_modules/\ndist/\nserver.json\n');
    },
    line: 'committed: server.json is not in HEAD',
  },
  {
    why: 'package.json names a program that is not there',
    break: (project) => project.replace('package.json', '"bin": "dist/stdio.js"', '"bin": "dist/gone.js"'),
    line: 'release: package.json bin names dist/gone.js, which is not there',
  },
  {
    why: 'the npm package is not the one that the Registry looks for',
    break: (project) => project.replace('package.json', /"mcpName": ".*"/, '"mcpName": "io.github.somebody/else"'),
    line: 'manifest: package.json mcpName:',
  },
  {
    why: 'a build writes down when it was made',
    break: (project) =>
      project.write(
        'build.mjs',
        `${project.read('build.mjs')}\nimport { writeFileSync } from 'node:fs';\nwriteFileSync('dist/when.js', String(process.hrtime.bigint()));\n`,
      ),
    options: [],
    line: 'build: dist/when.js comes out differently when it is built a second time',
  },
  {
    why: 'a build fails',
    break: (project) => project.write('build.mjs', "throw new Error('no space');\n"),
    options: [],
    line: 'build: npm run build failed:',
  },
];

test.each(BREAKS)('$why', ({ break: breakIt, line, options = QUICK }) => {
  const project = folders.copyOf(sound);
  breakIt(project);
  project.commit();
  const { code, out, err } = project.run('validate', options);
  const lines = out.split('\n').map((each) => each.replace(/:\d+ (?=watches|uses)/, ':LINE '));
  expect(lines, err).toContainEqual(expect.stringContaining(line));
  expect(code).toBe(7);
});

test('a route that is served past the table', () => {
  // Routes are doorward's own: a doorward is built that has one more.
  const copy = folders.copyOf(sound).folder;
  for (const part of ['src', 'tools', 'package.json'])
    cpSync(join(ROOT, part), join(copy, 'doorward', part), {
      recursive: true,
      filter: (path) => !path.includes('node_modules'),
    });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'doorward', 'node_modules'), 'junction');
  const file = join(copy, 'doorward', 'src/doors/http/http-app.ts');
  const text = readFileSync(file, 'utf8');
  const changed = text.replace(
    /\n {2}const handle = async/,
    "\n  mounted.set('/extra', new Map([['GET', () => {}]]));$&",
  );
  expect(changed, 'the door mounts the table as it did').not.toBe(text);
  writeFileSync(file, changed);
  execFileSync(process.execPath, [join(copy, 'doorward/tools/build.mjs'), '--no-types'], { stdio: 'pipe' });
  const { code, out, err } = sound.run('validate', QUICK, join(copy, 'doorward/dist/cli.cjs'));
  expect(out.trim(), err).toBe('routes: GET /extra is served, and the route table has no row for it');
  expect(code).toBe(7);
});

test('npm version changes the version everywhere but in the changelog, which is written by people', () => {
  const project = folders.copyOf(sound);
  execFileSync('npm', ['version', '1.5.0', '--no-git-tag-version'], { cwd: project.folder, stdio: 'pipe' });
  project.commit();
  const { out } = project.run('validate', QUICK);
  expect(out.trim()).toBe('version: the head of CHANGELOG.md says 1.4.2, package.json says 1.5.0');
  project.replace('CHANGELOG.md', '## [1.4.2]', '## [1.5.0] - 2026-12-01\n\n## [1.4.2]');
  project.commit();
  const { code, err } = project.run('validate', QUICK);
  expect(code, err).toBe(0);
});

test('a program may serve one of the deployments', () => {
  const project = folders.copyOf(sound);
  project.replace('src/stdio.js', 'serveStdio(implementation)', "serveStdio(implementation, { deployment: 'desk' })");
  project.replace('src/contract.js', "name: 'count_notes',", "name: 'count_notes',\n  availability: ['web'],");
  project.replace('src/contract.js', 'tools: [search', "deployments: ['web', 'desk'],\n  tools: [search");
  project.build();
  project.run('docs');
  project.commit();
  const { code, out } = project.run('validate', QUICK);
  expect(out).toBe('');
  expect(code).toBe(0);
});

test.each([
  {
    why: 'without an implementation nothing is started and called',
    change: (project: ProjectFolder) => project.replace('package.json', /"implementation": .*/, ''),
    skipped: ['calls', 'surfaces', 'server-version', 'routes', 'build'],
  },
  {
    why: 'without a commit nothing is said of it',
    change: (project: ProjectFolder) => rmSync(join(project.folder, '.git'), { recursive: true }),
    skipped: ['version-literals', 'committed', 'workflows', 'pins', 'release', 'build'],
  },
])('$why, and that is no pass', ({ change, skipped }) => {
  const project = folders.copyOf(sound);
  change(project);
  const { code, out, err } = project.run('validate', [...QUICK, '--json']);
  const { faults, checks } = JSON.parse(out) as { faults: unknown[]; checks: { check: string; skipped?: string }[] };
  expect(faults).toEqual([]);
  expect(checks.filter((one) => one.skipped !== undefined).map(({ check }) => check)).toEqual(skipped);
  expect(err).toContain(`left out: ${skipped[0]}:`);
  expect(code).toBe(0);
});

test('what a project prints is no result, and what it leaves open holds up no end', () => {
  const project = folders.copyOf(sound);
  project.write(
    'src/implementation.js',
    `${project.read('src/implementation.js')}
console.log('hello');
setInterval(() => {}, 1_000);
`,
  );
  project.build();
  project.commit();
  const { code, out, err } = project.run('validate', [...QUICK, '--json']);
  // Its program prints the same where clients read messages: that is a fault, and the only one.
  const message = expect.stringContaining('wrote a line to stdout that is no message');
  expect(JSON.parse(out).faults).toEqual([expect.objectContaining({ check: 'stdio', message })]);
  expect(err).toContain('hello');
  expect(code).toBe(7);
});

test('package.json that cannot be used is a wrong use, not a fault', () => {
  const project = folders.copyOf(sound);
  project.replace('package.json', '"contract"', '"contrct"');
  const { code, err } = project.run('validate');
  expect(err).toContain('package.json doorward.contrct: is no field of doorward');
  expect(code).toBe(2);
});
