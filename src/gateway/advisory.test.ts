import { expect, test } from 'vitest';
import { MemoryGateway, SILENT, toolNamed } from '../../test/fixtures/memory-gateway.js';
import { ME } from '../../test/fixtures/memory-view.js';
import { decodeText } from '../base/index.js';
import { resourceParams } from '../protocol/index.js';

async function statusOf({ gateway }: MemoryGateway): Promise<unknown> {
  const { json } = await gateway.relay('resources/read', resourceParams('doorward://status'), ME);
  const result = JSON.parse(decodeText(json.bytes, json.start, json.end)) as { contents: [{ text: string }] };
  return (JSON.parse(result.contents[0].text) as { readonly upstreams: unknown }).upstreams;
}

test('a start is named once it has lasted for more than 5 s', async () => {
  const fixture = new MemoryGateway({ slow: { scripts: [SILENT] } });
  fixture.gateway.start();
  await fixture.clock.advance(4_000);
  expect(await statusOf(fixture)).toEqual([]);
  await fixture.clock.advance(1_500);
  expect(await statusOf(fixture)).toMatchObject([{ id: 'slow', status: 'starting', retryAtMs: null }]);
});

test('while it is started again, what ended it is told', async () => {
  const fixture = new MemoryGateway({ a: { scripts: [{}, SILENT] } });
  await fixture.gateway.listTools();
  fixture.transport('a').lose();
  await fixture.clock.advance(400);
  expect(fixture.attempts('a'), 'it is being started').toHaveLength(2);
  expect(await statusOf(fixture)).toMatchObject([{ status: 'failed', code: 'UPSTREAM_LOST' }]);
});

test.each([
  { count: 1, says: /^1 of its tools are left out \(t1: [^;]*\)$/ },
  { count: 7, says: /^7 of its tools are left out \(t1: .*t5: .*; and 2 more\)$/ },
])('of $count tools that are left out, five at most are named', async ({ count, says }) => {
  const broken = Array.from({ length: count }, (_, at) =>
    toolNamed(`t${at + 1}`, { inputSchema: { type: 'object', properties: 1 } }),
  );
  const fixture = new MemoryGateway({ a: { scripts: [{ tools: [...broken, toolNamed('good')] }] } });
  await fixture.gateway.listTools();
  expect(await statusOf(fixture)).toMatchObject([{ status: 'degraded', reason: expect.stringMatching(says) }]);
});

test('tools that the configuration hides are missed by nobody', async () => {
  const broken = toolNamed('t1', { inputSchema: { type: 'object', properties: 1 } });
  const fixture = new MemoryGateway({ a: { scripts: [{ tools: [broken] }], tools: { deny: ['t*'] } } });
  await fixture.gateway.listTools();
  expect(await statusOf(fixture)).toEqual([]);
});
