import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Dialect } from '../../src/schema/index.js';
import { DIALECTS, readSuiteFolder, type SuiteFile } from './suite.js';

const FOLDER = join(import.meta.dirname, 'extra');

/**
 * Our own suite, in the official format, judged with the dialect named in the options. A folder is named after the
 * dialects its files hold for, so that a case which is the same everywhere is written once.
 */
const FOLDERS: Readonly<Record<string, readonly Dialect[]>> = {
  every: DIALECTS,
  'since-draft-06': ['2020-12', '2019-09', 'draft-07', 'draft-06'],
  'since-draft-07': ['2020-12', '2019-09', 'draft-07'],
  'since-2019-09': ['2020-12', '2019-09'],
  '2020-12': ['2020-12'],
  '2019-09': ['2019-09'],
  'until-2019-09': ['2019-09', 'draft-07', 'draft-06', 'draft-04'],
  'until-draft-07': ['draft-07', 'draft-06', 'draft-04'],
  'draft-07': ['draft-07'],
  'draft-06': ['draft-06'],
  'draft-04': ['draft-04'],
};

/** @throws where a folder is not one of the above: its cases would never run */
export function readExtraSuite(dialect: Dialect): SuiteFile[] {
  for (const { name } of readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    if (!Object.hasOwn(FOLDERS, name)) throw new Error(`conformance/schema/extra/${name} names no dialects`);
  }
  return Object.entries(FOLDERS).flatMap(([name, dialects]) => {
    const folder = join(FOLDER, name);
    if (!dialects.includes(dialect) || !existsSync(folder)) return [];
    return readSuiteFolder(folder, dialect).map((file) => ({ ...file, name: `extra/${name}/${file.name}` }));
  });
}
