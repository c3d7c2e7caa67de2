import type { Cli } from '../cli.js';
import type { Run } from '../parse-command-line.js';
import { fetchPublisher } from '../release/fetch-publisher.js';
import { publishNpm } from '../release/publish-npm.js';
import { dryRun, publishRegistry, rehearse } from '../release/publish-registry.js';
import { readBack } from '../release/read-back.js';
import { type Release, readRelease } from '../release/release.js';
import { waitForNpm } from '../release/wait-npm.js';
import { type Outcome, type World, worldOf } from '../release/world.js';
import { oneLine } from '../screen.js';
import { usageError } from '../usage-error.js';

type Step = (release: Release, world: World) => Promise<Outcome>;

const STEPS: Readonly<Record<string, Step>> = {
  npm: publishNpm,
  'wait-npm': waitForNpm,
  'publish-registry': publishRegistry,
  'read-back': readBack,
  'dry-run': dryRun,
  rehearse,
};

const FETCH = 'fetch-publisher';

/** `doorward release STEP`: one step of publishing, for the generated workflow and for any other CI. */
export async function runRelease(run: Run, cli: Cli): Promise<number> {
  const [name = ''] = run.operands;
  const world = worldOf(run, cli);
  const { message, facts } = await stepOf(name, cli)(world);
  cli.out.write(run.options.has('json') ? `${JSON.stringify({ step: name, ...facts })}\n` : `${oneLine(message)}\n`);
  return 0;
}

function stepOf(name: string, { cwd }: Cli): (world: World) => Promise<Outcome> {
  if (name === FETCH) return (world) => fetchPublisher(cwd, world);
  const step = Object.hasOwn(STEPS, name) ? STEPS[name] : undefined;
  if (step !== undefined) return (world) => step(readRelease(cwd), world);
  throw usageError('there is no such step of a release', `Steps: ${[...Object.keys(STEPS), FETCH].sort().join(', ')}.`);
}
