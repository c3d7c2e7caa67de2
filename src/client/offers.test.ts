import {
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type MemoryScript, MemoryTransport, type Sent } from '../../test/fixtures/memory-transport.js';
import { VirtualClock } from '../../test/fixtures/virtual-clock.js';
import type { ListedOffer, OfferKind } from '../catalog/index.js';
import { Connection } from './connection.js';
import { listOffers } from './offers.js';

interface Wire {
  readonly method: string;
  readonly member: string;
  readonly key: string;
  /** What an SDK client parses the whole list with. */
  readonly strict: { safeParse(value: unknown): { readonly success: boolean } };
}

const WIRE: Readonly<Record<OfferKind, Wire>> = {
  resources: { method: 'resources/list', member: 'resources', key: 'uri', strict: ListResourcesResultSchema },
  templates: {
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    key: 'uriTemplate',
    strict: ListResourceTemplatesResultSchema,
  },
  prompts: { method: 'prompts/list', member: 'prompts', key: 'name', strict: ListPromptsResultSchema },
};
const KINDS: readonly OfferKind[] = ['resources', 'templates', 'prompts'];

interface Listed {
  readonly offers: readonly ListedOffer[];
  readonly keys: readonly string[];
  readonly definitions: readonly string[];
  readonly warnings: readonly string[];
  readonly messages: readonly string[];
  readonly requests: readonly Sent[];
}

async function listed(kind: OfferKind, list: NonNullable<MemoryScript['on']>[string]): Promise<Listed> {
  const { method } = WIRE[kind];
  const transport = new MemoryTransport({ on: { [method]: list } });
  const warnings: string[] = [];
  const messages: string[] = [];
  const connection = new Connection({
    upstream: 'up',
    transport,
    clock: new VirtualClock(),
    maxMessageBytes: 64_000_000,
    notified: () => {},
    lost: () => {},
    warn: () => {},
    activity: () => {},
  });
  await connection.open();
  const offers = await listOffers(connection, kind, {
    upstream: 'up',
    request: { about: method, signal: undefined, timeoutMs: 1_000, maxMs: 1_000, progress: undefined },
    warn: ({ warning, message }) => {
      warnings.push(warning);
      messages.push(message);
    },
  });
  const keys = offers.map(({ key }) => key);
  const definitions = offers.map(({ definition }) => definition);
  return { offers, keys, definitions, warnings, messages, requests: transport.received(method) };
}

/** Answers with these texts as the list. */
const texts =
  (kind: OfferKind, elements: readonly string[]) =>
  ({ id }: Sent): string =>
    `{"jsonrpc":"2.0","id":${id},"result":{"${WIRE[kind].member}":[${elements.join(',')}]}}`;

/** Answers with a list of these keys, page by page. */
const pages =
  (kind: OfferKind, book: Readonly<Record<string, { readonly keys: readonly string[]; readonly next?: unknown }>>) =>
  ({ params }: Sent): unknown => {
    const { keys, next } = book[params?.cursor === undefined ? '-' : String(params.cursor)]!;
    return { [WIRE[kind].member]: keys.map((key) => ({ name: 'n', [WIRE[kind].key]: key })), nextCursor: next };
  };

