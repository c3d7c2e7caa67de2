import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import {
  ARROWS,
  BASE_PACKAGES,
  EMPTY_NAMES,
  ENGINE_FILE,
  ENGINE_PACKAGE,
  FACADE,
  FACADE_ROOMS,
  MAX_FILE_LINES,
  MAX_FUNCTION_LINES,
  MAX_ROOT_ENTRIES,
  NODE_PACKAGES,
  NODE_ROOMS,
  SDK_FOLDER,
  SDK_SCOPE,
  SHARED_FILES,
} from './plan.js';
import { type ImportSite, readSource, type Source } from './source.js';

/** A tree to be held against the plan: paths from the repository's root, `/` between the parts. */
export interface House {
  /** Every TypeScript file and its text. */
  readonly files: ReadonlyMap<string, string>;
  /** Names at the root. */
  readonly rootEntries: readonly string[];
  /** The text of ARCHITECTURE.md. */
  readonly architecture: string;
}

export type Rule =
  | 'arrow'
  | 'circle'
  | 'entrance'
  | 'unresolved'
  | 'computed-import'
  | 'caption'
  | 'node-below-floor-6'
  | 'node-package'
  | 'base-package'
  | 'sdk'
  | 'engine'
  | 'file-length'
  | 'function-length'
  | 'name'
  | 'root'
  | 'syntax';

export interface Fault {
  readonly rule: Rule;
  readonly where: string;
  readonly what: string;
}

const WATCHED: ReadonlySet<string> = new Set(['Buffer', 'process', '__dirname', '__filename', 'require', 'NodeJS']);
const BUILTINS: ReadonlySet<string> = new Set(builtinModules);

interface SourceFile extends Source {
  readonly path: string;
  readonly text: string;
}

