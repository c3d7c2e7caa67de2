import { KeyBook } from './key-book.js';
import { everyName, isNameOf } from './names.js';
import type {
  CatalogEntry,
  CatalogSnapshot,
  Exclusion,
  HiddenTool,
  ListedTool,
  PrefixRule,
  ToolFilter,
  ToolText,
} from './types.js';

/** What one mount contributes. */
export interface MountedList {
  readonly mount: string;
  readonly prefix: PrefixRule;
  readonly filter: ToolFilter;
  readonly tools: readonly ListedTool[];
  readonly exclusions: readonly Exclusion[];
}

/** Two tools wanted one name; the later one got another. */
export interface NameCollision {
  readonly name: string;
  readonly mount: string;
  readonly tool: string;
  readonly instead: string;
}

/** The public names of tools. */
export class NameBook {
  readonly #keys = new KeyBook();
  readonly #told = new Set<string>();

  /** A new snapshot begins: what nobody has been shown is open again. */
  begin(): void {
    this.#keys.begin();
  }

  /** The public name of a tool: the one it has, else the best that is free. `collided` hears once when it was not the best. */
  nameOf(list: MountedList, tool: string, collided: (collision: NameCollision) => void): string {
    const { mount, prefix } = list;
    return this.#keys.keyOf({ mount, key: tool }, everyName(prefix, mount, tool), (name, instead) => {
      const what = `${mount}\0${tool}`;
      if (this.#told.has(what)) return;
      this.#told.add(what);
      collided({ name, mount, tool, instead });
    });
  }

  /**
   * A caller is about to see these names.
   *
   * @returns false where one of them has been shown with another meaning since the snapshot was built: build again
   */
  show(entries: readonly CatalogEntry[]): boolean {
    return this.#keys.show(entries.map(({ name, mount, tool }) => ({ name, mount, key: tool.name })));
  }
}

/** Builds the catalog from what the mounts list, in configuration order. */
export function buildSnapshot(
  lists: readonly MountedList[],
  names: NameBook,
  collided: (collision: NameCollision) => void,
): CatalogSnapshot {
  const entries: CatalogEntry[] = [];
  const exclusions: Exclusion[] = [];
  const hidden: HiddenTool[] = [];
  names.begin();
  for (const list of lists) {
    for (const tool of list.tools) {
      if (!isMounted(tool.name, list.filter)) {
        hidden.push({ mount: list.mount, tool: tool.name });
        continue;
      }
      const name = names.nameOf(list, tool.name, collided);
      entries.push(Object.freeze(new Entry(name, list.mount, tool)));
    }
    for (const exclusion of list.exclusions) if (isMounted(exclusion.tool, list.filter)) exclusions.push(exclusion);
  }
  return new Snapshot(entries, exclusions, hidden, lists);
}

class Entry implements CatalogEntry {
  readonly name: string;
  readonly mount: string;
  readonly tool: ListedTool;
  readonly advertised: string;
  #advertisedModern: string | undefined;

  constructor(name: string, mount: string, tool: ListedTool) {
    this.name = name;
    this.mount = mount;
    this.tool = tool;
    this.advertised = renamed(tool, name);
  }

  /** Made when a caller of that era asks: where nobody does, no second text is kept. */
  get advertisedModern(): string {
    const { modern } = this.tool;
    if (modern === undefined) return this.advertised;
    this.#advertisedModern ??= renamed(modern, this.name);
    return this.#advertisedModern;
  }
}

function renamed({ definition, nameStart, nameEnd }: ToolText, name: string): string {
  return `${definition.slice(0, nameStart)}${JSON.stringify(name)}${definition.slice(nameEnd)}`;
}

/** Whether a filter lets a tool in: deny wins; an allow list lets in only what it names. */
export function isMounted(tool: string, filter: ToolFilter): boolean {
  if (filter.deny?.some((pattern) => matches(pattern, tool))) return false;
  return filter.allow === undefined || filter.allow.some((pattern) => matches(pattern, tool));
}

/** Whether one of some patterns fits a name. */
export function isNamedBy(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => matches(pattern, name));
}

/** `*` stands for any run of characters; everything else for itself. Linear: no backtracking into earlier stars. */
function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*');
  const first = parts[0]!;
  if (parts.length === 1) return text === first;
  const last = parts.at(-1)!;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

class Snapshot implements CatalogSnapshot {
  readonly entries: readonly CatalogEntry[];
  readonly exclusions: readonly Exclusion[];
  readonly hidden: readonly HiddenTool[];
  readonly #byName = new Map<string, CatalogEntry>();
  readonly #byTool = new Map<string, CatalogEntry>();
  readonly #rules: ReadonlyMap<string, PrefixRule>;

  constructor(
    entries: readonly CatalogEntry[],
    exclusions: readonly Exclusion[],
    hidden: readonly HiddenTool[],
    lists: readonly MountedList[],
  ) {
    this.entries = Object.freeze(entries);
    this.exclusions = Object.freeze(exclusions);
    this.hidden = Object.freeze(hidden);
    this.#rules = new Map(lists.map((list) => [list.mount, list.prefix]));
    for (const entry of entries) {
      this.#byName.set(entry.name, entry);
      this.#byTool.set(`${entry.mount}\0${entry.tool.name}`, entry);
    }
  }

  find(name: string): CatalogEntry | undefined {
    return this.#byName.get(name);
  }

  findTool(mount: string, tool: string): CatalogEntry | undefined {
    return this.#byTool.get(`${mount}\0${tool}`);
  }

  findExclusion(mount: string, tool: string): Exclusion | undefined {
    return this.exclusions.find((exclusion) => exclusion.mount === mount && exclusion.tool === tool);
  }

  findExcludedName(name: string): Exclusion | undefined {
    return this.exclusions.find(({ mount, tool }) => isNameOf(name, this.#rules.get(mount) ?? 'always', mount, tool));
  }
}
