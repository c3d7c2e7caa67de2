import { utf8ToBytes } from '@noble/hashes/utils.js';
import { LRUCache } from 'lru-cache';
import { DoorError, parseJson, stringifyJson } from '../base/index.js';
import { copyJson } from './copy.js';
import { findDialect } from './dialect.js';
import { Documents } from './documents.js';
import { holdExpansion } from './expansion.js';
import { SchemaJudge } from './judge.js';
import { GRAMMARS } from './keywords.js';
import { type Compiled, findJudge, rememberJudge } from './known-judges.js';
import { DEFAULT_LIMITS, schemaInvalid, tooLarge, tooMany } from './limits.js';
import { preflight } from './preflight.js';
import { isSchema } from './shapes.js';
import type { RawSchema } from './site.js';
import { type Survey, type SurveyOptions, surveySchema } from './survey.js';
import type { Compilation, CompileOptions, Dialect, SchemaLimits, SchemaWarning } from './types.js';

/** The latest surveys: what was just compiled is often judged with at once. In schemas, each of a few hundred bytes. */
const surveys = new LRUCache<string, Survey>({
  maxSize: DEFAULT_LIMITS.maxSubschemas * 2,
  sizeCalculation: ({ sites }) => sites.length,
});

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

function compile(schema: unknown, options: CompileOptions, isMetaschema = false): Compiled {
  const limits = options.limits === undefined ? DEFAULT_LIMITS : { ...DEFAULT_LIMITS, ...options.limits };
  const raw = copyJson(typeof schema === 'string' ? readText(schema, limits.maxBytes) : schema, limits.maxBytes);
  if (!isSchema(raw)) throw schemaInvalid('', 'must be an object or a boolean');
  const text = stringifyJson(raw);
  // A character takes at most three bytes, so most texts need no counting.
  const isLong = text.length * 3 > limits.maxBytes && utf8ToBytes(text).length > limits.maxBytes;
  if (isLong) throw tooMany(limits.maxBytes, 'bytes', '');
  const documents = Documents.of(options.documents);
  const identity = identityOf(text, options, documents.digest);
  const known = findJudge(identity);
  if (known !== undefined) return known;
  const made = makeJudge({ raw, identity, documents, limits, options, isMetaschema });
  rememberJudge(identity, made);
  return made;
}

/** One text for the schema, the dialect and the options: whatever makes a difference to verdicts or issues. */
function identityOf(text: string, options: CompileOptions, documentsDigest: string): string {
  const { dialect = '', formats = 'ignore', showReceived = false, limits } = options;
  const limitsText = limits === undefined ? '' : JSON.stringify({ ...DEFAULT_LIMITS, ...limits });
  return `${dialect} ${formats} ${showReceived} ${limitsText} ${documentsDigest}\n${text}`;
}

/** The schema's text, as part of the identity: a second copy of it would take as much memory again. */
function textOf(identity: string): string {
  return identity.slice(identity.indexOf('\n') + 1);
}

interface Ingredients {
  readonly raw: RawSchema;
  readonly identity: string;
  readonly documents: Documents;
  readonly limits: SchemaLimits;
  readonly options: CompileOptions;
  readonly isMetaschema: boolean;
}

function makeJudge(ingredients: Ingredients): Compiled {
  const { identity, documents, limits, options } = ingredients;
  const { formats = 'ignore', showReceived = false } = options;
  const surveyOptions: SurveyOptions = {
    dialect: options.dialect,
    documents,
    limits,
    readsFormats: formats !== 'ignore',
  };
  const { dialect, looksIntoStrings, warnings } =
    lookOver(ingredients, surveyOptions) ?? survey(ingredients, surveyOptions);
  const judge = new SchemaJudge({
    dialect,
    identity,
    looksIntoStrings,
    maxValueDepth: limits.maxValueDepth,
    showReceived,
    formats,
    // Only the text is kept: what is made of it takes ten times the space, and most tools are never called.
    survey: () => surveys.get(identity) ?? surveySchema(parseJson(textOf(identity)) as RawSchema, surveyOptions),
  });
  return { judge, warnings };
}

/** What is known of a schema that is fit to judge by. */
interface Fitness {
  readonly dialect: Dialect;
  readonly looksIntoStrings: boolean;
  readonly warnings: readonly SchemaWarning[];
}

/** Looks over a schema that may be plain. @returns undefined where it is not, or is not fit */
function lookOver({ raw, options, limits }: Ingredients, { readsFormats }: SurveyOptions): Fitness | undefined {
  const uri = (typeof raw === 'object' ? raw.$schema : undefined) ?? options.dialect;
  const dialect = typeof uri === 'string' ? findDialect(uri) : uri === undefined ? '2020-12' : undefined;
  if (dialect === undefined) return undefined;
  const found = preflight(raw, { grammar: GRAMMARS[dialect], limits, readsFormats });
  return found && { dialect, looksIntoStrings: found.looksIntoStrings, warnings: [] };
}

/** @throws {DoorError} where the schema is not fit to judge by */
function survey({ raw, identity, limits, options, isMetaschema }: Ingredients, surveyOptions: SurveyOptions): Fitness {
  const made = surveySchema(raw, surveyOptions);
  const { root, sites, warnings, metaschema, looksIntoStrings } = made;
  holdExpansion(sites, limits.maxExpansion);
  // The published metaschemas are in the survey's own rules; a metaschema's metaschema would lead on and on.
  if (metaschema !== undefined && !isMetaschema) holdMetaschema(raw, compile(metaschema, options, true));
  surveys.set(identity, made);
  return { dialect: root.grammar.dialect, looksIntoStrings, warnings };
}

function holdMetaschema(schema: RawSchema, { judge }: Compiled): void {
  const verdict = judge.checkValue(schema);
  if (verdict.valid) return;
  const [issue] = verdict.issues;
  throw schemaInvalid(issue!.pointer, `does not fit its metaschema: ${issue!.message}`);
}

function readText(text: string, maxBytes: number): unknown {
  // Blanks do not count, but there must be an end to them, too.
  if (text.length > maxBytes * 4) throw tooMany(maxBytes * 4, 'characters', '');
  try {
    return parseJson(text);
  } catch (thrown) {
    const { message } = thrown as SyntaxError;
    if (message.includes('nested deeper')) throw tooLarge('the schema is nested too deeply', '');
    throw schemaInvalid('', `is no JSON: ${message}`);
  }
}
