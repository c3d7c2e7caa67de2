/** Whose session goes when there are too many. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { openTestDoor } from '../../../test/fixtures/http-door.js';

const PING = { id: 'p', method: 'ping' };
const tokenOf = (name: string) => ({ name, sha256: createHash('sha256').update(name).digest('hex'), scopes: [] });

test('nobody loses a session to those that somebody else opens', async (context) => {
  const { caller, door } = await openTestDoor(context, {
    http: { maxSessions: 3, auth: { tokens: [tokenOf('ada'), tokenOf('bob')] } },
  });
  const by = (name: string) => caller({ authorization: `Bearer ${name}` });
  const ada = by('ada');
  await ada.initialize();
  const bobs = Array.from({ length: 6 }, () => by('bob'));
  for (const each of bobs) expect((await each.initialize()).status).toBe(200);
  expect(door.sessions).toBe(3);
  expect((await ada.post(PING)).status).toBe(200);
  const statuses = [];
  for (const each of bobs) statuses.push((await each.post(PING)).status);
  expect(statuses).toEqual([404, 404, 404, 404, 200, 200]);
});
