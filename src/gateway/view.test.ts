/** What one caller sees besides tools: what is passed on, who is told, and what a caller's leaving ends. */
import { describe, expect, test } from 'vitest';
import { paramsOf as callOf, MemoryGateway, SILENT, toolNamed } from '../../test/fixtures/memory-gateway.js';
import type { MemoryScript, Reaction } from '../../test/fixtures/memory-transport.js';
import { admitted, FakeCaller, ME, offering, paramsOf, read, uri } from '../../test/fixtures/memory-view.js';
import { settled } from '../../test/fixtures/virtual-clock.js';
import { CallSignal, encodeText, sliceOf } from '../base/index.js';
import type { View } from './index.js';

const STATUS = 'doorward://status';

describe('what upstreams offer', () => {
  test('is listed once it is asked for, kept, and listed anew when it changed', async () => {
    const { view, upstream, caller, fixture } = await admitted({ a: { scripts: [offering()] } });
    expect(upstream('a').received('resources/list')).toHaveLength(0);
    for (let i = 0; i < 3; i++) expect(await view.listOffers('resources')).toMatchObject([{ key: 'x://1' }]);
    expect(upstream('a').received('resources/list')).toHaveLength(1);
    upstream('a').say('{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}');
    await fixture.clock.advance(500);
    expect(upstream('a').received('resources/list')).toHaveLength(2);
    // Nothing was different, so nobody is told.
    await fixture.clock.advance(1_000);
    expect(caller.told).toEqual([]);
  });

  test('of an upstream that does not say that it has any is never asked for', async () => {
    const { view, upstream } = await admitted({ a: {} });
    expect(await view.listOffers('prompts')).toEqual([]);
    expect(upstream('a').received('prompts/list')).toHaveLength(0);
  });

  test('comes without an upstream that hangs, by the rule of lists', async () => {
    const { view, fixture } = await admitted({
      a: { scripts: [offering({ 'prompts/list': () => undefined })] },
      b: { scripts: [offering()] },
    });
    const listed = view.listOffers('prompts');
    await fixture.clock.advance(1_500);
    expect((await listed).map(({ key }) => key)).toEqual(['b__p']);
  });

  test.each([
    { why: 'a listed resource', of: uri('x://1'), method: 'resources/read', was: { uri: 'x://1' } },
    { why: 'one of a template', of: uri('x://t/5'), method: 'resources/read', was: { uri: 'x://t/5' } },
    { why: 'a prompt', of: paramsOf('prompt', '{"name":"a__p"}'), method: 'prompts/get', was: { was: 'p' } },
    {
      why: 'a completion',
      of: paramsOf('completion', '{"argument":{"name":"n","value":"v"},"ref":{"type":"ref/prompt","name":"a__p"}}'),
      method: 'completion/complete',
      was: { ref: { type: 'ref/prompt', name: 'p' } },
    },
  ] as const)('is passed on under its own key: $why', async ({ of, method, was }) => {
    const { view } = await admitted({ z: {}, a: { scripts: [offering()] } });
    expect(read(await view.relay(method, of, ME))).toMatchObject(was);
  });

  test.each([
    { of: paramsOf('prompt', '{"name":"a__q"}'), method: 'prompts/get', code: 'PROMPT_UNKNOWN', hint: 'a__p' },
    { of: uri('y://1'), method: 'resources/read', code: 'RESOURCE_UNKNOWN', hint: 'List the resources' },
  ] as const)('and is $code where nobody has it, with help', async ({ of, method, code, hint }) => {
    const { view, upstream, fixture } = await admitted({ a: { scripts: [offering()] }, b: { scripts: [offering()] } });
    const failure = expect(view.relay(method, of, ME)).rejects.toMatchObject({
      code,
      hint: expect.stringContaining(hint),
    });
    await fixture.clock.advance(1_000);
    await failure;
    expect(upstream('a').received(method)).toEqual([]);
  });

  test('that completes nothing says so, for its caller could not know', async () => {
    const initialize = (): unknown => ({
      protocolVersion: '2025-11-25',
      capabilities: { prompts: {} },
      serverInfo: { name: 's', version: '1' },
    });
    const { view, upstream } = await admitted({ a: { scripts: [offering({ initialize })] } });
    const of = paramsOf('completion', '{"argument":{},"ref":{"type":"ref/prompt","name":"a__p"}}');
    expect(read(await view.relay('completion/complete', of, ME))).toEqual({ completion: { values: [] } });
    expect(upstream('a').received('completion/complete')).toEqual([]);
  });

  test('is looked for again before it is said to be unknown', async () => {
    const more = { resources: [{ uri: 'x://1', name: 'one' }] };
    const script = offering({ 'resources/list': () => more });
    const { view, fixture } = await admitted({ a: { scripts: [script] }, b: { scripts: [offering()] } });
    await view.listOffers('resources');
    more.resources = [...more.resources, { uri: 'y://new', name: 'new' }];
    const answer = view.relay('resources/read', uri('y://new'), ME);
    await fixture.clock.advance(1_000);
    expect(read(await answer)).toMatchObject({ uri: 'y://new' });
  });
});

