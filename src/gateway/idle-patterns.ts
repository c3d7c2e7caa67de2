import type { EventBus } from '../base/index.js';
import { isMounted, type MountedList } from '../catalog/index.js';

/**
 * A pattern that matches nothing is nearly always a typo, and hides every tool when it is the only one allowed.
 *
 * @param told patterns that were told of already
 */
export function warnOfIdlePatterns(list: MountedList, told: Set<string>, events: EventBus): void {
  const { mount, filter, tools, exclusions } = list;
  const names = [...tools.map((tool) => tool.name), ...exclusions.map((exclusion) => exclusion.tool)];
  for (const [field, patterns] of Object.entries({ allow: filter.allow ?? [], deny: filter.deny ?? [] })) {
    for (const pattern of patterns) {
      if (told.has(pattern) || names.some((name) => isMounted(name, { allow: [pattern] }))) continue;
      told.add(pattern);
      const message = `${mount}: tools.${field} names ${JSON.stringify(pattern)}, which matches no tool of this server`;
      events.emit('server.warning', { upstream: mount, warning: 'idle-pattern', message });
    }
  }
}
