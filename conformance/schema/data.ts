import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const WHERE_TO_GET =
  'Put the test data in ../shared/json-schema, or name its folder in DOORWARD_TEST_DATA: "test-suite" holds tests/ and remotes/ ' +
  'of the repository json-schema-org/JSON-Schema-Test-Suite at commit 44401e0c046704b476ec9d2e2fccdaee618f259d, "real-tools" ' +
  'holds one JSON file a server, { "tools": [...] } as the server lists them.';

const USUAL_FOLDER = resolve(import.meta.dirname, '..', '..', '..', 'shared', 'json-schema');

export type TestData =
  | { readonly kind: 'found'; readonly suite: string; readonly realTools: string }
  | { readonly kind: 'absent'; readonly reason: string };

/**
 * Finds the official suite and the real tool lists, neither of which is part of the repository.
 *
 * @param usual where the data lies unless DOORWARD_TEST_DATA names another folder
 * @throws where the data must be there (CI, DOORWARD_REQUIRE_TEST_DATA=1, a folder named in DOORWARD_TEST_DATA) and is not:
 * a proof that quietly proves nothing is worse than none
 */
export function findTestData(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  usual: string = USUAL_FOLDER,
): TestData {
  const named = environment.DOORWARD_TEST_DATA;
  const folder = named ? resolve(named) : usual;
  const suite = join(folder, 'test-suite');
  const realTools = join(folder, 'real-tools');
  if (existsSync(join(suite, 'tests')) && existsSync(realTools)) return { kind: 'found', suite, realTools };
  const reason = `no JSON Schema test data in ${folder}. ${WHERE_TO_GET}`;
  if (named || environment.CI || environment.DOORWARD_REQUIRE_TEST_DATA === '1') throw new Error(reason);
  return { kind: 'absent', reason };
}

/** For scripts, which have nothing to do without the data. */
export function getTestData(): Extract<TestData, { kind: 'found' }> {
  const data = findTestData();
  if (data.kind === 'found') return data;
  console.error(data.reason);
  process.exit(2);
}

export interface RealSchema {
  /** `<file>/<tool>/<inputSchema or outputSchema>` */
  readonly name: string;
  readonly schema: unknown;
}

/** Every input and output schema of the real servers, in the order of files and lists. */
export function readRealSchemas(folder: string): RealSchema[] {
  const schemas: RealSchema[] = [];
  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith('.json')) continue;
    const list = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { tools: Record<string, unknown>[] };
    for (const tool of list.tools) {
      for (const which of ['inputSchema', 'outputSchema']) {
        if (tool[which] === undefined) continue;
        schemas.push({ name: `${file.replace(/\.json$/, '')}/${tool.name}/${which}`, schema: tool[which] });
      }
    }
  }
  return schemas;
}
