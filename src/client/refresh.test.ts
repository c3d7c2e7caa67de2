/** How long a list holds is said by upstreams of the 2026 era (MCP 2026-07-28 server/utilities/caching). */
import { expect, test } from 'vitest';
import { modernScript } from '../../test/fixtures/modern-script.js';
import { Started } from '../../test/fixtures/started-client.js';

const lists = ({ transport }: Started): number => transport.received('tools/list').length;

async function started(script: Parameters<typeof modernScript>[0]): Promise<Started> {
  const up = new Started([modernScript(script)], { era: 'auto' });
  await up.client.start();
  return up;
}

test.each([
  { why: 'is read anew once it is no longer fresh', capabilities: { tools: {} }, waitMs: 1_000, lists: 2 },
  { why: 'is not while it is fresh', capabilities: { tools: {} }, waitMs: 999, lists: 1 },
  {
    why: 'is not where its upstream tells when it changes',
    capabilities: { tools: { listChanged: true } },
    waitMs: 5_000,
    lists: 1,
  },
])('a list that somebody looks at $why', async ({ capabilities, waitMs, lists: times }) => {
  const up = await started({ capabilities, ttlMs: 1_000 });
  await up.clock.advance(waitMs);
  up.client.refresh();
  await up.clock.advance(100);
  expect(lists(up)).toBe(times);
});

test('a list that is never fresh is read anew as often as it is looked at, but not in a storm', async () => {
  const up = await started({ capabilities: { tools: {} }, ttlMs: 0 });
  for (let i = 0; i < 100; i++) up.client.refresh();
  await up.clock.advance(400);
  expect(lists(up)).toBeLessThanOrEqual(2);
  await up.clock.advance(5_000);
  expect(lists(up)).toBeLessThanOrEqual(3);
});

test('nobody who looks, nobody who asks', async () => {
  const up = await started({ capabilities: { tools: {} }, ttlMs: 0 });
  await up.clock.advance(60_000);
  expect(lists(up)).toBe(1);
});
