import { DoorError, isKnown, missingScopes, type Principal } from '../base/index.js';
import type { CatalogEntry } from '../catalog/index.js';
import { OWNER } from './owner.js';
import type { BrokenMount, Mount, MountAccess } from './types.js';

/** Who may see and call what: the first step of every call, and the last of every list. */
export class Access {
  readonly #byMount = new Map<string, MountAccess>();
  /** What the anonymous see of a list; kept while the list is, so that its text is made once. */
  readonly #shown = new WeakMap<readonly CatalogEntry[], readonly CatalogEntry[]>();

  constructor(mounts: readonly (Mount | BrokenMount)[]) {
    for (const mount of mounts) if ('access' in mount && mount.access) this.#byMount.set(mount.id, mount.access);
  }

  /** The entries that a list may show to a principal. */
  visibleTo(entries: readonly CatalogEntry[], principal: Principal = OWNER): readonly CatalogEntry[] {
    if (isKnown(principal) || this.#byMount.size === 0) return entries;
    const known = this.#shown.get(entries);
    if (known !== undefined) return known;
    const shown = entries.filter((entry) => !this.#isPrivate(entry));
    this.#shown.set(entries, shown);
    return shown;
  }

  /** Whether a principal cannot even know of a tool. */
  isHidden(entry: CatalogEntry, principal: Principal): boolean {
    return !isKnown(principal) && this.#isPrivate(entry);
  }

  /** @throws {DoorError} FORBIDDEN where a principal was not granted what the tool needs */
  hold({ mount, tool, name }: CatalogEntry, principal: Principal): void {
    const wanted = this.#byMount.get(mount)?.scopes.get(tool.name);
    if (wanted === undefined) return;
    const missing = missingScopes(wanted, principal);
    if (missing.length === 0) return;
    throw new DoorError('FORBIDDEN', `${name} needs what you were not granted: ${missing.join(' ')}`, {
      data: { tool: tool.name, scopes: wanted },
      hint: 'Sign in again and ask for these scopes.',
    });
  }

  #isPrivate({ mount, tool }: CatalogEntry): boolean {
    return this.#byMount.get(mount)?.private.has(tool.name) ?? false;
  }
}
