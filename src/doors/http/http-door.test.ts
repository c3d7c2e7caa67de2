import { expect, test } from 'vitest';
import { openTestDoor } from '../../../test/fixtures/http-door.js';

test('one request of each era', async (context) => {
  const { caller } = await openTestDoor(context);
  const old = caller();
  const greeted = await old.initialize();
  expect(greeted.status).toBe(200);
  const called = await old.post({ id: 1, method: 'tools/call', params: { name: 'a__x', arguments: { n: 1 } } });
  expect(called.text).toContain('"structuredContent":{"n":1}');
  const modern = await caller().modern({ method: 'tools/call', params: { name: 'a__x', arguments: { n: 2 } } });
  expect(modern.text).toContain('"structuredContent":{"n":2}');
});
