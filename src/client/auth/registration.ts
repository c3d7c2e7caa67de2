import { isHttpsUrl, RegistrationRejectedError, registerClient } from '@modelcontextprotocol/client';
import { type Clock, DoorError } from '../../base/index.js';
import type { Discovered } from './discovery.js';
import { fetchOrTrouble } from './trouble.js';
import type { EgressFetch, OAuthConfig, StoredClient } from './types.js';

export interface ChooseClientOptions {
  /** The server's id, for hints. */
  readonly server: string;
  readonly discovered: Discovered;
  readonly config: OAuthConfig;
  /** Where a metadata document of doorward's own lies, if anywhere. */
  readonly clientMetadataUrl?: string | undefined;
  readonly redirectUri: string;
  readonly scope: string | undefined;
  readonly fetch: EgressFetch;
  readonly clock: Clock;
}

const MAX_REASON = 300;

/**
 * As whom we come, in the order of MCP basic/authorization/client-registration: registered beforehand, by the URL of a
 * metadata document, registered now. A registration is made anew at each login and used for its tokens only: the
 * redirect's port is another each time, servers compare it, and a registration that a server has forgotten is no trap.
 *
 * @throws {DoorError} AUTH_REQUIRED with what to configure where there is no way, or a registration is refused
 */
export async function chooseClient(options: ChooseClientOptions): Promise<StoredClient> {
  const { discovered, config } = options;
  const { clientId, clientSecret } = config;
  const takesDocuments = discovered.metadata.client_id_metadata_document_supported === true;
  if (clientId !== undefined && !isHttpsUrl(clientId)) {
    return { id: clientId, ...(clientSecret !== undefined && { secret: clientSecret }), origin: 'configured' };
  }
  const document = clientId ?? options.clientMetadataUrl;
  if (takesDocuments && document !== undefined) return { id: document, origin: 'metadata-document' };
  if (discovered.metadata.registration_endpoint) return register(options);
  throw noClient(options);
}

async function register({ discovered, redirectUri, scope, fetch, clock, server }: ChooseClientOptions) {
  const { issuer, metadata } = discovered;
  try {
    const client = await registerClient(issuer, {
      metadata,
      clientMetadata: {
        client_name: 'doorward',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: authMethodFor(metadata.token_endpoint_auth_methods_supported),
        // Redirects to this machine are a native application's; without this word OpenID servers take us for a web site.
        application_type: 'native',
      },
      ...(scope !== undefined && { scope }),
      fetchFn: fetchOrTrouble(fetch, clock),
    });
    const { client_id: id, client_secret: secret, token_endpoint_auth_method: authMethod } = client;
    return {
      id,
      ...(secret !== undefined && { secret }),
      ...(authMethod !== undefined && { authMethod }),
      origin: 'registered',
    } satisfies StoredClient;
  } catch (thrown) {
    if (!(thrown instanceof RegistrationRejectedError)) throw thrown;
    const { status, body } = thrown;
    throw new DoorError('AUTH_REQUIRED', `${issuer} refused to register doorward: ${reasonOf(body) || status}`, {
      data: { server, issuer, status },
      hint: configureHint(server, redirectUri),
      cause: thrown,
    });
  }
}

/** A program on somebody's machine keeps no secret, so none is asked for unless the server knows nothing else. */
function authMethodFor(supported: readonly string[] | undefined): string {
  if (supported === undefined || supported.includes('none')) return 'none';
  return supported.find((method) => method.startsWith('client_secret_')) ?? 'none';
}

function noClient({ server, discovered, redirectUri }: ChooseClientOptions): DoorError {
  const { issuer } = discovered;
  return new DoorError('AUTH_REQUIRED', `${issuer} registers no clients by itself`, {
    data: { server, issuer, redirectUri },
    hint: configureHint(server, redirectUri),
  });
}

function configureHint(server: string, redirectUri: string): string {
  const { port } = new URL(redirectUri);
  return `Register a client there by hand that may redirect to ${redirectUri}, then set oauth.clientId (and clientSecret, if it has one) and oauth.redirectPort ${port} in the entry of ${server}.`;
}

/** What a server says of its reasons; text of a stranger, so bounded. */
function reasonOf(body: string): string {
  try {
    const { error, error_description: description } = JSON.parse(body) as Record<string, unknown>;
    return [error, description]
      .filter((part) => typeof part === 'string')
      .join(': ')
      .slice(0, MAX_REASON);
  } catch {
    return '';
  }
}
