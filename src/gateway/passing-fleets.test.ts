/** Callers who come with one request at a time, and can be asked for something (MCP 2026-07-28, Statelessness). */
import { describe, expect, test } from 'vitest';
import { MemoryGateway, type MemoryMount, paramsOf } from '../../test/fixtures/memory-gateway.js';
import type { MemoryTransport } from '../../test/fixtures/memory-transport.js';
import { settled } from '../../test/fixtures/virtual-clock.js';
import { type Caller, type CallerCapabilities, DoorError, type Piece, type Principal } from '../base/index.js';
import type { View } from './types.js';

const MINUTE = 60_000;
const IDLE_MS = 5 * MINUTE;
const LIMIT = 64;
const ASKABLE: CallerCapabilities = { elicitation: '{"form":{}}' };

/** One request's caller. */
class Passing implements Caller {
  readonly takesRequests = false;
  readonly door = 'http';
  readonly principal: Principal;
  readonly told: string[] = [];

  readonly capabilities: CallerCapabilities;
  readonly program: string;

  constructor(capabilities = ASKABLE, program = 'program 1.0', id = 'me') {
    this.capabilities = capabilities;
    this.program = program;
    this.principal = { id, kind: 'local' };
  }

  ask(): never {
    throw new DoorError('INTERNAL', 'never asked');
  }

  tell(method: string, _params?: Piece): void {
    this.told.push(method);
  }
}

class Opened extends MemoryGateway {
  constructor(
    mounts: Readonly<Record<string, MemoryMount>> = { a: { scripts: [{ on: { 'tools/call': () => undefined } }] } },
  ) {
    super(mounts);
  }

  /** The connection that a caller's call goes to; the call stays under way. */
  async connectionOf(caller: Passing): Promise<MemoryTransport> {
    const before = this.#calls();
    const { principal, door } = caller;
    this.gateway
      .viewOf(caller)
      .call(paramsOf('a__some'), { caller, principal, door })
      .catch(() => {});
    await this.clock.advance(0);
    await settled();
    const [called] = this.attempts('a').filter((transport, at) => callsOf(transport) > (before[at] ?? 0));
    if (called === undefined) throw new Error('nothing was called');
    return called;
  }

  #calls(): number[] {
    return this.attempts('a').map(callsOf);
  }

  /** A caller lists, which ends at once. */
  async use(caller: Passing): Promise<View> {
    const view = this.gateway.viewOf(caller);
    const listed = view.listTools();
    await this.clock.advance(0);
    await listed;
    return view;
  }

  get open(): number {
    return this.attempts('a').filter(({ closed }) => closed === 0).length;
  }
}

const callsOf = (transport: MemoryTransport): number => transport.received('tools/call').length;

function answer(transport: MemoryTransport): void {
  transport.answer(transport.received('tools/call').at(-1)?.id, { content: [] });
}

describe('connections', () => {
  test('are shared by requests of one program of one principal that declare the same', async () => {
    const opened = new Opened();
    const first = await opened.connectionOf(new Passing());
    expect(await opened.connectionOf(new Passing())).toBe(first);
    expect(first.received('initialize')[0]?.params).toMatchObject({ capabilities: { elicitation: { form: {} } } });
    await opened.gateway.close();
  });

  test.each([
    { why: 'another principal', other: new Passing(ASKABLE, 'program 1.0', 'you') },
    { why: 'another program', other: new Passing(ASKABLE, 'program 2.0') },
    { why: 'no program', other: new Passing(ASKABLE, '') },
    { why: 'another kind of elicitation', other: new Passing({ elicitation: '{"url":{}}' }) },
    { why: 'sampling as well', other: new Passing({ ...ASKABLE, sampling: '{}' }) },
    { why: 'roots as well', other: new Passing({ ...ASKABLE, roots: '{}' }) },
    { why: 'an extension as well', other: new Passing({ ...ASKABLE, extensions: '{"x/y":{}}' }) },
    { why: 'nothing to be asked for', other: new Passing({}) },
    // What one says must not be able to look like what two say.
    { why: 'a principal whose name runs into the program', other: new Passing(ASKABLE, '1.0', 'me","program ') },
  ])('are not shared with $why', async ({ other }) => {
    const opened = new Opened();
    const mine = await opened.connectionOf(new Passing());
    expect(await opened.connectionOf(other)).not.toBe(mine);
    expect(await opened.connectionOf(new Passing()), 'mine is as it was').toBe(mine);
    await opened.gateway.close();
  });

  test('of those who can be asked nothing are common to all', async () => {
    const opened = new Opened();
    const one = await opened.connectionOf(new Passing({ extensions: '{}' }, 'a', 'one'));
    expect(await opened.connectionOf(new Passing({}, 'b', 'two'))).toBe(one);
    await opened.gateway.close();
  });

  test('of an upstream that is to be isolated are common to none, whatever they declare', async () => {
    const opened = new Opened({ a: { scripts: [{ on: { 'tools/call': () => undefined } }], isolation: 'caller' } });
    const one = await opened.connectionOf(new Passing({}, 'p', 'one'));
    expect(await opened.connectionOf(new Passing({}, 'p', 'one'))).toBe(one);
    expect(await opened.connectionOf(new Passing({}, 'p', 'two'))).not.toBe(one);
    await opened.gateway.close();
  });
});

