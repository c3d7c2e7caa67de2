/**
 * The official conformance suite, on both sides of doorward.
 *
 *     npm run conformance:mcp                              everything; exits 1 on a miss
 *     npm run conformance:mcp -- --leg server --upstream "SDK v2, HTTP" --revision 2026-07-28     a part of it
 *     npm run conformance:mcp -- --leg fixture             the fixtures alone, without doorward before them
 *     npm run conformance:mcp -- --keep FOLDER             what the suite wrote, and what the clients said, is left there
 *
 * As a server: a fixture on the official SDK behind `doorward serve`, over stdio and over HTTP, in each of its two
 * versions, so each era is asked of each era. As a client: doorward before the suite's own servers.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pc from 'picocolors';
import { judge } from './judge.mjs';
import { bundleClient, UPSTREAMS, withDoorward, withFixture } from './subjects.mjs';
import { REVISIONS, runSuite, scenariosOf } from './suite.mjs';

const EXPECTED = JSON.parse(readFileSync(new URL('expected-failures.json', import.meta.url), 'utf8'));

/** The one revision that each version of the SDK serves over HTTP by itself. */
const FIXTURES = [
  { title: 'SDK v1', sdk: 'v1', revision: '2025-11-25' },
  { title: 'SDK v2', sdk: 'v2', revision: '2026-07-28' },
];

const { values: only } = parseArgs({
  options: {
    leg: { type: 'string' },
    upstream: { type: 'string' },
    revision: { type: 'string' },
    keep: { type: 'string' },
  },
});
const isWanted = (kind, value) => only[kind] === undefined || only[kind] === value;
const folder = only.keep ?? mkdtempSync(join(tmpdir(), 'doorward-conformance-mcp-'));

// So that what was started ends too, see endWithUs.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

try {
  process.exitCode = await main();
} finally {
  if (only.keep === undefined) rmSync(folder, { recursive: true, force: true });
}

async function main() {
  const startedAt = performance.now();
  const runs = [];
  if (isWanted('leg', 'fixture')) runs.push(...(await runFixtures()));
  if (isWanted('leg', 'server')) runs.push(...(await runServers()));
  if (isWanted('leg', 'client')) runs.push(...(await runClients()));
  const { rows, misses } = judge(runs, { expected: EXPECTED, scenariosOf });
  print(rows);
  for (const miss of misses) process.stdout.write(`${pc.red('miss')} ${miss}\n`);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  process.stdout.write(`\n${runs.length} runs in ${seconds} s, ${misses.length} misses\n`);
  return misses.length === 0 && runs.length > 0 ? 0 : 1;
}

async function runFixtures() {
  const runs = [];
  for (const fixture of FIXTURES.filter(({ revision }) => isWanted('revision', revision))) {
    const { title, revision } = fixture;
    const run = await withFixture(fixture, (url) => runServer({ url, revision, upstream: `${title} alone` }));
    runs.push({ ...run, isFixture: true });
  }
  return runs;
}

async function runServers() {
  const runs = [];
  for (const upstream of UPSTREAMS.filter(({ title }) => isWanted('upstream', title))) {
    await withDoorward(upstream, folder, async (url) => {
      for (const revision of REVISIONS.filter((one) => isWanted('revision', one))) {
        runs.push(await runServer({ url, revision, upstream: upstream.title }));
      }
    });
  }
  return runs;
}

async function runServer({ url, revision, upstream }) {
  const results = await runSuite({ leg: 'server', target: url, revision, folder: folderOf(upstream, revision) });
  return { leg: 'server', revision, upstream, results };
}

async function runClients() {
  const command = await bundleClient(folder);
  const runs = [];
  for (const revision of REVISIONS.filter((one) => isWanted('revision', one))) {
    const results = await runSuite({ leg: 'client', target: command, revision, folder: folderOf('client', revision) });
    runs.push({ leg: 'client', revision, results });
  }
  return runs;
}

function folderOf(...names) {
  return join(folder, names.join('-').replaceAll(/[^\w-]/g, ''));
}

function print(rows) {
  const width = Math.max(...rows.map(({ upstream = '' }) => upstream.length));
  for (const { leg, upstream = '', revision, ...counts } of rows) {
    const { scored, passed, excused, unscored, unscoredPassed, warnings } = counts;
    const mark = passed + excused === scored ? pc.green('ok    ') : pc.red('FAILED');
    const parts = [
      `scored ${passed} of ${scored}${excused > 0 ? ` (${excused} beyond a bridge)` : ''}`,
      `unscored ${unscoredPassed} of ${unscored}`,
      `${warnings} warnings`,
    ];
    process.stdout.write(`${leg}  ${upstream.padEnd(width)}  ${revision}  ${mark}  ${parts.join(', ')}\n`);
  }
}
