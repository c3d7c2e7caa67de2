/** Cases about upstreams that fail, storm, start slowly or are simply there: what the caller sees, and what it costs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { DoorError } from '../../src/base/index.js';
import type { DoorClient } from '../fixtures/door-client.js';
import { call, MemoryDoor } from '../fixtures/memory-door.js';
import { SILENT } from '../fixtures/memory-gateway.js';
import { type MemoryScript, SOME_TOOL } from '../fixtures/memory-transport.js';
import { anyTool, namesOf, openDoor, type Rule, textOf, until, upstreamWith } from '../fixtures/open-door.js';
import { cpuMs, residentMb } from '../fixtures/processes.js';
import { getCase, titleOf, upstreamsOf } from './cases.js';

const STATUS = 'doorward://status';
const LIST_CHANGED = 'notifications/tools/list_changed';

interface Advisory {
  readonly id: string;
  readonly status: string;
  readonly reason: string;
  readonly action: string;
  readonly since: string | null;
  readonly retryAtMs: number | null;
}

async function isListed(door: DoorClient): Promise<boolean> {
  const { message } = await door.request('resources/list');
  const resources = message?.result?.resources as readonly { readonly uri: string }[];
  return resources.some(({ uri }) => uri === STATUS);
}

/** What the advisory says of each upstream that is in trouble. */
async function statusOf(door: DoorClient): Promise<ReadonlyMap<string, Advisory>> {
  const { message, raw } = await door.request('resources/read', { uri: STATUS });
  const contents = message?.result?.contents as
    | readonly { readonly text: string; readonly mimeType: string }[]
    | undefined;
  if (contents === undefined) throw new Error(`no status: ${raw}`);
  expect(contents).toMatchObject([{ uri: STATUS, mimeType: 'application/json' }]);
  const { upstreams } = JSON.parse(contents[0]?.text ?? '') as { readonly upstreams: readonly Advisory[] };
  return new Map(upstreams.map((one) => [one.id, one]));
}

async function untilStatus(door: DoorClient, id: string, status: string, timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const found = await statusOf(door).catch(() => undefined);
    if (found?.get(id)?.status === status) return;
    if (performance.now() > end) throw new Error(`${id} is not ${status}: ${JSON.stringify([...(found ?? [])])}`);
    await sleep(50);
  }
}

describe.concurrent('advisories', () => {
  test(titleOf('c03'), async (test) => {
    const { slow = {}, auth = {}, dns = {} } = upstreamsOf('c03');
    const { door } = await openDoor(test, {
      upstreams: { well: upstreamWith([anyTool('a')]), slow },
      entries: { slow: { startTimeoutMs: 700 } },
      servers: {
        auth: { type: 'http', url: `http://127.0.0.1:9/${auth.http_status}` },
        dns: { type: 'http', url: dns.url },
        gone: { command: 'doorward-has-no-such-command' },
        exits: { command: 'sh', args: ['-c', 'echo "the key is missing" >&2; exit 3'] },
      },
    });
    expect(namesOf(await door.request('tools/list'))).toEqual(['well__a']);
    await untilStatus(door, 'slow', 'failed', 5_000);
    expect(await isListed(door)).toBe(true);
    const found = await statusOf(door);
    expect([...found.keys()].sort()).toEqual(['auth', 'dns', 'exits', 'gone', 'slow']);
    for (const [id, one] of found) {
      expect(one.status, id).toMatch(/^(failed|flapping)$/);
      expect(one.reason, id).toContain(id);
      expect(one.action, id).not.toBe('');
    }
    for (const id of ['slow', 'gone', 'exits']) {
      const { since, retryAtMs } = found.get(id)!;
      expect(Date.now() - Date.parse(since ?? ''), id).toBeLessThan(30_000);
      // A retry may just be due.
      expect((retryAtMs ?? 0) - Date.now(), id).toBeGreaterThan(-2_000);
      expect((retryAtMs ?? 0) - Date.now(), id).toBeLessThan(40_000);
    }
    expect(found.get('slow')?.reason).toContain('700 ms');
    expect(found.get('gone')?.reason).toContain('doorward-has-no-such-command');
    expect(found.get('exits')?.reason).toContain('the key is missing');
  });

  test(`${titleOf('c03')} (while nothing is wrong)`, async (test) => {
    const { door } = await openDoor(test, { upstreams: { well: upstreamWith([anyTool('a')]) } });
    await door.request('tools/list');
    expect(await isListed(door)).toBe(false);
  });
});

