// Builds the package: node tools/build.mjs [--no-types] [--out DIR]
//
// Two bundles: the command, and what package.json exports. The command's is laid out for its start. It is CommonJS, since
// Node's loader for modules alone costs 4 ms of the 23 that an empty process takes. Opening a file costs about as much as
// a thousand lines of it, so what `stdio` needs before it answers is one file, and nothing else is in it. The exports are
// split where entries part. Everything is bundled except what package.json declares.
// Files whose content did not change are not touched: tests and a bench may build while somebody uses dist. Several builds
// may run at once; they take turns in writing. DOORWARD_SKIP_BUILD=1 leaves dist as it is, where only it is wanted and there:
// whoever runs many scripts builds once.
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
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { esmExternalRequirePlugin } from 'rolldown/plugins';
import { bundledPackages, noticesText } from './notices.mjs';
import { whileAlone } from './while-alone.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PACKAGE = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const COMMAND = { cli: 'src/cli/main.ts' };

/** Modules that `stdio` imports on its way to the first answer; with all they import they become one file. */
const START = ['src/cli/run.ts', 'src/cli/commands/stdio.ts'];

/** Modules it imports once it has greeted its caller; they become the next file. */
const NEXT = ['src/gateway/index.ts'];

/** Modules that a room's entrance shows, and that nothing at start uses: they are left where they are wanted. */
const SHOWN_ONLY = [
  'src/doors/create-server.ts',
  'src/gateway/local/index.ts',
  'src/runtime/node/serve-implementation.ts',
].map((path) => join(ROOT, path));

/**
 * What the first file holds, which `--version` needs alone: the entry, and small modules that it shares with others, since
 * a file of their own would cost more. Nothing is added that they import.
 */
const ENTRY = [
  'src/cli/main.ts',
  'src/cli/version.ts',
  'package.json',
  'src/cli/command-table.ts',
  'src/cli/command-spec.ts',
  'src/cli/client-commands.ts',
  'src/cli/author-commands.ts',
  'src/runtime/node/code-cache.ts',
  'src/runtime/node/code-file.ts',
  'src/runtime/node/own-file.ts',
  'src/config/candidates.ts',
];

/** Not for import: doorward's own contract, as the `doorward` field of package.json names it. */
const OWN = { own: 'src/cli/own/project.ts' };

/** The exports of package.json; they share one copy of every room, or `instanceof DoorError` would tell lies. */
const EXPORTS = {
  index: 'src/index.ts',
  schema: 'src/schema/index.ts',
  contract: 'src/contract/index.ts',
  client: 'src/client/index.ts',
  discovery: 'src/discovery/index.ts',
  gateway: 'src/gateway/index.ts',
  node: 'src/runtime/node/index.ts',
  worker: 'src/runtime/worker/index.ts',
};

/**
 * Files of ours behind names of ours (`imports` of package.json). Bundlers take along whatever stands in a chunk that they
 * meet, so what Workers do not need stands apart; and instead of generated code, which they refuse, and of what is large, they find
 * something else.
 */
const INNER = {
  code: 'src/schema/code.ts',
  'no-code': 'src/schema/no-code.ts',
  lru: 'node_modules/lru-cache/dist/esm/browser/index.min.js',
  'small-lru': 'src/schema/small-lru.ts',
  distance: 'node_modules/fastest-levenshtein/esm/mod.js',
  'small-distance': 'src/schema/small-distance.ts',
  'sse-channel': 'src/client/http/sse-channel.ts',
  'listen-stream': 'src/client/http/listen-stream.ts',
  'no-streams': 'src/client/http/no-streams.ts',
  'cached-tools': 'src/client/cached-tools.ts',
  'no-cached-tools': 'src/client/no-cached-tools.ts',
  auth: 'src/client/auth/index.ts',
};

