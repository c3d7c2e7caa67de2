/** A server may notify of anything in any words: that costs neither its other messages nor the door. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { modernScript } from '../../test/fixtures/modern-script.js';
import { Started } from '../../test/fixtures/started-client.js';

const TOOL = { name: 'some', inputSchema: { type: 'object' } };
const METHODS = [
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/subscriptions/acknowledged',
  'notifications/message',
  'notifications/progress',
  'notifications/cancelled',
  'notifications/elicitation/complete',
  'notifications/tasks',
  'notifications/anything',
];
const meta = fc.oneof(
  fc.jsonValue(),
  fc.record({ 'io.modelcontextprotocol/subscriptionId': fc.jsonValue(), progressToken: fc.jsonValue() }),
);
const params = fc.oneof(
  fc.constant(null),
  fc.jsonValue(),
  fc.record(
    {
      _meta: meta,
      uri: fc.jsonValue(),
      notifications: fc.jsonValue(),
      requestId: fc.jsonValue(),
      level: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
);

test.each(['modern', 'handshake'] as const)(
  '%s era: no notification of a server throws, or costs a call',
  async (era) => {
    const notified: string[] = [];
    const script =
      era === 'modern'
        ? modernScript({ tools: [TOOL], on: { 'tools/call': () => ({ resultType: 'complete', content: [] }) } })
        : { tools: [TOOL], on: { 'tools/call': () => ({ content: [] }) } };
    const up = new Started([script], { era, maxInFlight: 1_000, notified: (method) => void notified.push(method) });
    await up.client.start();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...METHODS), params, async (method, said) => {
        up.transport.say(JSON.stringify({ jsonrpc: '2.0', method, params: said }));
        await up.clock.advance(1);
        expect(up.warnings()).not.toContain('unreadable-notification');
      }),
      { examples: METHODS.map((method) => [method, null] as [string, null]) },
    );
    const call = up.call('some');
    await up.clock.advance(1_000);
    await expect(call).resolves.toBeDefined();
    await up.client.close();
  },
);

test('whoever hears of a notification and fails costs nobody anything', async () => {
  const fail = (): never => {
    throw new TypeError('cannot read it');
  };
  const up = new Started([{ tools: [TOOL] }], { notified: fail });
  await up.client.start();
  up.transport.say('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}');
  expect(up.warnings()).toContain('unreadable-notification');
  expect(up.client.state.kind).toBe('ready');
  await up.client.close();
});