describe.each(KINDS)('the list of %s', (kind) => {
  test.each<{ why: string; book: Parameters<typeof pages>[1]; keys: string[]; requests: number; warnings?: string[] }>([
    { why: 'empty', book: { '-': { keys: [] } }, keys: [], requests: 1 },
    { why: 'one page', book: { '-': { keys: ['a', 'b'], next: null } }, keys: ['a', 'b'], requests: 1 },
    {
      why: 'the empty cursor goes on',
      book: { '-': { keys: ['a'], next: '' }, '': { keys: ['b'] } },
      keys: ['a', 'b'],
      requests: 2,
    },
    {
      why: 'the same cursor for ever stops at two requests, its elements once',
      book: { '-': { keys: ['a'], next: '8' }, '8': { keys: ['a'], next: '8' } },
      keys: ['a'],
      requests: 2,
      warnings: ['pagination-loop'],
    },
    {
      why: 'what is on two pages counts once, and is told',
      book: { '-': { keys: ['a', 'b'], next: 'x' }, x: { keys: ['b', 'c', 'a'] } },
      keys: ['a', 'b', 'c'],
      requests: 2,
      warnings: ['duplicate-offer'],
    },
  ])('is read to its end: $why', async ({ book, keys, requests, warnings = [] }) => {
    const list = await listed(kind, pages(kind, book));
    expect(list.keys).toEqual(keys);
    expect(list.requests).toHaveLength(requests);
    expect(list.warnings).toEqual(warnings);
  });

  test('is empty where the server does not know the method', async () => {
    const unknown = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}';
    const list = await listed(kind, () => unknown);
    expect(list.keys).toEqual([]);
    expect(list.warnings).toEqual([]);
  });

  test('fails with any other error, which is quoted, and with what is no list', async () => {
    const refusal = '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"database is down"}}';
    const { method, member } = WIRE[kind];
    await expect(listed(kind, () => refusal)).rejects.toMatchObject({
      code: 'UPSTREAM_BROKE_PROTOCOL',
      message: expect.stringContaining(`up: ${method} failed: {"code":-32603,"message":"database is down"}`),
    });
    for (const result of [{}, { [member]: null }, { [member]: {} }, { tools: [] }]) {
      await expect(listed(kind, () => result)).rejects.toMatchObject({
        code: 'UPSTREAM_BROKE_PROTOCOL',
        message: `up: the answer to ${method} holds no ${member} array`,
      });
    }
  });

  test('is cut at ten thousand, which is told once', async () => {
    const { key } = WIRE[kind];
    const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `{"name":"n","${key}":"k${i}"}`);
    const exact = await listed(kind, texts(kind, many(10_000)));
    expect(exact.keys).toHaveLength(10_000);
    expect(exact.warnings).toEqual([]);
    const over = await listed(kind, texts(kind, many(10_001)));
    expect(over.keys).toEqual(exact.keys);
    expect(over.warnings).toEqual(['too-many-offers']);
    expect(over.messages).toEqual([`${WIRE[kind].method}: gave more than 10000 entries; stopped there`]);
  });

  test.each([
    { why: 'null', text: 'null', says: 'it is null, not an object' },
    { why: 'an array', text: '[]', says: 'it is an array, not an object' },
    { why: 'a number of many digits', text: '12345678901234567890', says: 'it is a number, not an object' },
    { why: 'no key', text: '{"title":"x"}', says: 'it has no KEY' },
    { why: 'an empty key', text: '{"KEY":""}', says: 'it has no KEY' },
    { why: 'a key that is null', text: '{"KEY":null}', says: 'it has no KEY' },
    { why: 'a key that is a long number', text: '{"KEY":1e400}', says: 'it has no KEY' },
    { why: 'a key of its prototype', text: '{"__proto__":{"KEY":"x"}}', says: 'it has no KEY' },
    {
      why: 'far too deep',
      text: `{"KEY":"x","_meta":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
      says: 'JSON is nested deeper than 512',
    },
  ])('leaves out what cannot be named or read, and that alone: $why', async ({ text, says }) => {
    const { key } = WIRE[kind];
    const good = ['a', 'b'].map((name) => `{"name":"n","${key}":"${name}"}`);
    const list = await listed(kind, texts(kind, [good[0]!, text.replaceAll('KEY', key), good[1]!]));
    expect(list.keys).toEqual(['a', 'b']);
    expect(list.warnings).toEqual(['odd-offer']);
    expect(list.messages[0]).toContain(`left out #2: ${says.replace('KEY', key)}`);
  });

  test('tells of a fault that is everywhere once', async () => {
    const list = await listed(kind, texts(kind, ['1', '2', '3']));
    expect(list.messages).toEqual([
      `${WIRE[kind].method}: left out #1: it is a number, not an object (and 2 more like it)`,
    ]);
  });

  test('holds each element as it was written, on one line, and says where its key lies', async () => {
    const { key } = WIRE[kind];
    const text = `{ "title" :"é😀",\r\t"name":"n\\u00e9","${key}"\r: "\\u0061/\\/😀" ,"x":12345678901234567890,"_meta":{"${key}":"no"}}`;
    const list = await listed(kind, texts(kind, [text]));
    expect(list.definitions).toEqual([text.replaceAll('\r', ' ')]);
    expect(list.keys).toEqual(['a//😀']);
    const { definition, keyStart, keyEnd } = list.offers[0]!;
    expect(definition.slice(keyStart, keyEnd)).toBe('"\\u0061/\\/😀"');
    expect(list.warnings).toEqual([]);
  });

  test('takes the last of two keys, as any reader does', async () => {
    const { key } = WIRE[kind];
    const list = await listed(kind, texts(kind, [`{"name":"n","${key}":"first","${key}":"last"}`]));
    const { definition, keyStart, keyEnd } = list.offers[0]!;
    expect(list.keys).toEqual(['last']);
    expect(definition.slice(keyStart, keyEnd)).toBe('"last"');
  });
});

