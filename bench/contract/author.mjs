// @ts-check
/** What an author of 200 tools writes: schemas alike those of real servers, as source text. */

export const TOOLS = 200;

/** @param {number} at */
const described = (at) => `.describe('What number ${at} is about, in a sentence of some length.')`;

/** Five kinds of tools, over and over; members differ from tool to tool. @type {readonly ((at: number) => string)[]} */
const INPUTS = [
  (at) => `z.object({ query_${at}: z.string().min(1)${described(at)}, limit: z.int().min(1).max(100).default(20) })`,
  (at) =>
    `z.object({ id: z.string()${described(at)}, field_${at}: z.enum(['title', 'body', 'tags']), value: z.union([z.string(), z.number(), z.boolean()]) })`,
  (at) =>
    `z.object({ filter: z.object({ before_${at}: z.string().optional(), after: z.string().optional(), labels: z.array(z.string()).max(20) })${described(at)}, sort: z.enum(['asc', 'desc']).default('asc') })`,
  (at) =>
    `z.object({ items: z.array(z.object({ name_${at}: z.string(), amount: z.number().min(0), note: z.string().nullable() }))${described(at)}, dry: z.boolean().default(false) })`,
  (at) => `z.object({ path_${at}: z.string()${described(at)}, options: z.record(z.string(), z.string()).optional() })`,
];
/** @type {readonly ((at: number) => string)[]} */
const OUTPUTS = [
  (at) => `z.object({ found_${at}: z.array(z.object({ id: z.string(), score: z.number() })), total: z.int() })`,
  (at) => `z.object({ id: z.string(), version_${at}: z.int(), changed: z.boolean() })`,
  (at) => `z.object({ text_${at}: z.string().nullable(), lines: z.array(z.string()).optional() })`,
];

/** @param {number} at */
const inputOf = (at) => /** @type {(at: number) => string} */ (INPUTS[at % INPUTS.length])(at);
/** @param {number} at */
const outputOf = (at) => /** @type {(at: number) => string} */ (OUTPUTS[at % OUTPUTS.length])(at);
const everyTool = Array.from({ length: TOOLS }, (_, at) => at);

/** The schemas, each converted once: what nobody who shows them can do without. */
export function schemasSource() {
  const lines = everyTool.map((at) => `  [${inputOf(at)}, ${outputOf(at)}],`);
  return `import * as z from 'zod';

export const converted = [
${lines.join('\n')}
].map((pair) => pair.map((schema) => z.toJSONSchema(schema, { io: 'input' })));
`;
}

/** The same as a contract with its implementation; it is TypeScript and JavaScript at once. */
export function contractSource() {
  const tools = everyTool.map(
    (at) => `export const tool${at} = defineTool({
  name: 'tool_${at}',
  title: 'Tool ${at}',
  description: 'Does thing ${at} of two hundred, and says in a sentence or two when a model should use it.',
  kind: 'read',
  input: ${inputOf(at)},
  output: ${outputOf(at)},
});`,
  );
  return `import { defineContract, defineTool } from 'doorward/contract';
import * as z from 'zod';

${tools.join('\n')}

export const contract = defineContract({
  server: { name: 'io.example/two-hundred', description: 'Two hundred tools.', version: '1.0.0' },
  tools: [${everyTool.map((at) => `tool${at}`).join(', ')}],
});
`;
}

/** Handlers whose arguments and results the compiler checks. */
export function implementationSource() {
  /** @type {readonly ((at: number) => string)[]} */
  const results = [
    (at) => `{ found_${at}: [{ id: 'a', score: 1 }], total: 1 }`,
    (at) => `{ id: 'a', version_${at}: 1, changed: true }`,
    (at) => `{ text_${at}: null }`,
  ];
  const handlers = everyTool.map((at) => `    tool_${at}: () => (${results[at % results.length]?.(at)}),`);
  return `import { implement } from 'doorward/contract';
import { contract } from './contract.mjs';

export const implementation = implement(contract, {
  tools: {
${handlers.join('\n')}
  },
});
`;
}
