import type { DoorError } from '../base/index.js';
import { checkField, checkMembers, findMeantField, typeText, Walk } from './check-field.js';
import type { TableValue } from './field-kinds.js';
import { SERVER_FIELDS } from './fields.js';
import { type JsoncMember, membersOf } from './jsonc.js';
import { type Path, type Place, quoted } from './place.js';
import { configError, type ProblemFacts } from './problem.js';

type ServerFields = TableValue<typeof SERVER_FIELDS>;

/** What a server entry says beside how to reach it. */
export type ServerOptions = Pick<
  ServerFields,
  | 'prefix'
  | 'tools'
  | 'startTimeoutMs'
  | 'callTimeoutMs'
  | 'validation'
  | 'isolation'
  | 'loginShellPath'
  | 'era'
  | 'oauth'
>;

/** How a server is reached. */
export type ServerTarget =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      /** Added to the environment every child gets. */
      readonly env: ReadonlyMap<string, string>;
      readonly cwd: string | undefined;
    }
  | {
      readonly kind: 'http';
      readonly type: 'http' | 'sse' | 'streamable-http';
      readonly url: string;
      readonly headers: ReadonlyMap<string, string>;
    };

/** One entry of `mcpServers`, checked and expanded. A broken one costs itself only. */
export type ServerEntry = ServerState & {
  readonly id: string;
  /** Where the entry was written; absent for a server named on the command line. */
  readonly place?: Place;
};

type ServerState =
  | { readonly kind: 'ready'; readonly target: ServerTarget; readonly options: ServerOptions }
  | { readonly kind: 'disabled' }
  | { readonly kind: 'broken'; readonly error: DoorError };

const PORTABLE_ID = /^[A-Za-z0-9_-]+$/;

/** Checks one entry. Its findings are left in `walk`, which is to be its own. */
export function checkServer(walk: Walk, member: JsoncMember, path: Path): ServerEntry {
  return { id: member.name, place: walk.placeOf(member.key), ...checkState(walk, member, path) };
}

function checkState(walk: Walk, member: JsoncMember, path: Path): ServerState {
  const { name: id, key, value: node } = member;
  if (node.type !== 'object') {
    walk.report(node, { kind: 'wrong-type', path, message: `expected an object, got ${typeText(node)}` });
    return brokenState(walk);
  }
  const members = membersOf(walk.document, node, path, walk.problems);
  if (isDisabled(walk, members, path)) return { kind: 'disabled' };
  if (id === '') walk.report(key, { kind: 'wrong-value', path, message: 'a server needs an id', hint: 'Name it.' });
  else if (!PORTABLE_ID.test(id)) walk.report(key, idWarning(path));
  const fields = checkMembers(walk, SERVER_FIELDS, members, path);
  const target = findTarget({ walk, member, path }, fields);
  return target && !walk.hasErrors ? { kind: 'ready', target, options: optionsOf(fields) } : brokenState(walk);
}

function brokenState(walk: Walk): ServerState {
  return { kind: 'broken', error: configError(walk.problems.filter(({ severity }) => severity === 'error')) };
}

/** A server that is switched off may be half-written: nothing else in it is looked at. */
function isDisabled(walk: Walk, members: readonly JsoncMember[], path: Path): boolean {
  const enabled = members.find(({ name }) => name === 'enabled');
  if (!enabled) return false;
  const probe = new Walk(walk.document, walk.environment);
  return checkField(probe, SERVER_FIELDS.enabled, enabled.value, [...path, 'enabled']) === false;
}

function idWarning(path: Path): Omit<ProblemFacts, 'place'> {
  return {
    severity: 'warning',
    kind: 'suspicious',
    path,
    message: 'the id has characters that tool names cannot carry: they are replaced, and a digest is added',
    hint: 'Use letters, digits, _ and - for names that read as written.',
  };
}

function optionsOf(fields: ServerFields): ServerOptions {
  const { prefix, tools, startTimeoutMs, callTimeoutMs, validation, isolation, loginShellPath, era, oauth } = fields;
  return Object.freeze({
    ...(prefix !== undefined && { prefix }),
    ...(tools !== undefined && { tools }),
    ...(startTimeoutMs !== undefined && { startTimeoutMs }),
    ...(callTimeoutMs !== undefined && { callTimeoutMs }),
    ...(validation !== undefined && { validation }),
    ...(isolation !== undefined && { isolation }),
    ...(loginShellPath !== undefined && { loginShellPath }),
    ...(era !== undefined && { era }),
    ...(oauth !== undefined && { oauth }),
  });
}

interface Entry {
  readonly walk: Walk;
  readonly member: JsoncMember;
  readonly path: Path;
}

