/** Cases about names: what an upstream calls a tool, what callers see, and the way back. */
import { describe, expect, test } from 'vitest';
import { anyTool, namesOf, openDoor, type Rule, textOf, upstreamWith } from '../fixtures/open-door.js';
import { titleOf, upstreamsOf } from './cases.js';

const PORTABLE = /^[A-Za-z0-9_-]{1,64}$/;

describe.concurrent('names', () => {
  test(titleOf('c04'), async (test) => {
    const upstreams = upstreamsOf('c04');
    const { door, folder } = await openDoor(test, { upstreams });
    expect(namesOf(await door.request('tools/list'))).toEqual(['github__search', 'gitlab__search']);
    expect(textOf(await door.call('github__search'))).toBe('from github');
    expect(textOf(await door.call('gitlab__search'))).toBe('from gitlab');
    expect(JSON.parse(folder.received('gitlab', 'tools/call')[0] ?? '').params.name).toBe('search');
    // The order in which upstreams connect changes nothing, nor does a restart.
    const slow = upstreams.github?.rules as readonly Rule[];
    const late = { rules: [{ ...slow[0], emit_after_ms: 300 }, slow[1]] };
    const again = await openDoor(test, { upstreams: { ...upstreams, github: late } });
    expect(namesOf(await again.door.request('tools/list'))).toEqual(['github__search', 'gitlab__search']);
  });

  test(titleOf('c05'), async (test) => {
    const upstreams = upstreamsOf('c05');
    const { door, folder } = await openDoor(test, { upstreams });
    const names = namesOf(await door.request('tools/list'));
    expectPortable(names, 5);
    for (const name of names) await door.call(name);
    const reached = folder.received('s', 'tools/call').map((line) => JSON.parse(line).params.name);
    expect(reached).toEqual(['a-b', 'a.b', 'a b', 'a/b', 'A_B']);
    const again = await openDoor(test, { upstreams });
    expect(namesOf(await again.door.request('tools/list'))).toEqual(names);
  });

  test(titleOf('c06'), async (test) => {
    const upstreams = upstreamsOf('c06');
    const { door, folder } = await openDoor(test, { upstreams });
    const names = namesOf(await door.request('tools/list'));
    expectPortable(names, 1);
    expect(textOf(await door.call(names[0] ?? ''))).toBe('ok');
    const sent = folder.received('enterprise-database-management', 'tools/call')[0] ?? '';
    expect(JSON.parse(sent).params.name).toBe('synchronize-all-customer-data-across-multiple-systems');
    const again = await openDoor(test, { upstreams });
    expect(namesOf(await again.door.request('tools/list'))).toEqual(names);
  });

  test(titleOf('c07'), async (test) => {
    const upstreams = upstreamsOf('c07');
    const { door } = await openDoor(test, { upstreams });
    expectPortable(namesOf(await door.request('tools/list')), 5);
    for (const id of ['my server', 'my.server', '我的', '🚀']) expect(door.stderr).toContain(id);
  });

  test(titleOf('c08'), async (test) => {
    const { door } = await openDoor(test, { upstreams: upstreamsOf('c08') });
    const names = namesOf(await door.request('tools/list'));
    expectPortable(names, 2);
    const texts = [];
    for (const name of names) texts.push(textOf(await door.call(name)));
    expect(texts).toEqual(['a/b__c', 'a__b/c']);
  });
});

describe.concurrent('names under the other rules', () => {
  const both = upstreamWith(['search', 'own'].map(anyTool));
  // The first in config order is the last to answer: what counts is the order that was written.
  const one = { rules: [{ ...both.rules[0], emit_after_ms: 300 }, both.rules[1]] };
  const upstreams = { one, two: upstreamWith([anyTool('search')]) };

  test('conflict: the first in config order keeps the plain name', async (test) => {
    const { door } = await openDoor(test, { upstreams, config: { prefix: 'conflict' } });
    expect(namesOf(await door.request('tools/list'))).toEqual(['search', 'own', 'two__search']);
  });

  test('never: a collision is no crash, and each name leads to one tool', async (test) => {
    const { door, folder } = await openDoor(test, { upstreams, config: { prefix: 'never' } });
    const names = namesOf(await door.request('tools/list'));
    expect(names.slice(0, 2)).toEqual(['search', 'own']);
    expect(new Set(names).size).toBe(names.length);
    await door.call('search');
    expect(folder.received('one', 'tools/call')).toHaveLength(1);
    expect(folder.received('two', 'tools/call')).toHaveLength(0);
  });

  test('allow and deny match the names of the upstream; deny wins', async (test) => {
    const many = upstreamWith(
      ['read_a', 'read_b', 'drop_a', 'other'].map((name) => `{"name":"${name}","inputSchema":{"type":"object"}}`),
    );
    const { door } = await openDoor(test, {
      upstreams: { some: many, none: many },
      entries: {
        some: { tools: { allow: ['read_*', 'drop_*'], deny: ['drop_*', '*_b'] } },
        none: { tools: { deny: ['*'] } },
      },
    });
    expect(namesOf(await door.request('tools/list'))).toEqual(['some__read_a']);
    expect((await door.call('some__drop_a')).message?.error?.code).toBe(-32602);
  });
});

function expectPortable(names: readonly string[], count: number): void {
  expect(new Set(names).size).toBe(count);
  for (const name of names) expect(name).toMatch(PORTABLE);
}
