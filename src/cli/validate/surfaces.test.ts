import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { defineContract, defineTool, implement } from '../../contract/index.js';
import { DOCUMENTS, type DocumentName, routeTable } from '../../discovery/index.js';
import { type LiveServer, openLiveServers } from './live-server.js';
import { compareSurfaces, compareTools } from './surfaces.js';

const tool = (name: string) =>
  defineTool({
    name,
    title: `The ${name}`,
    description: `Does ${name}.`,
    kind: 'read',
    input: z.object({ text: z.string().optional() }),
    output: z.object({ text: z.string() }),
  });
const contract = defineContract({
  server: { name: 'io.github.a/bb', description: 'A server.', version: '7.8.9' },
  tools: [tool('greet'), tool('part')],
  remotes: [{ type: 'streamable-http', url: 'https://b.example/mcp' }],
});
const implementation = implement(contract, {
  tools: { greet: () => ({ text: 'hello' }), part: () => ({ text: 'bye' }) },
});

let live: LiveServer;
beforeAll(async () => {
  [live] = (await openLiveServers(implementation, undefined)) as [LiveServer];
});
afterAll(() => live.server.close());

/** The same server, with one of its documents changed on the way. */
function withChanged(place: string, change: (text: string) => string): LiveServer {
  const get: LiveServer['get'] = async (address) => {
    const response = await live.get(address);
    return address === place ? new Response(change(await response.text()), response) : response;
  };
  return { ...live, get };
}

test('a running server is as it says, in every document', async () => {
  expect(await compareSurfaces(live)).toEqual([]);
});

/** What names tools, and what says who the server is; the rest repeats neither. */
const PLACES = routeTable({ path: '/mcp' }).flatMap(({ path, serves }) =>
  'document' in serves ? [{ name: serves.document, path }] : [],
);
const WITHOUT_TOOLS: readonly DocumentName[] = [
  'card',
  'aiCatalog',
  'apiCatalog',
  'protectedResource',
  'registryAuth',
  'openapi',
];
const WITH_VERSION: readonly DocumentName[] = ['card', 'mcp', 'openapi'];

const showing = PLACES.filter(({ name }) => !WITHOUT_TOOLS.includes(name));

test.each(showing)('a tool that is missing from $path is found', async ({ path }) => {
  const found = await compareSurfaces(withChanged(path, (text) => text.replaceAll('greet', 'groot')));
  expect(found.map(({ message }) => message)).toContain(`${path} lacks the tool greet, which tools/list has`);
});

const describing = showing.filter(({ name }) => name !== 'llms' && !['openai', 'anthropic', 'gemini'].includes(name));

test.each(describing)('another description in $path is found', async ({ path }) => {
  const found = await compareSurfaces(withChanged(path, (text) => text.replaceAll('Does greet.', 'Does more.')));
  expect(found.map(({ message }) => message)).toContain(`${path} shows another description of greet than tools/list`);
});

test.each(PLACES.filter(({ name }) => WITH_VERSION.includes(name)))(
  'another version in $path is found',
  async ({ path }) => {
    const found = await compareSurfaces(withChanged(path, (text) => text.replaceAll('7.8.9', '7.8.8')));
    expect(found.map(({ message }) => message)).toContain(`${path} says version 7.8.8, initialize says 7.8.9`);
  },
);

test.each(PLACES.filter(({ name }) => DOCUMENTS[name].missing === undefined))(
  '$path that fails is found',
  async ({ path }) => {
    const get: LiveServer['get'] = async (address) =>
      address === path ? new Response('', { status: 500 }) : live.get(address);
    const found = await compareSurfaces({ ...live, get });
    expect(found.map(({ message }) => message)).toContain(`${path} is answered with HTTP 500`);
  },
);

test('a document that is of another shape is found', async () => {
  const place = '/.well-known/api-catalog';
  const found = await compareSurfaces(withChanged(place, () => '{"linkset":5}'));
  expect(found.map(({ message }) => message)).toEqual([expect.stringContaining(`${place} /linkset`)]);
});

test('a tool that is there twice, or that nobody lists, is found', () => {
  const listed = [{ name: 'a' }];
  const shown = { place: 'x', tools: [{ name: 'a' }, { name: 'a' }, { name: 'b' }], members: [] };
  expect(compareTools(shown, listed).map(({ message }) => message)).toEqual([
    'x has a tool b, which tools/list lacks',
    'x has a tool twice',
  ]);
});
