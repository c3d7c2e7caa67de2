/** What the door says to lines that are no proper request: an answer wherever one can be given, never silence. */
import { describe, expect, test } from 'vitest';
import type { DoorClient, Received } from '../fixtures/door-client.js';
import { anyTool, openDoor, textOf, until, upstreamWith } from '../fixtures/open-door.js';

const UPSTREAMS = { u: upstreamWith([anyTool('a')]) };

/** Sends a line and a ping after it. @returns what came before the ping's answer */
async function answersTo(door: DoorClient, line: string | Uint8Array): Promise<Received[]> {
  const from = door.lines.length;
  if (typeof line === 'string') door.send(line);
  else door.sendBytes(line);
  const pong = await door.request('ping');
  return door.lines.slice(from, door.lines.indexOf(pong));
}

const bytes = (...parts: readonly (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

describe('lines that are no JSON are answered -32700 with id null', () => {
  const MALFORMED = [
    { why: 'plain words', line: 'hello' },
    { why: 'cut off', line: '{"jsonrpc":"2.0","id":1,"method":"ping"' },
    { why: 'a comma too many', line: '{"jsonrpc":"2.0","id":1,"method":"ping",}' },
    { why: 'single quotes', line: "{'jsonrpc':'2.0','id':1,'method':'ping'}" },
    {
      why: 'a leading zero deep inside',
      line: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"u__a","arguments":{"a":[{"b":01}]}}}',
    },
    {
      why: 'NaN in arguments',
      line: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"u__a","arguments":{"a":NaN}}}',
    },
    {
      why: 'an unknown escape',
      line: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"u__a","arguments":{"a":"\\x"}}}',
    },
    {
      why: 'a raw tab in a string',
      line: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"u__a","arguments":{"a":"\t"}}}',
    },
    {
      why: 'two values on a line',
      line: '{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}',
    },
    {
      why: 'bytes that are no UTF-8',
      line: bytes(
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"u__a","arguments":{"a":"',
        [0xc3, 0x28],
        '"}}}\n',
      ),
    },
    {
      why: 'an encoded surrogate',
      line: bytes(
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"u__a","arguments":{"a":"',
        [0xed, 0xa0, 0x80],
        '"}}}\n',
      ),
    },
    {
      why: 'an overlong slash',
      line: bytes('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"', [0xc0, 0xaf], '"}}\n'),
    },
  ];
  test('each of them, and none reaches an upstream', async (test) => {
    const { door, folder } = await openDoor(test, { upstreams: UPSTREAMS });
    await door.request('tools/list');
    for (const { why, line } of MALFORMED) {
      const answers = await answersTo(door, line);
      expect
        .soft(
          answers.map(({ message }) => [message?.id, message?.error?.code]),
          why,
        )
        .toEqual([[null, -32700]]);
    }
    expect(folder.received('u', 'tools/call')).toEqual([]);
  });
});

describe('envelopes that are no request are answered -32600, with the id where it could be read', () => {
  const BAD = [
    { why: 'no jsonrpc', line: '{"id":1,"method":"ping"}', id: 1 },
    { why: 'another version', line: '{"jsonrpc":"1.0","id":"x","method":"ping"}', id: 'x' },
    { why: 'version as a number', line: '{"jsonrpc":2.0,"id":2,"method":"ping"}', id: 2 },
    { why: 'method is no string', line: '{"jsonrpc":"2.0","id":3,"method":7}', id: 3 },
    { why: 'method is null', line: '{"jsonrpc":"2.0","id":3,"method":null}', id: 3 },
    { why: 'neither method nor result', line: '{"jsonrpc":"2.0","id":4}', id: 4 },
    { why: 'params is a string', line: '{"jsonrpc":"2.0","id":6,"method":"ping","params":"x"}', id: 6 },
    { why: 'params is an array', line: '{"jsonrpc":"2.0","id":6,"method":"tools/list","params":[1]}', id: 6 },
    { why: 'id null', line: '{"jsonrpc":"2.0","id":null,"method":"ping"}', id: null },
    { why: 'fractional id', line: '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', id: [1.5, null] },
    { why: 'id true', line: '{"jsonrpc":"2.0","id":true,"method":"ping"}', id: null },
    { why: 'id is an object', line: '{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', id: null },
    { why: 'id is an array', line: '{"jsonrpc":"2.0","id":[1],"method":"ping"}', id: null },
    { why: 'id twice', line: '{"jsonrpc":"2.0","id":8,"id":9,"method":"ping"}', id: [8, 9, null] },
    { why: 'method twice', line: '{"jsonrpc":"2.0","id":10,"method":"ping","method":"tools/list"}', id: 10 },
    { why: 'params twice', line: '{"jsonrpc":"2.0","id":11,"method":"ping","params":{},"params":{}}', id: 11 },
    { why: 'a number', line: '123', id: null },
    { why: 'null', line: 'null', id: null },
    { why: 'a string', line: '"ping"', id: null },
    { why: 'an empty batch', line: '[]', id: null },
    { why: 'a batch (gone since 2025-06-18)', line: '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', id: null },
  ];
  test('each of them', async (test) => {
    const { door } = await openDoor(test, { upstreams: UPSTREAMS });
    for (const { why, line, id } of BAD) {
      const answers = await answersTo(door, line);
      expect
        .soft(
          answers.map(({ message }) => message?.error?.code),
          why,
        )
        .toEqual([-32600]);
      const allowed: readonly unknown[] = Array.isArray(id) ? id : [id];
      expect.soft(allowed, why).toContain(answers[0]?.message?.id);
    }
    expect(textOf(await door.call('u__a'))).toBe('ok');
  });
});

