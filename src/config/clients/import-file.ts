import { DoorError } from '../../base/index.js';
import { valueAt } from './edit/equal.js';
import { openFile } from './edit/open-file.js';
import type { ClientEntry } from './entry.js';
import { type Loss, readEntry } from './read-entry.js';
import type { Dialect } from './reference.js';
import { type ClientSpec, type FileFormat, isObject, type Json, type JsonObject } from './spec.js';
import { CLIENTS } from './table/index.js';
import { rootIn } from './upsert.js';

export interface FileToImport {
  /** Its path: the end of it tells whose file it is. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The client it is from, where somebody said so. */
  readonly client?: ClientSpec | undefined;
}

export interface ImportedServer {
  readonly name: string;
  readonly entry: ClientEntry;
  readonly losses: readonly Loss[];
}

export interface SkippedServer {
  readonly name: string;
  readonly reason: string;
  /** False: it is nothing to be imported, and no harm is done. */
  readonly isFault: boolean;
}

export interface ImportedFile {
  readonly file: string;
  /** The client it was read as; undefined where none is known to write such a file. */
  readonly client: string | undefined;
  readonly servers: readonly ImportedServer[];
  /** Entries that could not be taken over; each costs itself only. */
  readonly skipped: readonly SkippedServer[];
}

/** Where servers are looked for in a file of no known client, in this order. */
const ROOTS: readonly (readonly string[])[] = [
  ['mcpServers'],
  ['servers'],
  ['context_servers'],
  ['mcp', 'servers'],
  ['mcp', 'mcpServers'],
  ['mcp'],
  ['extensions'],
  ['mcp_servers'],
  ['amp.mcpServers'],
];

/**
 * Reads the servers of a client's file: of the client that is named, else of the one whose file lies at such a path, else
 * wherever servers are found. References are kept as references; nothing is resolved.
 *
 * @throws {DoorError} `CONFIG_INVALID` with file, line and column for a file that cannot be read or holds no servers
 */
export function importFile({ name, bytes, client }: FileToImport): ImportedFile {
  const owner = client ?? clientOfPath(name);
  const value = readValue(name, bytes, owner);
  const found = findServers(value, owner);
  if (found === undefined) {
    const where =
      owner === undefined
        ? 'mcpServers, servers, context_servers, mcp, extensions, mcp_servers'
        : rootText(owner, value);
    throw new DoorError('CONFIG_INVALID', `${name}: no servers in it; looked for ${where}`, {
      data: { file: name },
      hint: 'Name the client it is from with --from. See doorward client list.',
    });
  }
  const isOwners = owner !== undefined && found.isOwn;
  const dialect = isOwners ? readingDialect(owner) : 'braces';
  const servers: ImportedServer[] = [];
  const skipped: SkippedServer[] = [];
  for (const [key, raw] of found.entries) {
    const read = readEntry(raw, dialect);
    const id = key ?? read.name ?? '';
    if (id === '') skipped.push({ name: '(unnamed)', reason: 'has no name', isFault: true });
    else if (read.kind === 'entry')
      servers.push({ name: id, entry: read.entry, losses: [...read.losses, ...inputLosses(value, read.entry)] });
    else skipped.push({ name: id, reason: read.message, isFault: read.kind === 'unreadable' });
  }
  return { file: name, client: owner?.id, servers, skipped };
}

/**
 * Whether an entry starts `doorward stdio`, as `client add` writes it or from a clone: in doorward.json each door would start
 * another. One that puts the door before a program of its own (`-- node x.js`) reads no configuration, and ends somewhere.
 */
export function isDoorward({ connection }: ClientEntry): boolean {
  if (connection.kind !== 'stdio') return false;
  const words = [connection.command, ...connection.args].map((text) => text.map((part) => String(part)).join(''));
  const at = words.findIndex((word) => DOORWARD.test(word));
  return at >= 0 && words[at + 1] === 'stdio' && !words.includes('--', at);
}

/** The program as npm, a shell, and a clone of it know it. */
const DOORWARD = /(?:^|[\\/])doorward(?:@[^\\/]*|\.cmd)?$|[\\/]doorward[^\\/]*[\\/]dist[\\/]cli\.cjs$/;

