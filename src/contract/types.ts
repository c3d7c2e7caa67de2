import type { Principal } from '../base/index.js';
import type { Judge } from '../schema/index.js';
import type { InputOf, StandardSchema } from './standard-schema.js';

/** A JSON Schema as it is shown to callers, 2020-12, its root an object. Frozen. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a call does to the world; the tool's annotations are derived from it (MCP schema, ToolAnnotations). */
export type ToolKind = 'read' | 'write' | 'destructive';

/** Whether a tool needs the machine of whoever calls it, or runs wherever the contract is served. */
export type Locality = 'local' | 'remote';

/** Whether public documents name it. A private one is shown to callers who signed in, and to those on the same machine. */
export type Visibility = 'public' | 'private';

/** What a caller must have been granted. */
export interface ToolAuth {
  readonly scopes: readonly string[];
}

/** For whom, and where, a contract is looked at. What is absent is not asked about. */
export interface SliceFacts {
  /** One of the contract's `deployments`. */
  readonly deployment?: string;
  readonly locality?: Locality;
  readonly profile?: string;
  /** Absent: whoever reads public documents. */
  readonly principal?: Principal;
}

export interface ToolExample<Input = unknown> {
  readonly title?: string;
  readonly input: Input;
}

/** One tool, as its author writes it. It imports no handler. */
export interface ToolDefinition<
  Name extends string = string,
  Input extends StandardSchema = StandardSchema,
  Output extends StandardSchema = StandardSchema,
> {
  /** Letters, digits, `_` and `-`, at most 64, the first a letter or `_`: what every model vendor takes as it is. */
  readonly name: Name;
  readonly title?: string;
  /** What it does and when to use it: written for the model. */
  readonly description: string;
  /** An object. Members it does not name are refused, unless the schema itself says that it is loose. */
  readonly input: Input;
  /** An object. Members it does not name may be there, unless the schema itself says that it is strict. */
  readonly output: Output;
  readonly kind: ToolKind;
  /** Default `remote`. */
  readonly locality?: Locality;
  /** The deployments that serve it. Default: all of them. */
  readonly availability?: readonly string[];
  /** Default `public`. */
  readonly visibility?: Visibility;
  /**
   * Whether it is there, on top of all other conditions. Asked for each place, not for each caller (that is what `visibility` and
   * `auth` are for); must be quick, take any facts, and always say the same.
   */
  readonly when?: (facts: Omit<SliceFacts, 'principal'>) => boolean;
  /** Absent: whoever may come in may call it. */
  readonly auth?: ToolAuth;
  /** Sets of tools it belongs to, for callers who want fewer. Default: all of them. */
  readonly profiles?: readonly string[];
  readonly examples?: readonly ToolExample<InputOf<Input>>[];
  /** Names it had before: calls by them still work, lists do not show them. */
  readonly aliases?: readonly string[];
  /** What to use instead. */
  readonly deprecated?: string;
  /** Goes into the tool's `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** The same with every default filled in, and its schemas converted, once. Frozen. */
export interface Tool<
  Name extends string = string,
  Input extends StandardSchema = StandardSchema,
  Output extends StandardSchema = StandardSchema,
> extends ToolDefinition<Name, Input, Output> {
  readonly locality: Locality;
  readonly visibility: Visibility;
  readonly profiles: readonly string[];
  readonly examples: readonly ToolExample<InputOf<Input>>[];
  readonly aliases: readonly string[];
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  /** Compiled when first used, from `inputSchema` and `outputSchema`. */
  readonly judges: { readonly input: Judge; readonly output: Judge };
  readonly annotations: ToolAnnotations;
}

/** MCP schema, ToolAnnotations: derived from `kind`. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
}

/** A tool in a list: an element of the result of tools/list (MCP schema, Tool), and what documents are made from. */
export interface ListedDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Something to read, as its author writes it: one of `uri` and `uriTemplate` (MCP server/resources). */
export interface ResourceDefinition<Name extends string = string> {
  readonly name: Name;
  readonly uri?: string;
  /** RFC 6570, level 1: `notes://{id}`. */
  readonly uriTemplate?: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly availability?: readonly string[];
  readonly locality?: Locality;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** A prompt, as its author writes it (MCP server/prompts). Arguments are strings. */
export interface PromptDefinition<Name extends string = string> {
  readonly name: Name;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly PromptArgument[];
  readonly availability?: readonly string[];
  readonly locality?: Locality;
  readonly meta?: Readonly<Record<string, unknown>>;
}

export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
}

/** Who a server is, wherever it introduces itself. */
export interface ServerIdentity {
  /** In the MCP Registry: `io.github.OWNER/NAME`, or a reversed domain. */
  readonly name: string;
  readonly title?: string;
  /** At most 100 characters: the Registry's bound. */
  readonly description: string;
  /** That of package.json; import it from there, so that it stands in one place. */
  readonly version: string;
  readonly websiteUrl?: string;
  readonly repository?: {
    readonly url: string;
    readonly source: string;
    readonly subfolder?: string;
    readonly id?: string;
  };
  readonly icons?: readonly ServerIcon[];
  /** What models are told about the server as a whole. */
  readonly instructions?: string;
}

export interface ServerIcon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
}