describe('ids', () => {
  const KEPT = [
    '0',
    '-7',
    '9007199254740991',
    '"abc"',
    '""',
    '"1"',
    '"\\u0041\\ud83d\\ude00"',
    '"ž€😀"',
    `"${'x'.repeat(300)}"`,
  ];
  test('of every legal kind come back as they were written', async (test) => {
    const { door } = await openDoor(test, { upstreams: UPSTREAMS });
    for (const id of KEPT) {
      const answers = await answersTo(
        door,
        `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"u__a"}}`,
      );
      const late = answers[0] ?? (await door.answer(JSON.parse(id)));
      expect(late.message?.id, id).toBe(JSON.parse(id));
      expect(late.message?.result, id).toBeDefined();
    }
  });

  test('that no double can hold are answered, digits and all', async (test) => {
    const { door } = await openDoor(test, { upstreams: UPSTREAMS });
    for (const id of ['9007199254740993', '12345678901234567890', '-9007199254740995', '1e400']) {
      const answers = await answersTo(door, `{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
      expect(answers, id).toHaveLength(1);
      const raw = answers[0]?.raw ?? '';
      expect(raw.includes(`"id":${id}`) || raw.includes('"id":null'), raw).toBe(true);
    }
  });

  test('used twice at once lose no request: each gets an answer', async (test) => {
    const { door } = await openDoor(test, { upstreams: UPSTREAMS });
    await door.request('tools/list');
    for (let times = 0; times < 3; times++) {
      door.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"u__a"}}');
    }
    await until(() => door.answersTo(1).length === 3, 'three answers');
    await door.request('ping');
    expect(door.answersTo(1)).toHaveLength(3);
  });

  test('that are equal as text but not in type get an answer each', async (test) => {
    const { door } = await openDoor(test, { upstreams: UPSTREAMS });
    await door.request('tools/list');
    door.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"u__a"}}');
    door.send('{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"u__a"}}');
    expect(textOf(await door.answer(1))).toBe('ok');
    expect(textOf(await door.answer('1'))).toBe('ok');
  });
});

describe('requests', () => {
  test('of an unknown method are -32601; unknown notifications and stray answers get nothing', async (test) => {
    const { door } = await openDoor(test, { upstreams: UPSTREAMS });
    expect((await door.request('no/such')).message?.error?.code).toBe(-32601);
    expect(await answersTo(door, '{"jsonrpc":"2.0","method":"notifications/no-such"}')).toEqual([]);
    expect(await answersTo(door, '{"jsonrpc":"2.0","id":77,"result":{}}')).toEqual([]);
    expect(await answersTo(door, '{"jsonrpc":"2.0","id":78,"error":{"code":1,"message":"m"}}')).toEqual([]);
  });

  test('ping is answered with and without params', async (test) => {
    const { door } = await openDoor(test, { upstreams: UPSTREAMS });
    for (const [at, params] of ['', ',"params":null', ',"params":{}', ',"params":{"_meta":{"a":1}}'].entries()) {
      door.send(`{"jsonrpc":"2.0","id":${at},"method":"ping"${params}}`);
      expect((await door.answer(at)).raw).toBe(`{"jsonrpc":"2.0","id":${at},"result":{}}`);
    }
  });

  test('members in another order, unknown members and odd spacing are no reason to refuse', async (test) => {
    const { door } = await openDoor(test, { upstreams: UPSTREAMS });
    const line =
      '\t{ "x": [1,{"id":5}], "params" : { "_meta":{}, "arguments" : {} , "name":"u__a" } ,"method"\t:"tools/call", "id" : 41,"jsonrpc":"2.0" } ';
    door.send(line);
    expect(textOf(await door.answer(41))).toBe('ok');
  });

  test('escaped member names are the same names', async (test) => {
    const { door } = await openDoor(test, { upstreams: UPSTREAMS });
    door.send('{"jsonrpc":"2.0","\\u0069d":51,"meth\\u006fd":"tools/call","params":{"n\\u0061me":"u__a"}}');
    expect(textOf(await door.answer(51))).toBe('ok');
    const twice = await answersTo(door, '{"jsonrpc":"2.0","id":52,"\\u0069d":53,"method":"ping"}');
    expect(twice.map(({ message }) => message?.error?.code)).toEqual([-32600]);
  });

  test('tools/call without a usable name is -32602 and reaches nobody', async (test) => {
    const { door, folder } = await openDoor(test, { upstreams: UPSTREAMS });
    await door.request('tools/list');
    const unusable = [
      '{}',
      '{"name":null}',
      '{"name":7}',
      '{"name":""}',
      '{"name":"nope"}',
      '{"name":"a"}',
      '{"name":"u__a","name":"u__a"}',
    ];
    for (const [at, params] of unusable.entries()) {
      door.send(`{"jsonrpc":"2.0","id":${100 + at},"method":"tools/call","params":${params}}`);
      expect([-32600, -32602], params).toContain((await door.answer(100 + at)).message?.error?.code);
    }
    expect(folder.received('u', 'tools/call')).toEqual([]);
  });

  test('before initialize: ping is answered, and a client in a hurry is not left hanging', async (test) => {
    const { door } = await openDoor(test, { upstreams: UPSTREAMS, initialize: false });
    expect((await door.request('ping')).message?.result).toEqual({});
    const early = await door.request('tools/list');
    expect(early.message?.result ?? early.message?.error).toBeDefined();
  });
});
