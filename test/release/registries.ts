/** npm, the MCP Registry and the place that the publisher is downloaded from: stubs of all three on one loopback port. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the world misbehaves. All of it is off unless it is said. */
export interface Moods {
  /** So many questions for a version that was published are answered with 404. */
  readonly npmIsLateBy?: number;
  /** So many publications are refused since the Registry does not see the package yet. */
  readonly registryIsLateBy?: number;
  /** So many questions for what was published are answered with 404. */
  readonly listingIsLateBy?: number;
  /** The first token is taken for expired. */
  readonly firstTokenExpires?: boolean;
  /** The manifest is taken, and the answer lost. */
  readonly losesAnswer?: boolean;
  /** What the Registry says against the manifest, which our own checks do not know. */
  readonly complaint?: string;
  /** The name is somebody else's. */
  readonly forbidsName?: boolean;
  /** npm knows no trusted publisher that fits. */
  readonly npmKnowsNobody?: boolean;
  /** The Registry has a newer schema than the manifest is of. */
  readonly hasNewerSchema?: boolean;
  readonly download?: 'page-404' | 'page-200' | 'other-file';
}

interface Published {
  readonly mcpName: unknown;
  readonly archive: Buffer;
}

const PAGE = '<!DOCTYPE html><html><body>Not Found</body></html>';
const PROPAGATION =
  "registry validation failed for package 0: NPM package 'P' exists, but version 'V' was not found (status: 404). A newly published release can take a moment to appear on the registry. Wait and retry";

export class Registries {
  readonly #server: Server;
  readonly #publisher: Buffer;
  readonly #npm = new Map<string, Published>();
  readonly #listed = new Map<string, unknown>();
  #moods: Moods = {};
  #counts = { lookups: 0, publications: 0, listings: 0, tokens: 0 };
  /** Every request, as `METHOD /path`. */
  readonly requests: string[] = [];

