import type { ObjectShape, Shape, TextShape } from './shape.js';

/**
 * The form of server.json (MCP Registry, schema of 2025-12-11), in our own words: a test holds it equal to the official
 * schema, which is not part of this repository.
 */

const text: TextShape = { kind: 'text' };
const flag: Shape = { kind: 'flag' };
const list = (items: Shape): Shape => ({ kind: 'list', items });
const oneOf = (...choices: readonly string[]): TextShape => ({ kind: 'text', choices });

const INPUT: ObjectShape['members'] = {
  description: text,
  isRequired: flag,
  isSecret: flag,
  default: text,
  placeholder: text,
  value: text,
  choices: list(text),
  format: oneOf('string', 'number', 'boolean', 'filepath'),
};

const VARIABLES: Shape = { kind: 'map', values: { kind: 'object', members: INPUT } };

const INPUT_WITH_VARIABLES: ObjectShape['members'] = { ...INPUT, variables: VARIABLES };

const NAMED_INPUT: Shape = { kind: 'object', members: { ...INPUT_WITH_VARIABLES, name: text }, required: ['name'] };

const ARGUMENT: Shape = {
  kind: 'choice',
  types: {
    positional: {
      kind: 'object',
      members: { ...INPUT_WITH_VARIABLES, valueHint: text, isRepeated: flag },
      oneOf: ['valueHint', 'value'],
    },
    named: {
      kind: 'object',
      members: { ...INPUT_WITH_VARIABLES, name: text, isRepeated: flag },
      required: ['name'],
    },
  },
};

const HTTP_MEMBERS: ObjectShape['members'] = {
  url: { kind: 'text', pattern: /^https?:\/\/\S+$/u, form: 'an http or https URL without blanks' },
  headers: list(NAMED_INPUT),
};

const HTTP_TRANSPORT: ObjectShape = { kind: 'object', members: HTTP_MEMBERS, required: ['url'] };
const REMOTE: ObjectShape = { ...HTTP_TRANSPORT, members: { ...HTTP_MEMBERS, variables: VARIABLES } };

const PACKAGE: Shape = {
  kind: 'object',
  members: {
    registryType: text,
    identifier: text,
    version: { kind: 'text', minLength: 1, forbidden: 'latest' },
    registryBaseUrl: text,
    fileSha256: { kind: 'text', pattern: /^[a-f0-9]{64}$/u, form: '64 digits of 0-9 and a-f' },
    runtimeHint: text,
    runtimeArguments: list(ARGUMENT),
    packageArguments: list(ARGUMENT),
    environmentVariables: list(NAMED_INPUT),
    transport: {
      kind: 'choice',
      types: { stdio: { kind: 'object', members: {} }, 'streamable-http': HTTP_TRANSPORT, sse: HTTP_TRANSPORT },
    },
  },
  required: ['registryType', 'identifier', 'transport'],
};

const ICON: Shape = {
  kind: 'object',
  members: {
    src: { kind: 'text', maxLength: 255 },
    mimeType: oneOf('image/png', 'image/jpeg', 'image/jpg', 'image/svg+xml', 'image/webp'),
    sizes: list({ kind: 'text', pattern: /^(\d+x\d+|any)$/u, form: 'WIDTHxHEIGHT, as 48x48, or any' }),
    theme: oneOf('light', 'dark'),
  },
  required: ['src'],
};

/** The member of `_meta` that the Registry keeps. */
export const PUBLISHER_META = 'io.modelcontextprotocol.registry/publisher-provided';

export const MANIFEST_SHAPE: Shape = {
  kind: 'object',
  members: {
    $schema: text,
    name: {
      kind: 'text',
      minLength: 3,
      maxLength: 200,
      pattern: /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/u,
      form: 'a reversed domain, one slash and a name: io.github.OWNER/NAME',
    },
    description: { kind: 'text', minLength: 1, maxLength: 100 },
    version: { kind: 'text', maxLength: 255 },
    title: { kind: 'text', minLength: 1, maxLength: 100 },
    websiteUrl: text,
    repository: {
      kind: 'object',
      members: { url: text, source: text, subfolder: text, id: text },
      required: ['url', 'source'],
    },
    icons: list(ICON),
    packages: list(PACKAGE),
    remotes: list({ kind: 'choice', types: { 'streamable-http': REMOTE, sse: REMOTE } }),
    _meta: { kind: 'object', members: { [PUBLISHER_META]: { kind: 'object', members: {} } } },
  },
  required: ['name', 'description', 'version'],
};
