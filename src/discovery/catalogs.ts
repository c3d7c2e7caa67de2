import { CARD_TYPE, mountedCard, serverCard } from './card.js';
import { addressOf, cardPathOf, endpointOf, PLACES } from './paths.js';
import type { Surface } from './types.js';

export const OPENAPI_TYPE = 'application/vnd.oai.openapi+json;version=3.1';

/**
 * The AI Catalog (specification of Agent-Card/ai-catalog, 1.0): this server, and those behind it that are to be found by
 * themselves. What the card says is not said twice.
 */
export function aiCatalog(surface: Surface): object {
  const { server, publicUrl, servers = [] } = surface;
  const [namespace = '', name = ''] = server.name.split('/');
  const publisher = namespace.split('.').reverse().join('.');
  const { websiteUrl } = server;
  const ours = `urn:air:${publisher}:mcp:${name}`;
  return {
    specVersion: '1.0',
    host: {
      displayName: server.title ?? server.name,
      ...(websiteUrl !== undefined && { documentationUrl: websiteUrl }),
    },
    entries: [
      // Without an address to lead to, the card itself is there: an entry has exactly one of the two.
      {
        identifier: ours,
        type: CARD_TYPE,
        ...(publicUrl === undefined ? { data: serverCard(surface) } : { url: cardPathOf(publicUrl) }),
      },
      ...servers.map((mounted) => {
        const card = mountedCard(surface, mounted);
        const id = card.name.slice(card.name.indexOf('/') + 1);
        return { identifier: `urn:air:${publisher}:mcp.${name}:${id}`, type: CARD_TYPE, data: card };
      }),
    ],
  };
}

/** The api-catalog (RFC 9727): a linkset (RFC 9264) of what describes the endpoint. */
export function apiCatalog(surface: Surface): object {
  const { websiteUrl } = surface.server;
  const at = (path: string, type: string) => ({ href: addressOf(surface, path), type });
  return {
    linkset: [
      {
        anchor: endpointOf(surface),
        'service-desc': [at(PLACES.openapi, OPENAPI_TYPE)],
        'service-doc': [
          at(PLACES.llms, 'text/plain'),
          ...(websiteUrl === undefined ? [] : [{ href: websiteUrl, type: 'text/html' }]),
        ],
        'service-meta': [at(PLACES.mcp, 'application/json'), at(PLACES.index, 'application/json')],
        status: [at('/healthz', 'application/json')],
        describedby: [{ href: cardPathOf(endpointOf(surface)), type: CARD_TYPE }],
      },
    ],
  };
}
