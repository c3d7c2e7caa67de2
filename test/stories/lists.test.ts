/** What tools/list says: pages, changes, duplicate and odd definitions. */
import { describe, expect, test } from 'vitest';
import type { DoorClient } from '../fixtures/door-client.js';
import { waitForEvents } from '../fixtures/events.js';
import { anyTool, namesOf, openDoor, upstreamWith } from '../fixtures/open-door.js';

const FOURTEEN = upstreamWith(Array.from({ length: 14 }, (_, at) => anyTool(`t${at}`)));

/** Follows nextCursor to the end. @returns the names, a list a page */
async function allPages(door: DoorClient): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: unknown; pages.length < 20; ) {
    const page = await door.request('tools/list', cursor === undefined ? {} : { cursor });
    pages.push(namesOf(page));
    cursor = page.message?.result?.nextCursor;
    if (cursor === undefined) return pages;
  }
  throw new Error('the pages do not end');
}

describe.concurrent('pages', () => {
  test('of pageSize tools hold every tool once, and the last has no cursor', async (test) => {
    const { door } = await openDoor(test, { upstreams: { p: FOURTEEN }, config: { limits: { pageSize: 5 } } });
    const pages = await allPages(door);
    expect(pages.map((page) => page.length)).toEqual([5, 5, 4]);
    expect(new Set(pages.flat()).size).toBe(14);
  });

  test('without pageSize there is one', async (test) => {
    const { door } = await openDoor(test, { upstreams: { p: FOURTEEN } });
    expect((await allPages(door)).map((page) => page.length)).toEqual([14]);
  });

  test('a page that is just full is the last one', async (test) => {
    const { door } = await openDoor(test, { upstreams: { p: FOURTEEN }, config: { limits: { pageSize: 7 } } });
    expect((await allPages(door)).map((page) => page.length)).toEqual([7, 7]);
  });

  test('a cursor nobody gave is -32602, whatever it is', async (test) => {
    const { door } = await openDoor(test, { upstreams: { p: FOURTEEN }, config: { limits: { pageSize: 5 } } });
    await door.request('tools/list');
    for (const cursor of ['garbage', '', '-1', '999999', 'MA==', 7, {}, [], true]) {
      const { message } = await door.request('tools/list', { cursor });
      expect(message?.error?.code, JSON.stringify(cursor)).toBe(-32602);
    }
    expect(namesOf(await door.request('tools/list', { cursor: null }))).toHaveLength(5);
  });

  test('a cursor holds in another process with the same config', async (test) => {
    const setup = { upstreams: { p: FOURTEEN }, config: { limits: { pageSize: 8 } } };
    const [one, two] = await Promise.all([openDoor(test, setup), openDoor(test, setup)]);
    const cursor = (await one.door.request('tools/list')).message?.result?.nextCursor;
    expect(namesOf(await two.door.request('tools/list', { cursor }))).toHaveLength(6);
  });
});