describe.concurrent('storms', () => {
  const { upstream_list_requests_max: listsMax, client_list_changed_max: changesMax } = getCase('c14')
    .expect as Readonly<Record<string, number>>;

  test(titleOf('c14'), async (test) => {
    const { door, folder } = await openDoor(test, { upstreams: upstreamsOf('c14') });
    expect(namesOf(await door.request('tools/list'))).toEqual(['d__a']);
    await sleep(3_000);
    expect(folder.received('d', 'tools/list').length).toBeGreaterThan(1);
    expect(folder.received('d', 'tools/list').length).toBeLessThanOrEqual(listsMax ?? 0);
    expect(door.notifications(LIST_CHANGED)).toEqual([]);
  });

  test(`${titleOf('c14')} (a list that does change)`, async (test) => {
    const { d = {} } = upstreamsOf('c14');
    const [list] = d.rules as readonly Rule[];
    const counted = ((list?.emit ?? []) as readonly string[]).map((line) => line.replace('"a"', '"a$COUNT"'));
    const { door, folder } = await openDoor(test, { upstreams: { d: { ...d, rules: [{ ...list, emit: counted }] } } });
    await door.request('tools/list');
    await sleep(3_000);
    const lists = folder.received('d', 'tools/list').length;
    expect(lists).toBeLessThanOrEqual(listsMax ?? 0);
    const told = door.notifications(LIST_CHANGED).length;
    expect(told).toBeGreaterThan(0);
    expect(told).toBeLessThanOrEqual(changesMax ?? 0);
    // The last change of the storm was asked for, too.
    expect(namesOf(await door.request('tools/list'))).toEqual([`d__a${lists}`]);
  });
});

describe.concurrent('restarts', () => {
  const { spawns_max_in_30s: spawnsMax = 0, status } = getCase('c19').expect as {
    readonly spawns_max_in_30s?: number;
    readonly status: string;
  };

  test(titleOf('c19'), { timeout: 40_000 }, async (test) => {
    const { door, folder } = await openDoor(test, { upstreams: upstreamsOf('c19') });
    await untilStatus(door, 'boom', status, 20_000);
    const spawned = folder.starts('boom');
    expect(spawned).toBeGreaterThan(1);
    expect(spawned).toBeLessThanOrEqual(spawnsMax);
    // A call does not start it either, while it keeps ending.
    expect((await door.call('boom__a')).message?.error?.data?.code).toBe('UPSTREAM_UNREACHABLE');
    await sleep(3_000);
    expect(folder.starts('boom')).toBe(spawned);
  });

  test(`${titleOf('c19')} (an hour of it)`, async () => {
    const boom: MemoryScript = {
      on: {
        'tools/list': ({ id }, transport) => {
          transport.answer(id, { tools: [SOME_TOOL] });
          transport.lose();
        },
      },
    };
    // Without luck: every delay is as short as it can be.
    const memory = new MemoryDoor({ boom: { scripts: [boom] } }, { random: () => 0 });
    await memory.initialize();
    await memory.clock.advance(30_000);
    expect(memory.attempts('boom').length).toBeLessThanOrEqual(spawnsMax);
    await memory.clock.advance(3_570_000);
    expect(memory.attempts('boom').length).toBeLessThan(160);
    expect(memory.attempts('boom').every(({ closed }) => closed > 0)).toBe(true);
    await memory.write(call(1, 'boom__some'));
    expect(memory.taken().find(({ id }) => id === 1)?.error?.data?.code).toBe('UPSTREAM_UNREACHABLE');
    await memory.gateway.close();
    expect(memory.clock.waiting).toBe(0);
  });
});

test(`${titleOf('c43')} (a ping that doorward sends)`, async () => {
  const noping: MemoryScript = {
    on: {
      'tools/call': () => undefined,
      ping: ({ id }) =>
        JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Unknown method: ping' } }),
    },
  };
  const memory = new MemoryDoor({ noping: { scripts: [noping] } });
  await memory.initialize();
  for (let calls = 1; calls <= 3; calls++) {
    await memory.write(call(calls, 'noping__some'));
    await memory.clock.advance(180_000);
    expect(memory.taken()).toMatchObject([{ id: calls, error: { data: { code: 'TIMEOUT' } } }]);
  }
  // It is slow with every call, but it is there: any answer to a ping says so.
  expect(memory.transport('noping').received('ping').length).toBeGreaterThan(0);
  expect(memory.attempts('noping')).toHaveLength(1);
  await memory.gateway.close();
});

describe('a call to an upstream that failed before it ever listed', () => {
  const failing: MemoryScript = {
    open: () => {
      throw new DoorError('UPSTREAM_UNREACHABLE', 'no such command');
    },
  };
  const good: MemoryScript = { on: { 'tools/call': () => ({ content: [] }) } };

  test('starts it at once', async () => {
    const memory = new MemoryDoor({ a: { scripts: [failing, good] } });
    await memory.initialize();
    expect(memory.gateway.upstreams()).toMatchObject([{ state: { kind: 'failed' } }]);
    await memory.write(call(1, 'a__some'));
    expect(memory.taken()).toMatchObject([{ id: 1, result: { content: [] } }]);
    await memory.gateway.close();
  });

  test('while it is being started again is no call to a tool that is not there', async () => {
    const memory = new MemoryDoor({ a: { scripts: [failing, SILENT], startTimeoutMs: 5_000 } });
    await memory.initialize();
    await memory.clock.advance(1_000);
    expect(memory.gateway.upstreams()).toMatchObject([{ state: { kind: 'connecting' } }]);
    await memory.write(call(1, 'a__some'));
    await memory.clock.advance(10_000);
    const [answer] = memory.taken();
    expect(answer?.error?.data?.code).not.toBe('TOOL_UNKNOWN');
    expect(answer?.error?.message).toContain('a: ');
    await memory.gateway.close();
  });
});

