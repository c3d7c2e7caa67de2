/** Cases with several callers of one gateway: each sees its own, whatever ids and tokens the others use. */
import { describe, expect, test } from 'vitest';
import { MemoryCaller } from '../fixtures/memory-caller.js';
import { MemoryGateway, toolNamed } from '../fixtures/memory-gateway.js';
import { settled } from '../fixtures/virtual-clock.js';
import { getCase, titleOf } from './cases.js';

/** The same id every time: a server knows only the connection it asks on. */
function elicitationFor(who: string | undefined): string {
  const params = { message: who, requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } } } };
  return JSON.stringify({ jsonrpc: '2.0', id: 'e1', method: 'elicitation/create', params });
}

describe('two callers of one gateway', () => {
  /** Both have a call under way, and the upstream has asked each of them, under one and the same id. */
  async function open() {
    const memory = new MemoryGateway({
      u: { scripts: [{ tools: [toolNamed('confirm')], on: { 'tools/call': () => undefined } }] },
    });
    const [alice, bob] = (getCase('d04').input.clients as readonly string[]).map(
      (name) => new MemoryCaller(memory.gateway, name),
    );
    const callers = { alice: alice!, bob: bob! };
    for (const [who, caller] of Object.entries(callers)) {
      await caller.initialize({ elicitation: {} });
      await caller.call(`call of ${who}`, 'u__confirm', { who });
    }
    const asked = memory.attempts('u').filter((transport) => transport.received('tools/call').length > 0);
    for (const transport of asked) {
      for (const { params } of transport.received('tools/call')) {
        const { who } = (params?.arguments ?? {}) as { readonly who?: string };
        transport.say(elicitationFor(who));
        await settled();
      }
    }
    return {
      memory,
      ...callers,
      of: (who: string) => asked.find((one) => JSON.stringify(one.sent).includes(`"${who}"`))!,
    };
  }

  test(titleOf('d04'), async () => {
    const { memory, alice, bob, of } = await open();
    const seen = { alice: alice.taken(), bob: bob.taken() };
    for (const [who, requests] of Object.entries(seen)) {
      expect(requests.map(({ method, params }) => [method, params?.message])).toEqual([['elicitation/create', who]]);
    }
    await bob.write({ id: seen.bob[0]?.id, result: { action: 'accept', content: { ok: false } } });
    await alice.write({ id: seen.alice[0]?.id, result: { action: 'accept', content: { ok: true } } });
    const answersTo = (who: string) => of(who).sent.filter(({ id, method }) => id === 'e1' && method === undefined);
    expect(answersTo('alice').map(({ message }) => message.result)).toEqual([
      { action: 'accept', content: { ok: true } },
    ]);
    expect(answersTo('bob').map(({ message }) => message.result)).toEqual([
      { action: 'accept', content: { ok: false } },
    ]);
    for (const who of ['alice', 'bob']) {
      of(who).answer(of(who).received('tools/call')[0]?.id, { content: [{ type: 'text', text: who }] });
    }
    await settled();
    expect(alice.taken()).toMatchObject([{ id: 'call of alice', result: { content: [{ text: 'alice' }] } }]);
    expect(bob.taken()).toMatchObject([{ id: 'call of bob', result: { content: [{ text: 'bob' }] } }]);
    await memory.gateway.close();
  });

  test(`${titleOf('c38')} (two callers)`, async () => {
    const memory = new MemoryGateway({
      u: { scripts: [{ tools: [toolNamed('a')], on: { 'tools/call': () => undefined } }] },
    });
    const callers = ['alice', 'bob'].map((name) => new MemoryCaller(memory.gateway, name));
    for (const [at, caller] of callers.entries()) {
      await caller.initialize();
      const params = { name: 'u__a', arguments: { at }, _meta: { progressToken: 'x' } };
      await caller.write({ id: 1, method: 'tools/call', params });
    }
    // They can be asked nothing, so they share one connection.
    expect(memory.attempts('u')).toHaveLength(1);
    const sent = memory.transport('u').received('tools/call');
    for (const { params } of sent) {
      const { arguments: given, _meta: meta } = params as {
        arguments: { at: number };
        _meta: { progressToken: unknown };
      };
      const { at } = given;
      const { progressToken } = meta;
      const progress = { progressToken, progress: at, message: `for ${at}` };
      memory.transport('u').say(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: progress }));
    }
    await settled();
    for (const [at, caller] of callers.entries()) {
      expect(caller.taken().map(({ params }) => params)).toEqual([
        { progressToken: 'x', progress: at, message: `for ${at}` },
      ]);
    }
    await memory.gateway.close();
  });

  test(`${titleOf('c36')} (fifty callers in memory)`, async () => {
    const memory = new MemoryGateway({
      u: { scripts: [{ tools: [toolNamed('whoami')], on: { 'tools/call': () => undefined } }] },
    });
    const callers = Array.from(
      { length: getCase('c36').input.clients as number },
      (_, at) => new MemoryCaller(memory.gateway, `p${at}`),
    );
    for (const caller of callers) await caller.initialize();
    for (const [at, caller] of callers.entries()) await caller.call(2, 'u__whoami', { at });
    // Answered in another order than asked, every third twice.
    const sent = memory.transport('u').received('tools/call');
    const order = [...sent.keys()].sort((a, b) => ((a * 7) % 50) - ((b * 7) % 50));
    for (const index of order) {
      const { id, params } = sent[index]!;
      const result = { content: [], structuredContent: params?.arguments };
      for (let times = index % 3 === 0 ? 2 : 1; times > 0; times--) memory.transport('u').answer(id, result);
    }
    await settled();
    for (const [at, caller] of callers.entries()) {
      expect(caller.taken()).toEqual([{ jsonrpc: '2.0', id: 2, result: { content: [], structuredContent: { at } } }]);
    }
    await memory.gateway.close();
  });

  test(`${titleOf('d04')} (one of them goes away)`, async () => {
    const { memory, alice, bob, of } = await open();
    const [asked] = alice.taken();
    bob.door.close();
    await memory.clock.advance(1_000);
    const [call] = of('bob').received('tools/call');
    expect(
      of('bob')
        .received('notifications/cancelled')
        .map(({ params }) => params?.requestId),
    ).toEqual([call?.id]);
    expect(of('bob').closed).toBeGreaterThan(0);
    expect(of('alice').closed).toBe(0);
    await alice.write({ id: asked?.id, result: { action: 'cancel' } });
    const answers = of('alice').sent.filter(({ id, method }) => id === 'e1' && method === undefined);
    expect(answers.map(({ message }) => message.result)).toEqual([{ action: 'cancel' }]);
    await memory.gateway.close();
  });
});