/** A header, variable or argument that users of a server fill in (MCP Registry server.json, Input). */
export interface InputField {
  readonly description?: string;
  readonly isRequired?: boolean;
  readonly isSecret?: boolean;
  readonly default?: string;
  readonly placeholder?: string;
  readonly choices?: readonly string[];
  readonly format?: 'string' | 'number' | 'boolean' | 'filepath';
  readonly value?: string;
}

export interface NamedField extends InputField {
  readonly name: string;
  /** What `{name}`s in `value` stand for. */
  readonly variables?: Readonly<Record<string, InputField>>;
}

/** Where the server can be reached over HTTP. */
export interface RemoteDefinition {
  readonly type: 'streamable-http' | 'sse';
  /** May hold `{variables}`, each declared. */
  readonly url: string;
  readonly headers?: readonly NamedField[];
  readonly variables?: Readonly<Record<string, InputField>>;
}

interface ArgumentField extends InputField {
  readonly isRepeated?: boolean;
  /** What `{name}`s in `value` stand for. */
  readonly variables?: Readonly<Record<string, InputField>>;
}

/** An argument that is told by its place on the command line. */
export interface PositionalArgument extends ArgumentField {
  readonly type: 'positional';
  readonly valueHint?: string;
}

/** An argument that is told by its name, which clients put before its value. */
export interface NamedArgument extends ArgumentField {
  readonly type: 'named';
  /** With its dashes. */
  readonly name: string;
}

/** What a package, or its runtime, is started with (MCP Registry server.json, Argument). */
export type PackageArgument = PositionalArgument | NamedArgument;

/** Where the server can be installed from. */
export interface PackageDefinition {
  readonly registryType: 'npm' | 'pypi' | 'nuget' | 'oci' | 'mcpb';
  readonly identifier: string;
  /** Default: the server's own. */
  readonly version?: string;
  readonly transport:
    | { readonly type: 'stdio' }
    | { readonly type: 'streamable-http' | 'sse'; readonly url: string; readonly headers?: readonly NamedField[] };
  readonly registryBaseUrl?: string;
  readonly fileSha256?: string;
  readonly runtimeHint?: string;
  readonly runtimeArguments?: readonly PackageArgument[];
  readonly packageArguments?: readonly PackageArgument[];
  readonly environmentVariables?: readonly NamedField[];
}

/** All that a server is, as its author writes it. */
export interface ContractDefinition<
  Tools extends readonly Tool[] = readonly Tool[],
  Resources extends readonly ResourceDefinition[] = readonly ResourceDefinition[],
  Prompts extends readonly PromptDefinition[] = readonly PromptDefinition[],
> {
  readonly server: ServerIdentity;
  readonly tools?: Tools;
  readonly resources?: Resources;
  readonly prompts?: Prompts;
  readonly remotes?: readonly RemoteDefinition[];
  readonly packages?: readonly PackageDefinition[];
  /** Names of the places it is served at, as `availability` uses them. */
  readonly deployments?: readonly string[];
}

/** The same, checked. Frozen. */
export interface Contract<
  Tools extends readonly Tool[] = readonly Tool[],
  Resources extends readonly ResourceDefinition[] = readonly ResourceDefinition[],
  Prompts extends readonly PromptDefinition[] = readonly PromptDefinition[],
> {
  readonly server: ServerIdentity;
  readonly tools: Tools;
  readonly resources: Resources;
  readonly prompts: Prompts;
  readonly remotes: readonly RemoteDefinition[];
  readonly packages: readonly PackageDefinition[];
  readonly deployments: readonly string[];
  /**
   * SHA-256, hex, over what callers can see of the server's name, tools, resources and prompts, in whatever order they were
   * written. Two servers with the same one can stand in for each other.
   */
  readonly fingerprint: string;
}

/** What of a contract is there for somebody, somewhere; in the contract's order. */
export interface Slice {
  readonly contract: Contract;
  readonly facts: SliceFacts;
  readonly tools: readonly Tool[];
  readonly resources: readonly ResourceDefinition[];
  readonly prompts: readonly PromptDefinition[];
  /** As the contract's, over this slice. */
  readonly fingerprint: string;
}
