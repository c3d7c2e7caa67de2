/** An upstream that comes back has forgotten everything: what is asked of it anew, and what still holds. */
import { expect, test } from 'vitest';
import { admitted, offering } from '../../test/fixtures/memory-view.js';

test('the level of its log is asked for again, or it would fall silent', async () => {
  const { view, fixture, upstream } = await admitted({ a: { scripts: [offering()] } });
  view.setLogLevel('debug');
  await fixture.clock.advance(100);
  upstream('a').lose();
  await fixture.clock.advance(1_000);
  expect(fixture.attempts('a')).toHaveLength(2);
  const levels = upstream('a').received('logging/setLevel');
  expect(levels.map(({ params }) => params?.level)).toEqual(['debug']);
});

test('a level that nobody asked for is not asked for', async () => {
  const { fixture, upstream } = await admitted({ a: { scripts: [offering()] } });
  upstream('a').lose();
  await fixture.clock.advance(1_000);
  expect(fixture.attempts('a')).toHaveLength(2);
  expect(upstream('a').received('logging/setLevel')).toEqual([]);
});

test('a caller that cannot take more still cannot: it is not read from until the caller can', async () => {
  const { view, fixture, upstream } = await admitted({ a: {} });
  view.pause();
  upstream('a').lose();
  await fixture.clock.advance(1_000);
  expect(fixture.attempts('a')).toHaveLength(2);
  expect(upstream('a').paused).toBe(1);
  view.resume();
  expect(upstream('a').paused).toBe(0);
});

test('nor is one read from that could not be started before', async () => {
  const failing = { open: () => Promise.reject(new Error('not yet')) };
  const { view, fixture, upstream } = await admitted({ a: { scripts: [failing, {}] } });
  view.pause();
  await fixture.clock.advance(1_000);
  expect(fixture.attempts('a')).toHaveLength(2);
  expect(upstream('a').paused).toBe(1);
});