/** Which import means which name; of a package, wherever it is imported. */
const INNER_NAMES = [
  { id: 'lru-cache', name: '#lru' },
  { id: 'fastest-levenshtein', name: '#distance' },
  { id: './sse-channel.js', importer: 'src/client/http/http-transport.ts', name: '#sse-channel' },
  { id: './listen-stream.js', importer: 'src/client/http/http-transport.ts', name: '#listen-stream' },
  { id: './code.js', importer: 'src/schema/warm-up.ts', name: '#code' },
  { id: './auth/index.js', importer: 'src/client/index.ts', name: '#auth' },
  { id: './cached-tools.js', importer: 'src/client/index.ts', name: '#cached-tools' },
];

const innerByName = {
  name: 'inner-by-name',
  resolveId: {
    order: 'pre',
    handler(id, importer = '') {
      const isMeant = (each) => each.importer === undefined || importer === join(ROOT, each.importer);
      const inner = INNER_NAMES.find((each) => each.id === id && isMeant(each));
      return inner ? { id: inner.name, external: true } : null;
    },
  },
};

/** Packages whose build for Node names Node's modules, where rooms below floor 6 need the one that does not. */
const NEUTRAL_BUILDS = {
  'lru-cache': 'dist/esm/browser/index.min.js',
  'pkce-challenge': 'dist/index.browser.js',
};

const neutralBuilds = {
  name: 'neutral-builds',
  resolveId: (id) => (id in NEUTRAL_BUILDS ? join(ROOT, 'node_modules', id, NEUTRAL_BUILDS[id]) : null),
};

/** undici names it for a cache that nobody here uses; an import of it would fail on Node 20, which has none. */
const noSqlite = {
  name: 'no-sqlite',
  resolveId: { order: 'pre', handler: (id) => (id === 'node:sqlite' ? '\0no-sqlite' : null) },
  load: (id) => (id === '\0no-sqlite' ? 'module.exports = {};' : null),
};

/** A lock of this age was left behind by a build that was killed: writing takes a moment. */
const LOCK_MS = 30_000;

const { values: flags } = parseArgs({
  options: { types: { type: 'boolean', default: true }, out: { type: 'string', default: join(ROOT, 'dist') } },
  allowNegative: true,
});
const out = resolve(flags.out);
if (process.env.DOORWARD_SKIP_BUILD && !flags.types && out === join(ROOT, 'dist') && existsSync(join(out, 'cli.cjs'))) {
  process.exit(0);
}
const startedAt = new Date();

const chunks = [...(await bundleCommand()), ...(await bundleExports())];
const files = new Map(chunks.map(({ fileName, code }) => [fileName, code]));
files.set('config.schema.json', await configSchema());
files.set('THIRD_PARTY_NOTICES.md', noticesText(bundledPackages(ROOT, chunks)));
// Two builds of different sources that wrote at once would leave files that do not fit each other.
await whileAlone({ lock: join(out, '.lock'), staleMs: LOCK_MS }, () => {
  writeChanged(files);
  chmodSync(join(out, 'cli.cjs'), 0o755);
  utimesSync(join(out, 'cli.cjs'), startedAt, startedAt); // its age tells whether a source is newer
});
if (flags.types) writeDeclarations();

async function bundleCommand() {
  const inEntry = new Set(ENTRY.map((path) => join(ROOT, path)));
  let atStart = new Set();
  let next = new Set();
  const findStart = {
    name: 'find-start',
    buildEnd() {
      atStart = new Set([...importedBy(START, this)].filter((id) => !inEntry.has(id)));
      next = new Set([...importedBy(NEXT, this)].filter((id) => !inEntry.has(id) && !atStart.has(id)));
    },
  };
  const layout = {
    groups: [
      { name: 'entry', test: (id) => inEntry.has(id), includeDependenciesRecursively: false },
      { name: 'start', test: (id) => atStart.has(id), includeDependenciesRecursively: false },
      { name: 'gateway', test: (id) => next.has(id), includeDependenciesRecursively: false },
    ],
  };
  return withHelpers(await bundle(COMMAND, { plugins: [findStart], chunks: 'cli', layout, format: 'cjs' }));
}

