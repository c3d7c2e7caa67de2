/** The official suite: which scenarios a revision asks for, and what became of them. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { endWithUs } from '../../test/fixtures/served-doorward.mjs';
import { node24 } from '../../tools/node24/run.mjs';

export const REVISIONS = ['2025-11-25', '2026-07-28'];

/** What the issue says for the client side; the suite ends each client that takes longer. */
const CLIENT_TIMEOUT_MS = 120_000;
/** The whole of one run: the suite waits without end for a server that never answers. */
const RUN_MS = { server: 60_000, client: CLIENT_TIMEOUT_MS + 30_000 };

const tools = node24();
const { parse } = createRequire(tools.conformance)('yaml');

/**
 * @param {'server' | 'client'} leg
 * @returns {Map<string, { isScored: boolean, reason?: string }>} by scenario, in the suite's order
 */
export function scenariosOf(leg, revision) {
  const file = join(dirname(dirname(tools.conformance)), 'requirements', `${revision}.yaml`);
  const requirements = parse(readFileSync(file, 'utf8'));
  const unscored = requirements.not_scored.filter((one) => one.leg === leg);
  return new Map([
    ...requirements[leg].map((scenario) => [scenario, { isScored: true }]),
    ...unscored.map(({ scenario, reason }) => [scenario, { isScored: false, reason }]),
  ]);
}

/**
 * Runs everything that a revision asks of a server or of a client.
 *
 * @param target of a server its URL, of a client its command
 * @param folder where the suite may write
 * @returns {Promise<Map<string, { id: string, status: string, errorMessage?: string }[]>>} checks by scenario
 */
export async function runSuite({ leg, target, revision, folder }) {
  mkdirSync(folder, { recursive: true });
  const names = [...scenariosOf(leg, revision).keys()];
  if (leg === 'server') await run(leg, ['--url', target, '--requirements', revision, '--output-dir', folder]);
  else
    await runClients(names, (scenario) => [
      ...['--command', target, '--timeout', String(CLIENT_TIMEOUT_MS), '--scenario', scenario],
      ...['--spec-version', revision, '--force', '--output-dir', folder],
    ]);
  const results = new Map();
  for (const file of readdirSync(folder, { recursive: true })) {
    if (!file.endsWith('checks.json')) continue;
    const path = join(folder, file);
    const name = scenarioIn(relative(folder, dirname(path)), leg, names);
    if (name !== undefined) results.set(name, JSON.parse(readFileSync(path, 'utf8')));
  }
  return results;
}

/**
 * By itself the suite starts all clients of a revision at once, three dozen processes: on a small machine they time out on
 * each other. So it is run once a scenario, a core each.
 */
async function runClients(names, argsOf) {
  const left = [...names];
  const worker = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) await run('client', argsOf(name));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

function run(leg, args) {
  return finish(endWithUs(spawn(tools.node, [tools.conformance, leg, ...args], { stdio: 'ignore' })), RUN_MS[leg]);
}

/** Folders are named `[server-]SCENARIO-TIME`, with the slashes of the scenario in them. */
function scenarioIn(path, leg, names) {
  const written = path.replaceAll('\\', '/').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
  return names.find((name) => written === (leg === 'server' ? `server-${name}` : name));
}

async function finish(child, timeoutMs) {
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  try {
    await new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject));
  } finally {
    clearTimeout(timer);
  }
}
