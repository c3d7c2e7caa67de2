import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type ContractDefinition, defineContract, defineTool } from '../contract/index.js';
import { manifestFiles, manifestOf, packageFaults } from './manifest.js';

const SERVER = { name: 'io.github.ada/weather', description: 'Weather for everywhere', version: '1.2.3' };
const NPM = { registryType: 'npm', identifier: '@ada/weather', transport: { type: 'stdio' } } as const;
const REMOTE = { type: 'streamable-http', url: 'https://weather.example/mcp' } as const;

const contractWith = (change: Partial<ContractDefinition> = {}) =>
  defineContract({ server: SERVER, packages: [NPM], remotes: [REMOTE], ...change });

const textOf = ({ bytes }: { readonly bytes: Uint8Array }) => new TextDecoder().decode(bytes);

describe('the manifest', () => {
  test('has a package and a remote, and one version', () => {
    expect(manifestOf(contractWith())).toEqual({
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
      ...SERVER,
      packages: [{ registryType: 'npm', identifier: '@ada/weather', version: '1.2.3', transport: { type: 'stdio' } }],
      remotes: [REMOTE],
    });
  });

  test('names no tool: what a server can do is asked of the server', () => {
    const tool = defineTool({
      name: 'forecast',
      description: 'Tells the weather.',
      kind: 'read',
      input: z.object({}),
      output: z.object({}),
    });
    expect(JSON.stringify(manifestOf(contractWith({ tools: [tool] })))).not.toContain('forecast');
  });

  test('leaves the version out where the identifier has it', () => {
    const image = {
      registryType: 'oci',
      identifier: 'ghcr.io/ada/weather:1.2.3',
      transport: { type: 'stdio' },
    } as const;
    expect(manifestOf(contractWith({ packages: [image] })).packages).toEqual([image]);
  });

  test('ends with a line break, and is the same each time', () => {
    const [first] = manifestFiles(contractWith());
    expect(textOf(first!)).toMatch(/^\{\n {2}"\$schema".*\n\}\n$/s);
    expect(textOf(manifestFiles(contractWith())[0]!)).toBe(textOf(first!));
  });

  test('is refused where the Registry would refuse it, with all faults', () => {
    const broken = contractWith({
      packages: [{ ...NPM, identifier: 'My Server' }],
      remotes: [{ ...REMOTE, url: 'http://localhost/mcp' }],
    });
    expect(() => manifestFiles(broken)).toThrow(
      expect.objectContaining({
        code: 'CONTRACT_INVALID',
        data: {
          issues: [
            expect.objectContaining({ path: '/packages/0/identifier' }),
            expect.objectContaining({ path: '/remotes/0/url' }),
            expect.objectContaining({ path: '/remotes/0/url' }),
          ],
        },
      }),
    );
  });
});

describe('package.json', () => {
  const packageOf = (packageText: string, change: Partial<ContractDefinition> = {}) =>
    manifestFiles(contractWith(change), { packageText }).map(textOf)[1];

  test('gets mcpName after its version, and keeps its layout', () => {
    expect(packageOf('{\n\t"name": "x",\n\t"version": "1.2.3",\n\t"files": []\n}\n')).toBe(
      '{\n\t"name": "x",\n\t"version": "1.2.3",\n\t"mcpName": "io.github.ada/weather",\n\t"files": []\n}\n',
    );
    expect(packageOf('{\r\n  "version": "1"\r\n}')).toBe(
      '{\r\n  "version": "1",\r\n  "mcpName": "io.github.ada/weather"\r\n}',
    );
  });

  test('loses a wrong mcpName', () => {
    expect(JSON.parse(packageOf('{ "mcpName": "io.github.ada/old", "name": "x" }')!)).toEqual({
      mcpName: 'io.github.ada/weather',
      name: 'x',
    });
  });

  test('is untouched where it is right, however it is laid out', () => {
    const text = '{ "name":"x",   "mcpName": "io.github.ada/weather" }';
    expect(packageOf(text)).toBe(text);
  });

  test('is left alone where nothing is on npm', () => expect(packageOf('{}', { packages: [] })).toBeUndefined());

  test.each([
    { why: 'all right', change: {}, fields: [] },
    { why: 'another version', change: { version: '1.2.4' }, fields: ['version'] },
    { why: 'another name', change: { name: 'weather' }, fields: ['name'] },
    { why: 'no mcpName', change: { mcpName: undefined }, fields: ['mcpName'] },
    { why: 'the mcpName of another', change: { mcpName: 'io.github.eve/weather' }, fields: ['mcpName'] },
  ])('faults of one with $why', ({ change, fields }) => {
    const packageJson = { name: '@ada/weather', version: '1.2.3', mcpName: 'io.github.ada/weather', ...change };
    expect(packageFaults(contractWith(), packageJson).map(({ field }) => field)).toEqual(fields);
  });
});
