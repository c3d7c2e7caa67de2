/** What a caller on a stream is told unasked: which lists have changed, and how its calls get on. */
import { describe, expect, test } from 'vitest';
import { MemoryDoor, request } from '../../test/fixtures/memory-door.js';
import { toolNamed } from '../../test/fixtures/memory-gateway.js';
import type { MemoryScript } from '../../test/fixtures/memory-transport.js';
import { settled } from '../../test/fixtures/virtual-clock.js';

/** Has one of everything more each time it is asked. */
function growing(): MemoryScript {
  let edition = 0;
  const upTo = (make: (n: number) => object): object[] => Array.from({ length: edition }, (_, n) => make(n));
  const list = (member: string, make: (n: number) => object) => (): object => {
    edition++;
    return { [member]: upTo(make) };
  };
  return {
    on: {
      initialize: () => ({
        protocolVersion: '2025-11-25',
        capabilities: {
          tools: { listChanged: true },
          resources: { listChanged: true },
          prompts: { listChanged: true },
        },
        serverInfo: { name: 's', version: '1' },
      }),
      'tools/list': list('tools', (n) => toolNamed(`t${n}`)),
      'resources/list': list('resources', (n) => ({ uri: `x://${n}`, name: 'r' })),
      'resources/templates/list': list('resourceTemplates', (n) => ({ uriTemplate: `x://${n}/{id}`, name: 't' })),
      'prompts/list': list('prompts', (n) => ({ name: `p${n}` })),
    },
  };
}

describe('a list that has changed', () => {
  const KINDS = [
    { list: 'tools/list', notice: 'notifications/tools/list_changed' },
    { list: 'resources/list', notice: 'notifications/resources/list_changed' },
    { list: 'resources/templates/list', notice: 'notifications/resources/list_changed' },
    { list: 'prompts/list', notice: 'notifications/prompts/list_changed' },
  ];

  test.each(KINDS)('is told to a caller that was shown it: $list', async ({ list, notice }) => {
    const opened = new MemoryDoor({ a: { scripts: [growing()] } });
    await opened.initialize();
    await opened.write(request(1, list));
    opened.taken();
    await opened.clock.advance(1_000);
    opened.transport('a').say(`{"jsonrpc":"2.0","method":"${notice}"}`);
    await opened.clock.advance(1_000);
    expect(opened.taken().map(({ method }) => method)).toEqual([notice]);
  });

  test('is told to nobody who was never shown it', async () => {
    const opened = new MemoryDoor({ a: { scripts: [growing()] } });
    await opened.initialize();
    await opened.write(request(1, 'prompts/list'));
    opened.taken();
    await opened.clock.advance(1_000);
    for (const { notice } of KINDS.slice(0, 2)) opened.transport('a').say(`{"jsonrpc":"2.0","method":"${notice}"}`);
    await opened.clock.advance(1_000);
    expect(opened.taken()).toEqual([]);
  });
});

describe('progress', () => {
  const MIB = 1024 * 1024;
  const tool: MemoryScript = { tools: [toolNamed('x')], on: { 'tools/call': () => undefined } };

  async function underWay(): Promise<{ opened: MemoryDoor; report: (progress: number) => void }> {
    const opened = new MemoryDoor({ a: { scripts: [tool] } });
    await opened.initialize();
    const params = { name: 'a__x', arguments: {}, _meta: { progressToken: 'mine' } };
    await opened.write(request(1, 'tools/call', params));
    const { id } = opened.transport('a').received('tools/call')[0]!;
    const report = (progress: number): void =>
      opened
        .transport('a')
        .say(
          `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${id},"progress":${progress}}}`,
        );
    return { opened, report };
  }

  test('is told under the token its caller gave', async () => {
    const { opened, report } = await underWay();
    report(1);
    expect(opened.taken()).toMatchObject([{ params: { progressToken: 'mine', progress: 1 } }]);
  });

  test('is not piled up before a caller that has left too much unread', async () => {
    const { opened, report } = await underWay();
    opened.isWritable = false;
    opened.unreadBytes = 8 * MIB;
    report(1);
    // It may still be read: this much is let lie.
    report(2);
    opened.unreadBytes = 8 * MIB + 1;
    report(3);
    report(4);
    report(5);
    expect(opened.taken().map(({ params }) => params?.progress)).toEqual([1, 2, 3]);
    opened.unreadBytes = 0;
    opened.drain();
    await settled();
    report(6);
    expect(opened.taken().map(({ params }) => params?.progress)).toEqual([6]);
  });
});
