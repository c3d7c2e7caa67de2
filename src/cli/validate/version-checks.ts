import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MANIFEST_PATH } from '../../generate/index.js';
import { generatedPaths } from './generated-paths.js';
import { TEST_PATHS } from './test-paths.js';
import { type Check, type Finding, Skipped, type Subject } from './types.js';

/** Where the version stands by nature; everything else gets it from package.json. */
const HOMES =
  /(^|\/)(package\.json|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|CHANGELOG[^/]*)$/i;
const DATA = /\.([mc]?[jt]sx?|json[c5]?|ya?ml|toml)$/;
const PROSE = /\.(md|mdx|txt|html)$/;

export const VERSION_CHECKS: readonly Check[] = [
  {
    name: 'version',
    about: 'one version in package.json, contract, lock file, manifest and changelog',
    run: ({ project }) => {
      const { version } = project.packageJson;
      if (typeof version !== 'string') return [{ message: 'package.json has no version' }];
      return versionsOf(project)
        .filter(({ says }) => says !== version)
        .map(({ where, says }) => ({
          message: `${where} says ${says ?? 'no version'}, package.json says ${version}`,
          hint: 'Run npm version: it changes package.json and what is made from it.',
        }));
    },
  },
  {
    name: 'version-literals',
    about: 'no second place where the version is written by hand',
    run: ({ project, git }) => {
      if (git === undefined) return new Skipped('the project is in no git repository with a commit');
      const generated = generatedPaths(project.settings);
      const nested = [...git.present]
        .filter((path) => path.endsWith('/package.json'))
        .map((path) => path.slice(0, -12));
      return git.present
        .filter(
          (path) => !HOMES.test(path) && !TEST_PATHS.test(path) && !nested.some((folder) => path.startsWith(folder)),
        )
        .filter((path) => !generated.some((own) => path === own || path.startsWith(`${own}/`)))
        .flatMap((path) => literalsIn(path, project));
    },
  },
];

interface Said {
  readonly where: string;
  readonly says: string | undefined;
}

function versionsOf({ folder, packageJson, contract, settings }: Subject['project']): readonly Said[] {
  const lock = readJson(join(folder, 'package-lock.json')) as
    | { readonly packages?: Readonly<Record<string, { readonly version?: string }>> }
    | undefined;
  const manifestPath = settings.manifest ?? MANIFEST_PATH;
  const manifest = readJson(join(folder, manifestPath)) as
    | { readonly version?: string; readonly packages?: readonly { identifier?: string; version?: string }[] }
    | undefined;
  const packages = manifest?.packages ?? [];
  return [
    { where: 'the contract', says: contract.server.version },
    ...(lock === undefined ? [] : [{ where: 'package-lock.json', says: lock.packages?.['']?.version }]),
    ...(manifest === undefined ? [] : [{ where: manifestPath, says: manifest.version }]),
    ...packages.flatMap(({ identifier, version }, at) =>
      identifier === packageJson.name ? [{ where: `${manifestPath} packages/${at}`, says: version }] : [],
    ),
    ...changelogHead(folder),
  ];
}

/** The newest version that the changelog has a heading for. */
function changelogHead(folder: string): readonly Said[] {
  const path = join(folder, 'CHANGELOG.md');
  if (!existsSync(path)) return [];
  const heading = /^##\s+\[?v?(\d+\.\d+\.\d+[^\]\s]*)/m.exec(readFileSync(path, 'utf8'));
  return [{ where: 'the head of CHANGELOG.md', says: heading?.[1] }];
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function literalsIn(path: string, { folder, packageJson }: Subject['project']): readonly Finding[] {
  if (!DATA.test(path) && !PROSE.test(path)) return [];
  return findLiterals(withoutGenerated(readText(join(folder, path))), {
    name: String(packageJson.name),
    version: String(packageJson.version),
    isData: DATA.test(path),
  }).map(({ line, found }) => ({
    message: `${path}:${line} has a version of its own: ${found}`,
    hint: 'Read it from package.json, or have the file generated.',
  }));
}

/** What `doorward docs` writes into a README, between its marks; the lines stay. */
const GENERATED_BLOCK = /<!-- doorward (\w+) -->[\s\S]*?<!-- \/doorward \1 -->/g;

function withoutGenerated(text: string): string {
  return text.replace(GENERATED_BLOCK, (block) => block.replace(/[^\n]/g, ''));
}

export interface LiteralSearch {
  readonly name: string;
  readonly version: string;
  /** Code or data, where the version may stand alone. */
  readonly isData: boolean;
}

/**
 * Where a text says the version of a package: `name@1.2.3` anywhere; in code and data also a quoted version on a line that
 * speaks of a version. Alone it may be anybody's.
 */
export function findLiterals(
  text: string,
  { name, version, isData }: LiteralSearch,
): readonly { readonly line: number; readonly found: string }[] {
  const wanted = escaped(version);
  const ofPackage = new RegExp(`(?<![\\w/-])${escaped(name)}@v?${wanted}(?![\\w.-])`, 'g');
  const quoted = new RegExp(`(["'\`])v?${wanted}\\1|\\bversion:\\s*v?${wanted}\\s*$`, 'gi');
  return text.split('\n').flatMap((line, at) => {
    const patterns = isData && /version/i.test(line) ? [ofPackage, quoted] : [ofPackage];
    return patterns.flatMap((pattern) =>
      [...line.matchAll(pattern)].map(([found]) => ({ line: at + 1, found: found.trim() })),
    );
  });
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Deleted, and not committed yet; or a link to nowhere.
    return '';
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