describe.concurrent('slow readers', () => {
  test(titleOf('c33'), { timeout: 60_000 }, async (test) => {
    // A quarter of the case's time: the door's patience with who does not read is 30 s.
    const stopMs = 5_000;
    const { rss_growth_mb_max: growthMax } = getCase('c33').expect as { readonly rss_growth_mb_max: number };
    const { door, folder } = await openDoor(test, { upstreams: upstreamsOf('c33') });
    await door.request('tools/list');
    const before = residentMb(door.pid);
    let peak = before;
    const sampling = setInterval(() => {
      peak = Math.max(peak, residentMb(door.pid));
    }, 20);
    test.onTestFinished(() => clearInterval(sampling));
    door.pauseReading();
    const answer = door.request('tools/call', { name: 'fast__a', _meta: { progressToken: 1 } }, 30_000);
    await until(() => folder.received('fast', 'tools/call').length === 1, 'the call upstream');
    await sleep(stopMs);
    expect(peak - before).toBeLessThan(growthMax);
    door.resumeReading();
    expect(textOf(await answer)).toBe('done');
    expect(peak - before).toBeLessThan(growthMax);
    const progress = door
      .notifications('notifications/progress')
      .map(({ message }) => Number(message?.params?.progress));
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
  });
});

describe.concurrent('slow starters', () => {
  test(titleOf('g07'), async (test) => {
    const { gateway_initialize_ms_max: initializeMax } = getCase('g07').expect as {
      readonly gateway_initialize_ms_max: number;
    };
    const { cold_start_s } = (getCase('g07').input as { readonly upstream: { readonly cold_start_s: number } })
      .upstream;
    const warm = upstreamWith([anyTool('a')]);
    const first = await openDoor(test, { upstreams: { npx: warm } });
    expect(namesOf(await first.door.request('tools/list'))).toEqual(['npx__a']);
    await first.door.stop();
    // A second of the case lasts fifty milliseconds here, and the patience with a silent start is less than the start.
    const hello =
      '{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"n","version":"1"}}}';
    const installing = { on: 'initialize', emit_after_s: cold_start_s, stderr_every_s: 5, emit: [hello] };
    const cold = { rules: [installing, ...warm.rules], time_scale: 0.05 };
    const before = first.folder.starts('npx');
    const { door, folder } = await openDoor(test, {
      folder: first.folder,
      upstreams: { npx: cold },
      entries: { npx: { startTimeoutMs: 1_000 } },
    });
    // The start of the process is in it, too, on a machine that is busy with other tests.
    expect(door.elapsedMs).toBeLessThan(initializeMax + 1_000);
    const asked = door.elapsedMs;
    const list = await door.request('tools/list');
    expect(door.elapsedMs - asked).toBeLessThan(initializeMax);
    expect(namesOf(list)).toEqual(['npx__a']);
    expect(list.message?.result?._meta).toMatchObject({ 'doorward/stale': ['npx'] });
    expect(textOf(await door.call('npx__a'))).toBe('ok');
    expect(folder.starts('npx') - before).toBe(1);
    expect((await door.request('tools/list')).message?.result?._meta ?? {}).not.toHaveProperty('doorward/stale');
  });
});

describe.concurrent('idle', () => {
  const { cpu_percent_max: percentMax = 1, timers_per_connection_max: timersMax = 2 } = getCase('g10')
    .expect as Readonly<Record<string, number>>;
  const OBSERVE_MS = 4_000;
  const well = upstreamWith([anyTool('a')]);
  const keepAlive = '{"jsonrpc":"2.0","id":"k","method":"ping"}';

  test(titleOf('g10'), { timeout: 60_000 }, async (test) => {
    const { door } = await openDoor(test, {
      upstreams: {
        well,
        silent: { rules: [], silent: true },
        keeping: { ...well, timeline: [{ at_ms: 100, repeat: 100, every_ms: 500, emit: [keepAlive] }] },
      },
      servers: { dead: { command: 'false' } },
    });
    await untilStatus(door, 'dead', 'flapping', 20_000);
    const before = cpuMs(door.pid);
    await sleep(OBSERVE_MS);
    expect(cpuMs(door.pid) - before).toBeLessThan((OBSERVE_MS * percentMax) / 100 + 20);
  });

  test(`${titleOf('g10')} (timers)`, async () => {
    const mounts = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`m${at}`, {}]));
    const memory = new MemoryDoor(mounts);
    await memory.initialize();
    await memory.write('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    await memory.clock.advance(60_000);
    expect(memory.clock.waiting).toBeLessThanOrEqual(10 * timersMax);
    await memory.gateway.close();
    expect(memory.clock.waiting).toBe(0);
  });
});