test('a list is cut at 32 MiB of text, which is told once', async () => {
  const description = 'x'.repeat(8 * 1024 * 1024);
  const list = await listed('resources', ({ params }) => {
    const page = Number(params?.cursor ?? 0);
    return { resources: [{ name: 'n', uri: `x:${page}`, description }], nextCursor: String(page + 1) };
  });
  expect(list.keys).toEqual(['x:0', 'x:1', 'x:2', 'x:3']);
  expect(list.requests).toHaveLength(5);
  expect(list.messages).toEqual(['resources/list: gave more than 33554432 characters; stopped there']);
});

test.each<{ kind: OfferKind; why: string; text: string; becomes: string; says: string }>([
  {
    kind: 'resources',
    why: 'no name: the URI will do',
    text: '{"uri":"x:\\"1"}',
    becomes: '{"name":"x:\\"1","uri":"x:\\"1"}',
    says: 'name (missing)',
  },
  {
    kind: 'templates',
    why: 'a name that is none',
    text: '{"name":5, "uriTemplate":"x:{a}"}',
    becomes: '{"name":"x:{a}","uriTemplate":"x:{a}"}',
    says: 'name (a number)',
  },
  {
    kind: 'resources',
    why: 'nulls, as servers write that generate their answers',
    text: '{"name":"n","title":null,"uri":"x:1","description":null,"mimeType":null,"size":null,"annotations":null,"_meta":null,"icons":null}',
    becomes: '{"name":"n","uri":"x:1"}',
    says: 'title (null), description (null), icons (null), _meta (null), mimeType (null), annotations (null), size (null)',
  },
  {
    kind: 'resources',
    why: 'sizes that are no integers',
    text: '{"name":"n","uri":"x:1","size":1e400}',
    becomes: '{"name":"n","uri":"x:1"}',
    says: 'size (a number)',
  },
  {
    kind: 'resources',
    why: 'annotations, each for itself',
    text: '{"name":"n","uri":"x:1","annotations":{"audience":["all"],"priority":0.5,"lastModified":"yesterday","more":1}}',
    becomes: '{"name":"n","uri":"x:1","annotations":{"priority":0.5,"more":1}}',
    says: 'annotations.audience, annotations.lastModified',
  },
  {
    kind: 'prompts',
    why: 'arguments that are none',
    text: '{"name":"p","arguments":{"a":1}}',
    becomes: '{"name":"p"}',
    says: 'arguments (an object)',
  },
  {
    kind: 'prompts',
    why: 'arguments, each for itself',
    text: '{"name":"p","arguments":[ {"name":"a","description":null,"required":true} , 5,{"title":"x"},{"name":"b" }],"title":"t"}',
    becomes: '{"name":"p","arguments":[{"name":"a","required":true},{"name":"b" }],"title":"t"}',
    says: 'some of the arguments',
  },
])(
  'what a strict client would refuse the whole $kind list for is mended: $why',
  async ({ kind, text, becomes, says }) => {
    const list = await listed(kind, texts(kind, [text]));
    expect(list.definitions).toEqual([becomes]);
    expect(list.warnings).toEqual(['misfit-member']);
    expect(list.messages[0]).toMatch(new RegExp(`: ${says.replace(/[()]/g, '\\$&')}$`));
    const { key } = WIRE[kind];
    const { definition, keyStart, keyEnd } = list.offers[0]!;
    expect(JSON.parse(definition.slice(keyStart, keyEnd))).toBe((JSON.parse(becomes) as Record<string, unknown>)[key]);
  },
);

