// The plan of the house (design.md section 2) as data. A better house is a change of this table and of ARCHITECTURE.md
// in one commit that says why.

/** Which rooms a room may import, `base` aside (everyone may). Order: floors, top down. */
export const ARROWS: Readonly<Record<string, readonly string[]>> = {
  cli: [
    'runtime/node',
    'doors',
    'generate',
    'gateway',
    'client',
    'discovery',
    'contract',
    'catalog',
    'config',
    'schema',
    'protocol',
    'store',
  ],
  'runtime/node': [
    'doors',
    'gateway',
    'client',
    'discovery',
    'contract',
    'catalog',
    'store',
    'config',
    'protocol',
    'schema',
  ],
  'runtime/worker': ['doors', 'gateway', 'client', 'discovery', 'contract', 'catalog', 'store', 'protocol', 'schema'],
  doors: ['gateway', 'discovery', 'contract', 'protocol'],
  generate: ['discovery', 'contract', 'catalog', 'config', 'schema'],
  gateway: ['client', 'catalog', 'contract', 'store', 'protocol', 'schema'],
  client: ['catalog', 'schema', 'protocol'],
  discovery: ['contract', 'catalog', 'schema'],
  contract: ['schema'],
  catalog: ['schema', 'protocol'],
  config: ['schema'],
  schema: [],
  protocol: [],
  store: [],
  base: [],
};

/** Rooms that may know Node. Everything else runs wherever `fetch` does. */
export const NODE_ROOMS: readonly string[] = ['cli', 'runtime/node'];

/** `src/index.ts` is the package's `.` export: it shows rooms, and holds nothing of its own. */
export const FACADE = 'src/index.ts';
export const FACADE_ROOMS: readonly string[] = ['base', 'doors', 'gateway', 'contract', 'client', 'schema'];

/** Files outside src that src may read: the version is written down once. */
export const SHARED_FILES: readonly string[] = ['package.json'];

/** Packages that touch Node; only `runtime/node` may import them. */
export const NODE_PACKAGES: readonly string[] = [
  '@hono/node-server',
  '@napi-rs/keyring',
  'chokidar',
  'cross-spawn',
  'ioredis',
  'libsql',
  'pino',
  'postgres',
  'proper-lockfile',
  'rate-limiter-flexible',
  'undici',
  'write-file-atomic',
];

/** The only packages `base` may import. */
export const BASE_PACKAGES: readonly string[] = ['@noble/hashes'];

/** The official SDK is for OAuth only; tests may use it freely. */
export const SDK_SCOPE = '@modelcontextprotocol/';
export const SDK_FOLDER = 'src/client/auth/';

/** Swapping the JSON Schema engine must touch one file. */
export const ENGINE_PACKAGE = 'ata-validator';
export const ENGINE_FILE = 'src/schema/engine.ts';

export const MAX_FILE_LINES = 500;
export const MAX_FUNCTION_LINES = 120;
/** `.github` and `server.json` can lie nowhere else: GitHub and the MCP Registry look for them there. */
export const MAX_ROOT_ENTRIES = 26;

/** Names that name nothing. */
export const EMPTY_NAMES = /(^|[-.])(utils?|helpers?|managers?|services?|misc)([-.]|$)/;

/** The design's words; each has an entry in docs/glossary.md. */
export const WORDS: readonly string[] = [
  'advisory',
  'caller',
  'catalog',
  'client',
  'contract',
  'door',
  'entry',
  'era',
  'event',
  'exclusion',
  'gap',
  'gateway',
  'issue',
  'judge',
  'mount',
  'principal',
  'projection',
  'step',
  'tool',
  'transport',
  'upstream',
  'verdict',
];
