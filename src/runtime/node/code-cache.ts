import { readFileSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Script } from 'node:vm';
import { type Environment, userFolder } from '../../config/index.js';
import { decodeCode } from './code-file.js';
import type { Compiled } from './code-writer.js';
import { isOursAlone, readOwnFile } from './own-file.js';

export interface CodeCacheOptions {
  /** Names the folder: `$XDG_CACHE_HOME/doorward/code`, else below `$HOME/.cache`. */
  readonly environment: Environment;
  /** The folder whose files may be kept. */
  readonly chunks: string;
  /** The version of the chunks: two that are used in turn do not take each other's place. */
  readonly version: string;
  /** Node's `require.extensions`; absent where somebody else does the loading. */
  readonly loaders: NodeJS.RequireExtensions | undefined;
  /** Whether this process writes what it finds missing. It should be one that does what most starts do. */
  readonly isWriting: boolean;
}

/** Below this, opening another file costs more than compiling does. */
const MIN_BYTES = 32 * 1024;
const MAX_BYTES = 16 * 1024 * 1024;
/** The start is over by then, and what it runs is compiled. */
const WRITE_AFTER_MS = 2_000;

/** What Node puts around CommonJS, on a line of its own: places in stack traces stay those in the file. */
const BEFORE = Buffer.from('(function (exports, require, module, __filename, __dirname) {\n');
const AFTER = Buffer.from('\n})');

/**
 * Has large CommonJS files compiled from what V8 made of them the last time, which takes a third off what a start costs
 * beyond Node's own. Whatever is missing, does not fit or cannot be read or written costs as much as if there were no
 * cache; nothing is said.
 */
export function useCodeCache({ environment, chunks, version, loaders, isWriting }: CodeCacheOptions): void {
  const folder = codeFolder(environment);
  const load = loaders?.['.js'];
  // Whoever loads such files himself wants to see their source.
  if (folder === undefined || loaders === undefined || load === undefined || loaders['.cjs']) return;
  const missing: Compiled[] = [];
  loaders['.cjs'] = (module, path) => {
    if (dirname(path) !== chunks || statSync(path).size < MIN_BYTES) return load(module, path);
    const kept = `${folder}/${basename(path, '.cjs')}-${version}-${process.version}-${process.arch}`;
    const source = readFileSync(path);
    const script = compile(path, source, readCode(kept, source));
    if (isWriting && script.cachedDataRejected !== false && missing.push({ path: kept, script, source }) === 1) {
      setTimeout(() => void writeLater(folder, missing.splice(0)), WRITE_AFTER_MS).unref();
    }
    const run = script.runInThisContext() as (...values: readonly unknown[]) => void;
    run.call(module.exports, module.exports, (id: string) => module.require(id), module, path, chunks);
  };
}

function codeFolder(environment: Environment): string | undefined {
  // The variable that Node has for its own cache of this kind; and coverage is not counted well in kept code.
  if (environment.NODE_DISABLE_COMPILE_CACHE || environment.NODE_V8_COVERAGE) return undefined;
  const folder = userFolder(environment, 'XDG_CACHE_HOME', '.cache');
  return folder === undefined ? undefined : `${folder}/code`;
}

function compile(path: string, source: Buffer, cachedData: Buffer | undefined): Script {
  const { Script } = process.getBuiltinModule('node:vm');
  // Put together as bytes: as texts there would be two large ones, and the collector runs the sooner.
  const text = Buffer.concat([BEFORE, source, AFTER]).toString();
  return new Script(text, { filename: path, lineOffset: -1, ...(cachedData && { cachedData }) });
}

/** @returns what V8 made of this source the last time; never throws */
function readCode(path: string, source: Buffer): Buffer | undefined {
  try {
    // Who else can write the folder could put code there that we would run.
    return isOursAlone(statSync(dirname(path))) ? decodeCode(readOwnFile(path, MAX_BYTES), source) : undefined;
  } catch {
    return undefined;
  }
}

async function writeLater(folder: string, compiled: readonly Compiled[]): Promise<void> {
  try {
    const { writeCode } = await import('./code-writer.js');
    await writeCode(folder, compiled);
  } catch {
    // A package that is replaced while it runs has no such file any more.
  }
}