/** What a client's file is read with. Where it holds literals only, `${X}` may still be what somebody hoped for: it is text. */
function readingDialect({ secrets }: ClientSpec): Dialect {
  return secrets.dialect;
}

/** The client that keeps a file at this path; undefined where none does, or several do. */
export function clientOfPath(path: string): ClientSpec | undefined {
  const plain = `/${path.replaceAll('\\', '/')}`;
  const matches = CLIENTS.flatMap((client) =>
    pathEnds(client).flatMap((end) => (plain.endsWith(`/${end}`) ? [{ client, length: end.length }] : [])),
  );
  const longest = Math.max(...matches.map(({ length }) => length));
  const owners = new Set(matches.flatMap(({ client, length }) => (length === longest ? [client] : [])));
  return owners.size === 1 ? [...owners][0] : undefined;
}

/** How paths of a client's files end: enough of them to tell it from others. */
function pathEnds({ user, project = [] }: ClientSpec): readonly string[] {
  const places = user === undefined ? [] : 'base' in user ? [user] : Object.values(user);
  const ends = places.flatMap(({ folder, files }) =>
    files.map((file) => `${folder.split('/').slice(-2).join('/')}/${file}`.replace(/^\//, '')),
  );
  // Any client may have a file of such a name.
  return [...project, ...ends].filter((end) => !/^(mcp|config|settings)\.[a-z]+$/.test(end));
}

function readValue(name: string, bytes: Uint8Array, owner: ClientSpec | undefined): Json {
  return openFile({ format: owner?.format ?? formatOf(name), name, bytes }).value;
}

function formatOf(name: string): FileFormat {
  if (/\.ya?ml$/i.test(name)) return 'yaml';
  return /\.toml$/i.test(name) ? 'toml' : 'jsonc';
}

interface FoundServers {
  readonly entries: readonly (readonly [name: string | undefined, raw: Json])[];
  /** Whether they stand where the client itself keeps them. */
  readonly isOwn: boolean;
}

function findServers(value: Json, owner: ClientSpec | undefined): FoundServers | undefined {
  const own = owner === undefined ? undefined : serversAt(value, rootIn(owner, value));
  if (own !== undefined) return { entries: own, isOwn: true };
  for (const root of ROOTS) {
    const entries = serversAt(value, root);
    if (entries !== undefined) return { entries, isOwn: owner !== undefined };
  }
  const bare = serversAt(value, []);
  const isBareMap = bare?.some(([, raw]) => looksLikeServer(raw)) ?? false;
  return isBareMap ? { entries: bare!, isOwn: owner !== undefined } : undefined;
}

function serversAt(value: Json, root: readonly string[]): FoundServers['entries'] | undefined {
  const servers = valueAt(value, root);
  if (Array.isArray(servers)) return servers.map((raw: Json) => [undefined, raw] as const);
  if (!isObject(servers)) return undefined;
  if (root.length === 0 && !Object.values(servers).some(looksLikeServer)) return undefined;
  return Object.entries(servers);
}

function looksLikeServer(value: Json): boolean {
  return isObject(value) && ['command', 'cmd', 'url', 'serverUrl', 'httpUrl', 'uri'].some((name) => name in value);
}

function rootText(client: ClientSpec, value: Json): string {
  return rootIn(client, value).join('.') || 'a list';
}

/** VS Code asks for an input; doorward reads a variable instead. Said where an input says more than its name. */
function inputLosses(value: Json, { connection }: ClientEntry): readonly Loss[] {
  const inputs = valueAt(value, ['inputs']);
  if (!Array.isArray(inputs)) return [];
  const used = JSON.stringify(connection);
  return inputs.flatMap((input: Json) => {
    const id = isObject(input) ? input.id : undefined;
    if (typeof id !== 'string' || !isObject(input) || !used.includes(JSON.stringify(id))) return [];
    const more = Object.keys(input).filter((name) => isMore(name, input));
    return more.length === 0
      ? []
      : [{ field: `inputs.${id}`, message: `${more.join(', ')} cannot be said of a variable` }];
  });
}

function isMore(name: string, input: JsonObject): boolean {
  if (['id', 'type', 'password'].includes(name)) return input.type !== 'promptString' && name === 'type';
  return !(name === 'description' && input.description === input.id);
}
