import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { DoorError, parseJson, scanJson, stringifyJson } from '../base/index.js';
import { copyJson } from './copy.js';
import { Documents } from './documents.js';
import { holdExpansion } from './expansion.js';
import { SchemaJudge } from './judge.js';
import { DEFAULT_LIMITS, holdLimit, schemaInvalid, tooLarge } from './limits.js';
import { isSchema } from './shapes.js';
import type { RawSchema } from './site.js';
import { looksIntoStrings } from './strings.js';
import { type SurveyOptions, surveySchema } from './survey.js';
import type { Compilation, CompileOptions, Judge, SchemaWarning } from './types.js';

interface Compiled {
  readonly judge: Judge;
  readonly warnings: readonly SchemaWarning[];
}

const judges = new Map<string, WeakRef<SchemaJudge>>();

/**
 * Compiles a JSON Schema once, to judge many values. Synchronous, no network, never throws. The schema is read, measured
 * and its references are followed now; what it judges by is made at the first check.
 *
 * @param schema a value, or JSON text where it is a string: text keeps numbers that a double cannot hold
 */
export function compileSchema(schema: unknown, options: CompileOptions = {}): Compilation {
  try {
    return { ok: true, ...compile(schema, options) };
  } catch (thrown) {
    if (thrown instanceof DoorError) return { ok: false, error: thrown };
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const error = new DoorError('SCHEMA_INVALID', message, { data: { schemaPath: '' }, cause: thrown });
    return { ok: false, error };
  }
}

function compile(schema: unknown, options: CompileOptions): Compiled {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { formats = 'ignore', showReceived = false, dialect } = options;
  const raw = readSchema(schema, limits.maxBytes);
  const text = stringifyJson(raw);
  const bytes = utf8ToBytes(text);
  holdLimit(bytes.length, limits.maxBytes, 'bytes', '');
  const documents = Documents.of(options.documents);
  const surveyOptions: SurveyOptions = { dialect, documents, limits };
  const survey = surveySchema(raw, surveyOptions);
  holdExpansion(survey.sites, limits.maxExpansion);
  const settings = JSON.stringify([survey.root.grammar.dialect, formats, showReceived, limits, documents.digest]);
  const digest = bytesToHex(sha256(utf8ToBytes(`${settings}\n${text}`)));
  const known = judges.get(digest)?.deref();
  if (known !== undefined) return { judge: known, warnings: survey.warnings };
  const judge = new SchemaJudge({
    dialect: survey.root.grammar.dialect,
    digest,
    looksIntoStrings: looksIntoStrings(survey.sites, formats !== 'ignore'),
    maxValueDepth: limits.maxValueDepth,
    showReceived,
    formats,
    survey: () => surveySchema(parseJson(text) as RawSchema, surveyOptions),
  });
  judges.set(digest, new WeakRef(judge));
  return { judge, warnings: survey.warnings };
}

function readSchema(schema: unknown, maxBytes: number): RawSchema {
  const copy = copyJson(typeof schema === 'string' ? readText(schema, maxBytes) : schema, maxBytes);
  if (isSchema(copy)) return copy;
  throw schemaInvalid('', 'must be an object or a boolean');
}

function readText(text: string, maxBytes: number): unknown {
  // Blanks do not count, but there must be an end to them, too.
  holdLimit(text.length, maxBytes * 4, 'characters', '');
  if (scanJson(text).tooDeepAt >= 0) throw tooLarge('the schema is nested too deeply', '');
  try {
    return parseJson(text);
  } catch (thrown) {
    throw schemaInvalid('', `is no JSON: ${(thrown as SyntaxError).message}`);
  }
}
