/** The end of doorward itself, with upstreams that do not want to end: nothing of them is left. */
import type { DoorClient } from '../../fixtures/door-client.js';
import { findProcess } from '../../fixtures/processes.js';
import { nowMs } from '../journal.js';
import type { Row } from '../run-row.js';
import type { Outcome, Stage } from '../stage.js';

const GONE_WITHIN_MS = 10_000;

const deaf: readonly Row[] = [
  { name: 'deaf-grandchild', how: 'the end of stdin', end: (door: DoorClient) => door.endInput() },
  { name: 'deaf-grandchild-sigterm', how: 'SIGTERM', end: (door: DoorClient) => door.signal('SIGTERM') },
  { name: 'deaf-grandchild-sigint', how: 'SIGINT', end: (door: DoorClient) => door.signal('SIGINT') },
  { name: 'deaf-grandchild-sighup', how: 'SIGHUP', end: (door: DoorClient) => door.signal('SIGHUP') },
  { name: 'deaf-grandchild-stdout', how: 'a closed stdout', end: (door: DoorClient) => door.stopReading() },
  { name: 'deaf-grandchild-kill', how: 'kill -9', end: (door: DoorClient) => door.signal('SIGKILL') },
].map(({ name, how, end }) => ({
  name,
  promise: `behind a shell, deaf to all signals, with a grandchild: after ${how} all are gone within 10 s`,
  mood: 'deaf grandchild',
  isWrapped: true,
  endsDoor: true as const,
  act: async (stage) => {
    await stage.list();
    const own = stage.door.remember();
    stage.expect(own.length >= 4, 'shell, server, grandchild and neighbour are there', own.length);
    const endedAtMs = nowMs();
    end(stage.door);
    // Something to write is what shows that nobody reads.
    stage.door.notify('notifications/initialized');
    if (how === 'a closed stdout') void stage.call('healthy').catch(() => undefined);
    const pids = [stage.door.pid, ...own.map(({ pid }) => pid)];
    const goneMs = await stage.until(() => pids.every((pid) => findProcess(pid) === undefined), GONE_WITHIN_MS);
    stage.measure('all gone after', goneMs === undefined ? undefined : nowMs() - endedAtMs, GONE_WITHIN_MS);
  },
}));

async function settled(call: Promise<Outcome>): Promise<Outcome | undefined> {
  return call.catch(() => undefined);
}

const drain: readonly Row[] = (['SIGTERM', 'the end of stdin'] as const).map((how) => ({
  name: how === 'SIGTERM' ? 'drain-sigterm' : 'drain-eof',
  promise: `${how} with calls in flight: both are answered, then all end within 5 s`,
  endsDoor: true as const,
  act: async (stage: Stage) => {
    await stage.list();
    const slow = [
      settled(stage.call('hostile', { tag: 'slow', ms: 1_000 })),
      settled(stage.call('healthy', { tag: 'slow', ms: 800 })),
    ];
    await stage.until(() => stage.journal().of('executed').length > 0, 2_000);
    if (how === 'SIGTERM') stage.door.signal('SIGTERM');
    else stage.door.endInput();
    const beganAtMs = nowMs();
    const { door } = stage;
    const ended = door.ended(GONE_WITHIN_MS);
    await ended;
    stage.measure('ended after', nowMs() - beganAtMs, 5_000);
    const texts = (await Promise.all(slow)).map((outcome) => JSON.stringify(outcome?.answer.message?.result ?? null));
    stage.expect(
      texts.every((text) => text.includes('slow')),
      'both calls are answered',
      texts,
    );
  },
}));

export const DOOR_ENDS: readonly Row[] = [...deaf, ...drain];
