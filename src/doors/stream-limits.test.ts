/** What a stream brings with it: lines too large, readers too slow, ends, and a caller who comes before the gateway. */
import { describe, expect, test } from 'vitest';
import { call, cancel, ECHO, MemoryDoor, PATIENT, request } from '../../test/fixtures/memory-door.js';
import { SILENT } from '../../test/fixtures/memory-gateway.js';
import { settled } from '../../test/fixtures/virtual-clock.js';
import { encodeText } from '../base/index.js';

describe('size', () => {
  const LIMITS = { limits: { maxMessageBytes: 500 } };
  const long = 'x'.repeat(600);

  test.each([
    {
      id: '7',
      line: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a__x","arguments":{"s":"${long}"}}}`,
    },
    { id: '"s\\""', line: `{"params":{"id":8,"s":"${long}\\""},"jsonrpc":"2.0","method":"tools/call","id":"s\\""}` },
  ])('what is too large fails alone, by its id: $id', async ({ id, line }) => {
    const opened = new MemoryDoor(ECHO, LIMITS);
    await opened.write(line, call('next'));
    expect(opened.lines[0]).toContain(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32603,`);
    expect(opened.taken()).toMatchObject([
      { error: { data: { code: 'MESSAGE_TOO_LARGE', limit: 500 } } },
      { id: 'next', result: {} },
    ]);
    expect(opened.transport('a').received('tools/call')).toHaveLength(1);
    expect(opened.broken).toEqual([]);
  });

  test.each([
    { why: 'a word', id: 'seven' },
    { why: 'null', id: 'null' },
    { why: 'an object', id: '{"a":1}' },
    { why: 'half a string', id: '"a\\u00"' },
    { why: 'two numbers', id: '1 2' },
  ])('an id that is no id is not repeated: $why', async ({ id }) => {
    const opened = new MemoryDoor(ECHO, LIMITS);
    await opened.write(`{"jsonrpc":"2.0","method":"ping","params":{"s":"${long}"},"id":${id}}`);
    for (const { id: echoed } of opened.taken()) expect(echoed).toBeNull();
  });

  test('a large batch is answered once, though nobody knows what was in it', async () => {
    const opened = new MemoryDoor(ECHO, LIMITS);
    await opened.write(`\ufeff [ ${request(1, 'tools/call', `{"name":"a__echo","arguments":{"s":"${long}"}}`)}]`);
    const [answer, ...others] = opened.taken();
    expect(answer).toMatchObject({
      id: null,
      error: { code: -32603, data: { code: 'MESSAGE_TOO_LARGE', limit: 500 } },
    });
    expect(others).toEqual([]);
  });

  test('large notifications and answers are not answered', async () => {
    const opened = new MemoryDoor(ECHO, LIMITS);
    await opened.write(
      `{"jsonrpc":"2.0","method":"notifications/x","params":{"s":"${long}"}}`,
      `{"jsonrpc":"2.0","id":1,"result":{"s":"${long}"}}`,
    );
    expect(opened.lines).toEqual([]);
  });

  test('a flood breaks the stream, once', async () => {
    const opened = new MemoryDoor(ECHO, LIMITS);
    for (let i = 0; i < 10; i++) opened.door.push(encodeText(long));
    expect(opened.broken).toMatchObject([{ code: 'MESSAGE_TOO_LARGE' }]);
    expect(opened.taken()).toMatchObject([{ id: null, error: { data: { code: 'MESSAGE_TOO_LARGE' } } }]);
  });
});

describe('a slow caller', () => {
  test('holds back the upstreams until it has read', async () => {
    const opened = new MemoryDoor(ECHO);
    await opened.write(request(1, 'tools/list'));
    opened.isWritable = false;
    await opened.write(request(2, 'ping'), request(3, 'ping'));
    expect(opened.transport('a').paused).toBe(1);
    opened.drain();
    await settled();
    expect(opened.transport('a').paused).toBe(0);
    opened.isWritable = false;
    await opened.write(request(4, 'ping'));
    expect(opened.transport('a').paused).toBe(1);
    expect(opened.taken()).toHaveLength(4);
  });
});

describe('a caller that is slow before there is a gateway', () => {
  test('holds it back from the moment it is there, until it has read', async () => {
    const opened = new MemoryDoor(ECHO, {}, false);
    opened.isWritable = false;
    await opened.write(request(1, 'ping'), request(2, 'ping'));
    opened.attach();
    await opened.write(request('list', 'tools/list'));
    expect(opened.transport('a').paused).toBe(1);
    opened.drain();
    await settled();
    expect(opened.transport('a').paused).toBe(0);
    // Resumed once: what is written from here on changes nothing.
    await opened.write(request(3, 'ping'));
    expect(opened.transport('a').paused).toBe(0);
  });

  test('and has caught up when it comes holds back nobody', async () => {
    const opened = new MemoryDoor(ECHO, {}, false);
    opened.isWritable = false;
    await opened.write(request(1, 'ping'));
    opened.drain();
    await settled();
    opened.attach();
    await opened.gateway.listTools();
    expect(opened.transport('a').paused).toBe(0);
  });
});

describe('the end', () => {
  test('a last line without its end still counts', async () => {
    const opened = new MemoryDoor(ECHO);
    opened.door.push(encodeText(request(1, 'ping')));
    expect(opened.lines).toEqual([]);
    opened.door.end();
    expect(opened.taken()).toMatchObject([{ id: 1 }]);
  });

  test('is idle when all has been answered', async () => {
    const opened = new MemoryDoor(PATIENT);
    await opened.door.whenIdle();
    await opened.write(call(1), request(2, 'tools/list'));
    let isIdle = false;
    const idle = opened.door.whenIdle().then(() => {
      isIdle = true;
    });
    await settled();
    expect(isIdle).toBe(false);
    opened.transport('a').answer(opened.transport('a').received('tools/call')[0]!.id, {});
    await idle;
    expect(opened.taken()).toHaveLength(2);
  });

  test('cancels what is in flight and writes nothing more', async () => {
    const opened = new MemoryDoor({ ...PATIENT, b: { scripts: [SILENT] } });
    await opened.write(call(1), request(2, 'tools/list'));
    opened.door.close();
    await opened.clock.advance(10_000);
    expect(opened.transport('a').received('notifications/cancelled')).toHaveLength(1);
    opened.door.push(encodeText(`${request(3, 'ping')}\n`));
    await settled();
    expect(opened.lines).toEqual([]);
    await expect(opened.door.whenIdle()).resolves.toBeUndefined();
  });
});

describe('before there is a gateway', () => {
  test('the caller is greeted, the rest waits and is then answered in its order', async () => {
    const opened = new MemoryDoor(ECHO, {}, false);
    await opened.write(
      call(1),
      request(2, 'tools/list'),
      request(3, 'initialize', { protocolVersion: '2025-06-18' }),
      request(4, 'ping'),
      call(5),
    );
    expect(opened.taken().map(({ id }) => id)).toEqual([3, 4]);
    opened.attach();
    await settled();
    await settled();
    const ids = opened.taken().map(({ id }) => id);
    expect(new Set(ids)).toEqual(new Set([1, 2, 5]));
    expect(ids.indexOf(1)).toBeLessThan(ids.indexOf(5));
    await expect(opened.door.whenIdle()).resolves.toBeUndefined();
  });

  test('what was cancelled meanwhile never reaches it', async () => {
    const opened = new MemoryDoor(ECHO, {}, false);
    await opened.write(call(1), call(2));
    await opened.write(cancel(1));
    opened.attach();
    await settled();
    await settled();
    expect(opened.taken().map(({ id }) => id)).toEqual([2]);
    expect(opened.transport('a').received('tools/call')).toHaveLength(1);
    await expect(opened.door.whenIdle()).resolves.toBeUndefined();
  });

  test('an id means the same there however it is spelled', async () => {
    const opened = new MemoryDoor(ECHO, {}, false);
    await opened.write(call('x'), call(2));
    await opened.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\\u0078"}}');
    opened.attach();
    await settled();
    await settled();
    expect(opened.taken().map(({ id }) => id)).toEqual([2]);
    await expect(opened.door.whenIdle()).resolves.toBeUndefined();
  });

  test('a batch with something cancelled is answered all the same', async () => {
    const opened = new MemoryDoor(ECHO, {}, false);
    await opened.initialize('2025-03-26');
    await opened.write(`[${call(1)},${request(2, 'ping')}]`);
    await opened.write(cancel(1));
    expect(opened.taken()).toMatchObject([[{ id: 2 }]]);
  });

  test('what waits is idle once the door is closed', async () => {
    const opened = new MemoryDoor(ECHO, {}, false);
    await opened.write(call(1));
    opened.door.close();
    await expect(opened.door.whenIdle()).resolves.toBeUndefined();
    opened.attach();
    await settled();
    expect(opened.lines).toEqual([]);
  });
});
