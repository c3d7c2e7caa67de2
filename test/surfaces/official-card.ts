import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';

const FILE = resolve(import.meta.dirname, '..', '..', '..', 'shared', 'spec', 'card', 'server-card.schema.json');

/**
 * Holds a server card against the specification's own schema.
 *
 * @returns what is wrong with it; undefined where the schema is not there
 * @throws {Error} where it has to be there, and is not
 */
export function officialCardFaults(card: unknown): readonly string[] | undefined {
  if (!existsSync(FILE)) {
    if (process.env.DOORWARD_REQUIRE_TEST_DATA === '1') throw new Error(`there is no official schema at ${FILE}`);
    return undefined;
  }
  const schema = JSON.parse(readFileSync(FILE, 'utf8')) as { readonly $defs?: Record<string, unknown> };
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ ...schema, $id: 'card' });
  const validate = ajv.getSchema(schema.$defs?.ServerCard === undefined ? 'card' : 'card#/$defs/ServerCard');
  if (validate === undefined) return ['the official schema has no ServerCard'];
  return validate(card)
    ? []
    : (validate.errors ?? []).map((error) => `the official schema says: ${error.instancePath} ${error.message}`);
}
