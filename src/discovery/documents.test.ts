import { describe, expect, test } from 'vitest';
import { safeParse } from 'zod/mini';
import { SURFACE, unreached } from '../../test/fixtures/surface.js';
import { DOCUMENTS, type DocumentName } from './document-table.js';
import { makeText } from './document-texts.js';
import { Documents } from './documents.js';
import type { Surface } from './types.js';

type Json = Record<string, unknown>;

const NAMES = Object.keys(DOCUMENTS) as DocumentName[];
const GET = { method: 'GET', ifNoneMatch: undefined };
const ISSUED: Surface = {
  ...SURFACE,
  auth: { kind: 'issuer', issuers: ['https://login.example'], scopes: ['notes'] },
  contact: 'ops@notes.example',
  registryAuth: 'v=MCPv1; k=ed25519; p=AAAA',
  servers: [{ id: 'files', title: 'Files', description: 'Reads files.', version: '9' }, { id: 'notes' }],
};
const BARE: Surface = {
  server: { name: 'a/b', description: 'd', version: '1' },
  tools: [],
  capabilities: {},
  supportedVersions: [],
  path: '/',
};

function read(name: DocumentName, surface: Surface): Json {
  return JSON.parse(makeText(name, surface)!) as Json;
}

describe.each([
  ['everything said', ISSUED],
  ['nobody said how it is reached', unreached(ISSUED)],
  ['nothing but what must be', BARE],
] as const)('%s', (_, surface) => {
  test.each(NAMES)('%s has the shape that the route table says', (name) => {
    const text = makeText(name, surface);
    if (text === undefined) return expect(DOCUMENTS[name].missing).toEqual(expect.any(String));
    const isJson = DOCUMENTS[name].contentType.includes('json');
    expect(safeParse(DOCUMENTS[name].schema, isJson ? JSON.parse(text) : text)).toMatchObject({ success: true });
  });

  test('no document names a path without the server that it is known by', () => {
    if (surface.publicUrl === undefined) return;
    for (const name of NAMES) {
      if (name === 'openapi') continue;
      const text = makeText(name, surface)!;
      expect(text.match(/(?<=")\/(?:\.well-known|openapi|llms|healthz)[^"]*/g)).toBeNull();
    }
  });
});

describe('mcp.json', () => {
  test('is the card, and what else there is to know before connecting', () => {
    expect(read('mcp', SURFACE)).toEqual({
      ...read('card', SURFACE),
      capabilities: { tools: { listChanged: true } },
      tools_summary: {
        count: 2,
        read_only: 1,
        destructive: 1,
        index: 'https://notes.example/.well-known/agent-tools/index.json',
      },
      tools: [
        {
          name: 'find',
          title: 'Find notes',
          description: 'Finds notes\nby a word.',
          annotations: { title: 'Find notes', readOnlyHint: true, destructiveHint: false },
        },
        { name: 'notes.drop', annotations: { readOnlyHint: false, destructiveHint: true } },
      ],
      generated_at: '2026-01-02T03:04:05Z',
    });
  });

  test('says nothing of a time that is not known', () => {
    const { generatedAt: _, ...surface } = SURFACE;
    const documents = NAMES.filter((name) => name !== 'openapi');
    for (const name of documents) expect(makeText(name, surface) ?? '').not.toContain('generated_at');
  });

  test.each([
    { bytes: 64 * 1024, hasTools: true },
    { bytes: 64 * 1024 + 1, hasTools: false },
  ])('of $bytes bytes: tools $hasTools', ({ bytes, hasTools }) => {
    const sized = (length: number): Surface => ({
      ...SURFACE,
      tools: [{ name: 'a', description: 'é'.repeat(length), inputSchema: { type: 'object' } }],
    });
    const empty = new TextEncoder().encode(makeText('mcp', sized(0))).length;
    const [tool] = sized(Math.floor((bytes - empty) / 2)).tools;
    const description = `${tool!.description}${'x'.repeat((bytes - empty) % 2)}`;
    const document = read('mcp', { ...SURFACE, tools: [{ ...tool!, description }] });
    expect('tools' in document).toBe(hasTools);
    expect(document.tools_summary).toMatchObject({ count: 1 });
  });

  test('tools without annotations are counted as neither', () => {
    const tools = [{ name: 'a', inputSchema: { type: 'object' } }];
    expect(read('mcp', { ...BARE, tools })).toMatchObject({
      tools: [{ name: 'a' }],
      tools_summary: { count: 1, read_only: 0, destructive: 0, index: '/.well-known/agent-tools/index.json' },
    });
  });
});

