import type { ClientEntry, EntrySettings, RemoteConnection, StdioConnection, TextMap } from './entry.js';
import { type Dialect, joinText, readText, type Text } from './reference.js';
import { isObject, type Json, type JsonObject } from './spec.js';

/** What was found in an entry and is not in what became of it. Holds names only, no value. */
export interface Loss {
  readonly field: string;
  readonly message: string;
}

export type ReadEntry =
  | {
      readonly kind: 'entry';
      readonly name: string | undefined;
      readonly entry: ClientEntry;
      readonly losses: readonly Loss[];
    }
  | { readonly kind: 'unreadable'; readonly name: string | undefined; readonly message: string }
  /** Something that is no MCP server of its own: a client's built-in extension. */
  | { readonly kind: 'not-a-server'; readonly name: string | undefined; readonly message: string };

const TRANSPORTS: ReadonlyMap<string, 'stdio' | 'http' | 'sse' | 'remote'> = new Map([
  ['stdio', 'stdio'],
  ['local', 'stdio'],
  ['http', 'http'],
  ['streamable-http', 'http'],
  ['streamable_http', 'http'],
  ['streamablehttp', 'http'],
  ['sse', 'sse'],
  ['remote', 'remote'],
]);

const URL_FIELDS = ['url', 'serverUrl', 'httpUrl', 'uri'] as const;
const ENV_FIELDS = ['env', 'envs', 'environment'] as const;
/** Members that say nothing we would need: they mark an entry of their client. */
const SILENT = ['source', 'name', 'bundled'];

/**
 * Reads one server as any client spells it. Values are taken apart at their references as `dialect` writes them; nothing
 * is resolved. What has no place in an entry is among the losses.
 */
