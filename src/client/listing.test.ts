import { expect, test } from 'vitest';
import { type MemoryScript, MemoryTransport, type Sent } from '../../test/fixtures/memory-transport.js';
import { VirtualClock } from '../../test/fixtures/virtual-clock.js';
import { Connection } from './connection.js';
import { listTools, type ToolList } from './listing.js';

interface Listed extends ToolList {
  readonly names: readonly string[];
  readonly warnings: readonly string[];
  readonly requests: readonly Sent[];
}

async function listed(list: NonNullable<MemoryScript['on']>[string]): Promise<Listed> {
  const transport = new MemoryTransport({ on: { 'tools/list': list } });
  const warnings: string[] = [];
  const connection = new Connection({
    upstream: 'up',
    transport,
    clock: new VirtualClock(),
    maxMessageBytes: 1_000_000,
    notified: () => {},
    lost: () => {},
    warn: () => {},
    activity: () => {},
  });
  await connection.open();
  const list_ = await listTools(connection, {
    upstream: 'up',
    uncompilableOutput: 'exclude',
    request: { about: 'tools/list', signal: undefined, timeoutMs: 1_000, maxMs: 1_000, progress: undefined },
    warn: ({ warning }) => warnings.push(warning),
  });
  return { ...list_, names: list_.tools.map(({ name }) => name), warnings, requests: transport.received('tools/list') };
}

const tool = (name: unknown): object => ({ name, inputSchema: { type: 'object' } });

/** Pages by the cursor they are asked for with; '-' is the first. */
const pages =
  (book: Readonly<Record<string, { readonly tools: readonly unknown[]; readonly nextCursor?: unknown }>>) =>
  ({ params }: Sent): unknown =>
    book[params?.cursor === undefined ? '-' : String(params.cursor)];

test.each<{ why: string; book: Parameters<typeof pages>[0]; names: string[]; requests: number; warnings?: string[] }>([
  { why: 'one page', book: { '-': { tools: [tool('a')] } }, names: ['a'], requests: 1 },
  { why: 'null ends the list', book: { '-': { tools: [tool('a')], nextCursor: null } }, names: ['a'], requests: 1 },
  {
    why: 'the empty cursor goes on (case c11)',
    book: { '-': { tools: [tool('a')], nextCursor: '' }, '': { tools: [tool('b')] } },
    names: ['a', 'b'],
    requests: 2,
  },
  {
    why: 'the empty cursor for ever stops at two requests (case c11)',
    book: { '-': { tools: [tool('a')], nextCursor: '' }, '': { tools: [tool('a')], nextCursor: '' } },
    names: ['a'],
    requests: 2,
    warnings: ['pagination-loop'],
  },
  {
    why: 'the same cursor for ever stops at two requests, its tools once (case c10)',
    book: { '-': { tools: [tool('a')], nextCursor: '8' }, '8': { tools: [tool('a')], nextCursor: '8' } },
    names: ['a'],
    requests: 2,
    warnings: ['pagination-loop'],
  },
  {
    why: 'a longer circle is walked once',
    book: {
      '-': { tools: [tool('a')], nextCursor: '1' },
      '1': { tools: [tool('b')], nextCursor: '2' },
      '2': { tools: [tool('c')], nextCursor: '1' },
    },
    names: ['a', 'b', 'c'],
    requests: 3,
    warnings: ['pagination-loop'],
  },
  {
    why: 'an empty page in between is only a page',
    book: { '-': { tools: [], nextCursor: 'x' }, x: { tools: [tool('b')] } },
    names: ['b'],
    requests: 2,
  },
  {
    why: 'a tool on two pages counts once, the first of them, and is told',
    book: { '-': { tools: [tool('a'), tool('b')], nextCursor: 'x' }, x: { tools: [tool('b'), tool('c')] } },
    names: ['a', 'b', 'c'],
    requests: 2,
    warnings: ['duplicate-tool'],
  },
])('pages: $why', async ({ book, names, requests, warnings = [] }) => {
  const list = await listed(pages(book));
  expect(list.names).toEqual(names);
  expect(list.requests).toHaveLength(requests);
  expect(list.warnings).toEqual(warnings);
});

test('a cursor goes back exactly as it was written', async () => {
  const list = await listed(({ id, params }, transport) => {
    const head = `{"jsonrpc":"2.0","id":${id},"result":{"tools":[]`;
    transport.say(params === undefined ? `${head},"nextCursor":"\\u0041\\/ü\\ud83d\\ude00"}}` : `${head}}}`);
  });
  expect(list.requests[1]!.line).toContain('"params":{"cursor":"\\u0041\\/ü\\ud83d\\ude00"}');
});