describe('what an upstream offers that is down', () => {
  const dead: MemoryScript = { open: () => Promise.reject(new Error('no')) };

  test.each([
    { of: paramsOf('prompt', '{"name":"a__p"}'), method: 'prompts/get' },
    { of: uri('x://1'), method: 'resources/read' },
  ] as const)('is waited for, as for a call: $method', async ({ of, method }) => {
    const { view, fixture } = await admitted({ a: { scripts: [dead, offering()] }, b: {} });
    const answer = view.relay(method, of, ME);
    await fixture.clock.advance(1_000);
    expect((await answer).kind).toBe('result');
  });

  test('is not said to be unknown while it stays down', async () => {
    const { view, fixture } = await admitted({ a: { scripts: [dead] }, b: {} });
    const failures = Promise.all([
      view.relay('prompts/get', paramsOf('prompt', '{"name":"a__p"}'), ME).catch((thrown: unknown) => thrown),
      view.relay('resources/read', uri('x://1'), ME).catch((thrown: unknown) => thrown),
    ]);
    await fixture.clock.advance(10_000);
    expect(await failures).toMatchObject([
      { code: 'UPSTREAM_UNREACHABLE' },
      { code: 'RESOURCE_UNKNOWN', data: { down: ['a'] }, hint: expect.stringContaining('cannot be reached now') },
    ]);
  });
});

