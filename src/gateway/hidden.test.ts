import { expect, test } from 'vitest';
import { MemoryTransport } from '../../test/fixtures/memory-transport.js';
import { encodeText } from '../base/index.js';
import { createGateway, type ToolFilter } from './index.js';

const TOOLS = ['good', 'drop_all'].map((name) => ({ name, inputSchema: { type: 'object' } }));
const ME = { principal: { id: 'me', kind: 'local' } } as const;

async function filtered(tools: ToolFilter) {
  const gateway = createGateway({
    mounts: [
      { id: 'a', tools, connect: () => new MemoryTransport({ on: { 'tools/list': () => ({ tools: TOOLS }) } }) },
    ],
  });
  const warnings: string[] = [];
  gateway.events.on('server.warning', ({ message }) => warnings.push(message));
  await gateway.whenSettled('a');
  return { gateway, warnings };
}

test('a call of a tool that the filter keeps out says so', async () => {
  const { gateway } = await filtered({ deny: ['drop_*'] });
  const call = gateway.callTool({ mount: 'a', tool: 'drop_all', arguments: encodeText('{}') }, ME);
  await expect(call).rejects.toMatchObject({
    code: 'TOOL_UNKNOWN',
    message: expect.stringContaining('tools.deny hides it'),
  });
  const other = gateway.callTool({ mount: 'a', tool: 'nobody', arguments: encodeText('{}') }, ME);
  await expect(other).rejects.toMatchObject({
    code: 'TOOL_UNKNOWN',
    message: expect.stringContaining('lists no tool'),
  });
  await gateway.close();
});

test.each<{ why: string; filter: ToolFilter; told: number }>([
  { why: 'a typo in allow is told', filter: { allow: ['goood'] }, told: 1 },
  { why: 'a pattern that matches is not', filter: { allow: ['goo*'], deny: ['drop_*'] }, told: 0 },
  { why: 'an idle deny is told', filter: { deny: ['remove_*'] }, told: 1 },
])('$why', async ({ filter, told }) => {
  const { gateway, warnings } = await filtered(filter);
  expect(warnings.filter((message) => message.includes('matches no tool'))).toHaveLength(told);
  await gateway.close();
});