  private constructor(server: Server, publisher: Buffer) {
    this.#server = server;
    this.#publisher = publisher;
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async open(publisher: Buffer): Promise<Registries> {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return new Registries(server, publisher);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  /** Changes how the world is from now on; what was published stays. */
  be(moods: Moods): void {
    this.#moods = moods;
    this.#counts = { lookups: 0, publications: 0, listings: 0, tokens: 0 };
    this.requests.length = 0;
  }

  archiveOf(id: string): Buffer | undefined {
    return this.#npm.get(id)?.archive;
  }

  putOnNpm(id: string, published: Published): void {
    this.#npm.set(id, published);
  }

  list(name: string, version: string, manifest: unknown): void {
    this.#listed.set(`${name} ${version}`, manifest);
  }

  get listed(): number {
    return this.#listed.size;
  }

  count(start: string): number {
    return this.requests.filter((line) => line.startsWith(start)).length;
  }

  get environment(): Readonly<Record<string, string>> {
    return {
      NPM_REGISTRY_URL: `${this.#origin}/npm`,
      MCP_REGISTRY_URL: `${this.#origin}/registry`,
      MCP_PUBLISHER_URL: `${this.#origin}/download/mcp-publisher.tar.gz`,
      MCP_PUBLISHER_SHA256: createHash('sha256').update(this.#publisher).digest('hex'),
    };
  }

  get #origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '';
    this.requests.push(`${request.method} ${path}`);
    const body = Buffer.concat(chunks).toString();
    if (path.startsWith('/npm/')) this.#answerNpm(path.slice('/npm/'.length), body, response);
    else if (path.startsWith('/registry/'))
      this.#answerRegistry(path.slice('/registry/'.length), { request, body }, response);
    else if (path.startsWith('/download/')) this.#answerDownload(response);
    else send(response, 404, {});
  }

  #answerNpm(path: string, body: string, response: ServerResponse): void {
    if (path === '-/publish') {
      if (this.#moods.npmKnowsNobody === true) return send(response, 404, 'Not found');
      const { name, version, mcpName, archive } = JSON.parse(body) as Record<string, string>;
      const id = `${name}@${version}`;
      if (this.#npm.has(id))
        return send(response, 403, { error: `You cannot publish over the previously published versions: ${version}.` });
      this.#npm.set(id, { mcpName, archive: Buffer.from(archive!, 'base64') });
      return send(response, 200, {});
    }
    const [name = '', version = ''] = path.split('/').map(decodeURIComponent);
    if (name === '-') return void response.end(this.#npm.get(version)?.archive);
    const found = this.#npm.get(`${name}@${version}`);
    if (found === undefined || this.#counts.lookups++ < (this.#moods.npmIsLateBy ?? 0))
      return send(response, 404, 'version not found');
    const integrity = `sha512-${createHash('sha512').update(found.archive).digest('base64')}`;
    const tarball = `${this.#origin}/npm/-/${encodeURIComponent(`${name}@${version}`)}`;
    send(response, 200, { name, version, mcpName: found.mcpName, dist: { integrity, tarball } });
  }

  #answerRegistry(
    path: string,
    { request, body }: { request: IncomingMessage; body: string },
    response: ServerResponse,
  ): void {
    const { complaint } = this.#moods;
    if (path === 'v0/validate') {
      const issues = complaint === undefined ? [] : [{ path: '/', message: complaint }];
      const { hasNewerSchema = false } = this.#moods;
      return send(response, 200, { valid: issues.length === 0, issues, hasNewerSchema });
    }
    if (path === 'v0/auth/github-oidc') return this.#logIn(JSON.parse(body), response);
    if (path === 'v0/publish') return this.#publish(String(request.headers.authorization), JSON.parse(body), response);
    const [, , name = '', , version = ''] = path.split('/').map(decodeURIComponent);
    const listed = this.#listed.get(`${name} ${version}`);
    if (listed === undefined || this.#counts.listings++ < (this.#moods.listingIsLateBy ?? 0))
      return send(response, 404, { title: 'Not Found' });
    send(response, 200, {
      server: listed,
      _meta: { 'io.modelcontextprotocol.registry/official': { status: 'active' } },
    });
  }

  #logIn({ audience }: { readonly audience?: string }, response: ServerResponse): void {
    const wanted = `${this.#origin}/registry`;
    if (audience === wanted) return send(response, 200, { registry_token: `token-${++this.#counts.tokens}` });
    const message = `failed to validate OIDC token: invalid audience: expected ${wanted}, got [${audience}]`;
    send(response, 401, { title: 'Unauthorized', status: 401, detail: 'Token exchange failed', errors: [{ message }] });
  }

  #publish(
    authorization: string,
    manifest: { readonly name: string; readonly version: string },
    response: ServerResponse,
  ): void {
    const { registryIsLateBy = 0, firstTokenExpires = false, losesAnswer = false, forbidsName = false } = this.#moods;
    if (forbidsName) return send(response, 403, { detail: 'You do not have permission to publish this server' });
    if (firstTokenExpires && authorization === 'Bearer token-1')
      return send(response, 401, { detail: 'Invalid or expired Registry JWT token' });
    if (this.#counts.publications++ < registryIsLateBy) return send(response, 400, { detail: PROPAGATION });
    const id = `${manifest.name} ${manifest.version}`;
    if (this.#listed.has(id))
      return send(response, 400, { detail: 'invalid version: cannot publish duplicate version' });
    this.#listed.set(id, manifest);
    if (losesAnswer) response.destroy();
    else send(response, 200, { server: manifest });
  }

  #answerDownload(response: ServerResponse): void {
    const { download } = this.#moods;
    if (download === undefined) return void response.end(this.#publisher);
    if (download === 'other-file') return void response.end(Buffer.concat([this.#publisher, Buffer.from('x')]));
    response.writeHead(download === 'page-404' ? 404 : 200, { 'content-type': 'text/html' }).end(PAGE);
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
