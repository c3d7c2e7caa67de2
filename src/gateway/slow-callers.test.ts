/** Callers that cannot take more: whom they hold up, and for how long. */
import { expect, test } from 'vitest';
import { admitted, FakeCaller } from '../../test/fixtures/memory-view.js';

test('one among several holds up nobody, all of them together do, until one can take more', async () => {
  const { view, fixture, upstream } = await admitted({ a: {} });
  const other = fixture.gateway.admit(new FakeCaller());
  view.pause();
  expect(upstream('a').paused).toBe(0);
  other.pause();
  expect(upstream('a').paused).toBe(1);
  view.resume();
  expect(upstream('a').paused).toBe(0);
});

test('one that comes while all others are slow gets what there is', async () => {
  const { view, fixture, upstream } = await admitted({ a: {} });
  view.pause();
  expect(upstream('a').paused).toBe(1);
  fixture.gateway.admit(new FakeCaller());
  expect(upstream('a').paused).toBe(0);
});

test('one that leaves holds up nobody any more, neither who stays nor who comes', async () => {
  const { view, fixture, upstream } = await admitted({ a: {} });
  view.pause();
  await view.close();
  expect(upstream('a').paused).toBe(0);
  const next = fixture.gateway.admit(new FakeCaller());
  expect(upstream('a').paused).toBe(0);
  next.pause();
  next.resume();
  expect(upstream('a').paused).toBe(0);
});

test('the last one that could take more leaves: the slow ones are left, and held up', async () => {
  const { view, fixture, upstream } = await admitted({ a: {} });
  const other = fixture.gateway.admit(new FakeCaller());
  view.pause();
  await other.close();
  expect(upstream('a').paused).toBe(1);
});
