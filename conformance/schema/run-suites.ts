import { compileSchema, type Dialect, prepareEngine } from '../../src/schema/index.js';
import { functionsMade } from './count-functions.js';
import { getTestData } from './data.js';
import { readExtraSuite } from './extra.js';
import { type FileResult, runFile } from './run-cases.js';
import { DIALECTS, readRemotes, readSuite } from './suite.js';

export interface DialectResult {
  readonly dialect: Dialect;
  readonly required: readonly FileResult[];
  readonly optional: readonly FileResult[];
  readonly extra: readonly FileResult[];
}

export interface SuiteResults {
  /** Functions made from text while the suites ran. */
  readonly functionsMade: number;
  /** Codes given to schemas that refer to the counting server without it being preloaded. */
  readonly remoteCodes: readonly string[];
  readonly dialects: readonly DialectResult[];
}

function runDialect(dialect: Dialect): DialectResult {
  const { suite } = getTestData();
  const documents = readRemotes(suite, dialect);
  const run = (which: 'required' | 'optional') =>
    readSuite(suite, dialect, which).map((file) => runFile(file, documents));
  const extra = readExtraSuite(dialect).map((file) => runFile(file, {}));
  return { dialect, required: run('required'), optional: run('optional'), extra };
}

/** Reached or not, a reference to what was not handed in is an answer, not a request. */
function codesOfRemoteReferences(): string[] {
  const uri = 'http://localhost:1234/not-preloaded.json';
  const schemas: unknown[] = [
    { $ref: uri },
    { properties: { a: { items: { $ref: `${uri}#/definitions/x` } } } },
    { $defs: { neverReached: { $ref: uri } }, type: 'object' },
    { $id: 'http://localhost:1234/base.json', properties: { a: { $ref: 'not-preloaded.json' } } },
    { $dynamicRef: `${uri}#node` },
    { $schema: 'http://json-schema.org/draft-07/schema#', allOf: [{ $ref: uri }] },
    { $schema: 'https://json-schema.org/draft/2019-09/schema', $recursiveRef: uri },
    { $schema: uri, type: 'object' },
  ];
  return schemas.map((schema) => {
    const compilation = compileSchema(schema);
    return compilation.ok ? 'compiled' : compilation.error.code;
  });
}

/** Runs every suite in this process, compiled where the platform allows it. */
export async function runSuites(): Promise<SuiteResults> {
  await prepareEngine();
  const before = functionsMade();
  const dialects = DIALECTS.map(runDialect);
  return { functionsMade: functionsMade() - before, remoteCodes: codesOfRemoteReferences(), dialects };
}
