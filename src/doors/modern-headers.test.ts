/** Headers that repeat what a tool's arguments say (MCP 2026-07-28 basic/transports/streamable-http, Custom Headers). */
import { expect, test } from 'vitest';
import type { Wire } from '../../test/fixtures/memory-door.js';
import { MemoryGateway, toolNamed } from '../../test/fixtures/memory-gateway.js';
import { modernMeta } from '../../test/fixtures/modern-meta.js';
import { settled } from '../../test/fixtures/virtual-clock.js';
import { decodeText, encodeText, JsonScanner, joinPieces } from '../base/index.js';
import { ModernDoor } from './modern-door.js';

const HEADED = toolNamed('x', {
  inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
});
const ELICITS = { elicitation: { form: {} } };

async function called(
  opened: { readonly door: ModernDoor; readonly fixture: MemoryGateway },
  region: string | undefined,
  capabilities: Record<string, unknown>,
): Promise<Wire | undefined> {
  const params = { name: 'a__x', arguments: { region: 'eu' }, _meta: modernMeta(capabilities) };
  const bytes = encodeText(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  const headers: Record<string, string | undefined> = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'a__x',
    'mcp-param-region': region,
  };
  const answers: Wire[] = [];
  opened.door.receive(
    {
      bytes,
      start: 0,
      end: bytes.length,
      reply: (pieces) => answers.push(JSON.parse(decodeText(joinPieces(pieces))) as Wire),
    },
    { principal: { id: 'me', kind: 'local' }, headers: (name) => headers[name] },
  );
  await opened.fixture.clock.advance(6_000);
  await settled();
  return answers[0];
}

function opened(): { readonly door: ModernDoor; readonly fixture: MemoryGateway } {
  const fixture = new MemoryGateway({
    a: { scripts: [{ tools: [HEADED], on: { 'tools/call': () => ({ content: [] }) } }] },
  });
  const door = new ModernDoor({
    limits: fixture.gateway.limits,
    door: 'http',
    info: { name: 'doorward', version: '1' },
    scanner: new JsonScanner(),
  });
  door.attach(fixture.gateway);
  return { door, fixture };
}

test.each([
  { who: 'one who can be asked nothing', capabilities: {} },
  // Its upstreams are its own: what the others have listed says nothing of these.
  { who: 'one who can be asked', capabilities: ELICITS },
])('are checked for $who, from the first call on', async ({ capabilities }) => {
  const each = opened();
  const { fixture } = each;
  for (const region of [undefined, 'us', undefined]) {
    expect((await called(each, region, capabilities))?.error?.code).toBe(-32020);
  }
  expect((await called(each, 'eu', capabilities))?.result).toMatchObject({ content: [] });
  const calls = fixture.attempts('a').flatMap((transport) => transport.received('tools/call'));
  expect(calls, 'what was refused was not sent').toHaveLength(1);
  await fixture.gateway.close();
});
