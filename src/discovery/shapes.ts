import * as z from 'zod/mini';

/**
 * The shapes of what is answered: what OpenAPI says of it, and what tests hold it to. Objects are open: documents may learn
 * to say more.
 */

const text = z.string();
const texts = z.array(text);
const openObject = z.record(text, z.unknown());
const jsonSchema = openObject;

const remote = z.looseObject({
  type: z.enum(['streamable-http', 'sse']),
  url: text,
  headers: z.optional(z.array(z.looseObject({ name: text }))),
  variables: z.optional(z.record(text, openObject)),
  supportedProtocolVersions: z.optional(texts),
});

const card = {
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'),
  name: z.string().check(z.minLength(3), z.maxLength(200), z.regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)),
  version: z.string().check(z.maxLength(255)),
  description: z.string().check(z.minLength(1), z.maxLength(100)),
  title: z.optional(z.string().check(z.minLength(1), z.maxLength(100))),
  websiteUrl: z.optional(text),
  repository: z.optional(z.looseObject({ url: text, source: text })),
  icons: z.optional(z.array(z.looseObject({ src: text }))),
  remotes: z.optional(z.array(remote)),
  _meta: z.optional(openObject),
};

export const serverCardShape = z.looseObject(card);

export const mcpShape = z.looseObject({
  ...card,
  capabilities: openObject,
  tools_summary: z.looseObject({ count: z.int(), read_only: z.int(), destructive: z.int(), index: text }),
  tools: z.optional(
    z.array(
      z.looseObject({
        name: text,
        title: z.optional(text),
        description: z.optional(text),
        annotations: z.optional(openObject),
      }),
    ),
  ),
  generated_at: z.optional(text),
});

/** An entry has exactly one of `url` and `data` (AI Catalog 1.0). */
const catalogEntry = { identifier: z.string().check(z.regex(/^urn:air:[^:]+:[^:]+:.+$/)), type: text };

export const aiCatalogShape = z.looseObject({
  specVersion: z.literal('1.0'),
  host: z.looseObject({ displayName: text, documentationUrl: z.optional(text) }),
  entries: z.array(
    z.union([
      z.strictObject({ ...catalogEntry, url: text }),
      z.strictObject({ ...catalogEntry, data: serverCardShape }),
    ]),
  ),
});

const links = z.array(z.looseObject({ href: text, type: z.optional(text) }));

export const linksetShape = z.looseObject({
  linkset: z.array(
    z.looseObject({
      anchor: text,
      'service-desc': links,
      'service-doc': links,
      'service-meta': links,
      status: links,
      describedby: links,
    }),
  ),
});

const loss = z.looseObject({ path: text, keyword: text, effect: z.enum(['wider', 'narrower']), why: text });

const fidelity = z.union([
  z.strictObject({ kind: z.literal('lossless') }),
  z.strictObject({ kind: z.literal('lossy'), losses: z.array(loss) }),
  z.strictObject({ kind: z.literal('unsupported'), path: text, why: text }),
]);

const head = {
  server: z.looseObject({ name: text, version: text }),
  fingerprint: z.optional(text),
  generated_at: z.optional(text),
  executor: z.looseObject({
    path: text,
    url: z.optional(text),
    transport: z.literal('streamable-http'),
    method: z.literal('tools/call'),
    protocolVersions: texts,
  }),
  arrays: z.record(text, text),
};

const variant = z.looseObject({ definition: openObject, fidelity, nullMeansAbsent: texts });

export const toolsShape = z.looseObject({
  target: z.enum(['openai', 'anthropic', 'gemini']),
  ...head,
  names: z.record(text, text),
  tools: z.array(
    z.looseObject({
      name: text,
      as: text,
      annotations: z.optional(openObject),
      loose: variant,
      strict: variant,
    }),
  ),
});

const kind = z.enum(['lossless', 'lossy', 'unsupported']);

export const indexShape = z.looseObject({
  ...head,
  count: z.int(),
  tools: z.array(
    z.looseObject({
      name: text,
      title: z.optional(text),
      description: z.optional(text),
      inputSchema: jsonSchema,
      outputSchema: z.optional(jsonSchema),
      annotations: z.optional(openObject),
      projections: z.record(text, z.looseObject({ name: text, loose: kind, strict: kind })),
    }),
  ),
  documents: z.record(text, text),
});

/** What a vendor's SDK takes; its own types say what is in it. */
export const toolsArrayShape = z.array(openObject);

export const protectedResourceShape = z.looseObject({
  resource: text,
  authorization_servers: texts,
  scopes_supported: z.optional(texts),
  bearer_methods_supported: texts,
  resource_name: text,
});

export const registryAuthShape = z.string().check(z.regex(/^v=MCPv1; k=[a-z0-9]+; p=\S+$/));
export const openapiShape = z.looseObject({ openapi: z.literal('3.1.0'), info: openObject, paths: openObject });
export const textShape = text;

export const healthShape = z.strictObject({ status: z.literal('alive') });

export const readinessShape = z.looseObject({
  status: z.enum(['starting', 'ready', 'draining']),
  degraded: z.optional(texts),
  upstreams: z.optional(z.array(z.looseObject({ id: text, state: text }))),
});

/** Why there is no answer, in HTTP's own terms. */
export const refusalShape = z.looseObject({ error: z.looseObject({ message: text }) });

/** A message of JSON-RPC, as MCP has it. */
export const messageShape = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.optional(z.union([text, z.number()])),
  method: z.optional(text),
  params: z.optional(openObject),
  result: z.optional(openObject),
  error: z.optional(z.looseObject({ code: z.int(), message: text, data: z.optional(z.unknown()) })),
});