describe('connections that nobody uses', () => {
  test('end after five minutes; whoever comes then gets new ones', async () => {
    const opened = new Opened();
    const first = await opened.use(new Passing());
    await opened.clock.advance(IDLE_MS - MINUTE);
    expect(opened.open).toBe(1);
    await opened.clock.advance(MINUTE);
    expect(opened.open).toBe(0);
    expect(await opened.use(new Passing())).not.toBe(first);
    expect(opened.open).toBe(1);
    await opened.gateway.close();
  });

  test('are those of which none has come for so long', async () => {
    const opened = new Opened();
    for (let minutes = 0; minutes < 12; minutes += 2) {
      await opened.use(new Passing());
      await opened.clock.advance(2 * MINUTE);
    }
    expect(opened.attempts('a')).toHaveLength(1);
    await opened.gateway.close();
  });

  test('are not those on which a call is under way, nor for five minutes after it', async () => {
    const opened = new Opened({
      a: { scripts: [{ on: { 'tools/call': () => undefined } }], callTimeoutMs: 600_000 },
    });
    const transport = await opened.connectionOf(new Passing());
    await opened.clock.advance(9 * MINUTE);
    answer(transport);
    await opened.clock.advance(4 * MINUTE);
    expect(opened.open).toBe(1);
    await opened.clock.advance(2 * MINUTE);
    expect(opened.open).toBe(0);
  });

  test('are not those of somebody who listens', async () => {
    const opened = new Opened();
    const listener = new Passing();
    const view = opened.gateway.admit(listener);
    const mine = await opened.connectionOf(new Passing());
    view.start();
    await opened.clock.advance(20 * MINUTE);
    expect(opened.open).toBe(1);
    expect(await opened.connectionOf(new Passing()), 'a listener’s are those of its requests').toBe(mine);
    await view.close();
    answer(mine);
    await opened.clock.advance(20 * MINUTE);
    expect(opened.open).toBe(0);
  });

  test('leave no timer behind', async () => {
    const opened = new Opened();
    await opened.use(new Passing());
    await opened.clock.advance(IDLE_MS + MINUTE);
    expect(opened.clock.waiting).toBe(0);
  });
});

describe('so many sets of connections at once', () => {
  const programs = Array.from({ length: LIMIT }, (_, i) => `program ${i}`);

  test('one more takes the place of the one that was used longest ago', async () => {
    const opened = new Opened();
    for (const program of programs) {
      await opened.use(new Passing(ASKABLE, program));
      await opened.clock.advance(10);
    }
    await opened.use(new Passing(ASKABLE, 'program 0'));
    const second = opened.attempts('a')[1]!;
    await opened.use(new Passing(ASKABLE, 'one more'));
    expect(opened.attempts('a').filter(({ closed }) => closed > 0)).toEqual([second]);
    await opened.gateway.close();
  });

  test('one more is refused while all are used; those who have theirs, and those who need none, are served', async () => {
    const opened = new Opened();
    const transports: MemoryTransport[] = [];
    for (const program of programs) transports.push(await opened.connectionOf(new Passing(ASKABLE, program)));
    const one = new Passing(ASKABLE, 'one more');
    expect(() => opened.gateway.viewOf(one)).toThrowError(expect.objectContaining({ code: 'BUSY' }));
    expect(() => opened.gateway.admit(one)).toThrowError(expect.objectContaining({ code: 'BUSY' }));
    expect(await opened.connectionOf(new Passing(ASKABLE, 'program 7'))).toBe(transports[7]);
    await opened.use(new Passing({}, 'one more'));
    answer(transports[3]!);
    await settled();
    await opened.use(one);
    expect(transports.filter(({ closed }) => closed > 0)).toEqual([transports[3]]);
    await opened.gateway.close();
  });
});

test('the end of the gateway is theirs too, and nothing is started after it', async () => {
  const opened = new Opened();
  await opened.use(new Passing());
  await opened.gateway.close();
  expect(opened.open).toBe(0);
  const caller = new Passing(ASKABLE, 'late');
  const late = [opened.gateway.viewOf(caller), opened.gateway.admit(caller)];
  for (const view of late) {
    view.start();
    await expect(view.call(paramsOf('a__some'), { caller, ...caller })).rejects.toMatchObject({ name: 'DoorError' });
  }
  await opened.clock.advance(MINUTE);
  expect(opened.attempts('a')).toHaveLength(1);
  expect(opened.clock.waiting).toBe(0);
});
