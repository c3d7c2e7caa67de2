/** Cases of kind `wire`: scripted upstreams and the steps of a caller. Scripts come from cases.json as they stand. */
import { describe, expect, test } from 'vitest';
import { eventsOf, type LoggedEvent, waitForEvents } from '../fixtures/events.js';
import { anyTool, namesOf, openDoor, type Rule, textOf, until, upstreamWith } from '../fixtures/open-door.js';
import { residentMb } from '../fixtures/processes.js';
import { numberTokens, rawMember } from '../fixtures/raw-json.js';
import { getCase, titleOf, upstreamsOf } from './cases.js';
import { FAILURES, UNKNOWN_TOOL, WARNINGS } from './words.js';

const rulesOf = (id: string, upstream: string) => upstreamsOf(id)[upstream]?.rules as readonly Rule[];

/** The events that a word of the cases stands for. */
function warned(events: readonly LoggedEvent[], word: string): readonly LoggedEvent[] {
  const { event, warning } = WARNINGS[word] ?? { event: '' };
  return events.filter((one) => one.name === event && (warning === undefined || one.warning === warning));
}

describe.concurrent('results', () => {
  test(titleOf('a31'), async (test) => {
    const { door } = await openDoor(test, { upstreams: upstreamsOf('a31') });
    const { message } = await door.call('u__fails', '{}');
    expect(message?.result).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'quota exhausted, retry after 60 s' }],
    });
    expect(eventsOf(door)).toEqual([]);
  });

  test(titleOf('a33'), async (test) => {
    const { door } = await openDoor(test, { upstreams: upstreamsOf('a33') });
    expect(textOf(await door.call('u__profile', '{}'))).toBe('{"level":3}');
    await waitForEvents(door, 'server.warning');
    expect(warned(eventsOf(door), 'no structuredContent')).toHaveLength(1);
    expect(eventsOf(door)).toHaveLength(1);
  });

  test(titleOf('b15'), async (test) => {
    const { door } = await openDoor(test, { upstreams: upstreamsOf('b15') });
    const wanted = getCase('b15').expect.result as {
      readonly structuredContent_json: string;
      readonly meta_json: string;
    };
    const { raw } = await door.call('u__t', '{}');
    expect(rawMember(raw, 'result', 'structuredContent')).toBe(wanted.structuredContent_json);
    expect(rawMember(raw, 'result', '_meta')).toBe(wanted.meta_json);
    expect(numberTokens(rawMember(raw, 'result') ?? '')).toEqual(
      numberTokens(wanted.structuredContent_json + wanted.meta_json),
    );
    expect(eventsOf(door)).toEqual([]);
  });

  test(titleOf('c50'), async (test) => {
    const { door } = await openDoor(test, { upstreams: upstreamsOf('c50') });
    const answer = await door.call('b__m');
    expect(textOf(answer)).toBe('keep me');
    expect(answer.message?.result?.content).toHaveLength(3);
    expect(warned(await waitForEvents(door, 'server.warning', 2), 'unknown content block')).toHaveLength(2);
  });

  test(titleOf('c35'), async (test) => {
    const { door } = await openDoor(test, {
      upstreams: upstreamsOf('c35'),
      entries: { zero: { startTimeoutMs: 700 } },
    });
    expect(textOf(await door.call('twice__a'))).toBe('one');
    expect(textOf(await door.call('unknown__b'))).toBe('right');
    const of = (word: string) => warned(eventsOf(door), word).map(({ upstream }) => upstream);
    await until(() => of('duplicate response').length > 0, 'the duplicate is told');
    await until(() => of('unknown response id').includes('unknown'), 'the unknown id is told');
    expect(of('duplicate response')).toEqual(['twice']);
    const zero = await door.call('zero__a');
    expect([FAILURES.timeout, 'UPSTREAM_UNREACHABLE']).toContain(zero.message?.error?.data?.code);
    expect(zero.message?.error?.message).toContain('zero');
  });
});

