import { beforeEach, expect, test } from 'vitest';
import { VirtualClock } from '../../../test/fixtures/virtual-clock.js';
import { decodeText } from '../../base/index.js';
import type { Outgoing, Transport, TransportHandlers } from '../../client/index.js';
import type { Codec } from '../../protocol/index.js';
import { UnlisteningTransport } from './unlistening-transport.js';

const RELIST_MS = 300_000;
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

interface Heard {
  readonly method: string;
  readonly params?: { readonly _meta?: Readonly<Record<string, unknown>> };
}

let clock: VirtualClock;
let sent: string[];
let abandoned: number[];
let heard: Heard[];
let transport: UnlisteningTransport;

beforeEach(async () => {
  clock = new VirtualClock();
  sent = [];
  abandoned = [];
  heard = [];
  const inner = {
    kind: 'http',
    hasStreams: true,
    backlogBytes: 7,
    open: async () => {},
    send: (_: unknown, about: Outgoing) => void sent.push(about.method ?? ''),
    abandon: (id: number) => void abandoned.push(id),
    agreed: () => {},
    listen: () => void sent.push('GET'),
    pause: () => {},
    resume: () => {},
    close: async () => {},
    tail: () => 'the end',
  } satisfies Transport;
  transport = new UnlisteningTransport({ inner, clock, relistAfterMs: RELIST_MS });
  const handlers = {
    message: (bytes: Uint8Array, start: number, end: number) =>
      void heard.push(JSON.parse(decodeText(bytes, start, end)) as Heard),
  };
  await transport.open(handlers as unknown as TransportHandlers);
});

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

test('it is what it stands before, but for listening', async () => {
  expect([transport.kind, transport.hasStreams, transport.backlogBytes, transport.tail()]).toEqual([
    'http',
    true,
    7,
    'the end',
  ]);
  expect('listen' in transport).toBe(false);
  transport.send([], { id: 1, method: 'tools/list' });
  transport.abandon(1);
  expect([sent, abandoned]).toEqual([['tools/list'], [1]]);
  await settled();
  expect(heard).toEqual([]);
});

test('changed lists are told of with the first call after a while, and then not again at once', async () => {
  transport.send([], { id: 1, method: 'tools/call' });
  await clock.advance(RELIST_MS);
  transport.send([], { id: 2, method: 'resources/read' });
  await settled();
  expect(heard).toEqual([]);
  transport.send([], { id: 3, method: 'tools/call' });
  transport.send([], { id: 4, method: 'tools/call' });
  await settled();
  expect(heard.map(({ method }) => method)).toEqual([
    'notifications/tools/list_changed',
    'notifications/resources/list_changed',
    'notifications/prompts/list_changed',
  ]);
  expect(sent).toHaveLength(4);
});

test('in the modern era it stands for the stream that is asked for, and agrees to no resource', async () => {
  transport.agreed({ era: 'modern' } as Codec);
  transport.send([], { id: 5, method: 'subscriptions/listen' });
  await settled();
  expect(sent).toEqual([]);
  expect(heard).toMatchObject([
    {
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: {}, _meta: { [SUBSCRIPTION]: 5 } },
    },
  ]);
  await clock.advance(RELIST_MS);
  transport.send([], { id: 6, method: 'tools/call' });
  await settled();
  expect(heard[1]).toMatchObject({
    method: 'notifications/tools/list_changed',
    params: { _meta: { [SUBSCRIPTION]: 5 } },
  });
  transport.abandon(5);
  expect(abandoned).toEqual([]);
  await clock.advance(RELIST_MS);
  transport.send([], { id: 7, method: 'tools/call' });
  await settled();
  expect(heard).toHaveLength(4);
});
