import { describe, expect, test } from 'vitest';
import { call, cancel, ECHO, MemoryDoor, PATIENT, request, type Wire } from '../../test/fixtures/memory-door.js';
import { settled } from '../../test/fixtures/virtual-clock.js';

describe('batches (2025-03-26)', () => {
  const batchOf = async (opened: MemoryDoor, ...lines: readonly string[]): Promise<void> => {
    await opened.initialize('2025-03-26');
    await opened.write(`[${lines.join(',')}]`);
  };

  test('are answered in one, when the last is', async () => {
    const opened = new MemoryDoor(PATIENT);
    await batchOf(
      opened,
      call(1),
      request(2, 'ping'),
      '{"jsonrpc":"2.0","method":"notifications/x"}',
      request(3, 'no'),
      '5',
    );
    expect(opened.lines).toEqual([]);
    opened.transport('a').answer(opened.transport('a').received('tools/call')[0]!.id, { content: [] });
    await settled();
    const [answers, ...more] = opened.taken() as unknown as Wire[][];
    expect(more).toEqual([]);
    expect(new Map(answers!.map((each) => [each.id, each.error?.code ?? 'fine']))).toEqual(
      new Map<unknown, unknown>([
        [1, 'fine'],
        [2, 'fine'],
        [3, -32601],
        [null, -32600],
      ]),
    );
  });

  test('of nothing but notifications and answers are not answered', async () => {
    const opened = new MemoryDoor(ECHO);
    await batchOf(opened, '{"jsonrpc":"2.0","method":"notifications/x"}', '{"jsonrpc":"2.0","id":1,"result":{}}');
    expect(opened.lines).toEqual([]);
  });

  test('that are empty are one bad request', async () => {
    const opened = new MemoryDoor(ECHO);
    await batchOf(opened);
    expect(opened.taken()).toMatchObject([{ id: null, error: { code: -32600 } }]);
  });

  test('may not agree on another revision: initialize is refused in them', async () => {
    const opened = new MemoryDoor(ECHO);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    await batchOf(opened, request(1, 'initialize', params), request(2, 'ping'));
    expect(opened.taken()).toMatchObject([
      [
        { id: 1, error: { code: -32600 } },
        { id: 2, result: {} },
      ],
    ]);
    await opened.write(`[${request(3, 'ping')}]`);
    expect(opened.taken()).toMatchObject([[{ id: 3, result: {} }]]);
  });

  test('of more messages than anybody needs are refused as one', async () => {
    const opened = new MemoryDoor(ECHO);
    const notification = '{"jsonrpc":"2.0","method":"notifications/x"}';
    await batchOf(opened, ...Array<string>(999).fill(notification), request(1, 'ping'));
    expect(opened.taken()).toMatchObject([[{ id: 1, result: {} }]]);
    await opened.write(`[${Array<string>(1_001).fill('5').join(',')}]`);
    expect(opened.taken()).toMatchObject([{ id: null, error: { code: -32600 } }]);
  });

  test('within a batch are bad requests, each', async () => {
    const opened = new MemoryDoor(ECHO);
    await batchOf(
      opened,
      '[{"jsonrpc":"2.0","method":"notifications/x"}]',
      `[${request(1, 'ping')}]`,
      request(2, 'ping'),
    );
    expect(opened.taken()).toMatchObject([
      [
        { id: null, error: { code: -32600 } },
        { id: null, error: { code: -32600 } },
        { id: 2, result: {} },
      ],
    ]);
  });

  test('are answered without what was cancelled, or not at all when that is everything', async () => {
    const opened = new MemoryDoor(PATIENT);
    await batchOf(opened, call(1), request(2, 'ping'));
    await opened.write(cancel(1));
    expect(opened.taken()).toMatchObject([[{ id: 2, result: {} }]]);
    await opened.write(`[${call(3)},${call(4)}]`);
    await opened.write(cancel(4), cancel(3));
    expect(opened.lines).toEqual([]);
    await expect(opened.door.whenIdle()).resolves.toBeUndefined();
  });
});
