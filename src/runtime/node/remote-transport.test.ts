import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { encodeText } from '../../base/index.js';
import { createGateway } from '../../gateway/index.js';
import { remoteTransport } from './remote-transport.js';

const SERVER = fileURLToPath(new URL('../../../test/fixtures/feature-server.mjs', import.meta.url));

/** Starts a server over HTTP. @returns its address, and what ends it */
async function served(era: string): Promise<{ url: string; end: () => Promise<void> }> {
  const child = spawn(process.execPath, [SERVER, '--era', era, '--transport', 'http'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  const url = /https?:\S+/.exec(chunk.toString())![0];
  const end = async (): Promise<void> => {
    child.kill();
    await once(child, 'exit');
  };
  return { url, end };
}

describe('a program that embeds doorward reaches a remote server', () => {
  test.each(['handshake', 'modern'])('of the %s era', async (era) => {
    const { url, end } = await served(era);
    const gateway = createGateway({ mounts: [{ id: 'far', connect: () => remoteTransport({ url }) }] });
    try {
      const tools = await gateway.listTools();
      expect(tools.length).toBeGreaterThan(0);
      const answer = await gateway.callTool(
        { mount: 'far', tool: tools[0]!.tool.name, arguments: encodeText('{}') },
        { principal: { id: 'me', kind: 'local' } },
      );
      expect(answer.kind).toBe('result');
    } finally {
      await gateway.close();
      await end();
    }
  });

  test('by the transport, the name and the headers of its own that it names', async () => {
    const { url, end } = await served('handshake');
    const options = { url, type: 'streamable-http', server: 'far', headers: { 'x-program': 'mine' } } as const;
    const gateway = createGateway({ mounts: [{ id: 'far', connect: () => remoteTransport(options) }] });
    try {
      expect((await gateway.listTools()).length).toBeGreaterThan(0);
    } finally {
      await gateway.close();
      await end();
    }
  });

  test('or hears why not', async () => {
    const gateway = createGateway({
      mounts: [{ id: 'far', connect: () => remoteTransport({ url: 'http://127.0.0.1:9/mcp' }) }],
    });
    await expect(
      gateway.callTool({ mount: 'far', tool: 'x' }, { principal: { id: 'me', kind: 'local' } }),
    ).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
    await gateway.close();
  });
});