describe.concurrent('an upstream whose list goes on', () => {
  const page = (tools: readonly string[], next?: string) =>
    `{"jsonrpc":"2.0","id":$ID,"result":{"tools":[${tools.join(',')}]${next === undefined ? '' : `,"nextCursor":${next}`}}}`;

  test('is followed to its end, whatever the cursor looks like', async (test) => {
    const rules = [
      { on: 'tools/list', cursor: null, emit: [page([anyTool('a')], '"\\u0000 x\\"y"')] },
      { on: 'tools/list', cursor: '\u0000 x"y', emit: [page([anyTool('b')], '""')] },
      { on: 'tools/list', cursor: '', emit: [page([anyTool('c')], 'null')] },
    ];
    const { door, folder } = await openDoor(test, { upstreams: { p: { rules } } });
    expect(namesOf(await door.request('tools/list'))).toEqual(['p__a', 'p__b', 'p__c']);
    expect(folder.received('p', 'tools/list')).toHaveLength(3);
  });

  test('in a ring of two cursors is stopped, its tools counted once', async (test) => {
    const rules = [
      { on: 'tools/list', cursor: null, emit: [page([anyTool('a')], '"1"')] },
      { on: 'tools/list', cursor: '1', emit: [page([anyTool('b')], '"2"')] },
      { on: 'tools/list', cursor: '2', emit: [page([anyTool('c')], '"1"')] },
    ];
    const { door, folder } = await openDoor(test, { upstreams: { p: { rules } } });
    expect(namesOf(await door.request('tools/list'))).toEqual(['p__a', 'p__b', 'p__c']);
    expect(folder.received('p', 'tools/list').length).toBeLessThanOrEqual(4);
  });

  test('with a new cursor every time is stopped too, and keeps nobody waiting', async (test) => {
    const rules = [{ on: 'tools/list', emit: [page([anyTool('n$COUNT')], '"c$COUNT"')] }];
    const upstreams = { endless: { rules }, other: upstreamWith([anyTool('o')]) };
    const { door, folder } = await openDoor(test, { upstreams });
    expect(namesOf(await door.request('tools/list'))).toContain('other__o');
    const asked = () => folder.received('endless', 'tools/list').length;
    for (let before = -1, now = asked(); before !== now; before = now, now = asked()) {
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
    expect(asked()).toBeLessThanOrEqual(1000);
    expect(await waitForEvents(door, 'server.warning')).toContainEqual(
      expect.objectContaining({ warning: 'pagination-endless' }),
    );
  });
});

describe.concurrent('changes', () => {
  const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
  const list = (nth: number, ...tools: string[]) => ({
    ...upstreamWith(tools).rules[0],
    nth,
  });

  test('are taken up, judged, and told to the caller; a removed tool is -32602', async (test) => {
    const tool = '{"name":"t","inputSchema":{"type":"object","required":["now"]}}';
    const rules = [
      list(1, anyTool('t'), anyTool('old')),
      list(2, tool, anyTool('new')),
      ...upstreamWith([]).rules.slice(1),
    ];
    const { door } = await openDoor(test, {
      upstreams: { d: { rules, timeline: [{ at_ms: 1200, emit: [CHANGED] }] } },
    });
    expect(namesOf(await door.request('tools/list'))).toEqual(['d__t', 'd__old']);
    expect((await door.call('d__t', '{}')).message?.result).toBeDefined();
    await door.waitFor(({ message }) => message?.method === 'notifications/tools/list_changed');
    expect(namesOf(await door.request('tools/list'))).toEqual(['d__t', 'd__new']);
    expect((await door.call('d__old', '{}')).message?.error?.code).toBe(-32602);
    expect((await door.call('d__t', '{}')).message?.error?.data?.code).toBe('INVALID_ARGUMENTS');
  });

  test('that change nothing are not told', async (test) => {
    const timeline = [{ at_ms: 100, emit: [CHANGED] }];
    const { door, folder } = await openDoor(test, { upstreams: { d: { ...upstreamWith([anyTool('a')]), timeline } } });
    await door.request('tools/list');
    await new Promise((resolve) => setTimeout(resolve, 900));
    expect(folder.received('d', 'tools/list')).toHaveLength(2);
    expect(door.notifications('notifications/tools/list_changed').length).toBeLessThanOrEqual(1);
  });
});

describe.concurrent('names', () => {
  test('hostile ones are portable, distinct, and routed back exactly', async (test) => {
    const raw = [
      '__proto__',
      'constructor',
      'a"b',
      'a\nb',
      'a\\b',
      '',
      ' ',
      '\u202eabc',
      '😀',
      '..',
      'x'.repeat(300),
      'x'.repeat(301),
      'A',
      'a',
    ];
    const { door, folder } = await openDoor(test, { upstreams: { u: upstreamWith(raw.map(anyTool)) } });
    const names = namesOf(await door.request('tools/list'));
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect((await door.call(name)).message?.result).toBeDefined();
    const reached = folder.received('u', 'tools/call').map((line) => JSON.parse(line).params.name);
    expect(reached).toEqual(raw.slice(0).filter((name) => reached.includes(name)));
    expect(reached.length).toBeGreaterThanOrEqual(raw.length - 1);
  });

  test('the same tool listed twice by one upstream is one tool', async (test) => {
    const { door } = await openDoor(test, {
      upstreams: { u: upstreamWith([anyTool('a'), anyTool('a'), anyTool('b')]) },
    });
    expect(namesOf(await door.request('tools/list'))).toEqual(['u__a', 'u__b']);
  });
});
