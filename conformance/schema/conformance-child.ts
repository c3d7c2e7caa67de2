// One half of `conformance:schema`: runs every suite in this process, compiled or without code generation, and writes the
// results as JSON to the file named by its first argument.
import { writeFileSync } from 'node:fs';
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

export interface ChildResult {
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

const [output] = process.argv.slice(2);
if (!output) throw new Error('name the file to write the results to');
await prepareEngine();
const before = functionsMade();
const dialects = DIALECTS.map(runDialect);
const result: ChildResult = {
  functionsMade: functionsMade() - before,
  remoteCodes: codesOfRemoteReferences(),
  dialects,
};
writeFileSync(output, JSON.stringify(result));