describe('what upstreams offer is fetched no more often than need be', () => {
  test('once at a start, though the first caller asks before anybody is up', async () => {
    const fixture = new MemoryGateway({ a: { scripts: [offering()] } });
    const view = fixture.gateway.admit(new FakeCaller());
    await view.listOffers('resources');
    await fixture.clock.advance(5_000);
    expect(fixture.transport('a').received('resources/list')).toHaveLength(1);
  });

  test('once more for a hundred unknown things', async () => {
    const { view, fixture, upstream } = await admitted({ a: { scripts: [offering()] }, b: { scripts: [offering()] } });
    await view.listOffers('resources');
    await view.listOffers('templates');
    const failures = Array.from({ length: 100 }, (_, i) =>
      view.relay('resources/read', uri(`y://${i}`), ME).catch(() => 'no'),
    );
    await fixture.clock.advance(5_000);
    expect(new Set(await Promise.all(failures))).toEqual(new Set(['no']));
    expect(upstream('a').received('resources/list').length).toBeLessThanOrEqual(2);
  });

  test('a caller who gives up ends only its own wait', async () => {
    const { view, fixture, upstream } = await admitted({
      a: { scripts: [offering({ 'resources/list': () => undefined })] },
    });
    const signal = new CallSignal();
    const failure = view.listOffers('resources', { signal }).catch((thrown: unknown) => thrown);
    await settled();
    signal.abort('enough');
    expect(await failure).toBe('enough');
    expect(upstream('a').received('notifications/cancelled')).toEqual([]);
    expect(fixture.named('server.warning')).toEqual([]);
  });

  test('a caller who gave up before it was heard costs nobody anything, whatever the upstream does', async () => {
    const { view, fixture, upstream } = await admitted({
      a: { scripts: [offering(), { open: () => Promise.reject(new Error('no')) }] },
    });
    await view.listOffers('resources');
    upstream('a').lose();
    const signal = new CallSignal();
    signal.abort('enough');
    await expect(view.relay('resources/read', uri('x://1'), { ...ME, signal })).rejects.toBe('enough');
    // A rejection that nobody hears would fail this run, and end a process.
    await fixture.clock.advance(1_000);
  });

  test('a hung upstream is waited for once, not once a kind nor once a request', async () => {
    const hung = offering({ 'resources/list': () => undefined, 'resources/templates/list': () => undefined });
    const { view, fixture } = await admitted({ a: { scripts: [offering()] }, hung: { scripts: [hung] } });
    const answer = view.relay('resources/read', uri('x://1'), ME);
    await fixture.clock.advance(1_500);
    expect(read(await answer)).toMatchObject({ uri: 'x://1' });
    const next = view.relay('resources/read', uri('x://1'), ME);
    await fixture.clock.advance(1);
    expect(read(await next)).toMatchObject({ uri: 'x://1' });
  });

  test('a listed resource goes before a template, though only templates were asked for', async () => {
    const b = offering({ 'resources/list': () => ({ resources: [] }) });
    const a = offering({
      'resources/list': () => ({ resources: [{ uri: 'x://t/5', name: 'five' }] }),
      'resources/templates/list': () => ({ resourceTemplates: [] }),
    });
    const { view, upstream } = await admitted({ b: { scripts: [b] }, a: { scripts: [a] } });
    await view.listOffers('templates');
    await view.relay('resources/read', uri('x://t/5'), ME);
    expect(upstream('a').received('resources/read')).toHaveLength(1);
  });
});

describe('subscriptions', () => {
  test('to the status end with their caller, and harm nobody', async () => {
    const { view } = await admitted({ a: {} });
    await view.subscribe(uri(STATUS), ME);
    await expect(view.close()).resolves.toBeUndefined();
  });

  test('asked for again in vain stay as they were', async () => {
    let isWilling = true;
    const subscribe: Reaction = ({ id }) =>
      isWilling ? {} : `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"no"}}`;
    const { view, caller, upstream } = await admitted({
      a: { scripts: [offering({ 'resources/subscribe': subscribe })] },
    });
    await view.subscribe(uri('x://1'), ME);
    isWilling = false;
    expect((await view.subscribe(uri('x://1'), ME)).kind).toBe('error');
    upstream('a').say('{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x://1"}}');
    expect(caller.told).toHaveLength(1);
  });

  test('in thousands are asked for anew a few at once', async () => {
    const waiting: (() => void)[] = [];
    const patient = offering({
      'resources/subscribe': ({ id }, transport) => void waiting.push(() => transport.answer(id, {})),
    });
    const { view, fixture, upstream } = await admitted({ a: { scripts: [offering(), patient] } });
    for (let i = 0; i < 200; i++) await view.subscribe(uri(`x://t/${i}`), ME);
    upstream('a').lose();
    await fixture.clock.advance(1_000);
    expect(waiting).toHaveLength(16);
    while (waiting.length > 0) {
      waiting.shift()!();
      await settled();
    }
    expect(upstream('a').received('resources/subscribe')).toHaveLength(200);
  });
  test('given up before they were answered are ended upstream: they may have come to something', async () => {
    const silent = offering({ 'resources/subscribe': () => undefined });
    const { view, fixture, upstream } = await admitted({ a: { scripts: [silent] } });
    const signal = new CallSignal();
    const cancelled = view.subscribe(uri('x://1'), { ...ME, signal });
    await settled();
    signal.abort('the caller cancelled');
    await expect(cancelled).rejects.toBe('the caller cancelled');
    await settled();
    expect(upstream('a').received('resources/unsubscribe')).toHaveLength(1);
    const late = view.subscribe(uri('x://1'), ME);
    late.catch(() => {});
    await fixture.clock.advance(61_000);
    await expect(late).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(upstream('a').received('resources/unsubscribe')).toHaveLength(2);
  });

  test('are told to those who have them, and end upstream with the last', async () => {
    const { view, fixture, caller, upstream } = await admitted({ a: { scripts: [offering()] } });
    const other = new FakeCaller();
    const second = fixture.gateway.admit(other);
    await view.subscribe(uri('x://1'), ME);
    await second.subscribe(uri('x://1'), ME);
    upstream('a').say('{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x://1"}}');
    expect(caller.told).toEqual(['notifications/resources/updated {"uri":"x://1"}']);
    expect(other.told).toEqual(caller.told);
    await view.unsubscribe(uri('x://1'), ME);
    expect(upstream('a').received('resources/unsubscribe')).toHaveLength(0);
    await second.close();
    await settled();
    expect(upstream('a').received('resources/unsubscribe')).toHaveLength(1);
  });

  test('outlive their upstream: it is asked anew, and may have changed meanwhile', async () => {
    const { view, fixture, caller, upstream } = await admitted({ a: { scripts: [offering()] } });
    await view.subscribe(uri('x://1'), ME);
    upstream('a').lose();
    await fixture.clock.advance(1_000);
    expect(fixture.attempts('a')).toHaveLength(2);
    expect(upstream('a').received('resources/subscribe')).toHaveLength(1);
    expect(caller.told).toContain('notifications/resources/updated {"uri":"x://1"}');
  });
});

