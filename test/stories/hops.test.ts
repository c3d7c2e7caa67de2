/** What travels beside a call: progress, cancellation, deadlines, pings. Each is mapped per hop and keeps its type. */
import { describe, expect, test } from 'vitest';
import { anyTool, openDoor, textOf, until, upstreamWith } from '../fixtures/open-door.js';
import { rawMember } from '../fixtures/raw-json.js';

const OK = '{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"done"}]}}';
const LIST = upstreamWith([anyTool('t')]).rules[0];
const progressOf = (token: string, n: number, more = '') =>
  `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":${n}${more}}}`;

describe.concurrent('progress', () => {
  const emit = [
    progressOf('$TOKEN', 1, ',"total":2.0,"message":"h\\u0061lf"'),
    progressOf('"made-up"', 9),
    progressOf('$TOKEN', 2),
    OK,
  ];
  const reporting = { rules: [LIST, { on: 'tools/call', emit }] };

  test('reaches the caller under its own token, unchanged, whatever the token', async (test) => {
    const { door } = await openDoor(test, { upstreams: { u: reporting } });
    for (const [at, token] of ['"x"', '7', '0', '""', '"12"', '9007199254740993', '"\\u0041"'].entries()) {
      const before = door.notifications().length;
      const params = `{"name":"u__t","_meta":{"progressToken":${token},"a.b/c":1.0}}`;
      door.send(`{"jsonrpc":"2.0","id":${at},"method":"tools/call","params":${params}}`);
      await door.answer(at);
      const seen = door
        .notifications('notifications/progress')
        .slice(before)
        .map(({ raw }) => raw);
      expect(seen.map((raw) => rawMember(raw, 'params', 'progressToken'))).toEqual([token, token]);
      expect(rawMember(seen[0] ?? '', 'params', 'total')).toBe('2.0');
      expect(rawMember(seen[0] ?? '', 'params', 'message')).toBe('"h\\u0061lf"');
    }
  });

  test('comes before the answer it belongs to', async (test) => {
    const { door } = await openDoor(test, { upstreams: { u: reporting } });
    await door.request('tools/call', { name: 'u__t', _meta: { progressToken: 'p' } });
    const kinds = door.lines.slice(-3).map(({ message }) => message?.method ?? 'answer');
    expect(kinds).toEqual(['notifications/progress', 'notifications/progress', 'answer']);
  });

  test('is not shown to a caller who gave no token, though the upstream was given one', async (test) => {
    const { door, folder } = await openDoor(test, { upstreams: { u: reporting } });
    expect(textOf(await door.call('u__t'))).toBe('done');
    expect(door.notifications('notifications/progress')).toEqual([]);
    expect(rawMember(folder.received('u', 'tools/call')[0] ?? '', 'params', '_meta', 'progressToken')).toBeDefined();
  });

  test('of two calls with the same token is told apart upstream; foreign _meta stays', async (test) => {
    const { door, folder } = await openDoor(test, {
      upstreams: { u: { rules: [LIST, { on: 'tools/call', emit_after_ms: 200, emit }] } },
    });
    const params = { name: 'u__t', _meta: { progressToken: 'x', 't.example/id': 1 } };
    await Promise.all([door.request('tools/call', params), door.request('tools/call', params)]);
    const sent = folder.received('u', 'tools/call');
    const tokens = sent.map((line) => rawMember(line, 'params', '_meta', 'progressToken'));
    expect(new Set(tokens).size).toBe(2);
    expect(sent.map((line) => rawMember(line, 'params', '_meta', 't.example/id'))).toEqual(['1', '1']);
    expect(door.notifications('notifications/progress')).toHaveLength(4);
  });

  test('after the answer is dropped', async (test) => {
    const late = { rules: [LIST, { on: 'tools/call', emit: [OK, { line: progressOf('$TOKEN', 5), after_ms: 50 }] }] };
    const { door } = await openDoor(test, { upstreams: { u: late } });
    await door.request('tools/call', { name: 'u__t', _meta: { progressToken: 'p' } });
    await new Promise((resolve) => setTimeout(resolve, 150));
    await door.request('ping');
    expect(door.notifications('notifications/progress')).toEqual([]);
  });
});