/** The bundler's helpers are a file of their own, of 1 KB, that no layout can move: they are put where they are used. */
function withHelpers(chunks) {
  const helpers = chunks.find(({ fileName }) => fileName === 'cli/rolldown-runtime.cjs');
  const used = 'require("./rolldown-runtime.cjs")';
  const inlined = `(()=>{const exports={};${helpers.code.trimEnd()};return exports})()`;
  return chunks
    .filter((chunk) => chunk !== helpers)
    .map((chunk) => ({ ...chunk, code: chunk.code.split(used).join(inlined) }));
}

/** @returns the ids of `paths` and of all they import, import() aside */
function importedBy(paths, { getModuleInfo }) {
  const found = new Set();
  const open = paths.map((path) => join(ROOT, path));
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id) || SHOWN_ONLY.includes(id)) continue;
    const module = getModuleInfo(id);
    if (module === null) throw new Error(`${id} is not part of the command: mend the lists above`);
    if (module.code === null) continue; // stays an import
    found.add(id);
    open.push(...module.importedIds);
  }
  return found;
}

function bundleExports() {
  return bundle({ ...EXPORTS, ...OWN, ...INNER }, { chunks: 'chunks', plugins: [innerByName] });
}

async function bundle(entries, { plugins = [], chunks, layout, format = 'esm' }) {
  const ending = format === 'cjs' ? 'cjs' : 'js';
  const input = Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(ROOT, path)]));
  const build = await openBundle(input, plugins, layout && { preserveEntrySignatures: 'allow-extension' });
  try {
    const { output } = await build.generate({
      format,
      // The command is read by V8 at each start; the exports are read by people, in their debuggers and stack traces.
      minify: format === 'cjs' ? true : 'dce-only',
      // V8 keeps and reads a text of one byte a character in half the space; one ellipsis would double it all.
      charset: 'ascii',
      // What is compiled from a cache has no import(), and Node's loader for modules costs more than what it would load.
      dynamicImportInCjs: false,
      comments: { legal: false }, // licences stand in THIRD_PARTY_NOTICES.md, once
      entryFileNames: `[name].${ending}`,
      chunkFileNames: `${chunks}/[name].${ending}`, // no hash: the pinned module lists name chunks
      ...(layout && { codeSplitting: layout }),
    });
    return output.filter(({ type }) => type === 'chunk');
  } finally {
    await build.close();
  }
}

function openBundle(input, plugins = [], options = {}) {
  return rolldown({
    ...options,
    input,
    cwd: ROOT,
    platform: 'node',
    external: isDeclared,
    // CommonJS packages require() Node's modules; as imports they need no loader of their own at start.
    plugins: [
      neutralBuilds,
      noSqlite,
      esmExternalRequirePlugin({ external: [...builtinModules, /^node:(?!sqlite)/] }),
      ...plugins,
    ],
    resolve: {
      // jsonc-parser and others ship a main that a bundler cannot see through beside a proper module.
      mainFields: ['module', 'main'],
      extensionAlias: { '.js': ['.ts', '.js'] },
    },
    treeshake: {
      moduleSideEffects: [
        { external: true, sideEffects: false }, // or unused imports of node: stay
        // Its formatter, which nobody uses, makes 1,200 strings when it is loaded, and the garbage collector runs for it.
        { test: /\/node_modules\/jsonc-parser\//, sideEffects: false },
      ],
    },
    transform: { target: 'node20.19', define: { __BUILT_AT__: JSON.stringify(builtAt()) } },
    onLog(level, log) {
      // A warning is an import that will fail on somebody's machine; this one only says that modules share a chunk.
      if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(`${log.code}: ${log.message}`);
    },
  });
}

/** When this was made: SOURCE_DATE_EPOCH, else the time of the commit, so that two builds of it are the same. '' where there is neither. */
function builtAt() {
  const epoch = Number(process.env.SOURCE_DATE_EPOCH || Number.NaN);
  const asked = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' });
  const seconds = Number.isSafeInteger(epoch) ? epoch : asked.status === 0 ? Number(asked.stdout.trim()) : Number.NaN;
  return Number.isSafeInteger(seconds) ? new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z') : '';
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
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.draft') && entry.name !== '.lock')
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
