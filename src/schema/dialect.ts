import { DoorError } from '../base/index.js';
import type { Dialect } from './types.js';

const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
  ['json-schema.org/draft-06/schema', 'draft-06'],
  ['json-schema.org/draft-04/schema', 'draft-04'],
]);

/** Finds a dialect by its URI: http or https, with or without an empty fragment; servers write all four. */
export function findDialect(uri: string): Dialect | undefined {
  const bare = uri.replace(/^https?:\/\//, '').replace(/#$/, '');
  return bare === uri ? undefined : DIALECTS.get(bare);
}

/**
 * Names the dialect of a `$schema` value; 2020-12 where it is absent.
 *
 * @param schemaPath where the value stands, for the error
 * @throws {DoorError} UNSUPPORTED_DIALECT; `data.dialect` holds the URI
 */
export function dialectOf($schema: unknown, schemaPath = '/$schema'): Dialect {
  if ($schema === undefined) return '2020-12';
  const dialect = typeof $schema === 'string' ? findDialect($schema) : undefined;
  if (dialect !== undefined) return dialect;
  throw new DoorError('UNSUPPORTED_DIALECT', `$schema names no dialect we know: ${JSON.stringify($schema)}`, {
    data: { dialect: $schema, schemaPath },
    hint: 'Use 2020-12, 2019-09, draft-07, draft-06 or draft-04, or leave $schema out.',
  });
}
