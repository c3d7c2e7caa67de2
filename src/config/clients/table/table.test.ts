import { describe, expect, test } from 'vitest';
import { scopesOf } from '../places.js';
import { isRemoteShape } from '../spec.js';
import { CLIENTS, findClient } from './index.js';

test('there are at least 22 clients, each name of theirs once', () => {
  expect(CLIENTS.length).toBeGreaterThanOrEqual(22);
  const names = CLIENTS.flatMap(({ id, aliases = [] }) => [id, ...aliases]);
  expect(names.length).toBe(new Set(names).size);
  expect(names.filter((name) => !/^[a-z][a-z0-9-]*$/.test(name))).toEqual([]);
});

test.each(['claude', 'Cursor', 'code', 'grok-build'])('%s is found by a name of its own', (name) => {
  expect(findClient(name)).toBeDefined();
});

describe.each(CLIENTS)('$id', (client) => {
  const { sources, remote, link, secrets, roots } = client;

  test('every claim says where it is from, or that nobody checked it', () => {
    const claims = [sources.files, sources.stdio, sources.remote, sources.secrets, ...(link ? [sources.link] : [])];
    for (const claim of claims) {
      expect(claim).toBeDefined();
      const text = 'cited' in claim! ? claim.cited : claim!.unverified;
      expect(text.length).toBeGreaterThan(8);
      if ('cited' in claim!) expect(text).toMatch(/https:\/\/|npm package /);
    }
  });

  test('what cannot be said has an answer', () => {
    if (!isRemoteShape(remote)) expect(remote.instead).toMatch(/\.$/);
    // Where nobody knows how a secret is referred to, none is written.
    if ('unverified' in sources.secrets && client.id !== 'kilo') expect(secrets.dialect).toBe('none');
    if (secrets.dialect === 'none') expect(secrets.fields).toEqual([]);
  });

  test('it has a file, or says how to do without', () => {
    if (scopesOf(client).length === 0) expect(client.notes?.[0]).toMatch(/no file/);
    expect(roots.length).toBeGreaterThan(0);
  });
});
