/** What upstreams offer besides tools, where something goes wrong: hung mounts, refused subscriptions, an end in between. */
import { describe, expect, test } from 'vitest';
import { MemoryGateway, SILENT } from '../../test/fixtures/memory-gateway.js';
import type { MemoryScript } from '../../test/fixtures/memory-transport.js';
import { admitted, FakeCaller, ME, offering, read, uri } from '../../test/fixtures/memory-view.js';
import { settled } from '../../test/fixtures/virtual-clock.js';

const LIST_CHANGED = '{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}';
const UPDATED = '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x://1"}}';

describe('a URI that nobody lists', () => {
  /** `a` is up and has resources; `late` is as it is. */
  async function besides(late: MemoryScript) {
    const fixture = new MemoryGateway({ a: { scripts: [offering()] }, late: { scripts: [late] } });
    const view = fixture.gateway.admit(new FakeCaller());
    view.start();
    await fixture.clock.advance(2_000);
    return { fixture, view, upstream: (id: string) => fixture.transport(id) };
  }

  test('goes to the only one who could have it', async () => {
    const { fixture, view, upstream } = await besides({});
    const answer = view.relay('resources/read', uri('y://unlisted'), ME);
    await fixture.clock.advance(5_000);
    expect(read(await answer)).toMatchObject({ uri: 'y://unlisted' });
    expect(upstream('late').received('resources/read')).toEqual([]);
  });

  test('goes to nobody while another could still turn out to have it', async () => {
    const { fixture, view, upstream } = await besides(SILENT);
    const failure = expect(view.relay('resources/read', uri('y://unlisted'), ME)).rejects.toMatchObject({
      code: expect.any(String),
    });
    await fixture.clock.advance(10_000);
    await failure;
    expect(upstream('a').received('resources/read')).toEqual([]);
  });
});

describe('a subscription that its upstream refuses', () => {
  const refusing = offering({
    'resources/subscribe': ({ id }) => `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"no"}}`,
  });

  test('is none: its caller is not told of changes', async () => {
    const { view, caller, upstream } = await admitted({ a: { scripts: [refusing] } });
    expect((await view.subscribe(uri('x://1'), ME)).kind).toBe('error');
    upstream('a').say(UPDATED);
    expect(caller.told).toEqual([]);
  });

  test('is not asked for again by itself, when the upstream comes back', async () => {
    const { view, fixture, caller, upstream } = await admitted({ a: { scripts: [refusing, offering()] } });
    await view.subscribe(uri('x://1'), ME);
    upstream('a').lose();
    await fixture.clock.advance(1_000);
    expect(fixture.attempts('a')).toHaveLength(2);
    expect(upstream('a').received('resources/subscribe')).toEqual([]);
    expect(caller.told).toEqual([]);
  });
});

test('lists that are still to be fetched anew end with the gateway, and leave no timer', async () => {
  const { view, fixture, upstream } = await admitted({ a: { scripts: [offering()] } });
  await view.listOffers('resources');
  await view.listOffers('templates');
  // The list was fetched a moment ago: this one is owed, and waits for its time.
  upstream('a').say(LIST_CHANGED);
  await settled();
  const lists = upstream('a').received('resources/list').length;
  await fixture.gateway.close();
  expect(fixture.clock.waiting).toBe(0);
  await fixture.clock.advance(5_000);
  expect(upstream('a').received('resources/list')).toHaveLength(lists);
});