export function readEntry(value: unknown, dialect: Dialect): ReadEntry {
  if (!isObject(value)) return { kind: 'unreadable', name: undefined, message: `is ${kindOf(value)}, not an object` };
  return new EntryReader(value, dialect).read();
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

class EntryReader {
  readonly #value: JsonObject;
  readonly #dialect: Dialect;
  readonly #seen = new Set<string>();
  readonly #losses: Loss[] = [];

  constructor(value: JsonObject, dialect: Dialect) {
    this.#value = value;
    this.#dialect = dialect;
  }

  read(): ReadEntry {
    const name = typeof this.#value.name === 'string' ? this.#value.name : undefined;
    const word = this.#transportWord();
    if (word !== undefined && !TRANSPORTS.has(word.toLowerCase())) {
      const isBuiltIn = ['builtin', 'platform', 'frontend', 'inline_python'].includes(word);
      const message = isBuiltIn
        ? `is part of its client (${word})`
        : `has the unknown transport ${JSON.stringify(word)}`;
      return { kind: isBuiltIn ? 'not-a-server' : 'unreadable', name, message };
    }
    const transport = word === undefined ? undefined : TRANSPORTS.get(word.toLowerCase());
    const connection = this.#connection(transport);
    if (typeof connection === 'string') return { kind: 'unreadable', name, message: connection };
    const settings = this.#settings();
    this.#reportRest();
    return { kind: 'entry', name, entry: { connection, settings }, losses: this.#losses };
  }

  #transportWord(): string | undefined {
    for (const field of ['type', 'transport']) {
      this.#seen.add(field);
      const word = this.#value[field];
      if (typeof word === 'string') return word;
    }
    return undefined;
  }

  #connection(transport: 'stdio' | 'http' | 'sse' | 'remote' | undefined): ClientEntry['connection'] | string {
    const program = this.#take('command') ?? this.#take('cmd');
    const url = this.#firstOf(URL_FIELDS);
    if (program !== undefined && url !== undefined && transport === undefined) return 'has both a command and a url';
    if (transport === 'stdio' || (transport === undefined && program !== undefined)) {
      return program === undefined ? 'has no command' : this.#stdio(program);
    }
    if (url === undefined) return 'has neither a command nor a url';
    if (typeof url.value !== 'string') return `${url.field} is ${kindOf(url.value)}, not text`;
    // A bare url of old is SSE to some clients; doorward's own transport finds that out by itself.
    return this.#remote(url.value, transport === 'sse' ? 'sse' : 'http');
  }

  #stdio(program: Json): StdioConnection | string {
    const words = Array.isArray(program) ? program : [program];
    const args = this.#take('args') ?? [];
    if (!isTexts(words) || words.length === 0) return 'command is neither text nor an array of texts';
    if (!isTexts(args)) return 'args is not an array of texts';
    const [command = '', ...first] = words;
    const cwd = this.#take('cwd') ?? this.#take('working_directory');
    if (cwd !== undefined && typeof cwd !== 'string') this.#lose('cwd', 'is not text');
    const env = { ...this.#map(this.#firstOf(ENV_FIELDS)), ...this.#envNames() };
    return {
      kind: 'stdio',
      command: this.#text(command),
      args: [...first, ...args].map((arg) => this.#text(arg)),
      env,
      ...(typeof cwd === 'string' && { cwd: this.#text(cwd) }),
    };
  }

  #envNames(): TextMap {
    const names = [this.#take('env_vars'), this.#take('env_keys')].flatMap((list) => (Array.isArray(list) ? list : []));
    const found = names.flatMap((item: Json) => {
      const name = isObject(item) ? item.name : item;
      return typeof name === 'string' ? [[name, [{ variable: name }]] as const] : [];
    });
    return Object.fromEntries(found);
  }

  #remote(url: string, transport: 'http' | 'sse'): RemoteConnection {
    const options = this.#take('requestOptions');
    const inOptions = isObject(options) ? options.headers : undefined;
    const headers = {
      ...this.#map({ field: 'requestOptions.headers', value: inOptions }),
      ...this.#map(this.#firstOf(['headers', 'http_headers'])),
      ...this.#namedHeaders(),
    };
    // Their only use beside a url is to say which variables its headers refer to.
    for (const field of ['env_keys', 'envs']) this.#take(field);
    return { kind: 'remote', transport, url: this.#text(url), headers };
  }

  #namedHeaders(): TextMap {
    const headers: Record<string, Text> = {};
    const byName = this.#take('env_http_headers');
    for (const [header, variable] of Object.entries(isObject(byName) ? byName : {})) {
      if (typeof variable === 'string') headers[header] = [{ variable }];
    }
    const bearer = this.#take('bearer_token_env_var') ?? this.#take('bearerTokenEnvVar');
    if (typeof bearer === 'string') headers.Authorization = joinText(['Bearer ', { variable: bearer }]);
    return headers;
  }

  #map(found: { readonly field: string; readonly value: Json | undefined } | undefined): TextMap {
    if (found?.value === undefined || found.value === null) return {};
    const { field, value } = found;
    if (!isObject(value)) {
      this.#lose(field, `is ${kindOf(value)}, not a map of texts`);
      return {};
    }
    const map: Record<string, Text> = {};
    for (const [name, text] of Object.entries(value)) {
      if (typeof text === 'string') map[name] = this.#text(text);
      else if (typeof text === 'number' || typeof text === 'boolean') map[name] = [String(text)];
      else this.#lose(`${field}.${name}`, `is ${kindOf(text)}, not text`);
    }
    return map;
  }

  #settings(): EntrySettings {
    const disabled = this.#take('disabled') === true || this.#take('enabled') === false;
    const call = this.#milliseconds(['timeout', 'toolTimeoutMs'], ['tool_timeout_sec']);
    const start = this.#milliseconds(
      ['startup_timeout_ms', 'startupTimeoutMs', 'connectionTimeout'],
      ['startup_timeout_sec'],
    );
    const allow = this.#names('includeTools', 'enabled_tools', 'available_tools', 'tools');
    const deny = this.#names('excludeTools', 'disabled_tools', 'disabledTools');
    return {
      ...(disabled && { enabled: false }),
      ...(call !== undefined && { callTimeoutMs: call }),
      ...(start !== undefined && { startTimeoutMs: start }),
      ...(allow !== undefined && { allow }),
      ...(deny !== undefined && { deny }),
    };
  }

  #milliseconds(inMs: readonly string[], inSeconds: readonly string[]): number | undefined {
    // Goose counts its timeout in seconds, and says so by nothing but its other words.
    const isGoose = 'cmd' in this.#value || 'uri' in this.#value;
    for (const field of [...inMs, ...inSeconds]) {
      const value = this.#take(field);
      if (value === undefined) continue;
      const factor = inSeconds.includes(field) || (isGoose && field === 'timeout') ? 1000 : 1;
      if (typeof value === 'number' && value * factor >= 1 && value * factor <= 86_400_000) {
        return Math.round(value * factor);
      }
      this.#lose(field, 'is no time that can be kept');
    }
    return undefined;
  }

  /** A list of tools' names; `*` and an empty list are no restriction. */
  #names(...fields: readonly string[]): readonly string[] | undefined {
    for (const field of fields) {
      const value = this.#value[field];
      if (!isTexts(value)) continue;
      this.#seen.add(field);
      if (value.length > 0 && !value.includes('*')) return value;
    }
    return undefined;
  }

  #text(value: string): Text {
    return readText(value, this.#dialect);
  }

  #take(field: string): Json | undefined {
    this.#seen.add(field);
    return Object.hasOwn(this.#value, field) ? this.#value[field] : undefined;
  }

  /** The first member that is there. Others of the same meaning stay unread, and so are among the losses. */
  #firstOf(fields: readonly string[]): { readonly field: string; readonly value: Json | undefined } | undefined {
    const field = fields.find((name) => Object.hasOwn(this.#value, name));
    return field === undefined ? undefined : { field, value: this.#take(field) };
  }

  #lose(field: string, message: string): void {
    this.#losses.push({ field, message });
  }

  #reportRest(): void {
    for (const [field, value] of Object.entries(this.#value)) {
      if (this.#seen.has(field) || SILENT.includes(field) || isEmpty(value)) continue;
      this.#lose(field, 'has no counterpart in doorward and was left out');
    }
  }
}

/** Nothing is lost with a member that says nothing. */
function isEmpty(value: Json): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === null || value === false || value === '';
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
