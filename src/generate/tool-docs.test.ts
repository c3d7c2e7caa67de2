import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineContract, defineTool } from '../contract/index.js';
import { schemaRows } from './schema-table.js';
import { toolDocsFiles } from './tool-docs.js';

function rows(schema: z.ZodType): readonly string[] {
  return schemaRows(z.toJSONSchema(schema, { io: 'input' })).map(
    ({ path, type, isRequired, note }) => `${path}: ${type}${isRequired ? ', required' : ''}${note && ` (${note})`}`,
  );
}

test.each([
  {
    why: 'text with bounds',
    schema: z.object({ a: z.string().min(2).max(5).describe('A name') }),
    are: ['a: text, required (A name. 2 characters or more, 5 characters or fewer)'],
  },
  { why: 'a default', schema: z.object({ a: z.int().default(3) }), are: ['a: whole number (default `3`)'] },
  { why: 'choices', schema: z.object({ a: z.enum(['x', 'y']).optional() }), are: ['a: "x" or "y"'] },
  {
    why: 'lists of objects',
    schema: z.object({ a: z.array(z.object({ b: z.boolean() })) }),
    are: ['a: list of object, required', 'a[].b: true or false, required'],
  },
  {
    why: 'objects in objects',
    schema: z.object({ a: z.object({ b: z.null() }) }),
    are: ['a: object, required', 'a.b: null, required'],
  },
  {
    why: 'records',
    schema: z.object({ a: z.record(z.string(), z.number()) }),
    are: ['a: object, required', 'a.*: number'],
  },
  {
    why: 'one of several',
    schema: z.object({ a: z.union([z.string(), z.number(), z.null()]) }),
    are: ['a: text, number or null, required'],
  },
  { why: 'a format', schema: z.object({ a: z.email() }), are: ['a: text, required (format email)'] },
  { why: 'anything', schema: z.object({ a: z.unknown() }), are: ['a: anything, required'] },
])('a row for each member: $why', ({ schema, are }) => expect(rows(schema)).toEqual(are));

test('what refers to itself has an end', () => {
  const schema = { type: 'object', properties: { next: { $ref: '#' } } };
  expect(schemaRows(schema).at(-1)?.path).toBe('next.next.next.next');
});

const base = { kind: 'read', input: z.object({}), output: z.looseObject({}) } as const;
const contract = defineContract({
  server: { name: 'io.github.a/bb', title: 'B', description: 'A | server.', version: '1.0.0' },
  deployments: ['edge'],
  tools: [
    defineTool({
      ...base,
      name: 'Look',
      title: 'Look it up',
      description: 'Looks. And more.',
      kind: 'destructive',
      locality: 'local',
      availability: ['edge'],
      auth: { scopes: ['look'] },
      aliases: ['peek'],
      deprecated: 'Use search.',
      input: z.object({ at: z.string() }),
      examples: [{ title: 'One', input: { at: 'x' } }],
    }),
    defineTool({ ...base, name: 'hidden', description: 'Is private.', visibility: 'private' }),
  ],
  resources: [{ name: 'notes', uriTemplate: 'notes://{id}' }],
  prompts: [{ name: 'ask', arguments: [{ name: 'about', required: true }], description: 'Asks.' }],
});

test('the reference says of each public tool what it does, takes and gives, and where it runs', () => {
  const [file] = toolDocsFiles(contract);
  expect(file?.path).toBe('docs/tools.md');
  expect(new TextDecoder().decode(file?.bytes)).toBe(`<!-- Written by doorward docs: what is changed here is lost. -->

# Tools of B

A | server.

| tool | does | runs |  |
|---|---|---|---|
| [\`Look\`](#look) | destroys | on the caller's machine | Look it up |

## Look

**Look it up**

**Deprecated:** Use search.

Looks. And more.

- destroys; runs on the caller's machine
- served by: edge
- needs the scopes: \`look\`
- was called: \`peek\`

### Arguments

| member | type | required |  |
|---|---|---|---|
| \`at\` | text | yes |  |

### Result

An object; its members are not fixed.

### Example

One:

\`\`\`json
{
  "at": "x"
}
\`\`\`

## Resources

| name | URI | type |  |
|---|---|---|---|
| notes | \`notes://{id}\` |  |  |

## Prompts

| name | arguments |  |
|---|---|---|
| ask | \`about\` (required) | Asks. |
`);
});
