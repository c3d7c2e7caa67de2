import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { contract } from '../../src/cli/own/contract.js';
import { clientDocsFiles, type GeneratedFile } from '../../src/generate/index.js';
import { ROOT } from '../house/tree.js';

const FOLDER = packageJson.doorward.clientDocs;

/** The pages of doorward's own docs/clients, as they should be. */
function ownPages(): Promise<readonly GeneratedFile[]> {
  const { clientArgs } = packageJson.doorward;
  const readme = { path: 'README.md', text: readFileSync(join(ROOT, 'README.md'), 'utf8') };
  return clientDocsFiles(contract, { folder: FOLDER, args: clientArgs, readme });
}

/** @returns a line for each page that is missing, is not as it would be generated, or belongs to no client */
export async function checkOwnPages(): Promise<readonly string[]> {
  const pages = await ownPages();
  const stale = pages.filter(({ path, bytes }) => {
    const file = join(ROOT, path);
    return !existsSync(file) || !readFileSync(file).equals(bytes);
  });
  return [...stale.map(({ path }) => `${path} is not as it would be generated`), ...strays(pages)];
}

/** Writes them, and removes pages of clients that are gone. */
export async function writeOwnPages(): Promise<void> {
  const pages = await ownPages();
  for (const { path, bytes } of pages) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), bytes);
  }
  for (const line of strays(pages)) rmSync(join(ROOT, line.split(' ')[0]!));
}

function strays(pages: readonly GeneratedFile[]): readonly string[] {
  const folder = join(ROOT, FOLDER);
  const names = existsSync(folder) ? readdirSync(folder).map((name) => `${FOLDER}/${name}`) : [];
  return names.filter((name) => !pages.some(({ path }) => path === name)).map((name) => `${name} belongs to no client`);
}
