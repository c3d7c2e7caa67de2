import {
  type ClientEntry,
  type RemoteConnection,
  type StdioConnection,
  type TextField,
  type TextMap,
  type TextPlace,
  textsOf,
} from './entry.js';
import { isSameText, readText, referencesOf, type Text, writeText } from './reference.js';
import { literalSecretsIn, placeName } from './secret.js';
import { type ClientSpec, isRemoteShape, type Json, type JsonObject, type RemoteShape, type Scope } from './spec.js';

/** Why an entry cannot be written for a client; no value of the entry is in it. */
export interface Refusal {
  /** `remote`: no remote servers in this file. `transport`: not this transport. `secret`: only by writing a secret out. */
  readonly kind: 'remote' | 'transport' | 'secret' | 'text' | 'headers';
  readonly message: string;
  readonly hint: string;
}

export interface WrittenEntry {
  /** The entry as the client spells it. */
  readonly value: JsonObject;
  /** Every variable it refers to. */
  readonly variables: readonly string[];
  /** Variables that are declared beside the servers, where the client asks for them. */
  readonly inputs: readonly string[];
  /** What could not be said and was left out, in words. */
  readonly losses: readonly string[];
  /** True: a secret stands in it, because `literalSecrets` allowed that. */
  readonly holdsSecret: boolean;
}

export interface WriteOptions {
  readonly client: ClientSpec;
  readonly scope: Scope;
  readonly name: string;
  /** Allows secrets in the file; given, it also supplies what a reference stands for where the client knows no references. */
  readonly literalSecrets?: ((variable: string) => string | undefined) | undefined;
}

/**
 * Spells an entry as a client's file does. Pure, and nothing is resolved unless `literalSecrets` says so.
 *
 * @returns the entry, or every reason why it cannot be written
 */
export function writeEntry(entry: ClientEntry, options: WriteOptions): WrittenEntry | readonly Refusal[] {
  const { client, scope, name, literalSecrets } = options;
  const { connection } = entry;
  const writer = new EntryWriter(options);
  const secrets = literalSecretsIn(connection);
  if (literalSecrets === undefined) for (const place of secrets) writer.refuseSecret(place);
  const spelled = connection.kind === 'stdio' ? writer.stdio(connection) : writer.remote(connection);
  if (spelled === undefined || writer.refusals.length > 0) return writer.refusals;
  const named = client.isList || client.repeatsName ? { name } : {};
  const own = scope === 'user' ? client.userFixed : undefined;
  return {
    value: { ...named, ...spelled, ...own, ...enabledOf(client, entry) },
    variables: [
      ...new Set(textsOf(connection).flatMap(([, text]) => referencesOf(text).map(({ variable }) => variable))),
    ],
    inputs: client.secrets.dialect === 'input' ? writer.variables : [],
    losses: [...writer.losses, ...settingLosses(client, entry)],
    holdsSecret: secrets.length > 0 || writer.hasResolved,
  };
}

/** Only clients that have a word for it anyway are told that an entry is switched off. */
function enabledOf({ stdio }: ClientSpec, { settings }: ClientEntry): JsonObject {
  if (settings.enabled !== false) return {};
  if (stdio.fixed !== undefined && 'disabled' in stdio.fixed) return { disabled: true };
  return stdio.fixed !== undefined && 'enabled' in stdio.fixed ? { enabled: false } : {};
}

function settingLosses(client: ClientSpec, entry: ClientEntry): readonly string[] {
  const { enabled, ...others } = entry.settings;
  const isSwitchLost = enabled === false && Object.keys(enabledOf(client, entry)).length === 0;
  return [
    ...(isSwitchLost ? [`enabled: false was left out: ${client.title} has no word for it`] : []),
    ...Object.keys(others).map((field) => `${field} is a setting of doorward's and was left out`),
  ];
}

/** What helps with every client: our own file knows references. */
const INSTEAD = 'Put the server into doorward.json, which may say ${VAR}, and add doorward itself by --mode stdio.';

class EntryWriter {
  readonly refusals: Refusal[] = [];
  readonly losses: string[] = [];
  readonly #client: ClientSpec;
  readonly #resolve: WriteOptions['literalSecrets'];
  readonly #variables = new Set<string>();
  /** Whether a secret was written out for want of a reference. */
  hasResolved = false;

  constructor({ client, literalSecrets }: WriteOptions) {
    this.#client = client;
    this.#resolve = literalSecrets;
  }