describe.concurrent('lists', () => {
  test(titleOf('c10'), async (test) => {
    const { door, folder } = await openDoor(test, { upstreams: upstreamsOf('c10') });
    const before = door.elapsedMs;
    expect(namesOf(await door.request('tools/list'))).toEqual(['p__t1', 'p__t2']);
    expect(door.elapsedMs - before).toBeLessThan(1000);
    expect(folder.received('p', 'tools/list').length).toBeLessThanOrEqual(2);
    expect(warned(await waitForEvents(door, 'server.warning'), 'pagination loop')).toHaveLength(1);
  });

  test(titleOf('c11'), async (test) => {
    const { door, folder } = await openDoor(test, { upstreams: upstreamsOf('c11') });
    expect(namesOf(await door.request('tools/list'))).toEqual(['ends__e1', 'ends__e2', 'loops__l1']);
    expect(folder.received('ends', 'tools/list').length).toBeLessThanOrEqual(2);
    expect(folder.received('loops', 'tools/list').length).toBeLessThanOrEqual(2);
  });

  test(titleOf('c12'), async (test) => {
    const setup = { upstreams: upstreamsOf('c12'), config: { limits: { pageSize: 8 } } };
    const [{ door }, other] = await Promise.all([openDoor(test, setup), openDoor(test, setup)]);
    const first = await door.request('tools/list');
    const cursor = first.message?.result?.nextCursor;
    const second = await door.request('tools/list', { cursor });
    const union = [...namesOf(first), ...namesOf(second)];
    expect(union).toHaveLength(14);
    expect(new Set(union).size).toBe(14);
    expect(second.message?.result).not.toHaveProperty('nextCursor');
    expect((await door.request('tools/list', { cursor: 'garbage' })).message?.error?.code).toBe(-32602);
    expect(namesOf(await other.door.request('tools/list', { cursor }))).toEqual(namesOf(second));
  });

  test(titleOf('c13'), async (test) => {
    // Later than the case's 200 ms: on a busy machine the first list is not asked for sooner.
    const { d: script = {} } = upstreamsOf('c13');
    const [change] = script.timeline as readonly object[];
    const d = { ...script, timeline: [{ ...change, at_ms: 1000 }] };
    const { door } = await openDoor(test, { upstreams: { d } });
    expect(namesOf(await door.request('tools/list'))).toEqual(['d__old']);
    const changed = await door.waitFor(({ message }) => message?.method === 'notifications/tools/list_changed');
    expect(namesOf(await door.request('tools/list'))).toEqual(['d__new']);
    const { message } = await door.call('d__old');
    expect(message?.error).toMatchObject({ code: UNKNOWN_TOOL.wire, data: { code: UNKNOWN_TOOL.code } });
    expect(changed.raw).toBe('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
  });

  test(titleOf('c15'), async (test) => {
    const { door } = await openDoor(test, { upstreams: upstreamsOf('c15') });
    expect(namesOf(await door.request('tools/list'))).toEqual(['n__a']);
  });
});

describe.concurrent('framing', () => {
  test(titleOf('c24'), async (test) => {
    const { door } = await openDoor(test, { upstreams: upstreamsOf('c24') });
    expect(namesOf(await door.request('tools/list'))).toEqual(['noisy__a']);
    expect(textOf(await door.call('noisy__a'))).toBe('ok');
    await waitForEvents(door, 'server.warning');
    const noise = warned(eventsOf(door), 'one rate-limited per upstream with a sample');
    expect(noise).toHaveLength(1);
    expect(JSON.stringify(noise)).toContain('Server v1.2 starting');
    expect(door.pollution()).toEqual([]);
  });

  test(titleOf('c25'), async (test) => {
    const { door } = await openDoor(test, { upstreams: upstreamsOf('c25') });
    const before = door.elapsedMs;
    expect(namesOf(await door.request('tools/list'))).toEqual(['bom__a']);
    expect(door.elapsedMs - before).toBeLessThan(1000);
  });

  test(titleOf('c28'), async (test) => {
    const { door } = await openDoor(test, { upstreams: upstreamsOf('c28') });
    const before = door.elapsedMs;
    expect(textOf(await door.call('chatty__a'))).toBe('ok');
    expect(door.elapsedMs - before).toBeLessThan(2000);
    expect(door.stderr.length).toBeLessThan(256 * 1024);
  });

  test(titleOf('c32'), { timeout: 60_000 }, async (test) => {
    const flood = {
      rules: [
        {
          on: 'tools/list',
          emit: Array.from({ length: 160 }, () => ({ generated: '1 MiB without newline', eol: '' })),
        },
      ],
    };
    const big = { rules: rulesOf('c32', 'big') };
    const intro = { rules: [...rulesOf('c32', 'huge_intro'), ...upstreamWith([anyTool('i')]).rules] };
    const { door } = await openDoor(test, { upstreams: { flood, big, huge_intro: intro } });
    const before = residentMb(door.pid);
    let peak = before;
    const sampling = setInterval(() => {
      peak = Math.max(peak, residentMb(door.pid));
    }, 20);
    test.onTestFinished(() => clearInterval(sampling));
    const answer = await door.call('big__a', undefined, 30_000);
    expect(textOf(answer)?.length).toBe(12_582_912);
    expect(namesOf(await door.request('tools/list'))).toEqual(['big__a', 'huge_intro__i']);
    await until(
      () => JSON.stringify(eventsOf(door)).includes(FAILURES.message_too_large ?? '?'),
      'the flood is named',
      8000,
    );
    expect(textOf(await door.call('huge_intro__i'))).toBe('ok');
    expect(peak - before).toBeLessThan(96);
  });

  test(titleOf('g08'), { timeout: 60_000 }, async (test) => {
    const timeFor = async (mib: number) => {
      const line = `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"${'y'.repeat(mib * 1024 * 1024)}"}]}}`;
      const u = { rules: [upstreamWith([anyTool('t')]).rules[0], { on: 'tools/call', emit: [line] }] };
      const { door } = await openDoor(test, { upstreams: { u } });
      await door.request('tools/list');
      const before = door.elapsedMs;
      const bytes = Buffer.from(
        `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"u__t","arguments":{"s":"${'x'.repeat(mib * 1024 * 1024)}"}}}\n`,
      );
      for (let start = 0; start < bytes.length; start += 4096) door.sendBytes(bytes.subarray(start, start + 4096));
      const answer = await door.answer(5, 30_000);
      expect(textOf(answer)?.length).toBe(mib * 1024 * 1024);
      return door.elapsedMs - before;
    };
    const small = await timeFor(4);
    const large = await timeFor(16);
    // A quadratic reader needs 16 times as long for 4 times as much.
    expect(large / small).toBeLessThan(8);
  });
});

describe.concurrent('the protocol', () => {
  test(titleOf('c31'), async (test) => {
    const offers = ['2026-07-28', '2025-06-18', '1999-01-01', '2025-11-25', '2025-03-26', '2024-11-05', ''];
    const replies = [];
    for (const offer of offers) {
      const { door } = await openDoor(test, { initialize: false });
      replies.push((await door.initialize({}, offer)).message?.result?.protocolVersion);
    }
    expect(replies).toEqual([
      '2025-11-25',
      '2025-06-18',
      '2025-11-25',
      '2025-11-25',
      '2025-03-26',
      '2024-11-05',
      '2025-11-25',
    ]);
  });

  test(titleOf('c43'), async (test) => {
    const { door, folder } = await openDoor(test, { upstreams: upstreamsOf('c43') });
    for (const line of getCase('c43').input.client_lines as readonly string[]) door.send(line);
    expect((await door.answer(31)).raw).toBe('{"jsonrpc":"2.0","id":31,"result":{}}');
    expect((await door.answer(32)).raw).toBe('{"jsonrpc":"2.0","id":32,"result":{}}');
    expect(textOf(await door.call('noping__a'))).toBe('ok');
    expect(folder.starts('noping')).toBe(1);
  });
});

describe.concurrent('time', () => {
  test(titleOf('c37'), async (test) => {
    // A second of the case lasts ten milliseconds here: 60 s of patience are 600 ms, progress comes every 200 ms.
    const long = { ...upstreamsOf('c37').long, time_scale: 0.01 };
    const { door, folder } = await openDoor(test, { upstreams: { long }, entries: { long: { callTimeoutMs: 600 } } });
    const [one, two] = await Promise.all([
      door.request('tools/call', { name: 'long__a', _meta: { progressToken: 'c1' } }),
      door.request('tools/call', { name: 'long__a' }),
    ]);
    expect([textOf(one), textOf(two)]).toEqual(['done', 'done']);
    const progress = door.notifications('notifications/progress').map(({ message }) => message?.params ?? {});
    expect(progress.length).toBeGreaterThan(3);
    expect(progress.every(({ progressToken }) => progressToken === 'c1')).toBe(true);
    const steps = progress.map((params) => Number(params.progress));
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    const tokens = folder
      .received('long', 'tools/call')
      .map((line) => rawMember(line, 'params', '_meta', 'progressToken'));
    expect(tokens).not.toContain(undefined);
    expect(new Set(tokens).size).toBe(2);
  });

  test(titleOf('c38'), async (test) => {
    const progress = (token: string) =>
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":1}}`;
    const emit = [progress('$TOKEN'), progress('"made-up"'), '{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}'];
    const u = { rules: [upstreamWith([anyTool('a')]).rules[0], { on: 'tools/call', emit_after_ms: 100, emit }] };
    const { door, folder } = await openDoor(test, { upstreams: { u } });
    await Promise.all([
      door.request('tools/call', { name: 'u__a', _meta: { progressToken: 'x', 't.example/id': 1 } }),
      door.request('tools/call', { name: 'u__a', _meta: { progressToken: 'x' } }),
    ]);
    const seen = door.notifications('notifications/progress').map(({ message }) => message?.params?.progressToken);
    expect(seen).toEqual(['x', 'x']);
    const meta = folder.received('u', 'tools/call').map((line) => rawMember(line, 'params', '_meta') ?? '');
    expect(new Set(meta.map((text) => rawMember(text, 'progressToken'))).size).toBe(2);
    expect(meta.map((text) => rawMember(text, 't.example/id'))).toContain('1');
    await until(
      () => warned(eventsOf(door), 'made_up_token dropped with diagnostics').length > 0,
      'the made-up token is told',
    );
  });

  test(titleOf('c40'), async (test) => {
    // A third of the case's times. The variant that answers the cancelled request with an error is a story of its own.
    const [list, call] = rulesOf('c40', 's');
    const rules = [list ?? {}, { ...call, nth: 1, emit_after_ms: 1000 }, { ...call, emit_after_ms: 100 }];
    const { door, folder } = await openDoor(test, {
      upstreams: { s: { rules } },
      entries: { s: { callTimeoutMs: 330 } },
    });
    await door.request('tools/list');
    const before = door.elapsedMs;
    const first = await door.call('s__a');
    expect(first.message?.error?.data?.code).toBe(FAILURES.timeout);
    expect(door.elapsedMs - before).toBeLessThan(900);
    await until(() => folder.received('s', 'notifications/cancelled').length === 1, 'cancelled upstream');
    await until(() => warned(eventsOf(door), 'late_response').length === 1, 'the late answer is told');
    expect(textOf(await door.call('s__a'))).toBe('late');
    expect(folder.starts('s')).toBe(1);
  });

  test(titleOf('c44'), async (test) => {
    const mixed = {
      rules: [
        upstreamWith([anyTool('slow'), anyTool('quick')]).rules[0],
        {
          on: 'tools/call',
          tool: 'slow',
          emit_after_ms: 900,
          emit: ['{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}'],
        },
        upstreamWith([]).rules[1],
      ],
    };
    const { door } = await openDoor(test, { upstreams: { ...upstreamsOf('c44'), mixed } });
    await door.request('tools/list');
    const before = door.elapsedMs;
    const calls = await Promise.all(Array.from({ length: 10 }, () => door.call('u__a')));
    expect(calls.map(textOf)).toEqual(Array.from({ length: 10 }, () => 'x'));
    expect(door.elapsedMs - before).toBeLessThan(1500);
    const slow = door.call('mixed__slow');
    const start = door.elapsedMs;
    await door.call('mixed__quick');
    expect(door.elapsedMs - start).toBeLessThan(400);
    await slow;
  });
});