/** Reads how the server is reached. Looks at what was written, not at what survived the check: that is reported already. */
function findTarget(entry: Entry, fields: ServerFields): ServerTarget | undefined {
  const hasCommand = isWritten(entry, 'command');
  const hasUrl = isWritten(entry, 'url');
  if (hasCommand && hasUrl) {
    return complain(entry, {
      kind: 'conflicting-fields',
      message: 'has both command and url',
      hint: 'Keep one of them.',
    });
  }
  if (!hasCommand && !hasUrl) return missingTarget(entry);
  return hasCommand ? stdioTarget(entry, fields) : httpTarget(entry, fields);
}

function stdioTarget(entry: Entry, fields: ServerFields): ServerTarget | undefined {
  const { type = 'stdio', command, args = [], env = new Map(), cwd } = fields;
  if (type !== 'stdio') {
    return complain(entry, { kind: 'conflicting-fields', message: `has a command, but its type is ${type}` });
  }
  const unusable = ['headers', 'oauth'].filter((name) => isWritten(entry, name));
  for (const name of unusable) warnUnused(entry, name, 'command');
  for (const name of env.keys()) {
    if (name === '' || name.includes('=')) {
      complain(entry, { kind: 'wrong-value', message: `${quoted(name)} cannot name an environment variable` }, 'env');
    }
  }
  if (command === undefined) return undefined;
  if (command.trim() === '')
    return complain(entry, { kind: 'wrong-value', message: 'the command is empty' }, 'command');
  warnOddCommand(entry, command, args);
  return { kind: 'stdio', command, args, env, cwd };
}

function httpTarget(entry: Entry, fields: ServerFields): ServerTarget | undefined {
  const { type = 'http', url, headers = new Map() } = fields;
  if (type === 'stdio') {
    return complain(entry, { kind: 'conflicting-fields', message: 'has a url, but its type is stdio' });
  }
  for (const name of ['args', 'env', 'cwd', 'loginShellPath']) {
    if (isWritten(entry, name)) warnUnused(entry, name, 'url');
  }
  for (const [name, value] of headers) {
    const isSendable = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && !/[\r\n]/.test(value);
    if (isSendable) continue;
    complain(entry, { kind: 'wrong-value', message: `${quoted(name)} cannot be sent as an HTTP header` }, 'headers');
  }
  if (url === undefined) return undefined;
  if (!isHttpUrl(url)) {
    return complain(entry, { kind: 'wrong-value', message: 'is not an http or https address' }, 'url');
  }
  return { kind: 'http', type, url, headers };
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function missingTarget(entry: Entry): undefined {
  const { walk, member, path } = entry;
  for (const property of member.value.children ?? []) {
    const [key] = property.children ?? [];
    const name = String(key?.value);
    const meant = Object.hasOwn(SERVER_FIELDS, name) ? undefined : findMeantField(name, SERVER_FIELDS);
    if (!key || (meant !== 'command' && meant !== 'url')) continue;
    walk.dropWarning('unknown-field', [...path, name]);
    return walk.report(key, {
      kind: 'missing-field',
      path,
      message: `needs a command; ${quoted(name)} is no field`,
      hint: `Did you mean ${meant}?`,
    });
  }
  return complain(entry, {
    kind: 'missing-field',
    message: 'needs a command',
    hint: 'Write "command": "program" and "args": ["one", "two"].',
  });
}

/** Mistakes that start, or fail to start, something else than was meant. */
function warnOddCommand(entry: Entry, command: string, args: readonly string[]): void {
  if (args.length === 0 && /^[^\s/\\]+\s/.test(command)) {
    warn(
      entry,
      'command',
      'has spaces, and no shell takes it apart',
      'Put the program in command and the rest in args.',
    );
  }
  for (const name of ['command', 'cwd']) {
    const node = findWritten(entry, name);
    if (!/^~[/\\]?/.test(String(node?.value ?? ''))) continue;
    warn(entry, name, 'starts with ~, which only a shell replaces', 'Write ${HOME} instead.');
  }
}

type Complaint = Pick<ProblemFacts, 'kind' | 'message' | 'hint'>;

function complain({ walk, member, path }: Entry, complaint: Complaint, field?: string): undefined {
  const node = (field !== undefined && findWritten({ walk, member, path }, field)) || member.key;
  return walk.report(node, { ...complaint, path: field === undefined ? path : [...path, field] });
}

function warn(entry: Entry, field: string, message: string, hint: string): void {
  const { walk, member, path } = entry;
  const node = findWritten(entry, field) ?? member.key;
  walk.report(node, { severity: 'warning', kind: 'suspicious', path: [...path, field], message, hint });
}

function warnUnused(entry: Entry, field: string, beside: string): void {
  warn(entry, field, `has no effect beside ${beside}`, 'Remove it.');
}

function isWritten(entry: Entry, field: string): boolean {
  return findWritten(entry, field) !== undefined;
}

function findWritten({ member }: Entry, field: string) {
  return member.value.children?.findLast((property) => property.children?.[0]?.value === field)?.children?.[1];
}
