/** Who hears what upstreams log (MCP 2025-11-25 and 2026-07-28 server/utilities/logging). Levels and lists: view.test.ts. */
import { describe, expect, test } from 'vitest';
import { MemoryGateway, paramsOf } from '../../test/fixtures/memory-gateway.js';
import type { MemoryScript, MemoryTransport } from '../../test/fixtures/memory-transport.js';
import { offering, uri } from '../../test/fixtures/memory-view.js';
import { settled } from '../../test/fixtures/virtual-clock.js';
import { type Caller, type CallerCapabilities, DoorError, decodeText, joinPieces, type Piece } from '../base/index.js';

class SomeCaller implements Caller {
  readonly door = 'memory';
  readonly program = '';
  readonly capabilities: CallerCapabilities = {};
  readonly principal;
  readonly takesRequests: boolean;
  readonly told: string[] = [];

  constructor(id: string, takesRequests: boolean) {
    this.principal = { id, kind: 'local' } as const;
    this.takesRequests = takesRequests;
  }

  ask(): never {
    throw new DoorError('INTERNAL', 'never asked');
  }

  tell(_method: string, params?: Piece): void {
    const { data } = JSON.parse(params === undefined ? '{}' : decodeText(joinPieces([params]))) as { data?: string };
    this.told.push(String(data));
  }
}

const session = (id: string): SomeCaller => new SomeCaller(id, true);
const passing = (id: string): SomeCaller => new SomeCaller(id, false);

const LOGGING: MemoryScript = { ...offering(), on: { ...offering().on, 'tools/call': () => undefined } };
const log = (data: string, level = 'error'): string =>
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level, data } });

class Opened extends MemoryGateway {
  constructor(script: MemoryScript = LOGGING) {
    super({ a: { scripts: [script] } });
  }

  get upstream(): MemoryTransport {
    return this.transport('a');
  }

  /** Begins a call, which stays under way. */
  async call(caller: SomeCaller, more: { readonly logLevel?: 'debug' | 'error' } = {}): Promise<void> {
    const { principal, door } = caller;
    const view = caller.takesRequests ? this.gateway.admit(caller) : this.gateway.viewOf(caller);
    view.call(paramsOf('a__some'), { caller, principal, door, ...more }).catch(() => {});
    await this.clock.advance(0);
    await settled();
  }

  async admitted(caller: SomeCaller): Promise<void> {
    await this.gateway.admit(caller).listTools();
  }

  answerAll(): void {
    for (const { id } of this.upstream.received('tools/call')) this.upstream.answer(id, { content: [] });
  }
}

describe('what is logged while one call is under way', () => {
  test('is its caller’s alone, whoever else is there', async () => {
    const opened = new Opened();
    const [mine, sameSession, stranger] = [passing('me'), session('me'), session('you')];
    await opened.admitted(sameSession);
    await opened.admitted(stranger);
    await opened.call(mine, { logLevel: 'error' });
    opened.upstream.say(log('one'), log('too little', 'info'));
    expect([mine.told, sameSession.told, stranger.told]).toEqual([['one'], [], []]);
    await opened.gateway.close();
  });

  test('is nobody’s where its request did not ask for logs', async () => {
    const opened = new Opened();
    const [mine, other] = [passing('me'), session('you')];
    await opened.admitted(other);
    await opened.call(mine);
    opened.upstream.say(log('one'));
    expect([mine.told, other.told]).toEqual([[], []]);
    await opened.gateway.close();
  });
});

describe('what is logged while several are under way, and may be about any of them', () => {
  test.each<{ why: string; callers: SomeCaller[]; heard: string[][] }>([
    { why: 'requests of strangers', callers: [passing('me'), passing('you')], heard: [[], []] },
    { why: 'a request and the session of a stranger', callers: [passing('me'), session('you')], heard: [[], []] },
    { why: 'sessions of strangers', callers: [session('me'), session('you')], heard: [[], []] },
    { why: 'sessions of one principal', callers: [session('me'), session('me')], heard: [['one'], ['one']] },
    // No stream of theirs could say which of them it belongs to.
    { why: 'requests of one principal', callers: [passing('me'), passing('me')], heard: [[], []] },
  ])('$why', async ({ callers, heard }) => {
    const opened = new Opened();
    for (const caller of callers) await opened.call(caller, caller.takesRequests ? {} : { logLevel: 'error' });
    opened.upstream.say(log('one'));
    expect(callers.map(({ told }) => told)).toEqual(heard);
    await opened.gateway.close();
  });

  test('two requests of one stranger, told to no session that is merely there', async () => {
    const opened = new Opened();
    const bystander = session('you');
    await opened.admitted(bystander);
    await opened.call(passing('me'));
    await opened.call(passing('me'));
    opened.upstream.say(log('one'));
    opened.answerAll();
    await settled();
    opened.upstream.say(log('late'));
    expect(bystander.told).toEqual([]);
    await opened.gateway.close();
  });
});

describe('a request that wants logs', () => {
  const methods = ({ upstream }: Opened): string[] =>
    upstream.sent.flatMap(({ method, params }) => {
      if (method === 'logging/setLevel') return [String(params?.level)];
      return method === 'tools/call' ? ['call'] : [];
    });

  test('is sent once its upstream has taken the level, also right behind another of less', async () => {
    const opened = new Opened();
    await opened.call(passing('me'), { logLevel: 'error' });
    await opened.call(passing('me'), { logLevel: 'debug' });
    await opened.clock.advance(100);
    await settled();
    expect(methods(opened)).toEqual(['error', 'call', 'debug', 'call']);
    await opened.call(passing('me'), { logLevel: 'error' });
    expect(methods(opened), 'what another one wanted may still be wanted').toEqual([
      'error',
      'call',
      'debug',
      'call',
      'call',
    ]);
    await opened.gateway.close();
  });

  test('does not wait for long for one that does not take it', async () => {
    const opened = new Opened({ ...LOGGING, on: { ...LOGGING.on, 'logging/setLevel': () => undefined } });
    await opened.call(passing('me'), { logLevel: 'debug' });
    await opened.clock.advance(999);
    expect(methods(opened)).toEqual(['debug']);
    await opened.clock.advance(1);
    await settled();
    expect(methods(opened)).toEqual(['debug', 'call']);
    await opened.gateway.close();
  });

  test('of a session is no wish that outlives the session', async () => {
    const opened = new Opened();
    const caller = session('me');
    const view = opened.gateway.admit(caller);
    await opened.admitted(session('me'));
    view.setLogLevel('debug');
    await opened.clock.advance(500);
    await view.relay('resources/read', uri('x://1'), { caller, principal: caller.principal, door: 'memory' });
    await view.close();
    await opened.clock.advance(500);
    expect(opened.upstream.received('logging/setLevel').map(({ params }) => params?.level)).toEqual(['debug', 'info']);
    await opened.gateway.close();
  });
});
