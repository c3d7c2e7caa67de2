import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { findClient } from '../config/clients/table/index.js';
import { loadClients } from '../config/index.js';
import { defineContract, defineTool } from '../contract/index.js';
import { clientDocsFiles } from './client-docs.js';
import { clientFactsOf } from './client-facts.js';

const contract = defineContract({
  server: {
    name: 'io.github.ada/repo-tools',
    title: 'Repo tools',
    description: 'Tools of a repository.',
    version: '1.2.3',
  },
  tools: [
    defineTool({
      name: 'status',
      description: 'Says what has changed.',
      kind: 'read',
      input: z.object({}),
      output: z.object({ text: z.string() }),
    }),
  ],
  remotes: [
    { type: 'sse', url: 'https://repo.example/sse' },
    {
      type: 'streamable-http',
      url: 'https://repo.example/mcp',
      headers: [{ name: 'Authorization', isSecret: true }, { name: 'X-Team-Key' }],
    },
  ],
  packages: [
    {
      registryType: 'npm',
      identifier: '@ada/repo-tools',
      transport: { type: 'stdio' },
      packageArguments: [
        { type: 'positional', value: 'stdio' },
        { type: 'named', name: '--depth', default: '2' },
        { type: 'named', name: '--fast' },
      ],
      environmentVariables: [{ name: 'REPO_TOKEN', isSecret: true }],
    },
  ],
});

async function pageOf(id: string, facts = {}): Promise<string> {
  const files = await clientDocsFiles(contract, facts);
  return new TextDecoder().decode(files.find(({ path }) => path === `docs/clients/${id}.md`)!.bytes);
}

/** The fenced blocks of a page in one language. */
function blocksOf(page: string, language: string): readonly string[] {
  return [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\\n\`\`\``, 'g'))].map(
    ([, block = '']) => block,
  );
}

test('a contract says how its package is started and where it is served', () => {
  expect(clientFactsOf(contract)).toEqual({
    name: 'repo-tools',
    title: 'Repo tools',
    isDoorward: false,
    stdio: {
      command: 'npx',
      args: ['-y', '@ada/repo-tools@1.2.3', 'stdio', '--depth', '2', '--fast'],
      variables: ['REPO_TOKEN'],
    },
    remote: { url: 'https://repo.example/mcp', headers: ['Authorization', 'X-Team-Key'] },
  });
  expect(clientFactsOf(contract, { args: ['serve'] }).stdio?.args).toEqual(['-y', '@ada/repo-tools@1.2.3', 'serve']);
});

test('there is a page for every client, and an index that links to each', async () => {
  const { CLIENTS } = await loadClients();
  const files = await clientDocsFiles(contract, { folder: 'handbook' });
  expect(files.map(({ path }) => path)).toEqual([
    'handbook/README.md',
    ...CLIENTS.map(({ id }) => `handbook/${id}.md`),
  ]);
  const index = new TextDecoder().decode(files[0]!.bytes);
  for (const { id } of CLIENTS) expect(index).toContain(`](${id}.md)`);
});

describe('a page', () => {
  test('shows the entry of each mode, as client add writes it', async () => {
    const page = await pageOf('cursor', { local: { name: 'repo-notes', command: 'node', args: ['notes.js'] } });
    expect(blocksOf(page, 'jsonc').map((block) => JSON.parse(block).mcpServers)).toEqual([
      {
        'repo-tools': {
          command: 'npx',
          args: ['-y', '@ada/repo-tools@1.2.3', 'stdio', '--depth', '2', '--fast'],
          env: { REPO_TOKEN: '${env:REPO_TOKEN}' },
        },
      },
      {
        'repo-tools': {
          url: 'https://repo.example/mcp',
          headers: { Authorization: 'Bearer ${env:TOKEN}', 'X-Team-Key': '${env:TEAM_KEY}' },
        },
      },
      { 'repo-notes': { command: 'node', args: ['notes.js'] } },
    ]);
    expect(blocksOf(page, 'sh')[0]).toBe(
      'npx -y doorward client add cursor --name repo-tools --env REPO_TOKEN -- npx -y @ada/repo-tools@1.2.3 stdio --depth 2 --fast',
    );
    expect(page).toContain('cursor://anysphere.cursor-deeplink/mcp/install?name=repo-tools&config=');
  });

  test('is in the language of the client', async () => {
    expect(blocksOf(await pageOf('codex'), 'toml')[1]).toContain('bearer_token_env_var = "TOKEN"');
    expect(blocksOf(await pageOf('goose'), 'yaml')[1]).toContain('env_keys: ["TOKEN", "TEAM_KEY"]');
  });

  test('says what to do where the client cannot be told', async () => {
    const desktop = await pageOf('claude-desktop');
    expect(desktop).toContain('Claude Desktop has no remote servers in its file.');
    expect(desktop).toContain('Settings > Connectors');
    const zed = await pageOf('zed');
    expect(zed).toContain('it is refused:');
    expect(blocksOf(zed, 'jsonc').at(-1)).not.toContain('headers');
    const jetbrains = await pageOf('jetbrains');
    expect(jetbrains).toContain('paste the block');
    expect(jetbrains).not.toContain('client add jetbrains');
  });

  test('says where each claim is from, and which nobody checked', async () => {
    const page = await pageOf('amp');
    expect(page).toContain('**not verified**: ');
    const { sources } = findClient('amp')!;
    for (const source of Object.values(sources)) expect(page).toContain(Object.values(source)[0]);
  });
});

test('twice is the same, byte for byte', async () => {
  expect(await clientDocsFiles(contract)).toEqual(await clientDocsFiles(contract));
});

test('a README gets the command and links to the pages between its marks, and nothing without marks', async () => {
  const readmeOf = async (text: string) => {
    const files = await clientDocsFiles(contract, { readme: { path: 'README.md', text } });
    const bytes = files.find(({ path }) => path === 'README.md')?.bytes;
    return bytes && new TextDecoder().decode(bytes);
  };
  expect(await readmeOf('# Repo tools\n')).toBeUndefined();
  const block = await readmeOf('# A\r\n<!-- doorward clients -->old<!-- /doorward clients -->\r\n$& the end');
  expect(block).toMatch(/^# A\r\n<!-- doorward clients -->\r\nAdd Repo tools to an MCP client:\r\n/);
  expect(block).toMatch(/\.\r\n<!-- \/doorward clients -->\r\n\$& the end$/);
  expect(await readmeOf(block!)).toBe(block);
  expect(block).toContain('npx -y doorward client add CLIENT --name repo-tools');
  expect(block).toContain('[Cursor](docs/clients/cursor.md)');
});