test.each<{ kind: OfferKind; text: string }>([
  {
    kind: 'resources',
    text: '{"uri":"x:1","name":"","size":1e3,"mimeType":"a/b","annotations":{"audience":["user"],"priority":1.0,"lastModified":"2024-02-29T23:59:59.9+01:00"},"icons":[{"src":"x:"}],"_meta":{}}',
  },
  { kind: 'templates', text: '{"uriTemplate":"x:{","name":"n","size":null,"arguments":null}' },
  { kind: 'prompts', text: '{"name":"p","size":null,"annotations":null,"mimeType":null,"arguments":[{"name":""}]}' },
])('what they have nothing against stays: $text', async ({ kind, text }) => {
  const list = await listed(kind, texts(kind, [text]));
  expect(list.definitions).toEqual([text]);
  expect(list.warnings).toEqual([]);
  expect(WIRE[kind].strict.safeParse({ [WIRE[kind].member]: [JSON.parse(text)] }).success).toBe(true);
});

test('whatever a server lists, an SDK client takes what becomes of it', async () => {
  const anyText = fc.constantFrom('x', '', '2024-02-30T00:00:00Z', '2024-02-29T10:00Z', '2024-01-01T10:00:00+25:00');
  const anyValue = fc.oneof(
    fc.constantFrom<unknown>(null, true, 1, -1, 0.5, 1e300, {}, [], ['user'], [null], [{}], [{ name: 'a' }]),
    fc.constantFrom<unknown>(
      { priority: 2 },
      { audience: ['user', 'x'] },
      [{ src: 'x:' }],
      [{ src: 'x:', theme: 'red' }],
    ),
    fc.constantFrom<unknown>([{ name: 'a', required: null }, 1], [{ name: 'a', description: 3 }, { name: 'b' }]),
    anyText.map((lastModified) => ({ lastModified, priority: 0.5 })),
    anyText,
  );
  const anyMember = fc.constantFrom(
    ...['name', 'uri', 'uriTemplate', 'title', 'description', 'mimeType', 'size', 'annotations', 'arguments', 'icons'],
    '_meta',
  );
  const anyElement = fc
    .array(fc.tuple(anyMember, anyValue), { maxLength: 8 })
    // Written by hand, so that a name can stand there twice.
    .map((members) => `{${members.map(([name, value]) => `"${name}":${JSON.stringify(value)}`).join(',')}}`);
  const tally = { kept: 0, mended: 0 };
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...KINDS), fc.array(anyElement, { maxLength: 4 }), async (kind, elements) => {
      const { member, key, strict } = WIRE[kind];
      const named = elements.map((text, i) => `${text.slice(0, -1)}${text === '{}' ? '' : ','}"${key}":"k${i}"}`);
      const list = await listed(kind, texts(kind, named));
      expect(list.keys).toEqual(elements.map((_, i) => `k${i}`));
      expect(strict.safeParse({ [member]: list.definitions.map((text) => JSON.parse(text)) }).success).toBe(true);
      for (const [i, text] of named.entries()) tally[list.definitions[i] === text ? 'kept' : 'mended']++;
    }),
    { numRuns: 400 },
  );
  expect(Math.min(tally.kept, tally.mended), 'both were tried').toBeGreaterThan(50);
});
