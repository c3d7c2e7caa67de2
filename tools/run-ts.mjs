// Runs one TypeScript script: node tools/run-ts.mjs [--node-flag ...] path/to/script.ts [args]
//
// Node 20 cannot strip types. The entry and the project's own files it imports become one file under node_modules/.cache
// (so that bare imports still resolve), packages stay outside it, and a fresh node runs it: nothing of the bundler is in
// the memory or the timings of the script.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const CACHE = join(ROOT, 'node_modules', '.cache', 'doorward-scripts');
const STALE_AFTER_MS = 24 * 3600 * 1000;

const args = process.argv.slice(2);
const entryAt = args.findIndex((arg) => !arg.startsWith('-'));
if (entryAt < 0) {
  console.error('usage: node tools/run-ts.mjs [--node-flag ...] path/to/script.ts [args]');
  process.exit(2);
}
const nodeFlags = args.slice(0, entryAt);
const entry = resolve(args[entryAt]);
/** @returns the path of the bundled script; its name holds a digest, so two runs at once never write one file */
async function bundle(input) {
  const build = await rolldown({
    input,
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    plugins: [placeOfEachModule],
    logLevel: 'warn',
  });
  const { output } = await build.generate({ format: 'esm', dir: CACHE, sourcemap: true, codeSplitting: false });
  await build.close();
  const { code, map } = output[0];
  const name = `${basename(input, '.ts')}-${createHash('sha256').update(input).update(code).digest('hex').slice(0, 16)}.mjs`;
  const file = join(CACHE, name);
  if (existsSync(file)) return file;
  mkdirSync(CACHE, { recursive: true });
  dropStale();
  write(`${file}.map`, JSON.stringify(map));
  write(file, `${code}\n//# sourceMappingURL=${name}.map\n`);
  return file;
}

/** A bundled module must still see its own place in the tree, not the bundle's. */
const placeOfEachModule = {
  name: 'place-of-each-module',
  transform(code, id) {
    if (!code.includes('import.meta.')) return null;
    const placed = code
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
      .replaceAll('import.meta.filename', JSON.stringify(id));
    return { code: placed, map: null };
  },
};

function write(file, text) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}

function dropStale() {
  for (const name of readdirSync(CACHE)) {
    const file = join(CACHE, name);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > STALE_AFTER_MS) rmSync(file, { force: true });
  }
}

/** Passes signals on and the exit code back: the wrapper is not to be noticed. */
async function run(file, scriptArgs) {
  const child = spawn(process.execPath, ['--enable-source-maps', ...nodeFlags, file, ...scriptArgs], {
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const [code, signal] = await new Promise((done) => child.on('close', (...ended) => done(ended)));
  process.exitCode = code ?? 128 + constants.signals[signal];
}

await run(await bundle(entry), args.slice(entryAt + 1));