describe('catalogs', () => {
  test('the AI Catalog leads to the card, and has those of servers behind this one', () => {
    expect(read('aiCatalog', ISSUED)).toEqual({
      specVersion: '1.0',
      host: { displayName: 'Notes', documentationUrl: 'https://notes.example/' },
      entries: [
        {
          identifier: 'urn:air:www.example.com:mcp:notes',
          type: 'application/mcp-server-card+json',
          url: 'https://notes.example/mcp/server-card',
        },
        {
          identifier: 'urn:air:www.example.com:mcp.notes:files',
          type: 'application/mcp-server-card+json',
          data: expect.objectContaining({ name: 'com.example.www/files', version: '9' }),
        },
        {
          identifier: 'urn:air:www.example.com:mcp.notes:notes',
          type: 'application/mcp-server-card+json',
          data: expect.objectContaining({ name: 'com.example.www/notes', version: '1.2.3' }),
        },
      ],
    });
  });

  test('without an address the card itself is in it', () => {
    expect(read('aiCatalog', BARE)).toEqual({
      specVersion: '1.0',
      host: { displayName: 'a/b' },
      entries: [{ identifier: 'urn:air:a:mcp:b', type: 'application/mcp-server-card+json', data: read('card', BARE) }],
    });
  });

  test('the api-catalog is a linkset around the endpoint', () => {
    const [link, ...others] = read('apiCatalog', SURFACE).linkset as Json[];
    expect(others).toEqual([]);
    expect(link).toMatchObject({
      anchor: 'https://notes.example/mcp',
      'service-desc': [
        { href: 'https://notes.example/openapi.json', type: 'application/vnd.oai.openapi+json;version=3.1' },
      ],
      'service-doc': [{ href: 'https://notes.example/llms.txt' }, { href: 'https://notes.example/' }],
      status: [{ href: 'https://notes.example/healthz' }],
      describedby: [{ href: 'https://notes.example/mcp/server-card' }],
    });
    expect(read('apiCatalog', BARE).linkset).toMatchObject([
      { anchor: '/', 'service-doc': [{ href: '/llms.txt' }], describedby: [{ href: '/server-card' }] },
    ]);
  });
});

describe('agent tools', () => {
  test('the index has each tool as lists have it, and what becomes of it', () => {
    const index = read('toolsIndex', SURFACE) as { tools: Json[]; count: number; documents: Json; arrays: Json };
    expect(index.count).toBe(2);
    expect(index.tools.map(({ projections: _, ...tool }) => tool)).toEqual(SURFACE.tools);
    expect(index.tools[1]!.projections).toEqual({
      openai: { name: expect.stringMatching(/^notes_drop_/), loose: 'lossless', strict: 'unsupported' },
      anthropic: { name: expect.stringMatching(/^notes_drop_/), loose: 'lossless', strict: 'unsupported' },
      gemini: { name: 'notes.drop', loose: 'lossless', strict: 'lossless' },
    });
    expect(index.documents).toEqual({
      openai: 'https://notes.example/.well-known/agent-tools/openai.json',
      anthropic: 'https://notes.example/.well-known/agent-tools/anthropic.json',
      gemini: 'https://notes.example/.well-known/agent-tools/gemini.json',
    });
    expect(index.arrays['openai-responses.strict']).toBe(
      'https://notes.example/.well-known/agent-tools/openai-responses.strict.tools.json',
    );
  });

  test('each target has how calls are carried out, and where its arrays are', () => {
    expect(read('openai', SURFACE)).toMatchObject({
      target: 'openai',
      server: { name: 'com.example.www/notes', version: '1.2.3' },
      fingerprint: 'f'.repeat(64),
      executor: {
        path: '/mcp',
        url: 'https://notes.example/mcp',
        transport: 'streamable-http',
        method: 'tools/call',
        protocolVersions: ['2026-07-28', '2025-11-25'],
      },
      names: { find: 'find' },
      arrays: {
        openai: 'https://notes.example/.well-known/agent-tools/openai.tools.json',
        'openai.strict': 'https://notes.example/.well-known/agent-tools/openai.strict.tools.json',
        'openai-responses': expect.any(String),
        'openai-responses.strict': expect.any(String),
      },
    });
    expect(read('gemini', BARE)).toMatchObject({
      executor: { path: '/', method: 'tools/call' },
      arrays: { gemini: '/.well-known/agent-tools/gemini.tools.json' },
    });
    expect((read('gemini', BARE).executor as Json).url).toBeUndefined();
  });

  test('a tool that has no strict projection is in the strict array too, not marked as strict', () => {
    const strict = JSON.parse(makeText('openaiStrictTools', SURFACE)!) as { function: Json }[];
    const loose = JSON.parse(makeText('openaiTools', SURFACE)!) as { function: Json }[];
    expect(strict.map(({ function: { strict: isStrict } }) => isStrict)).toEqual([true, false]);
    expect(strict[1]).toEqual(loose[1]);
    const anthropic = JSON.parse(makeText('anthropicStrictTools', SURFACE)!) as Json[];
    expect(anthropic.map((tool) => tool.strict)).toEqual([true, undefined]);
  });

  test('what a tool gives is said where the target has a place for it, by its own rules', () => {
    const [loose] = JSON.parse(makeText('geminiTools', SURFACE)!) as [{ functionDeclarations: Json[] }];
    const [strict] = JSON.parse(makeText('geminiStrictTools', SURFACE)!) as [{ functionDeclarations: Json[] }];
    expect(loose.functionDeclarations.map(({ responseJsonSchema }) => responseJsonSchema)).toEqual(
      SURFACE.tools.map(({ outputSchema }) => outputSchema),
    );
    // The second one is a union, which is no plain object.
    expect(strict.functionDeclarations.map((each) => 'responseJsonSchema' in each)).toEqual([true, false]);
    const responses = JSON.parse(makeText('openaiResponsesTools', SURFACE)!) as Json[];
    expect(responses.map(({ output_schema }) => output_schema)).toEqual(SURFACE.tools.map((tool) => tool.outputSchema));
    const without = { ...SURFACE, tools: [{ name: 'a', inputSchema: { type: 'object' } }] };
    for (const name of ['geminiTools', 'geminiStrictTools', 'openaiResponsesTools', 'anthropicTools'] as const) {
      expect(makeText(name, without)).not.toMatch(/response|output|description/);
    }
  });
});

