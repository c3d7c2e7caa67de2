/** What the compiler says of contracts; `npm run typecheck` is the test. Nothing here is run. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import * as z from 'zod';
import {
  defineContract,
  defineTool,
  type HandlerContext,
  type Implementation,
  implement,
  type Reply,
  type ResourceHandler,
  type ToolHandler,
  withContent,
} from '../../src/contract/index.js';

const server = { name: 'io.github.acme/notes', description: 'Keeps notes.', version: '1.2.3' };
const words = { description: 'Does it.', kind: 'read' } as const;

const search = defineTool({
  ...words,
  name: 'search',
  input: z.object({ query: z.string(), limit: z.int().default(10), tag: z.string().optional() }),
  output: z.object({ found: z.array(z.string()), total: z.number().default(0) }),
  aliases: ['find', 'look_up'],
  examples: [{ input: { query: 'a' } }],
});
const save = defineTool({
  ...words,
  name: 'save',
  input: z.object({ at: z.string().transform((text) => new Date(text)) }),
  output: z.object({ id: z.string() }),
});
const measure = defineTool({
  ...words,
  name: 'measure',
  input: toStandardJsonSchema(v.object({ text: v.string(), unit: v.optional(v.string(), 'cm') })),
  output: toStandardJsonSchema(v.object({ length: v.number() })),
});

const contract = defineContract({
  server,
  tools: [search, save, measure],
  resources: [{ name: 'note', uriTemplate: 'note://{id}' }],
  prompts: [{ name: 'summarise' }],
});

const found = { found: [] };
const note: ResourceHandler = () => 'text';
const rest = { resources: { note }, prompts: { summarise: () => 'Summarise.' } };
const tools = {
  search: () => found,
  save: () => ({ id: '1' }),
  measure: () => ({ length: 1 }),
};

// Names are kept as they are written.
expectTypeOf(search.name).toEqualTypeOf<'search'>();
expectTypeOf(contract.tools[1].name).toEqualTypeOf<'save'>();
expectTypeOf<(typeof contract)['tools'][number]['name']>().toEqualTypeOf<'search' | 'save' | 'measure'>();
expectTypeOf<(typeof contract)['resources'][number]['name']>().toEqualTypeOf<'note'>();

// A handler gets what the schema makes of the arguments: defaults filled in, transformed.
type Input<Handler extends (...args: never) => unknown> = Parameters<Handler>[0];
expectTypeOf<Input<ToolHandler<typeof search>>>().toEqualTypeOf<{
  query: string;
  limit: number;
  tag?: string | undefined;
}>();
expectTypeOf<Input<ToolHandler<typeof save>>>().toEqualTypeOf<{ at: Date }>();
expectTypeOf<Input<ToolHandler<typeof measure>>>().toEqualTypeOf<{ text: string; unit: string }>();

// Within an implementation they are inferred.
const implementation = implement(contract, {
  ...rest,
  tools: {
    search: ({ query, limit, tag }, context) => {
      expectTypeOf(query).toEqualTypeOf<string>();
      expectTypeOf(limit).toEqualTypeOf<number>();
      expectTypeOf(tag).toEqualTypeOf<string | undefined>();
      expectTypeOf(context).toEqualTypeOf<HandlerContext>();
      return { found: [query], total: limit };
    },
    // What has a default may be left out.
    save: async ({ at }, { elicit }) => {
      expectTypeOf(at).toEqualTypeOf<Date>();
      const reply = await elicit({ message: 'Sure?', form: z.object({ sure: z.boolean().default(false) }) });
      expectTypeOf(reply).toEqualTypeOf<Reply<{ sure: boolean }>>();
      expectTypeOf(await elicit({ message: 'Pay', url: 'https://pay.example' })).toEqualTypeOf<Reply<undefined>>();
      return { id: '1' };
    },
    measure: ({ text }) => withContent({ length: text.length }, [{ type: 'text', text }]),
  },
});
expectTypeOf(implementation).toEqualTypeOf<Implementation<typeof contract>>();
implement(contract, { ...rest, tools });

// An example is what a caller may send: what has a default may be left out, and nothing else.
defineTool({
  ...words,
  name: 'bad',
  input: search.input,
  output: search.output,
  // @ts-expect-error query is missing
  examples: [{ input: { limit: 1 } }],
});
// @ts-expect-error input is missing
defineTool({ ...words, name: 'bad', output: search.output });
// @ts-expect-error output is missing
defineTool({ ...words, name: 'bad', input: search.input });
// @ts-expect-error there is no such kind
defineTool({ ...words, kind: 'delete', name: 'bad', input: search.input, output: search.output });
// @ts-expect-error aliases are names
defineTool({ ...words, name: 'bad', input: search.input, output: search.output, aliases: [1] });
// @ts-expect-error Valibot's schemas need its converter
defineTool({ ...words, name: 'bad', input: v.object({}), output: search.output });
// @ts-expect-error a typing mistake is none of its members
defineTool({ ...words, name: 'bad', input: search.input, output: search.output, localty: 'local' });
// @ts-expect-error a contract has a server
defineContract({ tools: [search] });

// @ts-expect-error save is missing
implement(contract, { ...rest, tools: { search: tools.search, measure: tools.measure } });
// @ts-expect-error there is no tool of that name
implement(contract, { ...rest, tools: { ...tools, drop: () => ({}) } });
// @ts-expect-error calls by an old name come to the tool's one handler
implement(contract, { ...rest, tools: { ...tools, find: () => found } });
// @ts-expect-error found is missing
implement(contract, { ...rest, tools: { ...tools, search: () => ({ total: 1 }) } });
// @ts-expect-error ids are texts
implement(contract, { ...rest, tools: { ...tools, save: async () => ({ id: 1 }) } });
// @ts-expect-error nor is it another tool's output
implement(contract, { ...rest, tools: { ...tools, measure: tools.save } });
// @ts-expect-error content beside a wrong value does not make it right
implement(contract, { ...rest, tools: { ...tools, save: () => withContent({ id: 1 }, []) } });
const paged = ({ page }: { readonly page: number }) => ({ found: [String(page)] });
// @ts-expect-error a handler cannot ask for what the schema does not give
implement(contract, { ...rest, tools: { ...tools, search: paged } });
// @ts-expect-error the tools are missing
implement(contract, rest);
// @ts-expect-error the resources are missing
implement(contract, { tools, prompts: rest.prompts });
// @ts-expect-error the prompt is missing
implement(contract, { tools, resources: rest.resources, prompts: {} });
// @ts-expect-error a resource is text, bytes or a list of contents
implement(contract, { ...rest, tools, resources: { note: () => 1 } });

// What a contract does not name needs nothing.
const small = defineContract({ server, tools: [save] });
implement(small, { tools: { save: tools.save } });
implement(defineContract({ server }), {});
// @ts-expect-error it has no prompts
implement(small, { tools: { save: tools.save }, prompts: { summarise: () => '' } });
