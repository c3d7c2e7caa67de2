/** Callers are told that the list has changed: only if it has, and at most every 500 ms. */
import { describe, expect, test } from 'vitest';
import { MemoryGateway, toolNamed } from '../../test/fixtures/memory-gateway.js';
import { LIST_CHANGED } from '../../test/fixtures/memory-transport.js';
import { settled } from '../../test/fixtures/virtual-clock.js';

class Watched extends MemoryGateway {
  tools: readonly unknown[];
  readonly toldAtMs: number[] = [];

  constructor(tools: readonly unknown[]) {
    super({ a: { scripts: [{ on: { 'tools/list': () => ({ tools: this.tools }) } }] } });
    this.tools = tools;
    this.gateway.onListChanged((list) => {
      if (list === 'tools') this.toldAtMs.push(this.clock.monotonicMs());
    });
  }

  /** Starts, and lets what that brings about pass. */
  async begin(): Promise<void> {
    await this.gateway.listTools();
    await this.clock.advance(1_000);
    this.toldAtMs.length = 0;
    this.events.length = 0;
  }

  async list(...tools: readonly unknown[]): Promise<void> {
    this.tools = tools;
    this.transport('a').say(LIST_CHANGED);
    await settled();
  }

  changes(): unknown[] {
    return this.named('tool.changed').map(({ tool, change }) => `${change} ${tool}`);
  }
}

const x = toolNamed('x');
const y = toolNamed('y');

test.each([
  { why: 'added', before: [x], after: [x, y], changes: ['added y'] },
  { why: 'removed', before: [x, y], after: [y], changes: ['removed x'] },
  { why: 'all gone', before: [x], after: [], changes: ['removed x'] },
  { why: 'another description', before: [x], after: [{ ...x, description: 'D' }], changes: ['changed x'] },
  { why: 'one for another', before: [x], after: [y], changes: ['added y', 'removed x'] },
  { why: 'the same again', before: [x, y], after: [x, y], changes: [] },
  { why: 'only the order', before: [x, y], after: [y, x], changes: [] },
  { why: 'one more that is excluded', before: [x], after: [x, { name: 'bad' }], changes: [] },
])('$why', async ({ before, after, changes }) => {
  const watched = new Watched(before);
  await watched.begin();
  await watched.list(...after);
  expect(watched.changes()).toEqual(changes);
  await watched.clock.advance(2_000);
  expect(watched.toldAtMs).toHaveLength(changes.length === 0 ? 0 : 1);
});

describe('a tool that is left out', () => {
  const bad = { name: 'bad', inputSchema: { type: 'object', properties: null } };
  const worse = { name: 'bad', inputSchema: { type: 'nonsense' } };
  const excluded = (watched: Watched): unknown[] => watched.named('tool.excluded').map(({ tool }) => tool);

  test('is told of once, until it is left out for another reason, or again', async () => {
    const watched = new Watched([x, bad]);
    await watched.gateway.listTools();
    expect(watched.named('tool.excluded')).toMatchObject([
      { upstream: 'a', tool: 'bad', code: 'SCHEMA_INVALID', which: 'inputSchema', reason: expect.any(String) },
    ]);
    const steps = [
      { why: 'listed again', tools: [x, bad], told: 1 },
      { why: 'listed again beside others', tools: [x, y, bad], told: 1 },
      { why: 'left out for another reason', tools: [x, worse], told: 2 },
      { why: 'gone', tools: [x], told: 2 },
      { why: 'back', tools: [x, worse], told: 3 },
    ];
    for (const { why, tools, told } of steps) {
      await watched.list(...tools);
      await watched.clock.advance(1_000);
      expect(excluded(watched), why).toHaveLength(told);
    }
  });

  test('is not told of again when its upstream comes back', async () => {
    const watched = new Watched([x, bad]);
    await watched.gateway.listTools();
    watched.transport('a').lose();
    await watched.clock.advance(1_000);
    expect(watched.attempts('a')).toHaveLength(2);
    expect(watched.gateway.snapshot().exclusions).toHaveLength(1);
    expect(excluded(watched)).toEqual(['bad']);
  });

  test.each([
    { why: 'denied', filter: { deny: ['b*'] } },
    { why: 'not allowed', filter: { allow: ['x'] } },
  ])('is nobody’s concern where its mount keeps it out anyway: $why', async ({ filter }) => {
    const fixture = new MemoryGateway({ a: { tools: filter, scripts: [{ tools: [x, bad] }] } });
    await fixture.gateway.listTools();
    expect(fixture.named('tool.excluded')).toEqual([]);
  });
});

test('what a mount lists at first is a new list, but no change of its tools', async () => {
  const watched = new Watched([x]);
  await watched.gateway.listTools();
  expect(watched.toldAtMs).toEqual([0]);
  expect(watched.changes()).toEqual([]);
});

test('a storm that changes nothing tells nobody, one that does tells at most every 500 ms (case c14)', async () => {
  const watched = new Watched([x]);
  await watched.begin();
  for (let i = 0; i < 500; i++) {
    watched.transport('a').say(LIST_CHANGED);
    await watched.clock.advance(1);
  }
  await watched.clock.advance(3_000);
  expect(watched.toldAtMs).toEqual([]);
  for (let i = 0; i < 3_000; i++) {
    watched.tools = [toolNamed(`t${i}`)];
    watched.transport('a').say(LIST_CHANGED);
    await watched.clock.advance(1);
  }
  await watched.clock.advance(3_000);
  expect(watched.toldAtMs.length).toBeGreaterThan(2);
  expect(watched.toldAtMs.length).toBeLessThanOrEqual(8);
  const gaps = watched.toldAtMs.slice(1).map((at, i) => at - watched.toldAtMs[i]!);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(500);
  expect(watched.gateway.snapshot().entries.map(({ name }) => name)).toEqual(['a__t2999']);
});

test('what changed within 500 ms of the last word is not told to who has listed it meanwhile', async () => {
  const watched = new MemoryGateway({ a: {}, b: {}, c: {}, d: {} });
  const toldAtMs: number[] = [];
  watched.gateway.onListChanged(() => toldAtMs.push(watched.clock.monotonicMs()));
  await watched.gateway.listTools();
  await watched.clock.advance(5_000);
  expect(toldAtMs).toEqual([0]);
});

describe('listeners', () => {
  test('that were taken off hear nothing', async () => {
    const watched = new Watched([x]);
    let heard = 0;
    watched.gateway.onListChanged(() => heard++)();
    await watched.begin();
    await watched.list(y);
    expect(heard).toBe(0);
    expect(watched.toldAtMs).toHaveLength(1);
  });

  test('that throw spoil neither the others nor the upstream', async () => {
    const watched = new Watched([x]);
    watched.gateway.onListChanged(() => {
      throw new Error('a mistake of the embedder');
    });
    let heard = 0;
    watched.gateway.onListChanged(() => heard++);
    await watched.gateway.listTools();
    expect(watched.gateway.upstreams()).toMatchObject([{ state: { kind: 'ready' } }]);
    expect(heard).toBe(1);
  });

  test('hear nothing after close', async () => {
    const watched = new Watched([x]);
    await watched.begin();
    await watched.list(y);
    await watched.list(x);
    await watched.gateway.close();
    await watched.clock.advance(5_000);
    expect(watched.toldAtMs).toHaveLength(1);
    expect(watched.clock.waiting).toBe(0);
  });
});
