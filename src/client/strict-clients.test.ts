/** What official SDK clients cannot compile: the clients themselves are the judges here. */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { encodeText } from '../base/index.js';
import { findModernMisfit, findStrictMisfit } from './strict-clients.js';
import { readDefinition } from './tool-definition.js';

/** Whether an SDK client takes a list with this one tool in it. */
async function takes(tool: unknown): Promise<boolean> {
  const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [tool] }) as never);
  const client = new Client({ name: 'c', version: '1' });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(here), client.connect(there)]);
  try {
    return (await client.listTools()).tools.length === 1;
  } catch {
    return false;
  } finally {
    await client.close();
  }
}

/** Whether an SDK client of the 2026 era can compile it: if it cannot, it refuses each call of the tool. */
function compiles(schema: unknown): boolean {
  try {
    new AjvJsonSchemaValidator().getValidator(schema as object);
    return true;
  } catch {
    return false;
  }
}

const SCHEMAS = {
  plain: { type: 'object', properties: { a: { type: 'string', pattern: '^[a-z]+$' } } },
  unclosed: { type: 'object', properties: { x: { pattern: '(' } } },
  'a class with a stray hyphen': { type: 'object', properties: { x: { type: 'string', pattern: '^[\\w-.]+$' } } },
  'a flag in front': { type: 'object', properties: { x: { pattern: '(?i)abc' } } },
  'nullable without type': { type: 'object', properties: { x: { nullable: true } } },
  'nullable with type': { type: 'object', properties: { x: { type: 'string', nullable: true } } },
  'deep in definitions': {
    type: 'object',
    properties: { x: { $ref: '#/$defs/a' } },
    $defs: { a: { anyOf: [{ not: { pattern: '[' } }] } },
  },
  'a pattern that is data': { type: 'object', properties: { x: { const: { pattern: '(' } } } },
  'an empty enum': { type: 'object', properties: { x: { enum: [] } } },
  'a reference to a newer metaschema': {
    type: 'object',
    not: { $ref: 'https://json-schema.org/draft/2020-12/schema' },
  },
  'a dynamic reference within': { type: 'object', $dynamicAnchor: 'a', properties: { x: { $dynamicRef: '#a' } } },
  'a dynamic reference elsewhere': {
    $id: 'https://x.test/a',
    type: 'object',
    properties: { x: { $dynamicRef: 'b#n' } },
    $defs: { b: { $id: 'b', $dynamicAnchor: 'n' } },
  },
  'draft-04': { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' },
  'an unknown format': { type: 'object', properties: { x: { type: 'string', format: 'color' } } },
  'an unknown keyword': { type: 'object', 'x-order': ['a'], properties: { x: { discriminator: 'k' } } },
};

describe.each(Object.entries(SCHEMAS))('%s', (_, outputSchema) => {
  const tool = { name: 't', inputSchema: { type: 'object' }, outputSchema };

  test('is known for what an SDK client makes of it', async () => {
    expect(findStrictMisfit(outputSchema) === undefined).toBe(await takes(tool));
  });

  test('and of what one of the 2026 era does, which sees what it can compile', () => {
    if (findModernMisfit(outputSchema) !== undefined) expect(compiles(outputSchema)).toBe(false);
    else if (findStrictMisfit(outputSchema) === undefined) expect(compiles(outputSchema)).toBe(true);
  });

  test('costs nobody the list: what is advertised is taken, and answers are judged all the same', async () => {
    const warnings: string[] = [];
    const read = readDefinition(encodeText(JSON.stringify(tool)), {
      upstream: 'up',
      uncompilableOutput: 'exclude',
      era: 'handshake',
      hasHeaders: false,
      position: 1,
      warn: ({ warning }) => warnings.push(warning),
    });
    if (read.kind !== 'tool') throw new Error(read.exclusion.reason);
    expect(await takes(JSON.parse(read.tool.definition))).toBe(true);
    expect(read.tool.output).toBeDefined();
    const misfit = findStrictMisfit(outputSchema) ?? findModernMisfit(outputSchema);
    expect(warnings.includes('strict-misfit')).toBe(misfit !== undefined);
  });
});
