import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import type { Dialect } from '../../src/schema/index.js';

export const DIALECTS: readonly Dialect[] = ['2020-12', '2019-09', 'draft-07', 'draft-06', 'draft-04'];

export const DIALECT_URI: Readonly<Record<Dialect, string>> = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  'draft-07': 'http://json-schema.org/draft-07/schema#',
  'draft-06': 'http://json-schema.org/draft-06/schema#',
  'draft-04': 'http://json-schema.org/draft-04/schema#',
};

/** The suite's own folder names. */
const SUITE_FOLDER: Readonly<Record<Dialect, string>> = {
  '2020-12': 'draft2020-12',
  '2019-09': 'draft2019-09',
  'draft-07': 'draft7',
  'draft-06': 'draft6',
  'draft-04': 'draft4',
};

/** Schema and data as the text that stands in the file: digits, escapes and odd names reach the judge untouched. */
export interface SuiteCase {
  readonly description: string;
  readonly data: string;
  readonly valid: boolean;
}

export interface SuiteGroup {
  readonly description: string;
  readonly schema: string;
  readonly cases: readonly SuiteCase[];
}

export interface SuiteFile {
  readonly dialect: Dialect;
  /** Relative to the dialect's folder: `ref.json`, `optional/bignum.json`. */
  readonly name: string;
  readonly groups: readonly SuiteGroup[];
}

/** @param which the required files of a dialect, or those under `optional` */
export function readSuite(suite: string, dialect: Dialect, which: 'required' | 'optional'): SuiteFile[] {
  const folder = join(suite, 'tests', SUITE_FOLDER[dialect]);
  return readSuiteFolder(which === 'required' ? folder : join(folder, 'optional'), dialect).map((file) =>
    which === 'required' ? file : { ...file, name: `optional/${file.name}` },
  );
}

/** Reads the JSON files right in `folder` as test files in the official format. */
export function readSuiteFolder(folder: string, dialect: Dialect): SuiteFile[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => ({ dialect, name, groups: readGroups(join(folder, name)) }));
}

/** The suite's remote documents by the URI under which the suite expects them. */
export function readRemotes(suite: string, dialect: Dialect): Record<string, unknown> {
  const folder = join(suite, 'remotes');
  const others = Object.values(SUITE_FOLDER).filter((name) => name !== SUITE_FOLDER[dialect]);
  const remotes: Record<string, unknown> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/');
    if (/^(?:v1|draft3)\//.test(path)) continue;
    // Another dialect's folder holds documents that name their own dialect only where a cross-draft case wants them.
    const text = readFileSync(join(folder, path), 'utf8');
    if (others.some((name) => path.startsWith(`${name}/`)) && !text.includes('"$schema"')) continue;
    remotes[`http://localhost:1234/${path}`] = JSON.parse(text);
  }
  return remotes;
}

/**
 * Slices groups out of the file by offset. The parser is not the project's own on purpose: a fault in ours must not be
 * able to hide itself by reading its own test wrongly.
 */
function readGroups(file: string): SuiteGroup[] {
  const text = readFileSync(file, 'utf8');
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true });
  if (!root || errors.length > 0) throw new Error(`${file} is not JSON (offset ${errors[0]?.offset})`);
  const raw = (node: Node) => text.slice(node.offset, node.offset + node.length);
  return elements(root).map((group) => ({
    description: String(member(group, 'description').value),
    schema: raw(member(group, 'schema')),
    cases: elements(member(group, 'tests')).map((one) => ({
      description: String(member(one, 'description').value),
      data: raw(member(one, 'data')),
      valid: member(one, 'valid').value === true,
    })),
  }));
}

function elements(array: Node): readonly Node[] {
  if (array.type !== 'array') throw new Error(`expected an array at offset ${array.offset}`);
  return array.children ?? [];
}

function member(object: Node, name: string): Node {
  const value = object.children?.find((property) => property.children?.[0]?.value === name)?.children?.[1];
  if (!value) throw new Error(`no "${name}" in the object at offset ${object.offset}`);
  return value;
}