describe.concurrent('cancelling', () => {
  const hanging = { rules: [LIST, { on: 'tools/call', emit: [] }] };

  test.for([5, 'five'])('a call with id %s cancels it upstream under the id it has there', async (id, test) => {
    const { door, folder } = await openDoor(test, { upstreams: { u: hanging } });
    await door.request('tools/list');
    door.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'u__t' } }));
    await until(() => folder.received('u', 'tools/call').length === 1, 'the call upstream');
    door.notify('notifications/cancelled', { requestId: id, reason: 'changed my mind' });
    await until(() => folder.received('u', 'notifications/cancelled').length === 1, 'the cancel upstream');
    const upstreamId = rawMember(folder.received('u', 'tools/call')[0] ?? '', 'id');
    expect(rawMember(folder.received('u', 'notifications/cancelled')[0] ?? '', 'params', 'requestId')).toBe(upstreamId);
    await door.request('ping');
    expect(door.answersTo(id)).toEqual([]);
  });

  test('an id of the other type, an unknown one or none at all ends nothing', async (test) => {
    const { door, folder } = await openDoor(test, {
      upstreams: { u: { rules: [LIST, { on: 'tools/call', emit_after_ms: 300, emit: [OK] }] } },
    });
    await door.request('tools/list');
    door.send('{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"u__t"}}');
    for (const params of [{ requestId: '5' }, { requestId: 6 }, {}, { requestId: null }])
      door.notify('notifications/cancelled', params);
    expect(textOf(await door.answer(5))).toBe('done');
    expect(folder.received('u', 'notifications/cancelled')).toEqual([]);
  });

  test('a call before it left cancels it too: the upstream never sees it', async (test) => {
    const slow = {
      rules: [
        { ...LIST, emit_after_ms: 400 },
        { on: 'tools/call', emit: [OK] },
      ],
    };
    const { door, folder } = await openDoor(test, { upstreams: { u: slow } });
    door.send('{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"u__t"}}');
    door.notify('notifications/cancelled', { requestId: 5 });
    expect(textOf(await door.call('u__t'))).toBe('done');
    expect(folder.received('u', 'tools/call')).toHaveLength(1);
    expect(door.answersTo(5)).toEqual([]);
  });

  test('an answer that comes all the same is swallowed, also an error with code 0', async (test) => {
    const stubborn = { ...hanging, cancelled: ['{"jsonrpc":"2.0","id":$ID,"error":{"code":0,"message":"cancelled"}}'] };
    const { door, folder } = await openDoor(test, { upstreams: { u: stubborn } });
    await door.request('tools/list');
    door.send('{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"u__t"}}');
    await until(() => folder.received('u', 'tools/call').length === 1, 'the call upstream');
    door.notify('notifications/cancelled', { requestId: 5 });
    await until(() => folder.received('u', 'notifications/cancelled').length === 1, 'the cancel upstream');
    await door.request('ping');
    await door.request('tools/list');
    expect(door.answersTo(5)).toEqual([]);
    expect(folder.starts('u')).toBe(1);
  });
});

describe.concurrent('deadlines', () => {
  test("a call past its time is one TIMEOUT, cancelled upstream; the late answer is nobody's", async (test) => {
    const rules = [
      LIST,
      { on: 'tools/call', nth: 1, emit_after_ms: 900, emit: [OK.replace('done', 'late')] },
      { on: 'tools/call', emit: [OK] },
    ];
    const { door, folder } = await openDoor(test, {
      upstreams: { s: { rules } },
      entries: { s: { callTimeoutMs: 300 } },
    });
    await door.request('tools/list');
    const before = door.elapsedMs;
    const late = await door.call('s__t');
    expect(late.message?.error).toMatchObject({ code: -32603, data: { code: 'TIMEOUT', outcome: 'unknown' } });
    expect(door.elapsedMs - before).toBeGreaterThan(280);
    expect(door.elapsedMs - before).toBeLessThan(800);
    await until(() => folder.received('s', 'notifications/cancelled').length === 1, 'the cancel upstream');
    expect(textOf(await door.call('s__t'))).toBe('done');
    await new Promise((resolve) => setTimeout(resolve, 700));
    await door.request('ping');
    expect(door.answersTo(late.message?.id)).toHaveLength(1);
    expect(folder.starts('s')).toBe(1);
  });

  test('progress extends the time, with and without a token of the caller', async (test) => {
    const call = { on: 'tools/call', progress_every_s: 0.15, emit_after_s: 1, emit: [OK] };
    const { door } = await openDoor(test, {
      upstreams: { u: { rules: [LIST, call] } },
      entries: { u: { callTimeoutMs: 400 } },
    });
    const params = { name: 'u__t', _meta: { progressToken: 'c1' } };
    const [withToken, without] = await Promise.all([door.request('tools/call', params), door.call('u__t')]);
    expect([textOf(withToken), textOf(without)]).toEqual(['done', 'done']);
  });

  test('endless progress ends at the cap', async (test) => {
    const call = { on: 'tools/call', progress_every_s: 0.1, emit_after_s: 5, emit: [OK] };
    const { door, folder } = await openDoor(test, {
      upstreams: { u: { rules: [LIST, call] } },
      entries: { u: { callTimeoutMs: 400 } },
      config: { limits: { maxCallMs: 1000 } },
    });
    const before = door.elapsedMs;
    const { message } = await door.call('u__t');
    expect(message?.error?.data).toMatchObject({ code: 'TIMEOUT' });
    expect(door.elapsedMs - before).toBeLessThan(2500);
    await until(() => folder.received('u', 'notifications/cancelled').length === 1, 'the cancel upstream');
  });
});

