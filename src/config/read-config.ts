import { checkMembers, type Origin, typeText, Walk } from './check-field.js';
import type { Environment } from './expand.js';
import type { FieldTable, TableValue } from './field-kinds.js';
import { CONFIG_FIELDS } from './fields.js';
import { checkHttpAuth, type HttpSettings, httpSettingsOf, type WrittenHttp } from './http-settings.js';
import { type JsoncMember, membersOf, parseJsonc } from './jsonc.js';
import { type FlagOverride, type Override, readOverrides } from './override.js';
import { type Path, pointerOf, quoted } from './place.js';
import { configError, type Problem } from './problem.js';
import { checkServer, type ServerEntry, type ServerOptions } from './server-entry.js';

type FileFields = TableValue<typeof CONFIG_FIELDS>;
type Complete<Group> = { readonly [Name in keyof Group]-?: NonNullable<Group[Name]> };

/** A configuration that was read and checked; every setting has its value, every server its state. */
export interface Config {
  /** In the order of the file. */
  readonly servers: readonly ServerEntry[];
  readonly prefix: 'always' | 'conflict' | 'never';
  readonly expose: 'tools';
  readonly ownTools: boolean;
  readonly validation: Complete<NonNullable<FileFields['validation']>>;
  readonly limits: Complete<NonNullable<FileFields['limits']>>;
  readonly http: HttpSettings;
  /** Warnings, and the errors of servers that are broken. */
  readonly problems: readonly Problem[];
  /** Where the value at a JSON pointer came from: the file with its line, a flag, a variable, or the default. */
  originOf(pointer: string): Origin;
}

export interface ConfigInput {
  /** The file under the name that messages give it; absent where there is none. */
  readonly file?: { readonly name: string; readonly bytes: Uint8Array };
  readonly environment: Environment;
  /** False leaves `${VAR}` as it was written, for showing a file that nobody has agreed to yet. Default true. */
  readonly expands?: boolean;
  /** Flags that stand above DOORWARD_* variables, which stand above the file. */
  readonly flags?: readonly FlagOverride[];
}

/**
 * Reads and checks a configuration. A bad server entry costs that server and is among the problems.
 *
 * @throws {DoorError} `CONFIG_INVALID` for a file that cannot be read and for a bad setting outside the servers;
 * `data.problems` holds every reason found, `data.file`, `data.line` and `data.column` the first one's place
 */
export function readConfig({ file, environment, expands = true, flags = [] }: ConfigInput): Config {
  const document = parseJsonc(file?.name ?? '', file?.bytes ?? NO_FILE);
  const walk = new Walk(document, expands ? environment : undefined);
  const { fields, servers, serverProblems } = checkFile(walk);
  if (file && !walk.hasErrors && servers.every(({ kind }) => kind === 'disabled')) warnEmpty(walk, servers);
  const overrides = readOverrides(environment, flags, walk.problems);
  if (walk.hasErrors) throw configError([...walk.problems]);
  return settle({ fields, servers, overrides, walk, problems: [...walk.problems, ...serverProblems] });
}

/** All would be well, and nothing would ever be there. */
function warnEmpty(walk: Walk, { length }: readonly ServerEntry[]): void {
  const message = length === 0 ? 'no servers are configured' : 'every server is switched off';
  const hint =
    length === 0
      ? 'Write { "mcpServers": { "id": { "command": "program", "args": [] } } }.'
      : 'Remove "enabled": false from the entries you want.';
  walk.report(walk.document.root, { severity: 'warning', kind: 'missing-field', path: ['mcpServers'], message, hint });
}

const NO_FILE = new TextEncoder().encode('{}');

/** The configuration of one server named on the command line; its tools keep their own names unless a flag says otherwise. */
export function adHocConfig(options: {
  readonly id: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly flags?: readonly FlagOverride[];
}): Config {
  const { id, command, args, environment, flags = [] } = options;
  const unprefixed: ServerOptions = { prefix: 'never' };
  const base = readConfig({ environment, flags });
  const isPrefixSet = base.originOf('/prefix').kind !== 'default';
  const target = { kind: 'stdio', command, args, env: new Map<string, string>(), cwd: undefined } as const;
  return { ...base, servers: [{ kind: 'ready', id, target, options: isPrefixSet ? {} : unprefixed }] };
}

interface CheckedFile {
  readonly fields: FileFields;
  readonly servers: readonly ServerEntry[];
  readonly serverProblems: readonly Problem[];
}