test('a list without end stops after a thousand pages, and is told', async () => {
  const list = await listed(({ params }) => {
    const page = Number(params?.cursor ?? 0);
    return { tools: [tool(`t${page}`)], nextCursor: String(page + 1) };
  });
  expect(list.requests).toHaveLength(1_000);
  expect(list.names).toHaveLength(1_000);
  expect(list.warnings).toEqual(['pagination-endless']);
});

const nested = (depth: number): string => `${'{"items":'.repeat(depth)}true${'}'.repeat(depth)}`;

test.each<{ why: string; text: string; tool?: string; which?: string }>([
  { why: 'null', text: 'null', tool: '#2' },
  { why: 'a string', text: '"broken"', tool: '#2' },
  { why: 'an array', text: '[]', tool: '#2' },
  { why: 'a number of many digits', text: '12345678901234567890', tool: '#2' },
  { why: 'no name', text: '{"inputSchema":{"type":"object"}}', tool: '#2' },
  { why: 'an empty name', text: '{"name":"","inputSchema":{"type":"object"}}', tool: '#2' },
  { why: 'a name that is null', text: '{"name":null,"inputSchema":{"type":"object"}}', tool: '#2' },
  { why: 'a name that is a long number', text: '{"name":1e400,"inputSchema":{"type":"object"}}', tool: '#2' },
  { why: 'no inputSchema', text: '{"name":"broken"}', which: 'inputSchema' },
  { why: 'inputSchema null', text: '{"name":"broken","inputSchema":null}', which: 'inputSchema' },
  {
    why: 'inputSchema a long number',
    text: '{"name":"broken","inputSchema":12345678901234567890}',
    which: 'inputSchema',
  },
  { why: 'inputSchema true', text: '{"name":"broken","inputSchema":true}', which: 'inputSchema' },
  {
    why: 'inputSchema of another type',
    text: '{"name":"broken","inputSchema":{"type":"string"}}',
    which: 'inputSchema',
  },
  {
    why: 'an unknown dialect',
    text: '{"name":"broken","inputSchema":{"type":"object","$schema":"http://x/"}}',
    which: 'inputSchema',
  },
  {
    why: 'a dangling reference',
    text: '{"name":"broken","inputSchema":{"type":"object","$ref":"#/no"}}',
    which: 'inputSchema',
  },
  {
    why: 'a broken outputSchema',
    text: '{"name":"broken","inputSchema":{"type":"object"},"outputSchema":{"type":"obj"}}',
    which: 'outputSchema',
  },
  {
    why: 'a schema too deep',
    text: `{"name":"broken","inputSchema":{"type":"object","not":${nested(100)}}}`,
    which: 'inputSchema',
  },
  {
    why: 'a schema far too deep',
    text: `{"name":"broken","inputSchema":{"type":"object","not":${nested(5_000)}}}`,
    which: 'definition',
  },
  {
    why: 'far too deep and without a name',
    text: `{"inputSchema":{"type":"object"},"_meta":${nested(5_000)}}`,
    tool: '#2',
  },
  {
    why: '_meta far too deep',
    text: `{"name":"broken","inputSchema":{"type":"object"},"_meta":${nested(5_000)}}`,
    which: 'definition',
  },
])('one broken tool costs itself: $why', async ({ text, tool: name = 'broken', which = 'definition' }) => {
  const list = await listed(({ id }, transport) => {
    const good = [tool('first'), tool('last')].map((each) => JSON.stringify(each));
    transport.say(`{"jsonrpc":"2.0","id":${id},"result":{"tools":[${good[0]},${text},${good[1]}]}}`);
  });
  expect(list.names).toEqual(['first', 'last']);
  expect(list.exclusions).toMatchObject([{ mount: 'up', tool: name, which }]);
  expect(list.exclusions[0]!.reason).not.toBe('');
});

test.each([
  { why: 'no tools', result: {} },
  { why: 'tools null', result: { tools: null } },
  { why: 'tools an object', result: { tools: { a: 1 } } },
])('an answer that is no list fails the listing: $why', async ({ result }) => {
  await expect(listed(() => result)).rejects.toMatchObject({
    code: 'UPSTREAM_BROKE_PROTOCOL',
    message: 'up: the answer to tools/list holds no tools array',
  });
});

test('an upstream that refuses to list is quoted', async () => {
  const refusal = '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"database is down"}}';
  await expect(listed(() => refusal)).rejects.toMatchObject({
    code: 'UPSTREAM_BROKE_PROTOCOL',
    message: expect.stringContaining('database is down'),
  });
});

test('a list that was written over several lines is advertised on one', async () => {
  const list = await listed(
    ({ id }) => `{"jsonrpc":"2.0","id":${id},"result":{"tools":[\r{"name":\r"a",\r"inputSchema":{"type":"object"}}]}}`,
  );
  expect(list.tools[0]!.definition).toBe('{"name": "a", "inputSchema":{"type":"object"}}');
});
