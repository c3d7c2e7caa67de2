import { FINGERPRINT_KEY } from '../base/index.js';
import type { RemoteDefinition, ServerIdentity } from '../contract/index.js';
import type { MountedServer, Surface } from './types.js';

const CARD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json';
export const CARD_TYPE = 'application/mcp-server-card+json';
/** A card's own bounds, in characters. */
const MAX_TEXT = 100;
const MAX_VERSION = 255;

/** A server card (SEP-2127): who the server is and where it is reached, no tools. */
export interface ServerCard extends Omit<ServerIdentity, 'instructions'> {
  readonly $schema: string;
  readonly remotes?: readonly CardRemote[];
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface CardRemote extends RemoteDefinition {
  readonly supportedProtocolVersions: readonly string[];
}

/** The card of a server. Where nobody said what it is reached by there are no remotes: nothing is guessed. */
export function serverCard(surface: Surface): ServerCard {
  const { instructions: _, ...identity } = surface.server;
  const { fingerprint } = surface;
  return {
    $schema: CARD_SCHEMA,
    ...identity,
    ...remotesOf(surface),
    ...(fingerprint !== undefined && { _meta: { [FINGERPRINT_KEY]: fingerprint } }),
  };
}

/** The card of a server behind this one: it is reached through this one. What it says of itself is held to what a card takes. */
export function mountedCard(surface: Surface, mounted: MountedServer): ServerCard {
  const { server } = surface;
  const { id, description, version = '' } = mounted;
  const [namespace] = server.name.split('/');
  const title = clipped(mounted.title ?? '');
  return {
    $schema: CARD_SCHEMA,
    name: `${namespace}/${id.replace(/[^a-zA-Z0-9._-]/g, '-')}`,
    ...(title !== '' && { title }),
    description: clipped(description ?? `${title || id}, served by ${server.title ?? server.name}`),
    version: version === '' || version.length > MAX_VERSION ? server.version : version,
    ...remotesOf(surface),
  };
}

/** On one line, and no longer than a card takes; a character may be a pair, which is not parted. */
function clipped(text: string): string {
  const characters = Array.from(
    text
      .slice(0, MAX_TEXT * 4)
      .replace(/\s+/g, ' ')
      .trim(),
  );
  return characters.length > MAX_TEXT ? `${characters.slice(0, MAX_TEXT - 1).join('')}…` : characters.join('');
}

function remotesOf({ publicUrl, remotes = [], supportedVersions, auth }: Surface): Pick<ServerCard, 'remotes'> {
  if (publicUrl === undefined) return {};
  const { headers = auth?.kind === 'tokens' ? [TOKEN_HEADER] : undefined, variables } =
    remotes.find(({ url }) => withoutSlash(url) === withoutSlash(publicUrl)) ?? {};
  return {
    remotes: [
      {
        type: 'streamable-http',
        url: publicUrl,
        ...(headers && { headers }),
        ...(variables && { variables }),
        supportedProtocolVersions: supportedVersions,
      },
    ],
  };
}

/** What whoever was given a token by the operator fills in. */
const TOKEN_HEADER = {
  name: 'Authorization',
  description: '"Bearer ", then a token that the operator of this server gave you',
  isRequired: true,
  isSecret: true,
} as const;

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}
