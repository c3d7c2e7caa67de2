import { DoorError } from '../base/index.js';
import { dialectOf, findDialect } from './dialect.js';
import { type Documents, resolveUri } from './documents.js';
import { GRAMMARS, type Grammar, restrictGrammar } from './keywords.js';
import { isRecord } from './shapes.js';
import type { RawSchema } from './site.js';

/**
 * The keywords that a `$schema` value brings: those of a published dialect, or of the vocabularies that a metaschema among
 * the documents names.
 *
 * @throws {DoorError} UNSUPPORTED_DIALECT
 */
export function grammarOf(documents: Documents, $schema: unknown, schemaPath: string): Grammar {
  const metaschema = findMetaschema(documents, $schema);
  if (!isRecord(metaschema)) return GRAMMARS[dialectOf($schema, schemaPath)];
  const dialect = dialectOf(metaschema.$schema, schemaPath);
  if (!isRecord(metaschema.$vocabulary)) return GRAMMARS[dialect];
  const grammar = restrictGrammar(dialect, metaschema.$vocabulary);
  if (typeof grammar !== 'string') return grammar;
  throw new DoorError('UNSUPPORTED_DIALECT', `$schema needs a vocabulary that we do not know: ${grammar}`, {
    data: { dialect: $schema, schemaPath },
    hint: 'Use a published dialect.',
  });
}

/** Finds the document that `$schema` names; undefined also for the published dialects, which need none. */
export function findMetaschema(documents: Documents, $schema: unknown): RawSchema | undefined {
  if (typeof $schema !== 'string' || /#./.test($schema) || findDialect($schema) !== undefined) return undefined;
  const uri = resolveUri($schema, 'doorward:///');
  return uri === undefined ? undefined : documents.find(uri);
}