/** Holds a tree against the plan. @returns every fault, in the order of the paths; empty for a house in order */
export function checkHouse(house: House): readonly Fault[] {
  const sources = [...house.files]
    .map(([path, text]): SourceFile => ({ path, text, ...readSource(path, text, WATCHED) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const served = sources.filter(({ path }) => path.startsWith('src/') && !isTest(path));
  return [
    ...sources.flatMap(shapeFaults),
    ...served.flatMap((source) => importFaults(source, house.files)),
    ...served.flatMap(nodeFaults),
    ...circleFaults(served, house.files),
    ...captionFaults(served, house.architecture),
    ...rootFaults(house.rootEntries),
  ];
}

/** The room a path lies in: `gateway`, `runtime/node`; `undefined` for files directly under src and outside it. */
export function roomOf(path: string): string | undefined {
  const parts = path.split('/');
  if (parts[0] !== 'src' || parts.length < 3) return undefined;
  return parts[1] === 'runtime' && parts.length > 3 ? `runtime/${parts[2]}` : parts[1];
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}

function shapeFaults({ path, text, functions, syntaxErrors }: SourceFile): Fault[] {
  const faults: Fault[] = syntaxErrors.map((what) => ({ rule: 'syntax', where: path, what }));
  const lines = text.replace(/\n$/, '').split('\n').length;
  if (lines > MAX_FILE_LINES) {
    faults.push({ rule: 'file-length', where: path, what: `${lines} lines, at most ${MAX_FILE_LINES}` });
  }
  for (const { name, line, lines: length } of functions) {
    if (length <= MAX_FUNCTION_LINES) continue;
    const what = `${name} has ${length} lines, at most ${MAX_FUNCTION_LINES}`;
    faults.push({ rule: 'function-length', where: `${path}:${line}`, what });
  }
  for (const part of path.split('/')) {
    if (EMPTY_NAMES.test(part)) faults.push({ rule: 'name', where: path, what: `"${part}" names nothing` });
    else if (!/^[a-z0-9]+([-.][a-z0-9]+)*$/.test(part)) {
      faults.push({ rule: 'name', where: path, what: `"${part}" is not kebab-case` });
    }
  }
  return faults;
}

function importFaults(source: SourceFile, files: House['files']): Fault[] {
  return source.imports.flatMap((site) => {
    const fault = importFault(source.path, site, files);
    return fault ? [{ ...fault, where: `${source.path}:${site.line}` }] : [];
  });
}

function importFault(from: string, { specifier }: ImportSite, files: House['files']): Omit<Fault, 'where'> | undefined {
  if (specifier === undefined) return { rule: 'computed-import', what: 'import() of a computed name' };
  if (!specifier.startsWith('.')) return packageFault(from, specifier);
  const target = resolveImport(from, specifier);
  // Reaching past a package's exports is still an import of that package.
  if (target.startsWith('node_modules/')) return packageFault(from, target.slice('node_modules/'.length));
  if (SHARED_FILES.includes(target)) return undefined;
  if (!target.startsWith('src/')) return { rule: 'arrow', what: `src imports ${target}, which is not part of src` };
  const fault = arrowFault(from, target);
  if (fault || files.has(target) || target.endsWith('.json')) return fault;
  return { rule: 'unresolved', what: `no such file: ${target}` };
}

function arrowFault(from: string, target: string): Omit<Fault, 'where'> | undefined {
  const room = roomOf(from);
  const other = roomOf(target);
  if (room === other && room !== undefined) return undefined;
  if (other === undefined) return { rule: 'arrow', what: `${from} imports ${target}: the facade is for users` };
  const allowed = from === FACADE ? FACADE_ROOMS : room === undefined ? undefined : ARROWS[room];
  if (allowed === undefined) return { rule: 'arrow', what: `${from} lies in no room of the plan` };
  if (other !== 'base' && !allowed.includes(other)) return { rule: 'arrow', what: `${room ?? from} -> ${other}` };
  if (other !== 'base' && target !== `src/${other}/index.ts`) {
    return { rule: 'entrance', what: `${other} is entered through its index.ts, not ${target}` };
  }
  return undefined;
}

function packageFault(from: string, specifier: string): Omit<Fault, 'where'> | undefined {
  const name = packageName(specifier);
  const room = roomOf(from);
  if (isBuiltin(specifier)) {
    return knowsNode(room) ? undefined : { rule: 'node-below-floor-6', what: `imports ${specifier}` };
  }
  if (name.startsWith(SDK_SCOPE) && !from.startsWith(SDK_FOLDER)) {
    return { rule: 'sdk', what: `imports ${specifier} outside ${SDK_FOLDER}` };
  }
  if (name === ENGINE_PACKAGE && from !== ENGINE_FILE) {
    return { rule: 'engine', what: `imports ${specifier}; only ${ENGINE_FILE} may` };
  }
  if (NODE_PACKAGES.includes(name) && room !== 'runtime/node') {
    return { rule: 'node-package', what: `imports ${specifier}; only runtime/node may` };
  }
  if (room === 'base' && !BASE_PACKAGES.includes(name)) {
    return { rule: 'base-package', what: `base imports ${specifier}` };
  }
  return undefined;
}

function nodeFaults({ path, uses }: SourceFile): Fault[] {
  if (knowsNode(roomOf(path))) return [];
  return uses.map(({ name, line }) => ({
    rule: 'node-below-floor-6',
    where: `${path}:${line}`,
    what: `uses the name ${name}`,
  }));
}

function knowsNode(room: string | undefined): boolean {
  return room !== undefined && NODE_ROOMS.includes(room);
}

function isBuiltin(specifier: string): boolean {
  return specifier.startsWith('node:') || BUILTINS.has(packageName(specifier));
}

function packageName(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0]!;
}

function resolveImport(from: string, specifier: string): string {
  return posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts');
}

/** Finds circles between files by taking away, again and again, what imports nothing that is left. */
function circleFaults(sources: readonly SourceFile[], files: House['files']): Fault[] {
  const left = new Map(
    sources.map(({ path, imports }) => {
      const targets = imports.flatMap(({ specifier }) =>
        specifier?.startsWith('.') ? [resolveImport(path, specifier)] : [],
      );
      return [path, targets.filter((target) => files.has(target) && target.startsWith('src/'))] as const;
    }),
  );
  for (let shrank = true; shrank; ) {
    shrank = false;
    for (const [path, targets] of left) {
      if (targets.some((target) => left.has(target))) continue;
      left.delete(path);
      shrank = true;
    }
  }
  if (left.size === 0) return [];
  const circle = walkCircle(left);
  return [{ rule: 'circle', where: circle[0]!, what: circle.join(' -> ') }];
}

/** Everything left imports something left, so following any of it ends in a circle. */
function walkCircle(left: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const way: string[] = [];
  let at: string | undefined = [...left.keys()][0];
  while (at !== undefined && !way.includes(at)) {
    way.push(at);
    at = left.get(at)?.find((target) => left.has(target));
  }
  return at === undefined ? way : [...way.slice(way.indexOf(at)), at];
}

/** A caption is a list item that starts with the room's folder; `(to come)` right after it marks one not built yet. */
function captionFaults(sources: readonly SourceFile[], architecture: string): Fault[] {
  const built = new Set(sources.map(({ path }) => roomOf(path)).filter((room) => room !== undefined));
  const captions = new Map<string, boolean>();
  for (const [, room, toCome] of architecture.matchAll(/^- `src\/([a-z/-]+)\/`( \(to come[^)]*\))?: \S/gm)) {
    captions.set(room!, toCome !== undefined);
  }
  const faults: Fault[] = [];
  for (const room of built) {
    const toCome = captions.get(room);
    if (toCome === undefined) faults.push({ rule: 'caption', where: `src/${room}`, what: 'has no caption' });
    else if (toCome) faults.push({ rule: 'caption', where: `src/${room}`, what: 'is built, yet captioned "to come"' });
  }
  for (const [room, toCome] of captions) {
    if (!toCome && !built.has(room))
      faults.push({ rule: 'caption', where: `src/${room}`, what: 'is captioned, not there' });
  }
  return faults;
}

function rootFaults(entries: readonly string[]): Fault[] {
  if (entries.length <= MAX_ROOT_ENTRIES) return [];
  return [
    { rule: 'root', where: '.', what: `${entries.length} entries, at most ${MAX_ROOT_ENTRIES}: ${entries.join(' ')}` },
  ];
}
