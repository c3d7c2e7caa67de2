import { expect, test } from 'vitest';
import { defineContract } from '../contract/index.js';
import { openapi, routeTable } from '../discovery/index.js';
import { openapiFiles } from './openapi.js';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: object }>>;
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly servers?: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const contract = defineContract({
  server: { name: 'io.github.a/bb', description: 'A server.', version: '1.2.3' },
  remotes: [{ type: 'streamable-http', url: 'https://b.example/api/mcp' }],
});

function documentOf(): Document {
  const [file] = openapiFiles(contract);
  return JSON.parse(new TextDecoder().decode(file?.bytes)) as Document;
}

/** What both say in their own ways: operations, their parameters, answers and types of content. */
function outlineOf({ paths }: Document): object {
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.entries(operations).map(([method, { operationId, summary, parameters = [], responses }]) => ({
        method,
        operationId,
        summary,
        parameters: parameters.map((one) => [one.name, one.in, one.required ?? false]),
        responses: Object.entries(responses).map(([status, { description, content = {} }]) => [
          status,
          description,
          Object.keys(content),
        ]),
      })),
    ]),
  );
}

test('the document has an operation for each row of the route table, and says whose it is', () => {
  const document = documentOf();
  expect(document).toMatchObject({
    openapi: '3.1.0',
    info: { title: 'io.github.a/bb', version: '1.2.3' },
    servers: [{ url: 'https://b.example' }],
  });
  const ids = Object.values(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  expect(ids.toSorted()).toEqual(
    routeTable({ path: '/api/mcp' })
      .map(({ id }) => id)
      .toSorted(),
  );
});

test('what is written says the same as what is served', () => {
  const served = openapi({
    server: contract.server,
    tools: [],
    capabilities: {},
    supportedVersions: [],
    path: '/api/mcp',
    publicUrl: 'https://b.example/api/mcp',
  });
  expect(outlineOf(documentOf())).toEqual(outlineOf(JSON.parse(JSON.stringify(served)) as Document));
});
