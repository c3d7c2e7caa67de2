import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { House } from './check.js';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const CODE_FOLDERS = ['src', 'test', 'bench', 'conformance', 'examples', 'tools'];

/** What a checkout or a build leaves at the root beside the repository's own entries (.gitignore names them too). */
const NOT_OURS = /^(\.git|node_modules|dist|coverage|reports|\.stryker-tmp|.*\.tgz|.*\.cpuprofile)$/;

/** Reads the repository as it lies on disk. */
export function readHouse(): House {
  const files = new Map<string, string>();
  for (const folder of CODE_FOLDERS) {
    for (const path of listFiles(folder)) {
      if (path.endsWith('.ts')) files.set(path, readFileSync(join(ROOT, path), 'utf8'));
    }
  }
  return {
    files,
    rootEntries: readdirSync(ROOT).filter((name) => !NOT_OURS.test(name)),
    architecture: readText('ARCHITECTURE.md'),
  };
}

/** @returns the text of a file of the repository */
export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length).replaceAll('\\', '/'));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return []; // not every folder is built yet
    throw thrown;
  }
}
