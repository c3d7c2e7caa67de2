import { isAbsolute, normalize, sep } from 'node:path';
import { DoorError, isObject } from '../../base/index.js';
import { findNearest } from '../../config/index.js';
import { PROJECT_FIELDS, type ProjectSettings } from './project-fields.js';

/** Names a place in package.json in every message. */
export const PACKAGE_FILE = 'package.json';

/** @throws {DoorError} CONFIG_INVALID; `data.file` and `data.field` name the place */
export function readSettings(packageJson: Readonly<Record<string, unknown>>): ProjectSettings {
  const { doorward } = packageJson;
  if (doorward === undefined) {
    const hint = 'Add "doorward": { "contract": "./dist/contract.js", "implementation": "./dist/implementation.js" }.';
    throw projectError('doorward', 'is missing', hint);
  }
  if (!isObject(doorward)) throw projectError('doorward', 'must be an object');
  for (const name of Object.keys(doorward)) {
    if (!Object.hasOwn(PROJECT_FIELDS, name)) throw unknownField(name);
  }
  for (const [name, { kind, ...field }] of Object.entries(PROJECT_FIELDS)) {
    const value = doorward[name];
    if (value !== undefined) checkKind(`doorward.${name}`, kind, value);
    else if ('isRequired' in field) throw projectError(`doorward.${name}`, 'is missing', 'Name the module it is in.');
  }
  return doorward as unknown as ProjectSettings;
}

/** @param field as `doorward.docs` */
export function projectError(field: string, problem: string, hint?: string): DoorError {
  return new DoorError('CONFIG_INVALID', `${PACKAGE_FILE} ${field}: ${problem}`, {
    data: { file: PACKAGE_FILE, field },
    ...(hint !== undefined && { hint }),
  });
}

function unknownField(name: string): DoorError {
  const near = findNearest(name, Object.keys(PROJECT_FIELDS));
  const hint = near === undefined ? `Known are ${Object.keys(PROJECT_FIELDS).join(', ')}.` : `Was ${near} meant?`;
  return projectError(`doorward.${name}`, 'is no field of doorward', hint);
}

function checkKind(field: string, kind: string, value: unknown): void {
  if (kind === 'count') {
    if (!Number.isSafeInteger(value) || (value as number) < 0)
      throw projectError(field, 'must be a whole number from 0');
    return;
  }
  if (kind === 'texts') {
    if (!Array.isArray(value) || value.length === 0 || !value.every(isText)) {
      throw projectError(field, 'must be a list of texts');
    }
    return;
  }
  if (!isText(value)) throw projectError(field, 'must be a text');
  if (kind === 'path' && leadsOutside(value)) {
    throw projectError(field, `${JSON.stringify(value)} leads out of the folder of package.json`);
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function leadsOutside(path: string): boolean {
  return isAbsolute(path) || normalize(path).split(sep)[0] === '..';
}
