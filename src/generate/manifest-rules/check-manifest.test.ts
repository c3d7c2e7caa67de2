import { describe, expect, test } from 'vitest';
import { checkManifest, readManifest } from './check-manifest.js';
import { FULL, MINIMAL, withPackage, withRemote } from './manifest-examples.js';
import { MANIFEST_RULES } from './rules.js';

const errorsOf = (manifest: unknown) => checkManifest(manifest).filter(({ severity }) => severity === 'error');
const placesOf = (manifest: unknown) => checkManifest(manifest).map(({ rule, pointer }) => `${rule} ${pointer}`);

test('a manifest with everything in it is good', () => expect(checkManifest(FULL)).toEqual([]));

test('a manifest with what must be there is good', () => expect(errorsOf(MINIMAL)).toEqual([]));

interface Row {
  readonly why: string;
  readonly manifest: unknown;
  readonly finds: readonly string[];
}

const ROWS: readonly Row[] = [
  { why: 'nothing to use', manifest: { ...MINIMAL, remotes: [] }, finds: ['nothing-offered '] },
  { why: 'no $schema', manifest: { ...MINIMAL, $schema: undefined }, finds: ['schema-known /$schema'] },
  {
    why: 'a remote that has no URL in its url',
    manifest: withRemote({ url: 'https://[mcp]/mcp' }),
    finds: ['url-form /remotes/0/url'],
  },
  {
    why: 'a variable with a blank',
    manifest: withPackage({ environmentVariables: [{ name: 'A B' }] }),
    finds: ['environment-name /packages/0/environmentVariables/0/name'],
  },
  { why: 'a list is no manifest', manifest: [], finds: ['shape ', 'schema-known /$schema'] },
  {
    why: 'a description of 101 characters',
    manifest: { ...MINIMAL, description: 'x'.repeat(101) },
    finds: ['shape /description'],
  },
  { why: 'characters are counted, not units', manifest: { ...MINIMAL, description: '🚪'.repeat(100) }, finds: [] },
  { why: 'no description', manifest: { ...MINIMAL, description: undefined }, finds: ['shape /description'] },
  { why: 'a blank title', manifest: { ...MINIMAL, title: '  ' }, finds: ['text-blank /title'] },
  { why: 'a name without a slash', manifest: { ...MINIMAL, name: 'weather' }, finds: ['shape /name'] },
  { why: 'a name with two slashes', manifest: { ...MINIMAL, name: 'io.github.a/b/c' }, finds: ['shape /name'] },
  {
    why: 'a name part that ends with a dash',
    manifest: { ...MINIMAL, name: 'io.github.a/b-' },
    finds: ['name-parts /name'],
  },
  { why: 'a name part of one character', manifest: { ...MINIMAL, name: 'io.github.a/b' }, finds: ['name-parts /name'] },
  {
    why: 'a version that is a range',
    manifest: { ...MINIMAL, version: '^1.2.3' },
    finds: ['version-specific /version'],
  },
  { why: 'a version with a wildcard', manifest: { ...MINIMAL, version: '1.x' }, finds: ['version-specific /version'] },
  { why: 'a version from to', manifest: { ...MINIMAL, version: '1.0 - 2.0' }, finds: ['version-specific /version'] },
  {
    why: 'one version or another',
    manifest: { ...MINIMAL, version: '1.2 || 1.3' },
    finds: ['version-specific /version'],
  },
  { why: 'the version latest', manifest: { ...MINIMAL, version: 'latest' }, finds: ['version-specific /version'] },
  { why: 'a prerelease is one version', manifest: { ...MINIMAL, version: '2.1.0-alpha.1+build.7' }, finds: [] },
  {
    why: 'a website over http',
    manifest: { ...MINIMAL, websiteUrl: 'http://a.example' },
    finds: ['website-url /websiteUrl'],
  },
  {
    why: 'a website without scheme',
    manifest: { ...MINIMAL, websiteUrl: 'a.example' },
    finds: ['website-url /websiteUrl'],
  },
  {
    why: 'an icon in the manifest itself',
    manifest: { ...MINIMAL, icons: [{ src: 'data:image/png;base64,AA==' }] },
    finds: ['website-url /icons/0/src'],
  },
  {
    why: 'an icon of a kind clients do not show',
    manifest: { ...MINIMAL, icons: [{ src: 'https://a.example/i.gif', mimeType: 'image/gif' }] },
    finds: ['shape /icons/0/mimeType'],
  },
  {
    why: 'a repository elsewhere',
    manifest: { ...MINIMAL, repository: { url: 'https://codeberg.org/a/b', source: 'codeberg' } },
    finds: ['repository-url /repository/source'],
  },
  {
    why: 'a repository that its URL is not one of',
    manifest: { ...MINIMAL, repository: { url: 'https://github.com/a/b/tree/main', source: 'github' } },
    finds: ['repository-url /repository/url'],
  },
  {
    why: 'a subfolder that leaves the repository',
    manifest: { ...MINIMAL, repository: { url: 'https://github.com/a/b', source: 'github', subfolder: '../c' } },
    finds: ['repository-url /repository/subfolder'],
  },
  {
    why: 'registry_type of the first schema',
    manifest: withPackage({ registry_type: 'npm', registryType: undefined }),
    finds: ['shape /packages/0/registryType'],
  },
  {
    why: 'a registry nobody knows',
    manifest: withPackage({ registryType: 'homebrew' }),
    finds: ['package-type /packages/0/registryType'],
  },
  { why: 'packages that are null', manifest: { ...MINIMAL, packages: null }, finds: ['shape /packages'] },
  {
    why: 'an identifier with a blank',
    manifest: withPackage({ identifier: 'my server' }),
    finds: ['package-identifier /packages/0/identifier'],
  },
  {
    why: 'another npm registry',
    manifest: withPackage({ registryBaseUrl: 'https://npm.example' }),
    finds: ['package-registry /packages/0/registryBaseUrl'],
  },
  {
    why: 'an npm package without a version',
    manifest: withPackage({ version: undefined }),
    finds: ['version-specific /packages/0/version'],
  },
  {
    why: 'an npm package of another version',
    manifest: withPackage({ version: '9.9.9' }),
    finds: ['package-version /packages/0/version'],
  },
  {
    why: 'a package of the latest version',
    manifest: withPackage({ version: 'latest' }),
    finds: ['package-version /packages/0/version', 'shape /packages/0/version', 'version-specific /packages/0/version'],
  },
  {
    why: 'an npm package with a digest',
    manifest: withPackage({ fileSha256: 'a'.repeat(64) }),
    finds: ['package-digest /packages/0/fileSha256'],
  },
  {
    why: 'a bundle without a digest',
    manifest: withPackage({
      registryType: 'mcpb',
      identifier: 'https://github.com/a/b/releases/download/v1/b.mcpb',
      version: undefined,
    }),
    finds: ['package-digest /packages/0/fileSha256'],
  },
  {
    why: 'a bundle from elsewhere',
    manifest: withPackage({
      registryType: 'mcpb',
      identifier: 'https://a.example/b.mcpb',
      version: undefined,
      fileSha256: 'a'.repeat(64),
    }),
    finds: ['package-identifier /packages/0/identifier'],
  },
  {
    why: 'an image without a tag',
    manifest: withPackage({ registryType: 'oci', identifier: 'ghcr.io/a/b', version: undefined }),
    finds: ['package-identifier /packages/0/identifier'],
  },
  {
    why: 'an image on a host the Registry does not ask',
    manifest: withPackage({ registryType: 'oci', identifier: 'quay.io/a/b:1', version: undefined }),
    finds: ['package-identifier /packages/0/identifier'],
  },
  {
    why: 'an image with a version beside its tag',
    manifest: withPackage({ registryType: 'oci', identifier: 'ghcr.io/a/b:1' }),
    finds: ['package-version /packages/0/version'],
  },
  {
    why: 'stdio with a url',
    manifest: withPackage({ transport: { type: 'stdio', url: 'http://localhost' } }),
    finds: ['stdio-url /packages/0/transport/url'],
  },
  {
    why: 'a transport nobody speaks',
    manifest: withPackage({ transport: { type: 'http' } }),
    finds: ['shape /packages/0/transport/type'],
  },
  {
    why: "a package's URL may be of the user's machine",
    manifest: withPackage({
      transport: { type: 'streamable-http', url: 'http://localhost:{PORT}/mcp' },
      environmentVariables: [{ name: 'PORT' }],
    }),
    finds: [],
  },
  {
    why: 'a variable that nothing declares',
    manifest: withPackage({ transport: { type: 'sse', url: 'http://localhost:{port}/mcp' } }),
    finds: ['url-variables /packages/0/transport/url'],
  },
  {
    why: 'a name with its value',
    manifest: withPackage({ packageArguments: [{ type: 'named', name: '--port 80' }] }),
    finds: ['argument-name /packages/0/packageArguments/0/name'],
  },
  {
    why: 'a value with its name',
    manifest: withPackage({ runtimeArguments: [{ type: 'named', name: '--port', value: '--port=80' }] }),
    finds: ['argument-value /packages/0/runtimeArguments/0/value'],
  },
  {
    why: 'a variable twice',
    manifest: withPackage({ environmentVariables: [{ name: 'A' }, { name: 'A' }] }),
    finds: ['name-twice /packages/0/environmentVariables/1/name'],
  },
  {
    why: 'a secret for everybody',
    manifest: withPackage({ environmentVariables: [{ name: 'A', isSecret: true, default: 'hunter2' }] }),
    finds: ['secret-value /packages/0/environmentVariables/0/default'],
  },
  {
    why: 'a secret in a form is none',
    manifest: withRemote({
      headers: [{ name: 'Authorization', isSecret: true, value: 'Bearer {t}', variables: { t: { isSecret: true } } }],
    }),
    finds: [],
  },
  { why: 'a remote on stdio', manifest: withRemote({ type: 'stdio' }), finds: ['shape /remotes/0/type'] },
  {
    why: 'a remote over http',
    manifest: withRemote({ url: 'http://a.example/mcp' }),
    finds: ['remote-public /remotes/0/url'],
  },
  ...[
    'localhost',
    'localhost.',
    '127.0.0.1',
    '2130706433',
    '10.1.2.3',
    '[::1]',
    '[::ffff:10.0.0.1]',
    '100.64.0.1',
    'a.localhost',
  ].map((host) => ({
    why: `a remote on ${host}`,
    manifest: withRemote({ url: `https://${host}/mcp` }),
    finds: ['remote-public /remotes/0/url'],
  })),
  { why: 'a remote on a public address', manifest: withRemote({ url: 'https://8.8.8.8/mcp' }), finds: [] },
  {
    why: 'a variable of a remote that is not declared',
    manifest: withRemote({ url: 'https://{tenant}.a.example/mcp' }),
    finds: ['url-variables /remotes/0/url'],
  },
  {
    why: 'a header that is no token',
    manifest: withRemote({ headers: [{ name: 'X Token' }] }),
    finds: ['header-name /remotes/0/headers/0/name'],
  },
  {
    why: 'a header twice, in another case',
    manifest: withRemote({ headers: [{ name: 'X-A' }, { name: 'x-a' }] }),
    finds: ['name-twice /remotes/0/headers/1/name'],
  },
  {
    why: 'meta that is dropped',
    manifest: { ...FULL, _meta: { 'com.example/a': {} } },
    finds: ['meta-dropped /_meta/com.example~1a'],
  },
  {
    why: 'meta past 4096 bytes',
    manifest: { ...FULL, _meta: { 'io.modelcontextprotocol.registry/publisher-provided': { a: 'x'.repeat(4096) } } },
    finds: ['meta-size /_meta/io.modelcontextprotocol.registry~1publisher-provided'],
  },
];

