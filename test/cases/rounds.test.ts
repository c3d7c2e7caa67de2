/**
 * Cases about requests that need several rounds (d14, d15, d16), on the wire: callers of both eras before a stream door,
 * upstreams of both eras in memory behind it, and time that a test moves.
 */
import { describe, expect, type TestContext, test } from 'vitest';
import type { GatewayOptions } from '../../src/gateway/index.js';
import { GATHERING_TICK_MS } from '../../src/gateway/rounds/limits.js';
import { MemoryStore } from '../../src/store/index.js';
import { MemoryCaller } from '../fixtures/memory-caller.js';
import type { Wire } from '../fixtures/memory-door.js';
import { MemoryGateway, toolNamed } from '../fixtures/memory-gateway.js';
import type { MemoryScript, MemoryTransport, Sent } from '../fixtures/memory-transport.js';
import { modernMeta } from '../fixtures/modern-meta.js';
import { inputRequired, modernScript } from '../fixtures/modern-script.js';
import { calm } from '../fixtures/rounds-stage.js';
import { VirtualClock } from '../fixtures/virtual-clock.js';
import { getCase, titleOf } from './cases.js';

const ASKABLE = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const FORM = {
  message: 'Who are you?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};
const ELICIT = { method: 'elicitation/create', params: FORM };
const DONE = { resultType: 'complete', content: [{ type: 'text', text: 'done' }] };
const PARKED_MS = 600_000;
const TOOLS = [toolNamed('x'), toolNamed('y')];
const TWO_TOOLS = { tools: TOOLS };

interface Retry {
  readonly requestState?: unknown;
  readonly inputResponses?: unknown;
}

/** A gateway with one upstream `u`, and callers before it. */
class House {
  readonly memory: MemoryGateway;
  readonly #callers = new Map<string, MemoryCaller>();
  #nextId = 1;

  constructor(test: TestContext, script: MemoryScript, options: Partial<GatewayOptions> = {}) {
    const era = script.on?.['server/discover'] === undefined ? 'handshake' : 'modern';
    this.memory = new MemoryGateway({ u: { scripts: [script], era } }, options);
    test.onTestFinished(() => this.memory.gateway.close());
  }

  /** @param id a principal; `ann@2` is another connection of ann's */
  caller(id: string): MemoryCaller {
    const caller = this.#callers.get(id) ?? new MemoryCaller(this.memory.gateway, id.split('@')[0]!);
    this.#callers.set(id, caller);
    return caller;
  }

  /** One request of the 2026 era, and its answer. */
  async call(who: string, name: string, args: object, retry: Retry = {}): Promise<Wire> {
    const caller = this.caller(who);
    const id = this.#nextId++;
    const params = { _meta: modernMeta(ASKABLE), name, arguments: args, ...retry };
    await caller.write({ id, method: 'tools/call', params });
    for (let tries = 0; tries < 20; tries++) {
      await calm();
      // What an upstream of the 2025 era asks is gathered for a moment.
      await this.memory.clock.advance(GATHERING_TICK_MS);
      const [answer] = caller.taken().filter((wire) => wire.id === id);
      if (answer !== undefined) return answer;
    }
    throw new Error(`${who} got no answer to ${name}`);
  }

  /** The calls that the upstream saw. */
  get calls(): readonly Sent[] {
    return this.memory.attempts('u').flatMap((transport) => transport.received('tools/call'));
  }
}

const stateOf = ({ result }: Wire): string => result?.requestState as string;

describe('d14', () => {
  const { client_answer: good, bad_answer: bad } = getCase('d14').input as Record<string, object>;
  const { second_request, bad_answer, parallel_calls_not_mixed } = getCase('d14').expect as {
    readonly second_request: Record<string, unknown>;
    readonly bad_answer: { readonly code: number; readonly upstream_second_request: number };
    readonly parallel_calls_not_mixed: boolean;
  };
  const STATE = 'opaque==\u2028';
  const asking = (state?: string): MemoryScript =>
    modernScript({
      ...TWO_TOOLS,
      on: {
        'tools/call': ({ params }) =>
          params?.inputResponses === undefined ? inputRequired({ 'k-1': ELICIT }, state) : DONE,
      },
    });

  test(titleOf('d14'), async (test) => {
    const house = new House(test, asking(STATE));
    const args = { a: 1, big: '12345678901234567890' };
    const first = await house.call('ann', 'u__x', args);
    expect(first.result).toMatchObject({ resultType: 'input_required', inputRequests: { 'k-1': ELICIT } });
    const requestState = stateOf(first);
    expect(requestState).not.toContain('opaque');

    const refused = await house.call('ann', 'u__x', args, { requestState, inputResponses: bad });
    expect(refused.error?.code).toBe(bad_answer.code);
    expect(house.calls.length - 1).toBe(bad_answer.upstream_second_request);

    const last = await house.call('ann', 'u__x', args, { requestState, inputResponses: good });
    expect(last.result).toMatchObject(DONE);
    const [one, two] = house.calls;
    expect({
      id_differs: one?.id !== two?.id,
      same_name_and_arguments:
        one?.params?.name === two?.params?.name &&
        JSON.stringify(one?.params?.arguments) === JSON.stringify(two?.params?.arguments),
      requestState_identical: two?.params?.requestState === STATE,
      inputResponses_keys: Object.keys(two?.params?.inputResponses as object),
    }).toEqual(second_request);
    expect(two?.params?.inputResponses).toEqual(good);
    expect(one?.params).not.toHaveProperty('requestState');
  });

  test(`${titleOf('d14')} (single use)`, async (test) => {
    const house = new House(test, asking(STATE));
    const requestState = stateOf(await house.call('ann', 'u__x', {}));
    const retry = { requestState, inputResponses: good };
    const [one, two] = await Promise.all([
      house.call('ann', 'u__x', {}, retry),
      new House(test, asking(STATE)).call('ann', 'u__x', {}, retry),
    ]);
    expect(one.result).toMatchObject(DONE);
    // Another process has another key, unless it is told the same secret.
    expect(two.error?.code).toBe(-32602);
    expect((await house.call('ann', 'u__x', {}, retry)).error?.code).toBe(-32602);
    expect(house.calls).toHaveLength(2);
  });

  test(`${titleOf('d14')} (single use, over two processes)`, async (test) => {
    const shared = { secret: 'the same for both', store: new MemoryStore({ clock: new VirtualClock() }) };
    const [one, two] = [new House(test, asking(STATE), shared), new House(test, asking(STATE), shared)];
    const requestState = stateOf(await one.call('ann', 'u__x', {}));
    const retry = { requestState, inputResponses: good };
    expect((await two.call('ann', 'u__x', {}, retry)).result).toMatchObject(DONE);
    expect(two.calls[0]?.params?.requestState).toBe(STATE);
    expect((await one.call('ann', 'u__x', {}, retry)).error?.code).toBe(-32602);
    expect((await two.call('ann', 'u__x', {}, retry)).error?.code).toBe(-32602);
    expect([one.calls.length, two.calls.length]).toEqual([1, 1]);
  });

  test(`${titleOf('d14')} (no state given)`, async (test) => {
    const house = new House(test, asking());
    const requestState = stateOf(await house.call('ann', 'u__x', {}));
    await house.call('ann', 'u__x', {}, { requestState, inputResponses: good });
    expect(house.calls[1]?.params).not.toHaveProperty('requestState');
    expect(house.calls[1]?.params?.inputResponses).toEqual(good);
  });

  test(`${titleOf('d14')} (parallel calls)`, async (test) => {
    let count = 0;
    const house = new House(
      test,
      modernScript({
        ...TWO_TOOLS,
        on: {
          'tools/call': ({ params }) =>
            params?.requestState === undefined
              ? inputRequired({ 'k-1': ELICIT }, `state ${++count}`)
              : { ...DONE, state: params.requestState, arguments: params.arguments },
        },
      }),
    );
    const all = [1, 2, 3, 4, 5];
    const states = new Map<number, { readonly own: string; readonly sealed: string }>();
    for (const n of all) states.set(n, { own: `state ${n}`, sealed: stateOf(await house.call('ann', 'u__x', { n })) });
    for (const n of all.reverse()) {
      const { own, sealed } = states.get(n)!;
      const { result } = await house.call('ann', 'u__x', { n }, { requestState: sealed, inputResponses: good });
      expect(result).toMatchObject({ state: own, arguments: { n } });
    }
    expect(parallel_calls_not_mixed).toBe(true);
  });
});

/** Asks a question in the middle of each call, and answers the call with what it was answered. */
function pushing(): MemoryScript {
  const open = new Map<unknown, { readonly call: unknown }>();
  return {
    ...TWO_TOOLS,
    on: {
      'tools/call': ({ id }, transport: MemoryTransport) => {
        const question = `q${String(id)}`;
        open.set(question, { call: id });
        transport.say(JSON.stringify({ jsonrpc: '2.0', id: question, ...ELICIT }));
        // What is said to it comes back as a message without a method.
        const answered = transport.sent.length;
        const look = (): void => {
          const said = transport.sent.slice(answered).find((sent) => sent.id === question && sent.method === undefined);
          if (said === undefined) setTimeout(look, 1).unref();
          else if (said.message.result !== undefined) {
            transport.answer(id, { content: [{ type: 'text', text: JSON.stringify(said.message.result) }] });
          }
        };
        look();
        return undefined;
      },
    },
  };
}

describe('d15', () => {
  const good = { action: 'accept', content: { name: 'octo' } };
  const upstreams = {
    'an upstream of the 2026 era': () =>
      modernScript({
        ...TWO_TOOLS,
        on: {
          'tools/call': ({ params }) =>
            params?.requestState === undefined ? inputRequired({ 'k-1': ELICIT }, 'own state') : DONE,
        },
      }),
    'an upstream of the 2025 era': pushing,
  };
  type Attack = (
    house: House,
    given: { readonly requestState: string; readonly inputResponses: object },
  ) => Promise<Wire>;
  const attacks: Readonly<Record<string, Attack>> = {
    'flip a byte': (house, given) => {
      const at = 40;
      const other = given.requestState[at] === 'A' ? 'B' : 'A';
      const requestState = given.requestState.slice(0, at) + other + given.requestState.slice(at + 1);
      return house.call('ann', 'u__x', { a: 1 }, { ...given, requestState });
    },
    'replay by another principal': (house, given) => house.call('bob', 'u__x', { a: 1 }, given),
    'replay after expiry': async (house, given) => {
      await house.memory.clock.advance(PARKED_MS);
      return house.call('ann', 'u__x', { a: 1 }, given);
    },
    'use on another tool': (house, given) => house.call('ann', 'u__y', { a: 1 }, given),
    'use on other arguments': (house, given) => house.call('ann', 'u__x', { a: 2 }, given),
    'strip requestState': (house, { inputResponses }) => house.call('ann', 'u__x', { a: 1 }, { inputResponses }),
    "swap two tenants' states": async (house, given) => {
      const bobs = stateOf(await house.call('bob', 'u__x', { a: 1 }));
      const [anns, other] = [
        await house.call('ann', 'u__x', { a: 1 }, { ...given, requestState: bobs }),
        await house.call('bob', 'u__x', { a: 1 }, given),
      ];
      expect({ ...other, id: 0 }).toEqual({ ...anns, id: 0 });
      return anns;
    },
  };

  test('every attack of the case is here', () => {
    expect(Object.keys(attacks)).toEqual(getCase('d15').input.attacks);
  });

  const rows = Object.keys(upstreams).flatMap((upstream) => Object.keys(attacks).map((attack) => [attack, upstream]));
  test.for(rows as [string, keyof typeof upstreams][])(
    `${titleOf('d15')} (%s, %s)`,
    async ([attack, upstream], test) => {
      const house = new House(test, upstreams[upstream]());
      const first = await house.call('ann', 'u__x', { a: 1 });
      const key = Object.keys(first.result?.inputRequests as object)[0]!;
      const given = { requestState: stateOf(first), inputResponses: { [key]: good } };
      const before = house.calls.length;
      const { error } = await attacks[attack]!(house, given);
      const unknown = await house.call('ann', 'u__x', { a: 1 }, { requestState: 'never-sealed' });
      expect(error?.code).toBe(-32602);
      // Nothing tells what was wrong with it.
      expect(error).toEqual(unknown.error);
      // In the last one bob has made a call of his own, as he may.
      expect(house.calls).toHaveLength(attack.startsWith('swap') ? before + 1 : before);
      if (attack === 'replay after expiry') return;
      const { result } = await house.call('ann', 'u__x', { a: 1 }, given);
      expect(JSON.stringify(result)).toMatch(/done|octo/);
      expect((await house.call('ann', 'u__x', { a: 1 }, given)).error).toEqual(error);
    },
  );
});

describe('d16', () => {
  const good = { action: 'accept', content: { name: 'octo' } };
  const { rounds_max } = getCase('d16').expect as { readonly rounds_max: number };

  test(`${titleOf('d16')} (modern caller, legacy upstream)`, async (test) => {
    const house = new House(test, pushing());
    const first = await house.call('ann', 'u__x', {});
    expect(first.result).toMatchObject({ resultType: 'input_required', inputRequests: { 'elicitation-1': ELICIT } });
    const transport = house.memory.attempts('u').find((each) => each.received('tools/call').length > 0)!;
    // Parked: neither answered nor cancelled, however long it takes within the bound.
    // (A moment less: questions that come in one go are waited for before they are shown.)
    await house.memory.clock.advance(PARKED_MS - 1_000);
    expect(transport.sent.filter(({ method }) => method === undefined)).toEqual([]);
    expect(transport.received('notifications/cancelled')).toEqual([]);
    const retry = { requestState: stateOf(first), inputResponses: { 'elicitation-1': good } };
    // It is ann's, whatever connection she comes back by.
    const last = await house.call('ann@2', 'u__x', {}, retry);
    expect(last.result).toMatchObject({ content: [{ type: 'text', text: JSON.stringify(good) }] });
    expect(house.calls).toHaveLength(1);
    expect(transport.sent.filter(({ method }) => method === undefined).map(({ message }) => message.result)).toEqual([
      good,
    ]);
  });

  test(`${titleOf('d16')} (never retried)`, async (test) => {
    const house = new House(test, pushing());
    const { clock } = house.memory;
    for (let round = 0; round < 3; round++) {
      // More of them than may be parked at a time, so that one that leaks would be one too many.
      for (let n = 0; n < 12; n++) expect((await house.call('ann', 'u__x', { n })).result).toBeDefined();
      await clock.advance(PARKED_MS);
      await calm();
    }
    const cancelled = house.memory.attempts('u').flatMap((each) => each.received('notifications/cancelled'));
    expect(cancelled.map(({ params }) => params?.requestId).sort()).toEqual(house.calls.map(({ id }) => id).sort());
  });

  test(`${titleOf('d16')} (legacy caller, modern upstream)`, async (test) => {
    const house = new House(
      test,
      modernScript({
        ...TWO_TOOLS,
        on: {
          'tools/call': ({ params }) =>
            params?.requestState === undefined ? inputRequired({ 'k-1': ELICIT }, 'own') : DONE,
        },
      }),
    );
    const caller = house.caller('ann');
    await caller.initialize(ASKABLE);
    await caller.call(1, 'u__x', { a: 1 });
    await calm();
    const [asked] = caller.taken();
    expect(asked).toMatchObject(ELICIT);
    await caller.write({ id: asked!.id, result: good });
    await calm();
    expect(caller.taken()).toMatchObject([{ id: 1, result: { content: DONE.content } }]);
    expect(house.calls).toHaveLength(2);
    expect(house.calls[1]?.params).toMatchObject({
      arguments: { a: 1 },
      requestState: 'own',
      inputResponses: { 'k-1': good },
    });
  });

  test(`${titleOf('d16')} (no more than ${rounds_max} rounds)`, async (test) => {
    const house = new House(
      test,
      modernScript({ ...TWO_TOOLS, on: { 'tools/call': () => inputRequired({ 'k-1': ELICIT }, 'again') } }),
    );
    let shown = await house.call('ann', 'u__x', {});
    let rounds = 0;
    for (; shown.result !== undefined && rounds < 20; rounds++) {
      shown = await house.call('ann', 'u__x', {}, { requestState: stateOf(shown), inputResponses: { 'k-1': good } });
    }
    expect(rounds).toBe(rounds_max);
    expect(shown.error).toMatchObject({ code: -32603, data: { code: 'BUSY' } });
  });
});

describe('what other cases say of rounds', () => {
  test(`${titleOf('b19')} (as keys of inputRequests and inputResponses)`, async (test) => {
    const keys = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    // Written by hand: an object literal would set its prototype.
    const requests = `{${keys.map((key) => `"${key}":${JSON.stringify(ELICIT)}`).join(',')}}`;
    const house = new House(
      test,
      modernScript({
        ...TWO_TOOLS,
        on: {
          'tools/call': ({ id, params }) =>
            params?.requestState === undefined
              ? `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"input_required","inputRequests":${requests},"requestState":"s"}}`
              : DONE,
        },
      }),
    );
    const first = await house.call('ann', 'u__x', {});
    expect(Object.keys(first.result?.inputRequests as object)).toEqual(keys);
    const said = { action: 'accept', content: { name: 'x' } };
    const partial = JSON.parse(`{"__proto__":${JSON.stringify(said)},"constructor":7}`) as object;
    const retry = { requestState: stateOf(first), inputResponses: partial };
    expect((await house.call('ann', 'u__x', {}, retry)).error?.code).toBe(-32602);
    const inputResponses = JSON.parse(`{${keys.map((key) => `"${key}":${JSON.stringify(said)}`).join(',')}}`) as object;
    expect((await house.call('ann', 'u__x', {}, { ...retry, inputResponses })).result).toMatchObject(DONE);
    expect(house.calls[1]?.line).toContain(`"inputResponses":${JSON.stringify(inputResponses)}`);
    expect(({} as { action?: unknown }).action).toBeUndefined();
  });

  const { params: oddForm } = JSON.parse(getCase('d12').input.elicit_line as string) as { readonly params: object };
  test(`${titleOf('d12')} (the strict mode)`, async (test) => {
    const script: MemoryScript = {
      ...TWO_TOOLS,
      on: {
        'tools/call': (_, transport) => {
          transport.say(JSON.stringify({ jsonrpc: '2.0', id: 'e1', method: 'elicitation/create', params: oddForm }));
        },
      },
    };
    const house = new House(test, script, { validation: { elicitationSchemas: 'refuse' } });
    const caller = house.caller('ann');
    await caller.initialize(ASKABLE);
    await caller.call(1, 'u__x', {});
    await calm();
    expect(caller.taken()).toEqual([]);
    const said = house.memory.attempts('u').flatMap(({ sent }) => sent.filter(({ id }) => id === 'e1'));
    expect(said.map(({ message }) => message.error)).toMatchObject([{ code: -32602 }]);
  });
});
