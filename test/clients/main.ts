// `npm run clients`: adds every kind of entry to a file of every client, imports it again, and says what came of it.
// With --check, docs/clients is compared with what would be generated; with --write it is written.

import packageJson from '../../package.json' with { type: 'json' };
import { loadClients } from '../../src/config/index.js';
import { checkOwnPages, writeOwnPages } from './own-pages.js';
import { roundTrip } from './round-trip.js';

const flags = process.argv.slice(2);
if (flags.includes('--write')) {
  await writeOwnPages();
} else if (flags.includes('--check')) {
  const stale = await checkOwnPages();
  for (const line of stale) console.error(line);
  console.log(stale.length === 0 ? 'docs/clients is as it would be generated' : 'run npm run clients -- --write');
  process.exitCode = stale.length === 0 ? 0 : 7;
} else {
  await showRoundTrips();
}

async function showRoundTrips(): Promise<void> {
  const { CLIENTS } = await loadClients();
  const misses: string[] = [];
  for (const client of CLIENTS) {
    const trip = await roundTrip(client, packageJson.version);
    misses.push(...trip.misses);
    console.log(`${trip.misses.length === 0 ? 'ok  ' : 'MISS'} ${client.id.padEnd(15)} ${trip.steps.join(', ')}`);
  }
  for (const miss of misses) console.error(miss);
  console.log(`${CLIENTS.length} clients, ${misses.length} misses`);
  process.exitCode = misses.length === 0 ? 0 : 1;
}
