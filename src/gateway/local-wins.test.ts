import { expect, test } from 'vitest';
import { EventBus } from '../base/index.js';
import type { ListedTool, MountedList, PrefixRule } from '../catalog/index.js';
import { withoutShadowed } from './local-wins.js';

const list = (mount: string, prefix: PrefixRule, ...names: readonly string[]): MountedList => ({
  mount,
  prefix,
  filter: {},
  tools: names.map((name) => ({ name }) as ListedTool),
  exclusions: [],
});

function shadowed(...lists: readonly MountedList[]) {
  const events = new EventBus();
  const messages: string[] = [];
  events.on('server.warning', ({ message }) => messages.push(message));
  const left = withoutShadowed(lists, { visiting: new Set(['far']), told: new Set(), events });
  return { far: left.find(({ mount }) => mount === 'far')?.tools.map(({ name }) => name), messages, left };
}

test.each<{ why: string; lists: readonly MountedList[]; far: readonly string[] | undefined }>([
  { why: 'a bare name of ours', lists: [list('a', 'never', 'x'), list('far', 'never', 'x', 'y')], far: ['y'] },
  { why: 'a name that may be bare', lists: [list('a', 'conflict', 'x'), list('far', 'never', 'x')], far: [] },
  { why: 'a prefixed name of ours', lists: [list('a', 'always', 'x'), list('far', 'never', 'x')], far: ['x'] },
  { why: 'a prefixed one of theirs', lists: [list('a', 'never', 'x'), list('far', 'always', 'x')], far: ['x'] },
  { why: 'other names', lists: [list('a', 'never', 'z'), list('far', 'never', 'x')], far: ['x'] },
  { why: 'none of theirs', lists: [list('a', 'never', 'x')], far: undefined },
])('$why', ({ lists, far }) => expect(shadowed(...lists).far).toEqual(far));

test('whose it is, is told: of two of ours the first', () => {
  const { messages } = shadowed(list('a', 'never', 'x'), list('b', 'never', 'x'), list('far', 'never', 'x'));
  expect(messages).toEqual(['far: the name x is taken by a; the one of far is left out']);
});

test('ours are what they were', () => {
  const ours = list('a', 'never', 'x');
  expect(shadowed(ours, list('far', 'never', 'x')).left[0]).toBe(ours);
});
