import type { EventBus } from '../base/index.js';
import type { MountedList } from '../catalog/index.js';

export interface LocalWinsOptions {
  /** Mounts that come and go. */
  readonly visiting: ReadonlySet<string>;
  /** What was told already, by mount and tool. */
  readonly told: Set<string>;
  readonly events: EventBus;
}

/**
 * Leaves out what an upstream that comes and goes lists under a name that a tool of ours has: under one name there is one
 * tool, and which one must not depend on who is signed in. Only names without a prefix can meet so.
 */
export function withoutShadowed(lists: readonly MountedList[], options: LocalWinsOptions): readonly MountedList[] {
  const { visiting, told, events } = options;
  const isBare = ({ mount, prefix }: MountedList): boolean => visiting.has(mount) && prefix === 'never';
  if (!lists.some(isBare)) return lists;
  const ours = new Map<string, string>();
  for (const { mount, prefix, tools } of lists) {
    if (visiting.has(mount) || prefix === 'always') continue;
    for (const { name } of tools) if (!ours.has(name)) ours.set(name, mount);
  }
  return lists.map((list) => {
    if (!isBare(list) || !list.tools.some(({ name }) => ours.has(name))) return list;
    for (const { name: tool } of list.tools) {
      const owner = ours.get(tool);
      if (owner === undefined || told.has(`${list.mount}\0${tool}`)) continue;
      told.add(`${list.mount}\0${tool}`);
      const message = `${list.mount}: the name ${tool} is taken by ${owner}; the one of ${list.mount} is left out`;
      events.emit('server.warning', { upstream: list.mount, warning: 'name-collision', tool, message });
    }
    return { ...list, tools: list.tools.filter(({ name }) => !ours.has(name)) };
  });
}
