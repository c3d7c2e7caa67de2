/** Upstreams that do not start, start slowly, or list what is no list. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { claimAnswered, claimNamed } from '../claims.js';
import type { Row } from '../run-row.js';
import { type Stage, sleep } from '../stage.js';

/** Lists that were never had are waited for until 1.5 s after the first; the rest is for a busy machine. */
const FIRST_LIST_WITHIN_MS = 1_500 + 150;

/** Asks for the list and measures it by the waiting rule: from the moment the first upstream gave its own. */
async function listByTheRule(stage: Stage): Promise<readonly string[]> {
  const { names, atMs } = await stage.list();
  const firstMs = stage
    .journal('healthy')
    .of('sent')
    .find(({ text }) => text?.includes('"tools":['))?.atMs;
  stage.measure('first list after', firstMs === undefined ? undefined : atMs - firstMs, FIRST_LIST_WITHIN_MS);
  stage.expect(names.includes('healthy__work'), 'the healthy tools are listed', names);
  return names;
}

const LATE_COMMAND = './late-command';

const failures: readonly Row[] = [
  { name: 'never-starts', what: 'exits before it reads', reason: /database|exited/ },
  { name: 'wrong-version', what: 'speaks a revision that does not exist', reason: /1999-01-01/ },
  { name: 'initialize-error', what: 'refuses initialize', reason: /not today/ },
  { name: 'no-list', what: 'lists what is no list', reason: /tools/ },
  {
    name: 'silent',
    what: 'never answers initialize (start 1 s)',
    reason: /1000 ms|start/,
    entry: { startTimeoutMs: 1_000 },
  },
  {
    name: 'string-ids',
    what: 'answers under string ids (start 1 s)',
    reason: /1000 ms|start/,
    entry: { startTimeoutMs: 1_000 },
  },
  {
    name: 'missing-command',
    what: 'has a command that does not exist',
    reason: /command not found/,
    entry: { command: LATE_COMMAND },
    mood: '',
    mend: (stage: Stage) => symlinkSync(process.execPath, join(stage.folder, LATE_COMMAND)),
  },
].map(({ name, what, reason, mend = (stage: Stage) => stage.heal(), ...rest }) => ({
  name,
  promise: `${what}: the list has the rest by the waiting rule, it is named failed with the reason; well by itself within 6 s of being mended`,
  mood: name,
  wellWithinMs: 6_000,
  ...rest,
  act: async (stage) => {
    const names = await listByTheRule(stage);
    stage.expect(!names.includes('hostile__work'), 'no tool of it is listed', names);
    await claimNamed(stage, ['failed'], 3_000);
    const found = (await stage.status()).find(({ id }) => id === 'hostile');
    if (found !== undefined) stage.expect(reason.test(found.reason ?? ''), `the reason says ${reason}`, found);
    mend(stage);
  },
}));

const slowStart: Row = {
  name: 'slow-start',
  promise:
    'starts after 7 s: the list does not wait for it, it is named starting after 5 s, and listed once it is there',
  mood: 'slow-start=7000',
  wellWithinMs: 6_000,
  act: async (stage) => {
    await listByTheRule(stage);
    await claimNamed(stage, ['starting'], 6_500);
    const listed = await stage.until(
      () => stage.door.notifications('notifications/tools/list_changed').length > 0,
      8_000,
    );
    stage.expect(listed !== undefined, 'the caller is told that the list has changed');
    const { names } = await stage.list();
    stage.expect(names.includes('hostile__work'), 'its tools are listed then', names);
  },
};

const brokenSchemas: Row = {
  name: 'broken-schemas',
  promise: 'two of three schemas are none: those tools are left out, it is named degraded, the third works',
  mood: 'broken-schemas',
  act: async (stage) => {
    const { names } = await stage.list();
    const own = names.filter((name) => name.startsWith('hostile__'));
    stage.expect(own.join() === 'hostile__work', 'its one good tool is listed, the others are not', own);
    await claimNamed(stage, ['degraded'], 500);
    claimAnswered(stage, await stage.call('hostile', { tag: 'good' }), 'good');
    stage.heal();
    process.kill(stage.journal().pid, 'SIGKILL');
  },
};

const paginationLoop: Row = {
  name: 'pagination-loop',
  promise: 'gives the same cursor for ever: asked at most 3 times, each tool listed once',
  mood: 'pagination-loop',
  act: async (stage) => {
    const { names } = await stage.list();
    stage.expect(names.filter((name) => name === 'hostile__work').length === 1, 'its tool is listed once', names);
    const asked = stage.journal().of('received', 'tools/list').length;
    stage.note(`asked ${asked} times`);
    stage.expect(asked >= 1 && asked <= 3, 'asked at most 3 times', asked);
  },
};

const listChangedStorm: Row = {
  name: 'list-changed-storm',
  promise: '500 notifications of a change that is none: at most 6 lists, and no word to the caller',
  mood: 'list-changed-storm=500',
  act: async (stage) => {
    await stage.list();
    await stage.until(
      () =>
        stage
          .journal()
          .of('sent')
          .filter(({ text }) => text?.includes('list_changed')).length >= 500,
      5_000,
    );
    await sleep(1_200);
    const asked = stage.journal().of('received', 'tools/list').length;
    const told = stage.door.notifications('notifications/tools/list_changed').length;
    stage.note(`asked ${asked} times, told ${told}`);
    stage.expect(asked <= 6, 'at most 6 lists', asked);
    stage.expect(asked >= 2, 'the change is looked at', asked);
    stage.expect(told === 0, 'the caller is told nothing', told);
  },
};

export const STARTS: readonly Row[] = [...failures, slowStart, brokenSchemas, paginationLoop, listChangedStorm];
