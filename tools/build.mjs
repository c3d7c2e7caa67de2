// Builds the package: node tools/build.mjs [--no-types] [--out DIR]
//
// One bundle, split where entries and import() part, so that a cheap command loads only its own chunk. Everything is
// bundled except what package.json declares. Files whose content did not change are not touched: tests and a bench may
// build at the same time as somebody uses dist.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { bundledPackages, noticesText } from './notices.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PACKAGE = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** What may be named from outside: the command, and the exports of package.json. */
const ENTRIES = {
  cli: 'src/cli/main.ts',
  index: 'src/index.ts',
  schema: 'src/schema/index.ts',
  client: 'src/client/index.ts',
  gateway: 'src/gateway/index.ts',
  node: 'src/runtime/node/index.ts',
};

const { values: flags } = parseArgs({
  options: { types: { type: 'boolean', default: true }, out: { type: 'string', default: join(ROOT, 'dist') } },
  allowNegative: true,
});
const out = resolve(flags.out);
const startedAt = new Date();

const chunks = await bundle();
const files = new Map(chunks.map(({ fileName, code }) => [fileName, code]));
files.set('config.schema.json', await configSchema());
files.set('THIRD_PARTY_NOTICES.md', noticesText(bundledPackages(ROOT, chunks)));
writeChanged(files);
chmodSync(join(out, 'cli.js'), 0o755);
utimesSync(join(out, 'cli.js'), startedAt, startedAt); // its age tells whether a source is newer
if (flags.types) writeDeclarations();

async function bundle() {
  const build = await openBundle(
    Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(ROOT, path)])),
  );
  try {
    const { output } = await build.generate({
      format: 'esm',
      minify: true,
      comments: { legal: false }, // licences stand in THIRD_PARTY_NOTICES.md, once
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name].js', // no hash: the pinned module lists name chunks
    });
    return output.filter(({ type }) => type === 'chunk');
  } finally {
    await build.close();
  }
}

function openBundle(input) {
  return rolldown({
    input,
    cwd: ROOT,
    platform: 'node',
    external: isDeclared,
    resolve: {
      // jsonc-parser and others ship a main that a bundler cannot see through beside a proper module.
      mainFields: ['module', 'main'],
      extensionAlias: { '.js': ['.ts', '.js'] },
    },
    transform: { target: 'node20.19' },
    onLog(level, log) {
      // A warning here is an import that will fail on somebody's machine.
      if (level === 'warn') throw new Error(`${log.code}: ${log.message}`);
    },
  });
}

/** The published schema is printed by the room that reads configurations, so the two cannot differ. */
async function configSchema() {
  const build = await openBundle(join(ROOT, 'src/config/json-schema.ts'));
  const { output } = await build.generate({ format: 'esm', codeSplitting: false });
  await build.close();
  const { configJsonSchema } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
  return `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
}

/** Dependencies and optional peers stay imports; everything else comes along. */
function isDeclared(id) {
  const declared = Object.keys({ ...PACKAGE.dependencies, ...PACKAGE.peerDependencies });
  return declared.some((name) => id === name || id.startsWith(`${name}/`));
}

function writeChanged(wanted) {
  mkdirSync(out, { recursive: true });
  for (const name of listFiles(out)) {
    if (!wanted.has(name) && !name.startsWith('types/')) rmSync(join(out, name));
  }
  for (const [name, text] of wanted) {
    const file = join(out, name);
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    mkdirSync(dirname(file), { recursive: true });
    const draft = `${file}.${process.pid}.draft`;
    writeFileSync(draft, text);
    renameSync(draft, file);
  }
}

function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.draft'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}

function writeDeclarations() {
  const types = join(out, 'types');
  rmSync(types, { recursive: true, force: true });
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '-p', join(ROOT, 'tsconfig.build.json'), '--outDir', types];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
