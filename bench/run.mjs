// @ts-check
/**
 * `npm run bench`: measures doorward against its floor and against its bounds, and exits 1 where a bound is missed in two
 * runs of three. See README.md beside this file.
 */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { describeMachine, pinLoad, readSteal } from './machine.mjs';
import { DIST, Workshop } from './middles.mjs';
import { profileRow } from './profile.mjs';
import { holds, renderChecks, renderFigures, verdictOf } from './report.mjs';
import { ROWS } from './rows.mjs';

const USAGE = `usage: npm run bench -- [options]

  --quick           a minute's look, one short run; no verdict
  --only TEXT       rows whose name contains TEXT (may be given again)
  --middle COMMAND  measures COMMAND instead of doorward; {config} and {upstream}, over HTTP {url}, are filled in
  --profile ROW     runs doorward under the profiler for that row and lists functions by their own time
  --json            prints every figure as JSON on stdout, the tables on stderr
  --list            names the rows`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    middle: { type: 'string' },
    profile: { type: 'string' },
    json: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** @param {string} text */
const say = (text) => (options.json ? process.stderr : process.stdout).write(`${text}\n`);

// Middles end with their stdin, and so with this process; only the files must be seen to.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));
process.exitCode = await main();

/** @returns {Promise<number>} exit code */
async function main() {
  if (options.help || options.list) {
    process.stdout.write(`${options.help ? USAGE : ROWS.map((row) => row.name).join('\n')}\n`);
    return 0;
  }
  if (options.profile !== undefined) return profile(options.profile);
  const rows = ROWS.filter((row) => options.only.length === 0 || options.only.some((text) => row.name.includes(text)));
  if (rows.length === 0) {
    say('No row has that in its name; --list names them.');
    return 2;
  }
  if (!options.middle && !existsSync(DIST)) {
    say('There is no dist/cli.cjs: run `npm run build` first, or name another --middle.');
    return 2;
  }
  pinLoad();
  say(describeMachine());
  return options.quick ? lookOnce(rows) : judge(rows);
}

/** @param {string} name */
async function profile(name) {
  const row = ROWS.find((one) => one.name.includes(name));
  if (!row?.kind || !row.inFlight) {
    say(`No row of calls has ${JSON.stringify(name)} in its name; --list names them.`);
    return 2;
  }
  say(`${row.name}, ${row.inFlight} in flight`);
  const { kind, inFlight, http } = row;
  const calls = row.name.includes('MB') ? 300 : http ? 20_000 : 200_000;
  await profileRow({ kind, calls, inFlight, http, middle: options.middle?.split(' '), say });
  return 0;
}

/** @param {readonly import('./checks.mjs').Row[]} rows */
async function lookOnce(rows) {
  const results = await runOnce(rows, true);
  say('\nA quick look: too short for a verdict.');
  if (options.json)
    process.stdout.write(`${JSON.stringify({ machine: describeMachine(), runs: [results] }, null, 2)}\n`);
  return 0;
}

/** Runs until every bound has held twice or missed twice. @param {readonly import('./checks.mjs').Row[]} rows */
async function judge(rows) {
  /** @type {Map<string, import('./report.mjs').Bound>} */
  const bounds = new Map();
  const runs = [];
  for (let open = rows, run = 1; open.length > 0 && run <= 3; run++) {
    say(`\n=== run ${run}: ${open.map((row) => row.name).join(', ')}`);
    const results = await runOnce(open, false);
    runs.push(results);
    for (const { row, checks } of results) {
      for (const [index, check] of checks.entries()) {
        const key = `${row} ${index}`;
        const bound = bounds.get(key) ?? { row, check, holds: [] };
        bound.holds.push(holds(check));
        bounds.set(key, bound);
      }
    }
    const openNames = new Set(
      [...bounds.values()].filter((bound) => verdictOf(bound) === 'open').map((bound) => bound.row),
    );
    open = open.filter((row) => openNames.has(row.name));
  }
  const missed = [...bounds.values()].filter((bound) => verdictOf(bound) !== 'held');
  for (const { row, check, holds: seen } of missed) {
    say(
      `missed in ${seen.filter((one) => !one).length} of ${seen.length} runs: ${row}, ${check.name}, against ${check.against}`,
    );
  }
  say(missed.length === 0 ? '\nEvery bound held.' : `\n${missed.length} of ${bounds.size} bounds missed.`);
  if (options.json) process.stdout.write(`${JSON.stringify({ machine: describeMachine(), runs, missed }, null, 2)}\n`);
  return missed.length === 0 ? 0 : 1;
}

/** @param {readonly import('./checks.mjs').Row[]} rows @param {boolean} isQuick */
async function runOnce(rows, isQuick) {
  const workshop = new Workshop({ subject: options.middle?.split(' ') });
  const startedMs = performance.now();
  const stealBefore = readSteal();
  const results = [];
  try {
    for (const row of rows) {
      const rowStartedMs = performance.now();
      const measured = await row.measure({ workshop, isQuick });
      results.push({ row: row.name, ...measured });
      say(
        `\n${row.name} (${((performance.now() - rowStartedMs) / 1000).toFixed(1)} s)\n${renderFigures(measured.figures)}`,
      );
    }
  } finally {
    workshop.close();
  }
  say(`\n${renderChecks(results.flatMap(({ row, checks }) => checks.map((check) => ({ row, check }))))}`);
  const steal = (readSteal() - stealBefore) * 10;
  say(`took ${Math.round((performance.now() - startedMs) / 1000)} s; the hypervisor took ${steal} ms of it for others`);
  return results;
}
