import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { loadClients } from '../src/config/index.js';
import { checkOwnPages } from './clients/own-pages.js';
import { roundTrip } from './clients/round-trip.js';
import { ROOT } from './house/tree.js';

// `npm run clients` shows the same, a line a client.
const { CLIENTS } = await loadClients();

describe.each(CLIENTS)('$id', (client) => {
  test('what client add puts into a file with remarks comes back by import, and all else stays', async () => {
    const { misses, steps } = await roundTrip(client, packageJson.version);
    expect(misses).toEqual([]);
    expect(steps).toHaveLength(5);
    expect(steps.filter((step) => step.startsWith('stdio ok'))).toHaveLength(1);
  });
});

test('each fixture belongs to a client', () => {
  const names = readdirSync(join(ROOT, 'test/fixtures/clients')).map((name) => name.replace(/\.[a-z]+$/, ''));
  expect(names.toSorted()).toEqual(CLIENTS.map(({ id }) => id));
});

test("doorward's own pages are as they would be generated (npm run clients -- --write)", async () => {
  expect(await checkOwnPages()).toEqual([]);
});
