import type { FieldTable } from './field-kinds.js';

const DAY_MS = 86_400_000;

/** Who may come in: by tokens that are named here, or by those of an authorization server. */
const AUTH_FIELDS = {
  tokens: {
    kind: 'groups',
    description: 'Tokens made by hand. The file holds only their digests.',
    required: ['name', 'sha256'],
    fields: {
      name: {
        kind: 'text',
        description: 'Whose token it is: what is done with it is done in the name of `token:<name>`.',
        shape: { pattern: '^\\S+$', expected: 'a name without spaces' },
      },
      sha256: {
        kind: 'text',
        expands: true,
        description: 'SHA-256 of the token, in hex: printf %s "$TOKEN" | sha256sum',
        shape: { pattern: '^[0-9a-fA-F]{64}$', expected: 'a SHA-256 in 64 hex digits: printf %s "$TOKEN" | sha256sum' },
      },
      scopes: { kind: 'texts', default: [], description: 'What the token may be used for.' },
    },
  },
  issuer: {
    kind: 'text',
    expands: true,
    description: 'The authorization server whose tokens are taken, as it names itself in `iss`.',
    shape: { pattern: '^https?://\\S+$', expected: 'an http or https address' },
  },
  audience: {
    kind: 'text',
    expands: true,
    description:
      'What a token must name in `aud`: one that was made for another server is refused. A slash at its end makes no difference.',
  },
  jwksUri: {
    kind: 'text',
    expands: true,
    description:
      "Where the authorization server's public keys are. Your own word counts: it may be in a private network.",
    shape: { pattern: '^https?://\\S+$', expected: 'an http or https address' },
  },
  requiredScopes: {
    kind: 'texts',
    default: [],
    description: 'Scopes that every token needs; without them the answer is 403.',
  },
} as const satisfies FieldTable;

/** What everybody may know of the door: what its discovery documents say beside what can be seen of it. */
const DISCOVERY_FIELDS = {
  name: {
    kind: 'text',
    description: 'Who the door is to the public, as the MCP Registry names servers: `com.example/gateway`.',
    shape: {
      pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$',
      expected: 'a reversed domain, a slash and a name: com.example/gateway',
    },
  },
  title: {
    kind: 'text',
    expands: true,
    description: 'Its name for people.',
    shape: { pattern: '^[^\\r\\n]{1,100}$', expected: 'one line of at most 100 characters' },
  },
  description: {
    kind: 'text',
    expands: true,
    description: 'What it is for.',
    shape: { pattern: '^[^\\r\\n]{1,100}$', expected: 'one line of at most 100 characters' },
  },
  websiteUrl: {
    kind: 'text',
    expands: true,
    description: 'Where people read more.',
    shape: { pattern: '^https?://\\S+$', expected: 'an http or https address' },
  },
  tools: {
    kind: 'texts',
    expands: true,
    default: [],
    description:
      'Tools of the servers behind the door that public documents name, by the names in lists; `*` is the only wildcard. Without it they name none of them.',
  },
  servers: {
    kind: 'texts',
    expands: true,
    default: [],
    description: 'Servers behind the door that the AI Catalog lists by themselves, by their ids.',
  },
  contact: {
    kind: 'text',
    expands: true,
    description: 'Whom to write to: an address of mail, or a page.',
    shape: { pattern: '^(https?://|mailto:)?\\S+$', expected: 'an address of mail, or an http or https address' },
  },
  registryAuth: {
    kind: 'text',
    expands: true,
    description:
      'The text of `/.well-known/mcp-registry-auth`, by which the MCP Registry knows who owns the domain: `v=MCPv1; k=ed25519; p=…`. It is public.',
    shape: { pattern: '^v=MCPv1; k=[a-z0-9]+; p=\\S+$', expected: 'v=MCPv1; k=ed25519; p=…' },
  },
} as const satisfies FieldTable;

/** The group `http` of the file. */
export const HTTP_FIELDS = {
  host: {
    kind: 'text',
    expands: true,
    default: '127.0.0.1',
    description: 'The address to listen on. Anything but this machine itself needs `http.auth`.',
    shape: { pattern: '^[^\\s/]+$', expected: 'a host name or an IP address, without a port' },
  },
  port: {
    kind: 'integer',
    min: 0,
    max: 65_535,
    default: 7450,
    description: 'The port to listen on; 0 takes a free one.',
  },
  path: {
    kind: 'text',
    default: '/mcp',
    description: 'The path of the MCP endpoint.',
    shape: { pattern: '^/[A-Za-z0-9._~/-]*$', expected: 'a path that starts with /, of letters, digits and . _ ~ - /' },
  },
  publicUrl: {
    kind: 'text',
    expands: true,
    description:
      'The address under which callers reach the endpoint, where that is another one: https://gateway.example, or with the path that a proxy serves it under. Nothing is ever taken from the Host header.',
    shape: { pattern: '^https?://[^\\s?#]+$', expected: 'an http or https address without ? and #' },
  },
  allowedHosts: {
    kind: 'texts',
    expands: true,
    default: [],
    description:
      'What the Host header may say beside 127.0.0.1, localhost, [::1] and the host of `publicUrl`: a host (any port) or host:port.',
    shape: { pattern: '^[^\\s/@]+$', expected: 'a host, or host:port' },
  },
  allowedOrigins: {
    kind: 'texts',
    expands: true,
    default: [],
    description: 'Web pages that may call from a browser, by their origin: http://localhost:6274. No wildcard.',
    shape: { pattern: '^[a-z][a-z0-9+.-]*://[^\\s/*]+$', expected: 'an origin: scheme://host or scheme://host:port' },
  },
  secret: {
    kind: 'text',
    expands: true,
    description:
      'The key of what callers carry for doorward (state between two rounds of a request), at least 32 characters. Processes with one key continue each other; a random one each process if absent.',
    shape: { pattern: '^[\\s\\S]{32,}$', expected: 'at least 32 characters' },
  },
  maxSessions: {
    kind: 'integer',
    unit: 'sessions',
    min: 1,
    max: 1_000_000,
    default: 2_000,
    description: 'Sessions of callers of 2025-11-25 and before; one more ends the one that was idle longest.',
  },
  idleTimeoutMs: {
    kind: 'integer',
    unit: 'ms',
    min: 1_000,
    max: 7 * DAY_MS,
    default: 1_800_000,
    description: 'How long a session may be idle before it ends.',
  },
  discovery: {
    kind: 'group',
    description: 'What public documents say of the door (docs/discovery.md).',
    fields: DISCOVERY_FIELDS,
  },
  auth: {
    kind: 'group',
    description:
      'Who may come in: `tokens`, or `issuer`, `audience` and `jwksUri`. Without it everyone who can reach the door.',
    isOptional: true,
    ways: [['tokens'], ['issuer', 'audience', 'jwksUri']],
    fields: AUTH_FIELDS,
  },
} as const satisfies FieldTable;
