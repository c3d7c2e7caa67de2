/** How soon a caller hears that the upstream its call is on is gone. In a file of its own: neighbours would disturb it. */
import { describe, expect, test } from 'vitest';
import { HOSTILE, openDoor, until } from '../fixtures/open-door.js';
import type { ProcessFacts } from '../fixtures/processes.js';

const isServer = ({ command }: ProcessFacts, id = 'h\\d'): boolean =>
  new RegExp(`hostile-server\\S* ${id}$`).test(command);

describe('an upstream that is killed', () => {
  test('fails the call on it within 100 ms, though somebody else holds its pipe open', async (test) => {
    const ids = ['h0', 'h1', 'h2', 'h3', 'h4'];
    const script = 'sleep 60 & exec "$0" "$@"';
    const entries = ids.map((id) => [id, { command: 'sh', args: ['-c', script, process.execPath, HOSTILE, id] }]);
    const { door } = await openDoor(test, { servers: Object.fromEntries(entries) });
    await until(() => door.remember().filter((found) => isServer(found)).length === 5, 'all five');
    await door.request('tools/list');
    const tookMs: number[] = [];
    for (const id of ids) {
      const call = door.call(`${id}__never_answer`, '{}');
      await door.request('ping'); // the call went out before
      const before = door.elapsedMs;
      process.kill(door.remember().find((found) => isServer(found, id))!.pid, 'SIGKILL');
      const { message, atMs } = await call;
      expect(message?.error?.data).toMatchObject({ code: 'UPSTREAM_LOST', outcome: 'unknown', upstream: id });
      tookMs.push(atMs - before);
    }
    // The machine may be busy with something else once in a while.
    expect(tookMs.sort((a, b) => a - b)[2]).toBeLessThan(100);
  });
});