describe('log messages', () => {
  const say = (level: string): string =>
    `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"${level}","data":"d"}}`;
  const levels = (caller: FakeCaller): unknown[] =>
    caller.told.map((line) => (JSON.parse(line.slice(line.indexOf(' '))) as { level: string }).level);

  test('pass as they come until somebody asks for a level', async () => {
    const { caller, upstream } = await admitted({ a: { scripts: [offering()] } });
    upstream('a').say(say('debug'), say('error'), say('unheard-of'));
    expect(levels(caller)).toEqual(['debug', 'error', 'unheard-of']);
  });

  test('are asked for at the most verbose level anybody wants, and filtered for each', async () => {
    const { view, fixture, caller, upstream } = await admitted({ a: { scripts: [offering()] } });
    const chatty = new FakeCaller();
    const second = fixture.gateway.admit(chatty);
    view.setLogLevel('error');
    second.setLogLevel('debug');
    await settled();
    await fixture.clock.advance(100);
    expect(
      upstream('a')
        .received('logging/setLevel')
        .map(({ params }) => params?.level),
    ).toEqual(['error', 'debug']);
    upstream('a').say(say('debug'), say('error'));
    expect(levels(caller)).toEqual(['error']);
    expect(levels(chatty)).toEqual(['debug', 'error']);
    await second.close();
    await fixture.clock.advance(100);
    expect(upstream('a').received('logging/setLevel').at(-1)?.params?.level).toBe('error');
  });

  test('go back to what servers say by themselves when the one who wanted more has left', async () => {
    const { fixture, caller, upstream } = await admitted({ a: { scripts: [offering()] } });
    const chatty = fixture.gateway.admit(new FakeCaller());
    chatty.setLogLevel('debug');
    await chatty.close();
    await fixture.clock.advance(500);
    expect(upstream('a').received('logging/setLevel').at(-1)?.params?.level).toBe('info');
    upstream('a').say(say('debug'), say('info'));
    expect(levels(caller)).toEqual(['info']);
  });

  test('cost an upstream one request at once, however often levels change', async () => {
    const { view, fixture, upstream } = await admitted({ a: { scripts: [offering()] } });
    for (let i = 0; i < 1_000; i++) view.setLogLevel(i % 2 ? 'debug' : 'error');
    await fixture.clock.advance(5_000);
    expect(upstream('a').received('logging/setLevel').length).toBeLessThanOrEqual(2);
    expect(upstream('a').received('logging/setLevel').at(-1)?.params?.level).toBe('debug');
  });
});

