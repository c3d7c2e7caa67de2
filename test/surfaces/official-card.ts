import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';

const FILE = resolve(import.meta.dirname, '..', '..', '..', 'shared', 'spec', 'card', 'server-card.schema.json');

/**
 * Holds a server card against the specification's own schema.
 *
 * @returns what is wrong with it; undefined where the schema is not there
 */
export function officialCardFaults(card: unknown): readonly string[] | undefined {
  if (!existsSync(FILE)) return undefined;
  const schema = JSON.parse(readFileSync(FILE, 'utf8')) as { readonly $defs?: Record<string, unknown> };
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ ...schema, $id: 'card' });
  const validate = ajv.getSchema(schema.$defs?.ServerCard === undefined ? 'card' : 'card#/$defs/ServerCard');
  if (validate === undefined) return ['the official schema has no ServerCard'];
  return validate(card) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}
