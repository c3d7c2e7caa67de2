import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { toolsDocument } from './agent-tools.js';
import { mountedCard } from './card.js';
import { DOCUMENTS, type DocumentName } from './document-table.js';
import { makeText } from './document-texts.js';
import { TARGETS } from './projections/index.js';
import { serverCardShape } from './shapes.js';
import type { MountedServer, PublicTool, Surface } from './types.js';

const surface: Surface = {
  server: { name: 'io.example/gate', description: 'A gate.', version: '1.0.0' },
  tools: [],
  capabilities: {},
  supportedVersions: ['2026-07-28'],
  path: '/mcp',
};
const EVIL = '"\'\n\r</script><img src=x>\u2028\u202e](http://evil)\n## H `code` [a](javascript:alert(1))';
const tool = (name: string, description: string, inputSchema: PublicTool['inputSchema'] = { type: 'object' }) => ({
  name,
  description,
  inputSchema,
});

test.each<MountedServer>([
  { id: 'm', title: 'x'.repeat(300) },
  { id: 'm', title: EVIL },
  { id: 'm', title: '' },
  { id: 'm', title: ' \n\u2028' },
  { id: 'm', title: '😀'.repeat(101) },
  { id: 'm', description: '😀'.repeat(300) },
  { id: 'm', description: EVIL },
  { id: 'm', version: 'v'.repeat(500) },
  { id: 'm', version: '' },
  { id: 'м/é "x"\n', title: 't' },
])('whatever a server behind the door says of itself, its card is one: %j', (mounted) => {
  const card = mountedCard(surface, mounted);
  expect(z.safeParse(serverCardShape, card).success).toBe(true);
  expect(`${card.title}${card.description}`).not.toMatch(/[\n\r\u2028]/);
  expect(JSON.stringify(card)).not.toMatch(/\\ud[89a-f]/);
});

test('a description leads nowhere in llms.txt, keeps to its line, and to a length', () => {
  const tools = [tool('a`](x)', EVIL), tool('b', 'x'.repeat(5_000_000)), tool('c', '😀'.repeat(5_000))];
  const text = makeText('llms', { ...surface, tools })!;
  const lines = text.split('\n').filter((line) => line.startsWith('- `'));
  expect(lines).toHaveLength(3);
  const said = lines[0]!.slice(lines[0]!.indexOf(': '));
  expect(said).toContain('alert(1)');
  expect(said).not.toMatch(/[^\\][[\]<]/);
  expect(text).not.toContain('\n## H');
  expect(text.length).toBeLessThan(4_000);
  expect(JSON.stringify(text)).not.toMatch(/\\ud[89a-f]/);
});

test('a keyword may have any name, that of what every object has among them', () => {
  const odd = { constructor: 1, toString: 2, valueOf: 3, anyOf: [{ type: 'string' }, { type: 'number' }] };
  const inputSchema = { type: 'object', properties: { odd }, required: ['odd'], additionalProperties: false };
  const { strict } = toolsDocument({ ...surface, tools: [tool('t', 'd', inputSchema)] }, 'openai').tools[0]!;
  expect(strict.fidelity).toEqual({ kind: 'lossless' });
});

test('thousands of definitions that want one name cost no more than their number', () => {
  const names = Array.from({ length: 8_000 }, (_, at) => String.fromCharCode(0x4e00 + at));
  const inputSchema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }])),
    $defs: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  };
  const startedAt = performance.now();
  for (const target of TARGETS) toolsDocument({ ...surface, tools: [tool('t', 'd', inputSchema)] }, target);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

test.each(Object.keys(DOCUMENTS) as DocumentName[])(
  '%s holds to its shape, whatever tools are called and say',
  (name) => {
    const names = [
      '__proto__',
      'constructor',
      'a.b',
      'a_b',
      'a b',
      '😀',
      '',
      '1',
      'x'.repeat(300),
      `${'x'.repeat(299)}y`,
    ];
    const properties = JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"string"},"a/~.é\u2028":{}}');
    const tools = names.map((each) => tool(each, EVIL, { type: 'object', properties }));
    const text = makeText(name, { ...surface, tools });
    if (text === undefined) return;
    const { schema, contentType } = DOCUMENTS[name];
    expect(z.safeParse(schema, contentType.startsWith('text/') ? text : JSON.parse(text)).success).toBe(true);
  },
);