describe('a caller who can be asked', () => {
  const ASKABLE = { elicitation: '{"form":{}}', roots: '{}' };

  test('has upstreams of its own, told what it declared, ended when it leaves', async () => {
    const { view, fixture, upstream } = await admitted({ a: {} }, ASKABLE);
    expect(upstream('a').received('initialize')[0]?.params?.capabilities).toEqual({
      elicitation: { form: {} },
      roots: {},
    });
    await fixture.gateway.listTools();
    expect(upstream('a').received('initialize')[0]?.params?.capabilities).toEqual({});
    await view.close();
    expect(fixture.attempts('a').map(({ closed }) => closed)).toEqual([1, 0]);
  });

  test('is asked what it declared, and nothing else', async () => {
    const { caller, upstream } = await admitted({ a: {} }, ASKABLE);
    caller.answer = () => Promise.resolve({ kind: 'result', json: sliceOf(encodeText('{"roots":[]}')) });
    upstream('a').say(
      '{"jsonrpc":"2.0","id":0,"method":"roots/list"}',
      '{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{}}',
    );
    await settled();
    expect(caller.asked.map(({ method }) => method)).toEqual(['roots/list']);
    const said = upstream('a').sent.map(({ message }) => message);
    expect(said).toContainEqual({ jsonrpc: '2.0', id: 0, result: { roots: [] } });
    expect(said).toContainEqual({ jsonrpc: '2.0', id: 's', error: expect.objectContaining({ code: -32601 }) });
  });

  test('who does not answer roots/list within 5 s costs its server an error, not a hang (case d18)', async () => {
    const { fixture, upstream } = await admitted({ a: {} }, ASKABLE);
    upstream('a').say('{"jsonrpc":"2.0","id":0,"method":"roots/list"}');
    await fixture.clock.advance(5_000);
    expect(upstream('a').sent.at(-1)?.message).toMatchObject({ id: 0, error: { data: { code: 'TIMEOUT' } } });
  });

  test.each([
    { why: 'the only call under way', calls: ['some'], tool: 'some' },
    { why: 'none, for it could be either', calls: ['some', 'other'], tool: '' },
    { why: 'none, for two calls of one tool are two calls', calls: ['some', 'some'], tool: '' },
    { why: 'none, for none is under way', calls: [], tool: '' },
    { why: 'none, for it may be for the prompt', calls: ['some'], prompt: true, tool: '' },
    { why: 'none, for a prompt is no tool', calls: [], prompt: true, tool: '' },
  ])('whose answer breaks the form: the event names $why', async ({ calls, prompt = false, tool }) => {
    const on = { ...offering({ 'prompts/get': () => undefined }).on, 'tools/call': () => undefined };
    const script = { tools: [toolNamed('some'), toolNamed('other')], on };
    const { view, fixture, caller, upstream } = await admitted({ a: { scripts: [script] } }, ASKABLE);
    const under = calls.map((name) => view.call(callOf(`a__${name}`), ME));
    if (prompt) under.push(view.relay('prompts/get', paramsOf('prompt', '{"name":"a__p"}'), ME) as Promise<never>);
    for (const each of under) each.catch(() => {});
    await settled();
    caller.answer = () =>
      Promise.resolve({ kind: 'result', json: sliceOf(encodeText('{"action":"accept","content":{}}')) });
    const form = '{"type":"object","properties":{"n":{"type":"string"}},"required":["n"]}';
    upstream('a').say(
      `{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"message":"m","requestedSchema":${form}}}`,
    );
    await settled();
    expect(fixture.named('elicitation.rejected')).toMatchObject([{ upstream: 'a', tool }]);
  });

  test('may ask four things at once, so that others can ask as well', async () => {
    const { upstream, caller } = await admitted({ evil: {}, good: {} }, ASKABLE);
    const form = '{"message":"?","requestedSchema":{"type":"object","properties":{}}}';
    const ask = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"elicitation/create","params":${form}}`;
    upstream('evil').say(...Array.from({ length: 40 }, (_, id) => ask(id)));
    upstream('good').say(ask(1));
    await settled();
    expect(caller.asked).toHaveLength(5);
    const refused = upstream('evil').sent.filter(({ message }) => 'error' in message);
    expect(refused).toHaveLength(36);
    expect(refused[0]?.message).toMatchObject({ error: { data: { code: 'BUSY' } } });
  });

  test('tells of other roots', async () => {
    const { view, upstream } = await admitted({ a: {} }, ASKABLE);
    view.rootsChanged();
    expect(upstream('a').received('notifications/roots/list_changed')).toHaveLength(1);
  });
});

describe('what is wrong', () => {
  const advisories = async (view: View): Promise<readonly Record<string, unknown>[]> => {
    const { contents } = read(await view.relay('resources/read', uri(STATUS), ME)) as { contents: { text: string }[] };
    return (JSON.parse(contents[0]!.text) as { upstreams: Record<string, unknown>[] }).upstreams;
  };
  const isListed = async (view: View): Promise<boolean> =>
    (await view.listOffers('resources')).some(({ key }) => key === STATUS);

  test('is listed only while it is', async () => {
    const { view, fixture, caller, upstream } = await admitted({ a: {} });
    expect(await isListed(view)).toBe(false);
    expect(await advisories(view)).toEqual([]);
    await view.subscribe(uri(STATUS), ME);
    upstream('a').lose();
    expect(await isListed(view)).toBe(true);
    expect(await advisories(view)).toMatchObject([
      { id: 'a', status: 'failed', code: 'UPSTREAM_LOST', since: expect.any(String), retryAtMs: expect.any(Number) },
    ]);
    expect(caller.told).toContain(`notifications/resources/updated {"uri":"${STATUS}"}`);
    await fixture.clock.advance(1_000);
    expect(await isListed(view)).toBe(false);
  });

  test('is told of when a start has lasted 5 s, whenever that began', async () => {
    const fixture = new MemoryGateway({ a: {}, hung: { scripts: [SILENT] } });
    const caller = new FakeCaller();
    const view = fixture.gateway.admit(caller);
    const told: string[] = [];
    view.onListChanged((list) => told.push(list));
    view.start();
    await fixture.clock.advance(1_000);
    const first = isListed(view);
    await fixture.clock.advance(2_000);
    expect(await first).toBe(false);
    await fixture.clock.advance(2_500);
    expect(told).toContain('resources');
    const second = isListed(view);
    await fixture.clock.advance(1);
    expect(await second).toBe(true);
  });

  test('of an upstream that keeps ending before it ever listed is what its calls are refused with', async () => {
    const dying: MemoryScript = { open: () => Promise.reject(new Error('no')) };
    const fixture = new MemoryGateway({ dying: { scripts: [dying] } });
    const view = fixture.gateway.admit(new FakeCaller());
    view.start();
    await fixture.clock.advance(20_000);
    await expect(view.call(callOf('dying__x'), ME)).rejects.toMatchObject({
      code: 'UPSTREAM_UNREACHABLE',
      message: expect.stringContaining('keeps ending'),
      data: { retryAtMs: expect.any(Number) },
    });
  });

  test('names one that hangs, one that keeps ending, and one with broken schemas', async () => {
    const broken = { name: 'x', inputSchema: { type: 'nonsense' } };
    const dying: MemoryScript = { open: () => Promise.reject(new Error('no')) };
    const { view, fixture } = await (async () => {
      const fixture = new MemoryGateway({
        hung: { scripts: [SILENT] },
        dying: { scripts: [dying] },
        bad: { scripts: [{ tools: [broken, toolNamed('y')] }] },
        good: {},
      });
      const view = fixture.gateway.admit(new FakeCaller());
      view.start();
      return { fixture, view };
    })();
    await fixture.clock.advance(20_000);
    const listed = view.listTools();
    await fixture.clock.advance(1);
    expect((await listed).map(({ name }) => name)).toEqual(['bad__y', 'good__some']);
    expect((await advisories(view)).map(({ id, status }) => `${id} ${status}`)).toEqual([
      'hung starting',
      'dying flapping',
      'bad degraded',
    ]);
  });
});