describe.concurrent('requests of an upstream', () => {
  /** One tool a request: calling it makes the upstream send the request first, and answer a little later. */
  const asking = (requests: readonly string[]) => {
    const list = upstreamWith(requests.map((_, at) => anyTool(`t${at}`))).rules[0];
    const rules = requests.map((request, at) => ({
      on: 'tools/call',
      tool: `t${at}`,
      emit: [request, { line: OK, after_ms: 150 }],
    }));
    return { rules: [list, ...rules] };
  };

  test('ping is answered by the door, under the id it came with', async (test) => {
    const ids = ['"up-1"', '0', '12345678901234567890', '""', '"\\u0041"'];
    const u = asking(ids.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`));
    const { door, folder } = await openDoor(test, { upstreams: { u } });
    await Promise.all(ids.map((_, at) => door.call(`u__t${at}`)));
    const answers = folder.received('u').filter((line) => rawMember(line, 'result') === '{}');
    expect(answers.map((line) => rawMember(line, 'id')).sort()).toEqual([...ids].sort());
  });

  test('what nobody offered is refused at once', async (test) => {
    const methods = ['roots/list', 'sampling/createMessage', 'elicitation/create', 'no/such'];
    const u = asking(methods.map((method, at) => `{"jsonrpc":"2.0","id":"q${at}","method":"${method}","params":{}}`));
    const { door, folder } = await openDoor(test, { upstreams: { u } });
    const answers = await Promise.all(methods.map((_, at) => door.call(`u__t${at}`)));
    expect(answers.map(textOf)).toEqual(methods.map(() => 'done'));
    const offered = rawMember(folder.received('u', 'initialize')[0] ?? '', 'params', 'capabilities') ?? '';
    expect(offered).not.toMatch(/roots|sampling|elicitation/);
    for (const at of methods.keys()) {
      const answer = folder.received('u').find((line) => rawMember(line, 'id') === `"q${at}"`) ?? '';
      expect(rawMember(answer, 'error', 'code'), methods[at]).toBe('-32601');
    }
  });
});

describe.concurrent('many calls at once', () => {
  test('to one upstream run side by side: ten of 300 ms take 300 ms', async (test) => {
    const { door } = await openDoor(test, {
      upstreams: { u: { rules: [LIST, { on: 'tools/call', emit_after_ms: 300, emit: [OK] }] } },
    });
    await door.request('tools/list');
    const before = door.elapsedMs;
    await Promise.all(Array.from({ length: 10 }, () => door.call('u__t')));
    expect(door.elapsedMs - before).toBeLessThan(1200);
  });

  test('beyond maxInFlight are BUSY at once, with the limit', async (test) => {
    const { door, folder } = await openDoor(test, {
      upstreams: { u: { rules: [LIST, { on: 'tools/call', emit_after_ms: 300, emit: [OK] }] } },
      config: { limits: { maxInFlight: 2 } },
    });
    await door.request('tools/list');
    const answers = await Promise.all([1, 2, 3, 4].map(() => door.call('u__t')));
    const codes = answers.map(({ message }) => message?.error?.data?.code ?? 'ok').sort();
    expect(codes).toEqual(['BUSY', 'BUSY', 'ok', 'ok']);
    expect(JSON.stringify(answers.find(({ message }) => message?.error)?.message?.error)).toContain('2');
    expect(folder.received('u', 'tools/call')).toHaveLength(2);
  });
});
