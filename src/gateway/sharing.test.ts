/** Upstreams of the 2026 era are told with each request whose it is: one connection serves all callers. */
import { describe, expect, test } from 'vitest';
import { MemoryGateway, paramsOf, toolNamed } from '../../test/fixtures/memory-gateway.js';
import { modernScript, onSubscription } from '../../test/fixtures/modern-script.js';
import { settled } from '../../test/fixtures/virtual-clock.js';
import type { Caller, CallerCapabilities } from '../base/index.js';

const ASKS: CallerCapabilities = { elicitation: '{}' };

interface Heard extends Caller {
  readonly told: string[];
}

function caller(id: string, capabilities: CallerCapabilities = ASKS, takesRequests = false): Heard {
  const told: string[] = [];
  return {
    principal: { id, kind: 'token' },
    door: 'test',
    capabilities,
    takesRequests,
    program: 'p',
    told,
    ask: () => new Promise(() => {}),
    tell: (method) => void told.push(method),
  };
}

const resources = { resources: { subscribe: true, listChanged: true }, tools: { listChanged: true } };

async function started(): Promise<MemoryGateway> {
  const opened = new MemoryGateway({
    new: {
      era: 'auto',
      scripts: [
        modernScript({
          capabilities: resources,
          tools: [toolNamed('x')],
          on: {
            'tools/call': () => ({ resultType: 'complete', content: [] }),
            'resources/list': () => ({ resultType: 'complete', resources: [{ uri: 'a://b', name: 'r' }] }),
            'resources/templates/list': () => ({ resultType: 'complete', resourceTemplates: [] }),
          },
        }),
      ],
    },
    old: { scripts: [{ on: { 'tools/call': () => ({ content: [] }) } }] },
  });
  opened.gateway.start();
  await settled();
  await opened.clock.advance(100);
  return opened;
}

const call = (opened: MemoryGateway, by: Caller, name = 'new__x'): Promise<unknown> =>
  opened.gateway.viewOf(by).call(paramsOf(name), { principal: by.principal, caller: by });

describe('callers who can be asked', () => {
  test('share an upstream of the 2026 era, and have one of the era before each for themselves', async () => {
    const opened = await started();
    for (const id of ['a', 'b', 'c']) {
      await call(opened, caller(id));
      await call(opened, caller(id), 'old__some');
    }
    expect(opened.attempts('new')).toHaveLength(1);
    // The one that nobody can be asked through is that of all who declare nothing.
    expect(opened.attempts('old')).toHaveLength(4);
  });

  test('are each shown to it with what they declare', async () => {
    const opened = await started();
    await call(opened, caller('a'));
    await call(opened, caller('b', { sampling: '{}' }));
    const declared = opened
      .transport('new')
      .received('tools/call')
      .map(({ params }) => (params!._meta as Record<string, unknown>)['io.modelcontextprotocol/clientCapabilities']);
    expect(declared).toEqual([{ elicitation: {} }, { sampling: {} }]);
  });

  test('in a session too', async () => {
    const opened = await started();
    const session = opened.gateway.admit(caller('a', ASKS, true));
    session.start();
    await session.call(paramsOf('new__x'), { principal: { id: 'a', kind: 'token' } });
    expect(opened.attempts('new')).toHaveLength(1);
    await session.close();
    expect(opened.transport('new').closed).toBe(0);
    await call(opened, caller('b'));
  });

  test('one that leaves takes away what it alone wanted to hear of, and nothing else', async () => {
    const opened = await started();
    const [a, b] = [caller('a', ASKS, true), caller('b', ASKS, true)];
    const [left, stays] = [opened.gateway.admit(a), opened.gateway.admit(b)];
    for (const [view, by] of [
      [left, a],
      [stays, b],
    ] as const) {
      view.start();
      expect(await view.watchResource('a://b', { principal: by.principal })).toBe(true);
    }
    await left.close();
    const listen = opened.transport('new').received('subscriptions/listen').at(-1)!;
    opened.transport('new').say(onSubscription(listen.id, 'notifications/resources/updated', { uri: 'a://b' }));
    await settled();
    expect(a.told).toEqual([]);
    expect(b.told).toEqual(['notifications/resources/updated']);
    await stays.close();
    await opened.clock.advance(1_000);
    const last = opened.transport('new').received('subscriptions/listen').at(-1)!;
    expect(last.params?.notifications).not.toHaveProperty('resourceSubscriptions');
  });
});

test('an upstream that is to be isolated is shared by nobody, whatever its era', async () => {
  const opened = new MemoryGateway({ new: { era: 'auto', isolation: 'caller', scripts: [modernScript()] } });
  opened.gateway.start();
  await opened.clock.advance(100);
  for (const id of ['a', 'b']) {
    await opened.gateway.viewOf(caller(id)).listTools();
  }
  expect(opened.attempts('new')).toHaveLength(3);
});

test('what one upstream logs about no call in particular is told to nobody once it serves strangers', async () => {
  const opened = await started();
  const session = caller('a', {}, true);
  const view = opened.gateway.admit(session);
  view.start();
  const log = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}';
  opened.transport('new').say(log);
  await settled();
  expect(session.told).toEqual(['notifications/message']);
  await call(opened, caller('b'));
  opened.transport('new').say(log);
  await settled();
  expect(session.told).toHaveLength(1);
});
