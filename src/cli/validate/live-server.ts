import type { Contract, Implementation } from '../../contract/index.js';
import { createServer, type Server } from '../../doors/index.js';
import { openHttpPeer } from './http-peer.js';
import { type Introduction, introduce } from './peer.js';

/** The project's own server, running in this process, and what it said to a client that connected. */
export interface LiveServer {
  /** Of the contract's deployments; undefined where it has none. */
  readonly deployment: string | undefined;
  readonly server: Server;
  /** What is served at an address, as anybody gets it. */
  get(address: string): Promise<Response>;
  readonly introduction: Introduction;
  /** The address of its endpoint. */
  readonly url: string;
}

/** Where no remote of the contract says what it is reached by. */
const HERE = 'http://127.0.0.1/mcp';

/** Starts the server of every deployment, and connects to it. @param generatedAt RFC 3339 */
export async function openLiveServers(
  implementation: Implementation,
  generatedAt: string | undefined,
): Promise<readonly LiveServer[]> {
  const { deployments } = implementation.contract;
  const wanted = deployments.length > 0 ? deployments : [undefined];
  return Promise.all(wanted.map((deployment) => openLiveServer(implementation, deployment, generatedAt)));
}

async function openLiveServer(
  implementation: Implementation,
  deployment: string | undefined,
  generatedAt: string | undefined,
): Promise<LiveServer> {
  const publicUrl = publicUrlOf(implementation.contract);
  const url = publicUrl ?? HERE;
  const server = createServer(implementation, {
    path: new URL(url).pathname,
    ...(deployment !== undefined && { deployment }),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(generatedAt !== undefined && { generatedAt }),
  });
  const peer = openHttpPeer((request) => server.fetch(request), url);
  const introduction = await introduce(peer);
  await peer.close();
  return {
    deployment,
    server,
    url,
    introduction,
    get: (address) => server.fetch(new Request(new URL(address, url))),
  };
}

/** The first remote that needs nobody to fill anything in. */
function publicUrlOf({ remotes }: Contract): string | undefined {
  return remotes.find(({ type, url }) => type === 'streamable-http' && !url.includes('{'))?.url;
}
