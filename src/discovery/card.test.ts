import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, type TestContext, test } from 'vitest';
import { safeParse } from 'zod/mini';
import { SURFACE, unreached } from '../../test/fixtures/surface.js';
import { mountedCard, serverCard } from './card.js';
import { serverCardShape } from './shapes.js';
import type { Surface } from './types.js';

const FOLDER = resolve(import.meta.dirname, '../../../shared/spec/card');

/** The official schema of SEP-2127, which is not part of the repository. */
function officialOrSkip({ skip }: Pick<TestContext, 'skip'>): (card: unknown) => boolean {
  const path = resolve(FOLDER, 'server-card.schema.json');
  if (!existsSync(path)) {
    const reason = `no official schema at ${path}: put server-card.schema.json of SEP-2127 there`;
    if (process.env.CI || process.env.DOORWARD_REQUIRE_TEST_DATA === '1') throw new Error(reason);
    skip(reason);
  }
  const { $defs } = JSON.parse(readFileSync(path, 'utf8')) as { readonly $defs: object };
  const validate = new Ajv2020({ strict: false, formats: { uri: true } }).compile({
    $defs,
    $ref: '#/$defs/ServerCard',
  });
  return (card) => validate(card);
}

const HEADER = { name: 'X-Key', isSecret: true, isRequired: true };
const SURFACES: readonly (readonly [string, Surface])[] = [
  ['a server that is reached', SURFACE],
  ['one of which nobody said how', unreached()],
  ['one that wants tokens of its own', { ...SURFACE, auth: { kind: 'tokens', scopes: [] } }],
  [
    'one whose tokens are somebody else’s',
    { ...SURFACE, auth: { kind: 'issuer', issuers: ['https://i.test'], scopes: [] } },
  ],
  [
    'one whose contract knows more of it',
    {
      ...SURFACE,
      auth: { kind: 'tokens', scopes: [] },
      remotes: [
        { type: 'sse', url: 'https://other.example/sse' },
        {
          type: 'streamable-http',
          url: 'https://notes.example/mcp/',
          headers: [HEADER],
          variables: { team: { description: 'Yours.' } },
        },
      ],
    },
  ],
  ['one that has no more than it must', { ...SURFACE, server: { name: 'a/b', description: 'd', version: '1' } }],
];

describe('the card is one by the official schema, and by ours', () => {
  test.each(SURFACES)('%s', (_, surface) => {
    expect(safeParse(serverCardShape, serverCard(surface)).success).toBe(true);
    expect(safeParse(serverCardShape, mountedCard(surface, { id: 'a b' })).success).toBe(true);
  });

  test('officially', (context) => {
    const official = officialOrSkip(context);
    for (const [why, surface] of SURFACES) {
      const mounted = mountedCard(surface, { id: 'a b', title: 'A'.repeat(90), description: 'x'.repeat(200) });
      expect([why, official(serverCard(surface)), official(mounted)]).toEqual([why, true, true]);
    }
  });

  test('what is no card officially is none by ours, and the other way round', (context) => {
    officialOrSkip(context);
    for (const kind of ['valid', 'invalid']) {
      const folder = resolve(FOLDER, 'examples/ServerCard', kind);
      const files = readdirSync(folder);
      expect(files.length).toBeGreaterThan(1);
      for (const file of files) {
        const card: unknown = JSON.parse(readFileSync(resolve(folder, file), 'utf8'));
        expect([file, safeParse(serverCardShape, card).success]).toEqual([file, kind === 'valid']);
      }
    }
  });
});

describe('remotes', () => {
  test('there is one where it is known what callers reach it by, with the versions it speaks', () => {
    expect(serverCard(SURFACE).remotes).toEqual([
      {
        type: 'streamable-http',
        url: 'https://notes.example/mcp',
        supportedProtocolVersions: ['2026-07-28', '2025-11-25'],
      },
    ]);
  });

  test('and none where it is not', () => expect(serverCard(unreached())).not.toHaveProperty('remotes'));

  test('tokens that the operator hands out go into a header that callers fill in', () => {
    expect(serverCard({ ...SURFACE, auth: { kind: 'tokens', scopes: [] } }).remotes?.[0]?.headers).toMatchObject([
      { name: 'Authorization', isRequired: true, isSecret: true },
    ]);
    const issued = { kind: 'issuer', issuers: ['https://i.test'], scopes: [] } as const;
    expect(serverCard({ ...SURFACE, auth: issued }).remotes?.[0]).not.toHaveProperty('headers');
  });

  test('headers and variables are those of the contract, where it has this remote', () => {
    const [, surface] = SURFACES[4]!;
    expect(serverCard(surface).remotes).toMatchObject([{ headers: [HEADER], variables: { team: {} } }]);
  });
});

test('instructions are for callers, and the fingerprint is ours', () => {
  const card = serverCard(SURFACE);
  expect(card).not.toHaveProperty('instructions');
  expect(card._meta).toEqual({ 'doorward/fingerprint': 'f'.repeat(64) });
  const { fingerprint: _, ...rest } = SURFACE;
  expect(serverCard(rest)).not.toHaveProperty('_meta');
});

describe('the card of a server behind this one', () => {
  test('has what it says of itself', () => {
    expect(
      mountedCard(SURFACE, { id: 'files', title: 'Files', description: 'Reads files.', version: '9' }),
    ).toMatchObject({
      name: 'com.example.www/files',
      title: 'Files',
      description: 'Reads files.',
      version: '9',
      remotes: [{ url: 'https://notes.example/mcp' }],
    });
  });

  test('and what is known of it otherwise', () => {
    expect(mountedCard(SURFACE, { id: 'my files' })).toMatchObject({
      name: 'com.example.www/my-files',
      description: 'my files, served by Notes',
      version: '1.2.3',
    });
    const nameless = { ...SURFACE, server: { name: 'a/b', description: 'd', version: '1' } };
    expect(mountedCard(nameless, { id: 'x', title: 'X' }).description).toBe('X, served by a/b');
  });

  test('a long description is cut off where cards end', () => {
    const { description } = mountedCard(SURFACE, { id: 'x', description: 'x'.repeat(101) });
    expect(description).toBe(`${'x'.repeat(99)}…`);
  });
});