test.each(ROWS)('$why', ({ manifest, finds }) => {
  // A manifest is read from a file: what is undefined is absent.
  expect(placesOf(JSON.parse(JSON.stringify(manifest))).sort()).toEqual([...finds].sort());
});

test('every rule is broken by a row above', () => {
  const broken = new Set(ROWS.flatMap(({ finds }) => finds.map((found) => found.split(' ')[0])));
  expect(Object.keys(MANIFEST_RULES).filter((rule) => !broken.has(rule))).toEqual([]);
});

test('every finding says what to do', () => {
  for (const { manifest } of ROWS) {
    for (const { message, hint } of checkManifest(JSON.parse(JSON.stringify(manifest)))) {
      expect(message).not.toBe('');
      expect(hint).toMatch(/\.$/);
    }
  }
});

test('no message shows a secret', () => {
  const manifest = withPackage({ environmentVariables: [{ name: 'A', isSecret: true, value: 'hunter2' }] });
  expect(JSON.stringify(checkManifest(manifest))).not.toContain('hunter2');
});

describe('reading', () => {
  const read = (text: string) => readManifest('server.json', new TextEncoder().encode(text));
  const errorOf = (text: string): unknown => {
    try {
      return read(text);
    } catch (thrown) {
      return thrown;
    }
  };

  test('takes JSON, after a byte order mark too', () => expect(read('\ufeff{"a":1}')).toEqual({ a: 1 }));

  test.each([
    { why: 'a mistake', text: '{\n  "a": ,\n}', says: 'server.json:2' },
    { why: 'a comment', text: '{} // done', says: 'comments' },
    { why: 'a trailing comma', text: '{"a":1,}', says: 'trailing commas' },
    { why: 'a name twice', text: '{"a":{"b":1,"b":2}}', says: 'stands twice' },
    { why: 'nothing', text: '', says: 'empty' },
  ])('refuses $why, and says where', ({ text, says }) => {
    const error = errorOf(text);
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(JSON.stringify([(error as Error).message, (error as { data: unknown }).data])).toContain(says);
  });
});
