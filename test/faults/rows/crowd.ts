/** Ten upstreams, three of them bad in three ways: the caller gets the seven, and is told of the three. */
import { claimAnswered } from '../claims.js';
import type { Row } from '../run-row.js';
import type { Actor } from '../stage.js';

const GOOD = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6'];
const OTHERS: Readonly<Record<string, Actor>> = {
  ...Object.fromEntries(GOOD.map((id): [string, Actor] => [id, {}])),
  crashing: { mood: 'respawn-storm' },
  broken: { mood: 'broken-schemas' },
};
const ILL = ['broken', 'crashing', 'hostile'];

const crowd: Row = {
  name: 'three-of-ten',
  promise:
    '1 hung, 1 crashing, 1 with broken schemas: the list has all the rest 1.5 s after the first; the status names exactly these three',
  mood: 'silent',
  others: OTHERS,
  staysIll: true,
  act: async (stage) => {
    const { names, atMs } = await stage.list();
    const firsts = ['healthy', ...GOOD].flatMap((id) =>
      stage
        .journal(id)
        .of('sent')
        .filter(({ text }) => text?.includes('"tools":['))
        .map((entry) => entry.atMs),
    );
    stage.measure('list after the first', atMs - Math.min(...firsts), 1_500 + 250);
    const missing = ['healthy', ...GOOD, 'broken'].filter((id) => !names.includes(`${id}__work`));
    stage.expect(missing.length === 0, 'every good tool is listed', missing);
    const named = async (): Promise<string> =>
      (await stage.status())
        .map(({ id }) => id)
        .sort()
        .join();
    let seen = await named();
    // A start is silent for five seconds before it is worth a word.
    for (
      const endsAtMs = performance.now() + 8_000;
      seen !== ILL.join() && performance.now() < endsAtMs;
      seen = await named()
    );
    stage.expect(seen === ILL.join(), `the status names ${ILL.join()}`, seen);
    const states = (await stage.status()).map(({ id, status }) => `${id} ${status}`).sort();
    stage.note(states.join(', '));
    for (const id of GOOD) claimAnswered(stage, await stage.call(id, { tag: `at ${id}` }), `at ${id}`);
  },
};

export const CROWD: readonly Row[] = [crowd];
