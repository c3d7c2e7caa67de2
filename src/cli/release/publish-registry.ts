import { DoorError } from '../../base/index.js';
import { Publisher } from './publisher.js';
import { expectSame, findListing } from './read-back.js';
import type { Release } from './release.js';
import type { Finished } from './run-program.js';
import { type Outcome, pause, type World } from './world.js';

/** The Registry asks package registries itself, and they may not show it yet what they showed us. Nothing else is tried again. */
const PROPAGATION = /newly published release can take a moment|package '[^'\n]+'[^\n]*not found \(status: 404\)/i;
const DUPLICATE = /duplicate version/i;
const EXPIRED = /status 401|token (?:is |has )?expired/i;
const FORBIDDEN = /status 403/;

const MAX_RETRIES = 5;

/**
 * `release publish-registry`: validates the manifest, logs in, publishes. A version that is there already with the same content
 * is as good as published; with other content it is an error.
 *
 * @throws {DoorError} CONTRACT_INVALID, AUTH_REQUIRED, FORBIDDEN, DRIFT, or INTERNAL for what the Registry says otherwise
 */
export async function publishRegistry(release: Release, world: World): Promise<Outcome> {
  const { name, version } = release;
  const publisher = new Publisher(release, world);
  try {
    await publisher.validate();
    const isNew = await publishPatiently({ publisher, release, world });
    const message = isNew
      ? `${name} ${version} is published`
      : `${name} ${version} was published already, with the same content`;
    return { message, facts: { name, version, published: isNew } };
  } finally {
    publisher.close();
  }
}

interface Publishing {
  readonly publisher: Publisher;
  readonly release: Release;
  readonly world: World;
}

/** @returns whether it was new */
async function publishPatiently({ publisher, release, world }: Publishing): Promise<boolean> {
  let hasExpired = false;
  for (let retries = 0, pauseMs = world.pauseMs; ; ) {
    // Tokens of the Registry live for minutes, and a wait may take as long.
    await publisher.logIn();
    const done = await publisher.publish();
    if (done.code === 0) return true;
    if (DUPLICATE.test(done.output)) return isAsPublished(done, release, world);
    if (PROPAGATION.test(done.output) && retries < MAX_RETRIES) {
      retries++;
      world.say(`the Registry does not see the package yet; publishing again (${retries} of ${MAX_RETRIES})`);
      await pause(pauseMs, world.signal);
      pauseMs *= 2;
    } else if (EXPIRED.test(done.output) && !hasExpired) {
      hasExpired = true;
      world.say('the token has expired; logging in again');
    } else {
      return isAsPublished(done, release, world);
    }
  }
}

/** Whatever was said, what counts is what the Registry shows: an answer may be lost after it has taken the manifest. */
async function isAsPublished(done: Finished, release: Release, world: World): Promise<false> {
  const listing = await findListing(release, world);
  expectSame(listing, release);
  if (listing.kind === 'same') return false;
  throw failureOf(done, release);
}

function failureOf({ output, code }: Finished, { name }: Release): DoorError {
  if (EXPIRED.test(output)) {
    const hint = 'A fresh login does not help: bump the pin of mcp-publisher, then look at the Registry’s status.';
    return new DoorError('AUTH_REQUIRED', 'the Registry refuses the token, twice', { hint });
  }
  if (FORBIDDEN.test(output)) {
    const hint = `Who logs in must own the part before the slash of ${name}: for io.github.OWNER, OWNER as GitHub spells it.`;
    return new DoorError('FORBIDDEN', `the Registry does not let this repository publish ${name}`, { hint });
  }
  const what = PROPAGATION.test(output)
    ? `the Registry still does not see the package after ${MAX_RETRIES} more tries`
    : `mcp-publisher publish failed with ${code}`;
  return new DoorError('INTERNAL', what, { hint: 'What it says is above; this job can be run again.' });
}

/** `release dry-run`: what can be known without logging in. Publishes nothing. */
export async function dryRun(release: Release, world: World): Promise<Outcome> {
  const publisher = new Publisher(release, world);
  try {
    await publisher.validate();
    return { message: 'the manifest is good; nothing was published', facts: { published: false } };
  } finally {
    publisher.close();
  }
}

/**
 * `release rehearse`: all of it up to the moment of publishing, so that what has grown too old is found in time.
 *
 * @throws {DoorError} AUTH_REQUIRED where the publisher is, DRIFT where the schema of the manifest is
 */
export async function rehearse(release: Release, world: World): Promise<Outcome> {
  const publisher = new Publisher(release, world);
  try {
    const { isCurrent } = await publisher.validate();
    await publisher.logIn();
    if (!isCurrent) {
      throw new DoorError('DRIFT', 'the Registry calls the schema of the manifest deprecated', {
        hint: 'Update doorward, then run doorward manifest.',
      });
    }
    return { message: 'the manifest is good and the login works; nothing was published', facts: { published: false } };
  } finally {
    publisher.close();
  }
}
