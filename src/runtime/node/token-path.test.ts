import { expect, test } from 'vitest';
import { tokenKey, tokenPath } from './token-path.js';
import { sha256Of } from './trust-store.js';

const environment = { XDG_STATE_HOME: '/s' };

test('is where the store of tokens keeps them', async () => {
  const digest = await sha256Of(tokenKey('https://r.example/mcp', 'remote x'));
  expect(tokenPath(environment, 'https://r.example/mcp', 'remote x')).toBe(`/s/doorward/tokens/${digest}.json`);
});

test('is another one in another realm, and without one', () => {
  const paths = [undefined, 'remote x', 'remote y'].map((realm) => tokenPath(environment, 'u', realm));
  expect(new Set(paths).size).toBe(3);
});

test('is nowhere where the environment names no place', () => expect(tokenPath({}, 'u', undefined)).toBeUndefined());
