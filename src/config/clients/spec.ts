import type { TextField } from './entry.js';
import type { Dialect } from './reference.js';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

export type FileFormat = 'jsonc' | 'toml' | 'yaml';
/** Whose file it is: one that lies in a project and may be shared, or the user's own. */
export type Scope = 'project' | 'user';
/** Node's names of the three systems; others are treated as `linux`. */
export type Os = 'linux' | 'darwin' | 'win32';

/** Where a claim of the table is from. What nobody could check says so. */
export type Source = { readonly cited: string } | { readonly unverified: string };

/**
 * A folder under one the system has: `home`; `config` ($XDG_CONFIG_HOME or ~/.config); `support` (where applications keep
 * their files); `vscode` (the user folder of VS Code).
 */
export interface Place {
  readonly base: 'home' | 'config' | 'support' | 'vscode';
  readonly folder: string;
  /** An environment variable that names another folder. */
  readonly variable?: string;
  /** Names the file may have. The first that is there counts; where none is, the first. */
  readonly files: readonly string[];
}

/** How a file spells a server that is started as a program. */
export interface StdioShape {
  readonly command: 'command' | 'cmd';
  /** True: one array holds the program and its arguments. */
  readonly isJoined?: boolean;
  readonly env: 'env' | 'envs' | 'environment';
  readonly cwd?: 'cwd' | 'working_directory';
  /** Members every such entry has: `{ "type": "stdio" }`. */
  readonly fixed?: JsonObject;
}

/** How a file spells a server that is reached by URL. */
export interface RemoteShape {
  readonly url: 'url' | 'serverUrl' | 'uri';
  /** The member that names the transport, and its words; a transport without a word cannot be written. */
  readonly transport?: { readonly field: 'type' | 'transport'; readonly http: string; readonly sse?: string };
  readonly headers: readonly string[] | undefined;
  readonly fixed?: JsonObject;
}

export interface SecretSpec {
  readonly dialect: Dialect;
  /** The values in which references are replaced. */
  readonly fields: readonly TextField[];
  /** Lists the variables that the program gets under their own names. */
  readonly envNames?: 'env_vars' | 'env_keys';
  /** Maps a header to the variable that holds its value. */
  readonly headerNames?: 'env_http_headers';
  /** Names the variable whose value is sent as `Authorization: Bearer`. */
  readonly bearerName?: 'bearer_token_env_var' | 'bearerTokenEnvVar';
  /** Lists the variables that values refer to. */
  readonly declares?: 'env_keys';
  /** What to know before relying on it. */
  readonly note?: string;
}

export type LinkFormat = 'cursor' | 'vscode' | 'lmstudio' | 'goose';

/** One MCP client: where its file lies, and how it spells a server. */
export interface ClientSpec {
  readonly id: string;
  readonly title: string;
  readonly aliases?: readonly string[];
  readonly format: FileFormat;
  /** Relative to the project's folder; the first that is there counts. */
  readonly project?: readonly string[];
  readonly user?: Place | Readonly<Record<Os, Place>>;
  /** The path of the member that holds the servers; empty for the file itself. The first is written where none is there. */
  readonly roots: readonly (readonly string[])[];
  /** True: the servers are an array, each with its name inside. */
  readonly isList?: boolean;
  /** True: each entry repeats its name as `name`. */
  readonly repeatsName?: boolean;
  /** Members of a file that is made anew. */
  readonly seed?: JsonObject;
  /** Members of entries in the user's own file only. */
  readonly userFixed?: JsonObject;
  readonly stdio: StdioShape;
  /** The remote form, or what to do where the file has none. */
  readonly remote: RemoteShape | { readonly instead: string };
  readonly secrets: SecretSpec;
  readonly link?: LinkFormat;
  /** The client's own command for the same. */
  readonly ownCommand?: string;
  readonly notes?: readonly string[];
  readonly sources: {
    readonly files: Source;
    readonly stdio: Source;
    readonly remote: Source;
    readonly secrets: Source;
    readonly link?: Source;
  };
}

/** Whether a client can be given servers by their URLs. */
export function isRemoteShape(remote: ClientSpec['remote']): remote is RemoteShape {
  return 'url' in remote;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
