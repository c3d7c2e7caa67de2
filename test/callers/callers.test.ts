/** A case of what other products did, in short: `npm run callers` plays 1,000 rounds of it. */
import { expect, test } from 'vitest';
import { requireBuild } from '../fixtures/open-door.js';
import { Door, type Upstream } from './door.js';
import { runRounds } from './rounds.js';
import { compareStrangers } from './strangers.js';

const CASE = 'c36';
const NAMES = Array.from({ length: 50 }, (_, index) => `caller-${index}`);
const ROUNDS = 10;

const upstreams = (transport: Upstream['transport']): readonly Upstream[] => [
  { id: 'old', era: 'handshake', transport },
  { id: 'new', era: 'modern', transport },
];

test.each([
  { transport: 'http', capabilities: { elicitation: {} }, questions: true },
  { transport: 'stdio', capabilities: {}, questions: false },
] as const)(
  `${CASE}: 50 callers with equal ids get what is theirs, before servers over $transport`,
  async (row) => {
    requireBuild();
    const door = await Door.open({ names: NAMES, upstreams: upstreams(row.transport) });
    try {
      const { capabilities } = row;
      const mounts = ['old', 'new'];
      const { crossed, missing, ...counts } = await runRounds({
        door,
        names: NAMES,
        mounts,
        capabilities,
        rounds: ROUNDS,
        hearsLogs: row.transport === 'http',
        longestWaitMs: 50,
        seed: 36,
      });
      expect({ crossed, missing }).toEqual({ crossed: [], missing: [] });
      const calls = NAMES.length * ROUNDS;
      expect(counts).toMatchObject({ calls, answers: calls });
      // Without any of these the test would say nothing about them.
      expect(counts.progress).toBeGreaterThanOrEqual(calls);
      expect(counts.questions > 0).toBe(row.questions);
    } finally {
      await door.close();
    }
  },
  60_000,
);

// A log message over stdio does not say whose call it is about: with one session there, it is not that session's for that.
test('a session hears nothing of what a stranger calls without one', async () => {
  requireBuild();
  const names = ['has-a-session', 'has-none'];
  const door = await Door.open({ names, upstreams: upstreams('stdio') });
  try {
    const options = {
      mounts: ['old'],
      capabilities: {},
      rounds: 30,
      hearsLogs: false,
      longestWaitMs: 10,
      seed: 7,
    };
    const { crossed, missing } = await runRounds({ door, names, ...options });
    expect({ crossed, missing }).toEqual({ crossed: [], missing: [] });
  } finally {
    await door.close();
  }
}, 60_000);

test("what is another principal's is as unknown as what never was, byte for byte", async () => {
  requireBuild();
  const door = await Door.open({ names: ['owner', 'stranger'], upstreams: upstreams('http') });
  try {
    const mounts = ['old', 'new'];
    const { compared, told } = await compareStrangers(door, { owner: 'owner', stranger: 'stranger', mounts });
    expect(told).toEqual([]);
    expect(compared).toBeGreaterThanOrEqual(15);
  } finally {
    await door.close();
  }
}, 30_000);
