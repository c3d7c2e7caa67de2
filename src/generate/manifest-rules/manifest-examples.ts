/** Manifests that tests start from. */

const BASE = {
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: 'io.github.ada/weather',
  description: 'Weather for everywhere',
  version: '1.2.3',
};

const NPM = {
  registryType: 'npm',
  identifier: '@ada/weather',
  version: '1.2.3',
  transport: { type: 'stdio' },
};

const REMOTE = { type: 'streamable-http', url: 'https://mcp.example.com/mcp' };

/** With what must be there, and one way to reach it. */
export const MINIMAL = { ...BASE, remotes: [REMOTE] };

export const withPackage = (change: object) => ({ ...BASE, packages: [{ ...NPM, ...change }] });
export const withRemote = (change: object) => ({ ...BASE, remotes: [{ ...REMOTE, ...change }] });

/** One of everything, all of it right. */
export const FULL = {
  ...BASE,
  title: 'Weather',
  websiteUrl: 'https://weather.example/docs',
  repository: { url: 'https://github.com/ada/weather', source: 'github', subfolder: 'packages/mcp', id: '42' },
  icons: [{ src: 'https://weather.example/icon.png', mimeType: 'image/png', sizes: ['48x48', 'any'], theme: 'dark' }],
  packages: [
    {
      ...NPM,
      registryBaseUrl: 'https://registry.npmjs.org',
      runtimeHint: 'npx',
      runtimeArguments: [{ type: 'named', name: '--yes' }],
      packageArguments: [
        { type: 'positional', value: 'stdio' },
        { type: 'positional', valueHint: 'city', isRepeated: true, placeholder: 'Paris', format: 'string' },
        { type: 'named', name: '--units', default: 'metric', choices: ['metric', 'imperial'], isRequired: false },
        { type: 'named', name: '--home', value: '{folder}/w', variables: { folder: { format: 'filepath' } } },
      ],
      environmentVariables: [{ name: 'WEATHER_TOKEN', description: 'From the site', isRequired: true, isSecret: true }],
    },
    {
      registryType: 'mcpb',
      identifier: 'https://github.com/ada/weather/releases/download/v1.2.3/weather.mcpb',
      fileSha256: 'fe333e598595000ae021bd27117db32ec69af6987f507ba7a63c90638ff633ce',
      transport: { type: 'stdio' },
    },
    {
      registryType: 'oci',
      identifier: 'ghcr.io/ada/weather:1.2.3',
      environmentVariables: [{ name: 'PORT', default: '8080', format: 'number' }],
      transport: { type: 'streamable-http', url: 'http://localhost:{PORT}/mcp', headers: [{ name: 'X-City' }] },
    },
  ],
  remotes: [
    {
      type: 'streamable-http',
      url: 'https://{tenant}.weather.example/mcp',
      variables: { tenant: { description: 'Yours', isRequired: true, choices: ['eu', 'us'] } },
      headers: [{ name: 'Authorization', value: 'Bearer {token}', variables: { token: { isSecret: true } } }],
    },
    { type: 'sse', url: 'https://weather.example/sse' },
  ],
  _meta: { 'io.modelcontextprotocol.registry/publisher-provided': { tool: 'doorward' } },
};
