// Holds the parts that the kit's promises rest on to full branch coverage: node tools/coverage-kit.mjs
//
// Runs the tests of those parts, prints what each file's branches came to, and exits 1 where one is not taken. What is meant
// is a list of files, each named: a new one has to be put on it, and one that is gone has to be taken off.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** What each promise rests on; a folder stands for all of its files. */
const AREAS = {
  'gateway proxying': [
    'src/gateway/access.ts',
    'src/gateway/answers.ts',
    'src/gateway/call-record.ts',
    'src/gateway/local-wins.ts',
    'src/gateway/mount-client.ts',
    'src/gateway/mounted.ts',
    'src/gateway/passing-fleets.ts',
    'src/gateway/sending.ts',
    'src/runtime/node/remote-mounts.ts',
    'src/runtime/node/remote-transport.ts',
  ],
  'offline fallback': [
    'src/gateway/advisory.ts',
    'src/gateway/not-found.ts',
    'src/gateway/presence.ts',
    'src/gateway/waiting.ts',
    'src/runtime/node/remote-login.ts',
    'src/runtime/node/remote-presence.ts',
    'src/runtime/node/remote-record.ts',
  ],
  'ETag and 304': ['src/discovery/answer.ts', 'src/discovery/documents.ts', 'src/discovery/entity-tag.ts'],
  'availability filtering': [
    'src/contract/fingerprint.ts',
    'src/contract/listed.ts',
    'src/contract/slice.ts',
    'src/doors/surface.ts',
  ],
  projections: ['src/discovery/projections', 'src/discovery/agent-tools.ts', 'src/discovery/to-tool-arguments.ts'],
};

/** Tests of how long something takes are elsewhere: counting branches slows all of it. */
const TESTS = [
  ...readdirSync(join(ROOT, 'src/gateway'))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `src/gateway/${name}`),
  'src/gateway/local/',
  'src/contract/',
  'src/discovery/',
  'src/doors/',
  'src/runtime/node/remote',
  'test/requirements/asking.test.ts',
  'test/requirements/modern',
  'test/cases/rounds.test.ts',
];

const files = new Map(
  Object.entries(AREAS).flatMap(([area, paths]) => paths.flatMap(filesAt).map((file) => [file, area])),
);
const folder = mkdtempSync(join(tmpdir(), 'doorward-coverage-'));
try {
  const status = runTests();
  const misses = report();
  process.exitCode = status === 0 && misses === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Files without statements of their own have nothing to cover. */
function filesAt(path) {
  if (!existsSync(join(ROOT, path))) throw new Error(`${path} is not there: mend the list in tools/coverage-kit.mjs`);
  if (path.endsWith('.ts')) return [path];
  return readdirSync(join(ROOT, path))
    .filter((name) => name.endsWith('.ts') && !/\.test\.ts$|^(types|index)\.ts$/.test(name))
    .map((name) => `${path}/${name}`);
}

function runTests() {
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const include = [...files.keys()].map((file) => `--coverage.include=${file}`);
  const reports = [
    '--coverage.reporter=json-summary',
    `--coverage.reportsDirectory=${folder}`,
    '--coverage.reportOnFailure',
    '--reporter=default',
  ];
  const args = [vitest, 'run', ...TESTS, '--coverage', ...include, ...reports];
  const env = { ...process.env, NO_COLOR: '1' };
  const run = spawnSync(process.execPath, args, { cwd: ROOT, env, encoding: 'utf8', maxBuffer: 2 ** 26 });
  // What passed is of no interest here.
  if (run.status !== 0) {
    const said = `${run.stdout}${run.stderr}`;
    process.stdout.write(`the tests ended with ${run.status}\n${said.slice(Math.max(0, said.indexOf(' FAIL ')))}\n`);
  }
  return run.status;
}

function report() {
  const summary = JSON.parse(readFileSync(join(folder, 'coverage-summary.json'), 'utf8'));
  const covered = new Map(
    Object.entries(summary).map(([path, { branches }]) => [slashed(relative(ROOT, path)), branches]),
  );
  let misses = 0;
  for (const [area, paths] of Object.entries(AREAS)) {
    process.stdout.write(`${area}\n`);
    for (const file of paths.flatMap(filesAt)) {
      const branches = covered.get(file);
      const isMet = branches !== undefined && branches.covered === branches.total;
      if (!isMet) misses++;
      const figure = branches === undefined ? 'not run' : `${branches.covered} of ${branches.total} branches`;
      process.stdout.write(`  ${isMet ? 'ok  ' : 'MISS'} ${file.padEnd(50)} ${figure}\n`);
    }
  }
  process.stdout.write(`${files.size} files, ${misses} missed\n`);
  return misses;
}

function slashed(path) {
  return path.replaceAll('\\', '/');
}
