/**
 * Every field of `doorward` in an author's package.json, once: the check walks this table, the types are read off it, and
 * docs/validate.md is held to it. Paths are relative to package.json and stay in its folder.
 */

interface FieldKinds {
  readonly path: string;
  readonly text: string;
  readonly texts: readonly string[];
  readonly count: number;
}

interface ProjectField {
  readonly kind: keyof FieldKinds;
  readonly isRequired?: true;
  readonly description: string;
}

export const PROJECT_FIELDS = {
  contract: {
    kind: 'path',
    isRequired: true,
    description: 'The module whose export `contract` (or default) is what `defineContract` made. Compiled JavaScript.',
  },
  implementation: {
    kind: 'path',
    description: 'The module whose export `implementation` (or default) is what `implement` made.',
  },
  docs: { kind: 'path', description: 'Where `doorward docs` writes the tool reference.' },
  clientDocs: { kind: 'path', description: 'The folder where `doorward docs` writes a page for each MCP client.' },
  clientArgs: {
    kind: 'texts',
    description: 'What clients start the package with, where that is not what the manifest says. For `clientDocs`.',
  },
  localServer: {
    kind: 'text',
    description:
      'The name of a bin that is a second server, with state of one machine: client pages show it beside the first.',
  },
  openapi: { kind: 'path', description: 'Where `doorward openapi` writes the OpenAPI document.' },
  manifest: { kind: 'path', description: 'Where `doorward manifest` writes the MCP Registry manifest: `server.json`.' },
  workflow: { kind: 'path', description: 'Where `doorward workflow` writes the publish workflow.' },
  stdio: {
    kind: 'texts',
    description:
      'What `node` is started with to serve it on stdio: a file and its arguments. The package’s bin if absent.',
  },
  build: { kind: 'text', description: 'The npm script that builds it. `doorward validate` runs it twice.' },
  outputs: {
    kind: 'texts',
    description: 'The folders it builds into, to be byte for byte the same twice: `["dist"]`.',
  },
  maxDeclined: {
    kind: 'count',
    description: 'How many tools may answer the call that `doorward validate` makes with an error: 0.',
  },
} as const satisfies Readonly<Record<string, ProjectField>>;

type Fields = typeof PROJECT_FIELDS;
type FieldName = keyof Fields;
type RequiredName = {
  [Name in FieldName]: Fields[Name] extends { readonly isRequired: true } ? Name : never;
}[FieldName];

/** `doorward` of an author's package.json, checked. */
export type ProjectSettings = {
  readonly [Name in RequiredName]: FieldKinds[Fields[Name]['kind']];
} & {
  readonly [Name in Exclude<FieldName, RequiredName>]?: FieldKinds[Fields[Name]['kind']];
};
