/** Bytes that come cut, marked, broken or without end, from both sides: the line is found or the loss is small. */
import { describe, expect, test } from 'vitest';
import { anyTool, namesOf, openDoor, textOf, until, upstreamWith } from '../fixtures/open-door.js';

const rulesOf = (tools: readonly string[]) => upstreamWith(tools).rules;

describe.concurrent('from the caller', () => {
  test('single bytes, CRLF, a byte order mark and empty lines change nothing', async (test) => {
    const { door, folder } = await openDoor(test, { upstreams: { u: upstreamWith([anyTool('t')]) } });
    const line = Buffer.from(
      '\ufeff{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"u__t","arguments":{"s":"ž😀"}}}\r\n',
    );
    for (const byte of line) {
      door.sendBytes(Buffer.from([byte]));
      if (byte > 127) await new Promise((resolve) => setImmediate(resolve));
    }
    door.send('\r\n\n');
    expect(textOf(await door.answer(1))).toBe('ok');
    expect(folder.received('u', 'tools/call')[0]).toContain('"arguments":{"s":"ž😀"}');
    await door.request('ping');
    expect(door.lines.filter(({ message }) => message?.error)).toEqual([]);
  });

  test('many messages in one write are all answered', async (test) => {
    const { door } = await openDoor(test, { upstreams: { u: upstreamWith([anyTool('t')]) } });
    await door.request('tools/list');
    const ids = Array.from({ length: 3000 }, (_, at) => at + 1000);
    door.send(
      ids.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"u__t"}}`).join('\n'),
    );
    await Promise.all(ids.map((id) => door.answer(id)));
    expect(ids.every((id) => door.answersTo(id).length === 1)).toBe(true);
  });

  test('a message over the limit fails alone, with its id, and reaches nobody', async (test) => {
    const config = { limits: { maxMessageBytes: 65_536 } };
    const { door, folder } = await openDoor(test, { upstreams: { u: upstreamWith([anyTool('t')]) }, config });
    await door.request('tools/list');
    const big = await door.call('u__t', `{"s":"${'x'.repeat(100_000)}"}`);
    expect(big.message?.error).toMatchObject({ code: -32603, data: { code: 'MESSAGE_TOO_LARGE' } });
    expect(textOf(await door.call('u__t', `{"s":"${'x'.repeat(60_000)}"}`))).toBe('ok');
    expect(folder.received('u', 'tools/call')).toHaveLength(1);
  });
});

describe.concurrent('from an upstream', () => {
  test('noise, banners and JSON that is no message are skipped, and told once', async (test) => {
    const noise = [
      '🚀 Server starting',
      'info: hosting',
      '[db] connected {"not":"rpc"}',
      '123',
      'null',
      '[]',
      '{"jsonrpc":"2.0"}',
      '{}',
      '',
    ];
    const call = {
      on: 'tools/call',
      emit: [...noise, '{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"ok"}]}}', ...noise],
    };
    const rules = [{ on: '*before_first', emit: noise }, ...rulesOf([anyTool('t')]).slice(0, 1), call];
    const { door } = await openDoor(test, { upstreams: { noisy: { rules } } });
    expect(namesOf(await door.request('tools/list'))).toEqual(['noisy__t']);
    for (let round = 0; round < 5; round++) expect(textOf(await door.call('noisy__t'))).toBe('ok');
    await until(() => door.stderr.includes('noisy'), 'a word about the noise');
    expect(door.stderr.split('\n').filter((line) => line.includes('noisy')).length).toBeLessThan(12);
  });

  test('answers in single bytes, with BOM and CRLF, are whole again', async (test) => {
    const line = '{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"ž€😀"}]}}';
    const call = { on: 'tools/call', emit: [{ hex_prefix: 'efbbbf', line, eol: '\r\n', chunking: 1 }] };
    const { door } = await openDoor(test, {
      upstreams: { u: { rules: [...rulesOf([anyTool('t')]).slice(0, 1), call] } },
    });
    expect(textOf(await door.call('u__t'))).toBe('ž€😀');
  });

  test('a flood on stderr blocks nobody and is not kept', async (test) => {
    const rules = rulesOf([anyTool('t')]);
    const call = { ...rules[1], stderr_bytes: 5_000_000 };
    const { door } = await openDoor(test, { upstreams: { chatty: { rules: [rules[0], call] } } });
    expect(textOf(await door.call('chatty__t'))).toBe('ok');
    expect(door.stderr.length).toBeLessThan(262_144);
  });

  test('16 MiB pass, 40 MiB fail their call and nothing else', { timeout: 60_000 }, async (test) => {
    const rules = [
      upstreamWith([anyTool('m16'), anyTool('m40'), anyTool('small')]).rules[0],
      { on: 'tools/call', tool: 'm16', emit: [{ generated: 'text result of 16 MiB' }] },
      { on: 'tools/call', tool: 'm40', emit: [{ generated: 'text result of 40 MiB' }] },
      upstreamWith([]).rules[1],
    ];
    const { door, folder } = await openDoor(test, { upstreams: { u: { rules } } });
    const large = await door.call('u__m16', '{}', 30_000);
    expect(textOf(large)?.length).toBe(16 * 1024 * 1024);
    const [huge, small] = await Promise.all([door.call('u__m40', '{}', 30_000), door.call('u__small', '{}', 30_000)]);
    expect(huge.message?.error).toMatchObject({ code: -32603, data: { code: 'MESSAGE_TOO_LARGE' } });
    expect(textOf(small)).toBe('ok');
    expect(folder.starts('u')).toBe(1);
  });

  test('an answer over the limit fails its call and nothing else', async (test) => {
    const emit = ['{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"ok"}]}}'];
    const rules = [
      ...rulesOf([anyTool('big'), anyTool('small')]).slice(0, 1),
      { on: 'tools/call', tool: 'big', emit: [{ generated: 'text result of 100 KiB' }] },
      { on: 'tools/call', emit },
    ];
    const { door, folder } = await openDoor(test, {
      upstreams: { u: { rules } },
      config: { limits: { maxMessageBytes: 65_536 } },
    });
    const [big, small] = await Promise.all([door.call('u__big', '{}', 3000), door.call('u__small')]);
    expect(big.message?.error).toMatchObject({ code: -32603, data: { code: 'MESSAGE_TOO_LARGE' } });
    expect(textOf(small)).toBe('ok');
    expect(textOf(await door.call('u__small'))).toBe('ok');
    expect(folder.starts('u')).toBe(1);
  });

  test('a line without end is closed beyond four times the limit, and says so', async (test) => {
    const rules = [
      ...rulesOf([anyTool('t')]).slice(0, 1),
      {
        on: 'tools/call',
        emit: [
          { generated: '512 KiB without newline', eol: '' },
          { generated: '2 MiB without newline', eol: '' },
        ],
      },
    ];
    const { door } = await openDoor(test, {
      upstreams: { flood: { rules }, other: upstreamWith([anyTool('t')]) },
      config: { limits: { maxMessageBytes: 65_536 } },
    });
    await door.request('tools/list');
    const flooded = await door.call('flood__t', '{}', 5000);
    expect(['MESSAGE_TOO_LARGE', 'UPSTREAM_LOST', 'UPSTREAM_BROKE_PROTOCOL']).toContain(
      flooded.message?.error?.data?.code,
    );
    expect(textOf(await door.call('other__t'))).toBe('ok');
  });
});
