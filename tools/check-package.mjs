// Looks at the package as a user gets it: builds, packs, inspects the tarball, installs it into an empty project without
// network, runs the command, imports every export and compiles against the declarations.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PACKAGE = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const BIN = join(ROOT, 'node_modules', '.bin');

/** Bounds that a careless import would break: the tarball, and the one file every command starts with. */
// Nothing is installed along with it: hono, undici, jose and the official SDK's client with zod are in it, twice where the command
// and a program that embeds have them.
// zod-openapi, yaml and both TOML libraries, which commands for authors load.
const MAX_TARBALL_BYTES = 1_900_000;
// Mostly the table of commands, each with its help.
const MAX_ENTRY_BYTES = 20_000;

const folder = mkdtempSync(join(tmpdir(), 'doorward-package-'));
const project = join(folder, 'project');
mkdirSync(project);
try {
  run('build', 'npm', ['run', '--silent', 'build']);
  const tarball = pack();
  check('the tarball is small', () => atMost(statSync(tarball).size, MAX_TARBALL_BYTES));
  check('the command starts with little', () => atMost(statSync(join(ROOT, 'dist/cli.cjs')).size, MAX_ENTRY_BYTES));
  run('publint', join(BIN, 'publint'), ['run', tarball, '--strict']);
  run('attw', join(BIN, 'attw'), [tarball, '--profile', 'esm-only', '--exclude-entrypoints', './config.schema.json']);
  install(tarball);
  check('doorward --version', () => {
    const printed = output(join(project, 'node_modules/.bin/doorward'), ['--version'], project).trim();
    return printed === PACKAGE.version ? undefined : `printed ${JSON.stringify(printed)}`;
  });
  for (const subpath of Object.keys(PACKAGE.exports)) importExport(subpath);
  compile('declarations, without Node', names(['.', './schema', './client', './gateway']), []);
  compile('declarations, with Node', names(['./node']), ['node']);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function pack() {
  const [packed] = JSON.parse(
    output('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], ROOT),
  );
  check('the tarball holds what it should', () => {
    const paths = packed.files.map(({ path }) => path);
    const odd = paths.filter((path) => !/^(dist\/|(package\.json|README\.md|CHANGELOG\.md|LICENSE)$)/.test(path));
    const missing = ['LICENSE', 'README.md', 'dist/cli.cjs', 'dist/THIRD_PARTY_NOTICES.md'].filter(
      (path) => !paths.includes(path),
    );
    return odd.length + missing.length === 0 ? undefined : `odd: ${odd}; missing: ${missing}`;
  });
  return join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tgz')),
  );
}

function install(tarball) {
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'a-user', private: true, type: 'module' }));
  run(
    'install without network',
    'npm',
    ['install', '--offline', '--no-audit', '--no-fund', '--silent', tarball],
    project,
  );
}

function importExport(subpath) {
  const name = join(PACKAGE.name, subpath);
  check(`import ${name}`, () => {
    const code = subpath.endsWith('.json')
      ? `import { createRequire } from 'node:module'; console.log(Object.keys(createRequire(import.meta.url)('${name}')).length)`
      : `console.log(Object.keys(await import('${name}')).length)`;
    const count = Number(output(process.execPath, ['--input-type=module', '--eval', code], project));
    return count > 0 ? undefined : 'exports nothing';
  });
}

function names(subpaths) {
  return subpaths.map((subpath) => join(PACKAGE.name, subpath));
}

/** A user's strict project, library checks on: what our declarations name must be there. */
function compile(title, modules, types) {
  const code = modules.map((name, at) => `export * as m${at} from '${name}';`).join('\n');
  writeFileSync(join(project, 'main.ts'), code);
  const compilerOptions = {
    module: 'NodeNext',
    target: 'ES2023',
    lib: types.length > 0 ? ['ES2023'] : ['ES2023', 'WebWorker'],
    types,
    typeRoots: [join(ROOT, 'node_modules/@types')],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }));
  run(title, join(BIN, 'tsc'), ['-p', project]);
}

function run(title, command, args, cwd = ROOT) {
  check(title, () => {
    const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
    return status === 0 ? undefined : `${error ?? `exit ${status}`}\n${stdout}${stderr}`;
  });
}

function output(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error ?? `exit ${status}`}\n${stdout}${stderr}`);
  return stdout;
}

function atMost(bytes, maxBytes) {
  return bytes <= maxBytes ? undefined : `${bytes} bytes, at most ${maxBytes}`;
}

function check(title, task) {
  let problem;
  try {
    problem = task();
  } catch (thrown) {
    problem = thrown.message;
  }
  console.log(`${problem === undefined ? 'ok  ' : 'FAIL'} ${title}${problem === undefined ? '' : `: ${problem}`}`);
  if (problem !== undefined) process.exitCode = 1;
}