  /** Every variable that the written values refer to, in order. */
  get variables(): readonly string[] {
    return [...this.#variables];
  }

  stdio({ command, args, env, cwd }: StdioConnection): JsonObject {
    const { stdio: shape } = this.#client;
    const program = this.#text(command, { field: 'command' });
    const words = args.map((text, at) => this.#text(text, { field: 'args', at }));
    const { map, names } = this.#env(env);
    return {
      ...shape.fixed,
      ...(shape.isJoined ? { [shape.command]: [program, ...words] } : { [shape.command]: program, args: words }),
      ...(Object.keys(map).length > 0 && { [shape.env]: map }),
      ...(names.length > 0 && { [this.#client.secrets.envNames!]: names }),
      ...this.#cwd(cwd),
    };
  }

  #cwd(cwd: Text | undefined): JsonObject {
    const { title, stdio: shape } = this.#client;
    if (cwd === undefined) return {};
    if (shape.cwd !== undefined) return { [shape.cwd]: this.#text(cwd, { field: 'cwd' }) };
    this.losses.push(`cwd was left out: ${title} has no word for it`);
    return {};
  }

  /** Variables that keep their names may be listed instead of being referred to. */
  #env(env: TextMap): { readonly map: JsonObject; readonly names: readonly string[] } {
    const { envNames, fields } = this.#client.secrets;
    const names: string[] = [];
    const map: Record<string, Json> = {};
    for (const [name, text] of Object.entries(env)) {
      const isOwnName = isSameText(text, [{ variable: name }]);
      if (isOwnName && envNames !== undefined && !fields.includes('env')) names.push(name);
      else map[name] = this.#text(text, { field: 'env', name });
    }
    return { map, names };
  }

  remote({ transport, url, headers }: RemoteConnection): JsonObject | undefined {
    const { remote: shape, title } = this.#client;
    if (!isRemoteShape(shape))
      return this.#refuse('remote', `${title} has no remote servers in its file`, shape.instead);
    const word = shape.transport?.[transport];
    if (word === undefined && (transport === 'sse' || shape.transport !== undefined)) {
      const hint =
        'Use the Streamable HTTP URL of the server, or mount it in doorward and add doorward by --mode stdio.';
      return this.#refuse('transport', `${title} has no word for the transport ${transport}`, hint);
    }
    return {
      ...shape.fixed,
      ...(word !== undefined && { [shape.transport!.field]: word }),
      [shape.url]: this.#text(url, { field: 'url' }),
      ...this.#headers(headers, shape),
    };
  }

  #headers(headers: TextMap, shape: RemoteShape): JsonObject {
    const { title, secrets } = this.#client;
    if (Object.keys(headers).length === 0) return {};
    if (shape.headers === undefined) {
      this.#refuse(
        'headers',
        `${title} documents no headers`,
        'Mount the server in doorward, and add doorward itself.',
      );
      return {};
    }
    const map: Record<string, Json> = {};
    const byName: Record<string, Json> = {};
    let bearer: string | undefined;
    for (const [name, text] of Object.entries(headers)) {
      const only = referencesOf(text).length === 1 ? referencesOf(text)[0]! : undefined;
      if (only && secrets.bearerName && isBearer(name, text, only.variable)) bearer = only.variable;
      else if (only && secrets.headerNames && isSameText(text, [{ variable: only.variable }]))
        byName[name] = only.variable;
      else map[name] = this.#text(text, { field: 'headers', name });
    }
    return {
      ...(bearer !== undefined && { [secrets.bearerName!]: bearer }),
      ...(Object.keys(byName).length > 0 && { [secrets.headerNames!]: byName }),
      ...(Object.keys(map).length > 0 && nested(shape.headers, map)),
      ...(secrets.declares !== undefined && this.#variables.size > 0 && { [secrets.declares]: [...this.#variables] }),
    };
  }

  #text(text: Text, place: TextPlace): string {
    const { title, secrets } = this.#client;
    const references = referencesOf(text);
    const dialect = references.length > 0 && !this.#takesReference(place.field) ? 'none' : secrets.dialect;
    const written = writeText(text, dialect);
    if (typeof written === 'object') {
      for (const { variable } of references) this.#variables.add(variable);
      for (const variable of written.lostFallbacks) {
        this.losses.push(`the default of ${variable} in ${placeName(place)} was left out: ${title} has no word for it`);
      }
      return written.value;
    }
    if (written === 'looks-like-a-reference') {
      this.#refuse(
        'text',
        `${placeName(place)} holds text that ${title} would read as a reference`,
        'Change the text.',
      );
      return '';
    }
    return this.#resolved(text, place) ?? '';
  }

  #takesReference(field: TextField): boolean {
    return this.#client.secrets.fields.includes(field);
  }

  #resolved(text: Text, place: TextPlace): string | undefined {
    const { title, secrets } = this.#client;
    if (this.#resolve === undefined) {
      const where =
        secrets.dialect === 'none'
          ? `${title} takes literal values only`
          : `${title} takes no reference like this in ${place.field}`;
      return this.#refuse(
        'secret',
        `${placeName(place)} refers to a variable, but ${where}`,
        `${secrets.note ?? INSTEAD} Or allow the value in the file by --literal-secrets.`,
      );
    }
    let value = '';
    for (const part of text) {
      const piece = typeof part === 'string' ? part : this.#resolve(part.variable) || part.fallback;
      if (piece === undefined) {
        const variable = (part as { variable: string }).variable;
        return this.#refuse('secret', `the variable ${variable} is not set`, `Set ${variable}, and run this again.`);
      }
      value += piece;
    }
    this.hasResolved = true;
    return value;
  }

  refuseSecret(place: TextPlace): void {
    const name = suggestedVariable(place);
    this.#refuse(
      'secret',
      `${placeName(place)} looks like a secret, and would stand in the file as it is`,
      `Write \${${name}} for it and set ${name}; or allow it by --literal-secrets.`,
    );
  }

  #refuse(kind: Refusal['kind'], message: string, hint: string): undefined {
    this.refusals.push({ kind, message, hint });
    return undefined;
  }
}

function isBearer(name: string, text: Text, variable: string): boolean {
  return name.toLowerCase() === 'authorization' && isSameText(text, ['Bearer ', { variable }]);
}

function nested(path: readonly string[], value: Json): JsonObject {
  const [first = '', ...others] = path;
  return { [first]: others.length === 0 ? value : nested(others, value) };
}

/** A name for the variable that is to hold what stands at a place. */
export function suggestedVariable({ field, name, at }: TextPlace, server = ''): string {
  const words = name === undefined ? `${server}_${field}_${at ?? ''}` : field === 'env' ? name : `${server}_${name}`;
  return words
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .replace(/^(?=\d)/, '_')
    .toUpperCase();
}

/** A text given on the command line or in doorward's own file. */
export function ownText(value: string): Text {
  return readText(value, 'doorward');
}
