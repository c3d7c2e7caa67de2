import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MemoryScript } from '../../test/fixtures/memory-transport.js';
import { Started } from '../../test/fixtures/started-client.js';
import { encodeText, JsonScanner } from '../base/index.js';
import { findOddContent, isPlainContent } from './content.js';

const text = { type: 'text', text: 'x' };

const oddOf = (content: string): string[] => {
  const bytes = encodeText(content);
  return findOddContent(bytes, 0, bytes.length);
};

test.each([
  { why: 'no array', content: '{}', odd: ['content is not an array'] },
  { why: 'nothing', content: '[]', odd: [] },
  { why: 'usual blocks', content: JSON.stringify([text, { type: 'resource_link', uri: 'a:b', name: 'n' }]), odd: [] },
  { why: 'no object', content: '[5]', odd: ['content[0] is not an object'] },
  { why: 'no type', content: '[{"text":"x"}]', odd: ['content[0] has no type'] },
  { why: 'a type that is a number', content: '[{"type":1}]', odd: ['content[0] has no type'] },
  {
    why: 'a kind of tomorrow',
    content: `[${JSON.stringify(text)},{"type":"hologram"}]`,
    odd: ['content[1] has the unknown type "hologram"'],
  },
  { why: 'a good image', content: '[{"type":"image","data":"aGk=","mimeType":"image/png"}]', odd: [] },
  {
    why: 'an image with bad base64',
    content: '[{"type":"image","data":"a b"},{"type":"audio"}]',
    odd: ['content[0] holds no good base64 in data', 'content[1] holds no good base64 in data'],
  },
])('odd content is told: $why', ({ content, odd }) => expect(oddOf(content)).toEqual(odd));

test('what is large is not looked through', () => {
  expect(oddOf(`[{"type":"${'x'.repeat(70_000)}"}]`)).toEqual([]);
});

const block = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom('text', 'resource', 'resource_link').map((type) => ({ type, text: 'type' })),
  },
  fc.constantFrom<unknown>(
    { type: 'image', data: 'aGk=' },
    { type: 'texts' },
    { type: 'text"' },
    { text: 'x' },
    [],
    5,
    null,
  ),
  fc.constantFrom<unknown>({ type: { type: 'text' } }, { a: { type: 'text' } }, { type: 5 }, [{ type: 'text' }]),
);
const elsewhere = fc.constantFrom<unknown>(undefined, { type: 'odd' }, [{ type: 'odd' }, { type: 'text' }], [{}], {
  a: { type: 'odd' },
});

test('the quick look never calls odd content plain', () => {
  const property = fc.property(fc.array(block, { maxLength: 20 }), elsewhere, elsewhere, (content, before, after) => {
    const line = encodeText(JSON.stringify({ id: 1, result: { before, content, after }, x: { a: [{ type: 'odd' }] } }));
    const scanner = new JsonScanner();
    scanner.scan(line, 0, line.length);
    const at = scanner.find('content', line, scanner.find('result', line));
    const odd = findOddContent(line, scanner.valueStart[at]!, scanner.valueEnd[at]!);
    const hasBlocks = content.some((each) => typeof each === 'object' && each !== null && !Array.isArray(each));
    // What is no object goes unnoticed among blocks; it costs a warning, no more.
    const missed = hasBlocks ? odd.filter((each) => !each.endsWith('is not an object')) : odd;
    if (isPlainContent(scanner, line, at)) expect(missed).toEqual([]);
    // And usual blocks are seen to be plain, or the quick look would save nothing.
    else expect(content.length > 14 || !hasBlocks || content.some((each) => !isUsual(each))).toBe(true);
  });
  fc.assert(property, { numRuns: 1_000 });
});

const isUsual = (each: unknown): boolean =>
  ['text', 'resource', 'resource_link'].includes((each as { type?: string } | null)?.type ?? '');

/** Whether the quick look calls a result's content plain, and what the closer look says of it. */
function looksAt(content: string): { isPlain: boolean; odd: string[] } {
  const line = encodeText(`{"jsonrpc":"2.0","id":1,"result":{"content":${content}}}`);
  const scanner = new JsonScanner();
  scanner.scan(line, 0, line.length);
  const at = scanner.find('content', line, scanner.find('result', line));
  const odd = findOddContent(line, scanner.valueStart[at]!, scanner.valueEnd[at]!);
  return { isPlain: isPlainContent(scanner, line, at), odd };
}

const TEXT = JSON.stringify(text);

test.each([1, 16, 17, 18, 40])('the last of %i blocks is not overlooked', (count) => {
  const usual = Array.from({ length: count - 1 }, () => TEXT);
  for (const last of ['{"type":"hologram"}', '{"text":"x"}', '{"type":"image","data":"a b"}']) {
    const { isPlain, odd } = looksAt(`[${[...usual, last].join(',')}]`);
    expect(odd).toEqual([expect.stringContaining(`content[${count - 1}]`)]);
    expect(isPlain).toBe(false);
  }
});

test('nor is a block behind one that gives its type twice', () => {
  const blocks = ['{"type":"text","type":"text"}', ...Array.from({ length: 14 }, () => TEXT), '{"type":"hologram"}'];
  expect(looksAt(`[${blocks.join(',')}]`)).toEqual({
    isPlain: false,
    odd: ['content[15] has the unknown type "hologram"'],
  });
});

test.each([
  { why: 'few blocks', count: 3 },
  { why: 'more than the quick look keeps', count: 17 },
])('an odd last block is warned of: $why', async ({ count }) => {
  const content = [...Array.from({ length: count - 1 }, () => text), { type: 'hologram' }];
  const up = new Started([{ on: { 'tools/call': () => ({ content }) } }]);
  await up.client.start();
  expect(await up.call('some')).toEqual({ content });
  expect(up.named('server.warning')).toMatchObject([
    { warning: 'odd-content', tool: 'some', message: `some: content[${count - 1}] has the unknown type "hologram"` },
  ]);
});

test('what is odd with every answer of a tool is told now and then', async () => {
  const schema = { inputSchema: { type: 'object' }, outputSchema: { type: 'object' } };
  const tools = ['x', 'y'].map((name) => ({ name, ...schema }));
  const result = '{"content":[{"type":"hologram"},{"type":"scent"}],"_meta":{"a":1,"a":2}}';
  const answer: MemoryScript['on'] = { 'tools/call': ({ id }) => `{"jsonrpc":"2.0","id":${id},"result":${result}}` };
  const up = new Started([{ tools, on: answer }]);
  await up.client.start();
  for (let i = 0; i < 20; i++) for (const tool of ['x', 'y']) await up.call(tool);
  const told = () => up.named('server.warning').map(({ tool, warning }) => `${tool} ${warning}`);
  const once = ['x', 'y'].flatMap((tool) =>
    ['missing-structured-content', 'odd-content', 'odd-content', 'duplicate-name'].map(
      (warning) => `${tool} ${warning}`,
    ),
  );
  expect(told()).toEqual(once);
  // It comes back as somebody who has been told of already.
  up.transport.lose();
  await up.clock.advance(1_000);
  await up.call('x');
  expect(told()).toEqual(once);
  await up.clock.advance(29_000);
  await up.call('x');
  expect(told().slice(once.length)).toEqual(once.slice(0, 4));
});