describe('llms.txt', () => {
  test('is a title, a line, and lists of links', () => {
    expect(makeText('llms', ISSUED)).toBe(
      [
        '# Notes',
        '> Keeps notes.',
        'An MCP server (Model Context Protocol, streamable HTTP) at https://notes.example/mcp',
        'Look before you write.',
        '## Tools',
        '- `find`: Finds notes by a word.\n- `notes.drop`',
        '## Documents',
        [
          '- [Server card](https://notes.example/mcp/server-card): who the server is and how it is reached',
          '- [Tools](https://notes.example/.well-known/agent-tools/index.json): every tool with its schemas',
          '- [OpenAPI](https://notes.example/openapi.json): all that is served here',
          '- [Website](https://notes.example/)',
        ].join('\n'),
        '## Contact',
        'ops@notes.example\n',
      ].join('\n\n'),
    );
  });

  test('has no heading over nothing', () => {
    expect(makeText('llms', BARE)).not.toMatch(/Tools\n|Contact|Website/);
  });
});

describe('where callers get tokens', () => {
  test('is said with the address and scopes that were configured', () => {
    expect(read('protectedResource', ISSUED)).toEqual({
      resource: 'https://notes.example/mcp',
      authorization_servers: ['https://login.example'],
      scopes_supported: ['notes'],
      bearer_methods_supported: ['header'],
      resource_name: 'Notes',
    });
    const issuer = { kind: 'issuer', issuers: ['https://login.example'], scopes: [] } as const;
    const plain = read('protectedResource', { ...BARE, publicUrl: 'https://x.test/mcp', auth: issuer });
    expect(plain).not.toHaveProperty('scopes_supported');
    expect(plain.resource_name).toBe('a/b');
  });

  test.each([
    ['nobody needs one', SURFACE],
    ['the operator hands them out', { ...SURFACE, auth: { kind: 'tokens', scopes: [] } }],
    ['nobody said what the endpoint is reached by', unreached(ISSUED)],
  ] satisfies readonly (readonly [string, Surface])[])('there is no such document where %s', (_, surface) => {
    const answer = new Documents().answer('protectedResource', surface, GET);
    expect([answer.status, answer.body]).toEqual([404, expect.stringContaining('authorization server')]);
  });
});

describe('documents are made once', () => {
  test('for one surface, and for others that say the same', () => {
    const documents = new Documents();
    const first = documents.answer('toolsIndex', SURFACE, GET);
    expect(documents.answer('toolsIndex', SURFACE, GET).body).toBe(first.body);
    expect(documents.answer('toolsIndex', structuredClone(SURFACE) as Surface, GET).body).toBe(first.body);
  });

  test('a change makes another, with another tag; the way back finds the first again', () => {
    const documents = new Documents();
    const tagOf = (surface: Surface) => documents.answer('llms', surface, GET).headers[3];
    const changed = { ...SURFACE, tools: SURFACE.tools.slice(1) };
    const first = documents.answer('llms', SURFACE, GET);
    expect(tagOf(changed)).not.toBe(tagOf(SURFACE));
    expect(documents.answer('llms', SURFACE, GET).body).toBe(first.body);
  });

  test('of many surfaces the latest few are kept', () => {
    const documents = new Documents();
    const nth = (at: number): Surface => ({ ...SURFACE, contact: `c${at}` });
    const first = documents.answer('llms', nth(0), GET);
    for (let at = 1; at <= 3; at++) documents.answer('llms', nth(at), GET);
    expect(documents.answer('llms', nth(0), GET).body).toBe(first.body);
    for (let at = 4; at <= 7; at++) documents.answer('llms', nth(at), GET);
    expect(documents.answer('llms', nth(0), GET).body).not.toBe(first.body);
    expect(documents.answer('llms', nth(0), GET).body).toEqual(first.body);
  });

  test('the api-catalog says by a header where it is', () => {
    const { headers } = new Documents().answer('apiCatalog', SURFACE, { method: 'HEAD', ifNoneMatch: undefined });
    expect(headers).toContain('<https://notes.example/.well-known/api-catalog>; rel="api-catalog"');
    expect(new Documents().answer('card', SURFACE, GET).headers).not.toContain('Link');
  });
});
