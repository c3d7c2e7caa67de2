// The licences of what the bundle holds: dist/THIRD_PARTY_NOTICES.md, made by tools/build.mjs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Licences whose only condition on a bundle is that their text comes along. */
const ACCEPTED = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0', 'BlueOak-1.0.0']);

/**
 * Finds the packages with code in `chunks`.
 *
 * @returns `{ name, version, license, text }` each, sorted by name
 */
export function bundledPackages(root, chunks) {
  const folders = new Set();
  for (const { modules } of chunks) {
    for (const [id, { renderedLength }] of Object.entries(modules)) {
      if (renderedLength > 0 && id.includes('/node_modules/')) folders.add(packageFolder(id));
    }
  }
  return [...folders].map((folder) => readPackage(root, folder)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @returns the notices as Markdown */
export function noticesText(packages) {
  const parts = packages.map(({ name, version, license, text }) => {
    const quoted = text.trimEnd().replace(/^/gm, '    ').replace(/ +$/gm, '');
    return `## ${name} ${version}\n\nLicence: ${license}\n\n${quoted}\n`;
  });
  return ['# Third-party notices\n\ndoorward is one bundle. It holds code of these packages.\n', ...parts].join('\n');
}

function packageFolder(id) {
  let folder = dirname(id.replace(/^\0/, '').replace(/\?.*$/, ''));
  // Folders inside a package may hold a bare package.json ({ "type": "module" }); the package's own has a name.
  while (!existsSync(join(folder, 'package.json')) || manifest(folder).version === undefined) folder = dirname(folder);
  return folder;
}

function manifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function readPackage(root, folder) {
  const { name, version, license } = manifest(folder);
  if (!ACCEPTED.has(license)) throw new Error(`${name} ${version}: licence ${license} may not be bundled as it is`);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.(md|txt))?$/i.test(entry));
  if (file === undefined) throw new Error(`${name} ${version}: no licence text in ${folder.slice(root.length + 1)}`);
  return { name, version, license, text: readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n') };
}