function checkFile(walk: Walk): CheckedFile {
  const { document, problems } = walk;
  const { root } = document;
  if (root.type !== 'object') {
    const message = `the configuration is ${typeText(root)}, not an object`;
    walk.report(root, { kind: 'wrong-type', path: [], message, hint: 'Write { "mcpServers": { … } }.' });
    return { fields: {}, servers: [], serverProblems: [] };
  }
  const members = membersOf(document, root, [], problems);
  const fields = checkMembers(walk, CONFIG_FIELDS, members, []);
  checkHttpAuth(
    walk,
    members.find(({ name }) => name === 'http'),
  );
  const serverProblems: Problem[] = [];
  const servers = new Map<string, ServerEntry>();
  // The alias first: what stands under the proper name counts.
  for (const name of ['servers', 'mcpServers']) {
    const holder = members.find((member) => member.name === name);
    if (!holder) continue;
    for (const [id, entry] of checkServers(walk, holder, serverProblems)) {
      if (servers.delete(id)) warnTwice(walk, holder, id);
      servers.set(id, entry);
    }
  }
  return { fields, servers: [...servers.values()], serverProblems };
}

function checkServers(walk: Walk, holder: JsoncMember, serverProblems: Problem[]): ReadonlyMap<string, ServerEntry> {
  const { name, value: node } = holder;
  const entries = new Map<string, ServerEntry>();
  if (node.type !== 'object') {
    const message = `expected an object of servers by id, got ${typeText(node)}`;
    walk.report(node, { kind: 'wrong-type', path: [name], message });
    return entries;
  }
  for (const member of membersOf(walk.document, node, [name], walk.problems)) {
    const own = new Walk(walk.document, walk.environment, member.name);
    const entry = checkServer(own, member, [name, member.name]);
    entries.set(member.name, entry);
    serverProblems.push(...own.problems);
    for (const [pointer, origin] of own.origins) walk.origins.set(pointer, origin);
  }
  return entries;
}

function warnTwice(walk: Walk, holder: JsoncMember, id: string): void {
  const message = `the server ${quoted(id)} stands under servers as well; the one under mcpServers counts`;
  const path = [holder.name, id];
  walk.report(holder.key, { severity: 'warning', kind: 'duplicate-key', path, message, hint: 'Remove one of them.' });
}

interface Findings {
  readonly fields: FileFields;
  readonly servers: readonly ServerEntry[];
  readonly overrides: readonly Override[];
  readonly walk: Walk;
  readonly problems: readonly Problem[];
}

function settle({ fields, servers, overrides, walk, problems }: Findings): Config {
  const origins = new Map(walk.origins);
  for (const { path, origin } of overrides) origins.set(pointerOf(path), origin);
  const settings = complete(CONFIG_FIELDS, fields, [], overrides) as Settings;
  return Object.freeze({
    ...settings,
    http: httpSettingsOf(settings.http),
    servers: Object.freeze(servers),
    problems: Object.freeze(problems),
    originOf: (pointer: string): Origin => origins.get(pointer) ?? DEFAULT_ORIGIN,
  });
}

type Settings = Omit<Config, 'servers' | 'http' | 'problems' | 'originOf'> & { readonly http: WrittenHttp };

const DEFAULT_ORIGIN: Origin = Object.freeze({ kind: 'default' });

/** Lays overrides over written values over defaults. */
function complete(table: FieldTable, written: object, above: Path, overrides: readonly Override[]): unknown {
  const values = Object.entries(table).flatMap(([name, field]): [string, unknown][] => {
    const path = [...above, name];
    const own: unknown = Object.hasOwn(written, name) ? written[name as keyof typeof written] : undefined;
    if (field.kind === 'group') {
      if (own === undefined && field.isOptional) return [];
      return [[name, complete(field.fields, (own as object) ?? {}, path, overrides)]];
    }
    if (field.kind === 'groups') {
      const groups = own as readonly object[] | undefined;
      if (groups === undefined) return [];
      return [[name, groups.map((group, at) => complete(field.fields, group, [...path, at], overrides))]];
    }
    const pointer = pointerOf(path);
    const override = overrides.findLast((candidate) => pointerOf(candidate.path) === pointer);
    const fallback = 'default' in field ? field.default : undefined;
    const value = override ? override.value : (own ?? fallback);
    return value === undefined || name === '$schema' ? [] : [[name, value]];
  });
  return Object.freeze(Object.fromEntries(values));
}
