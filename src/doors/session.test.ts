import { describe, expect, test } from 'vitest';
import { MemoryGateway } from '../../test/fixtures/memory-gateway.js';
import { settled } from '../../test/fixtures/virtual-clock.js';
import { encodeText, JsonScanner } from '../base/index.js';
import { RequestReader } from './requests.js';
import { Session } from './session.js';

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: { name: 'c', version: '1' } },
};

function session(startsAtOnce: boolean): { opened: MemoryGateway; say: (message: object) => void } {
  const opened = new MemoryGateway({ a: {} });
  const scanner = new JsonScanner();
  const door = new Session({
    limits: { maxMessageBytes: 1_000_000 },
    principal: { id: 'me', kind: 'token' },
    door: 'http',
    info: { name: 'd', version: '1' },
    scanner,
    reader: new RequestReader(scanner, 0, 'handshake'),
    write: () => {},
    startsAtOnce,
  });
  door.attach(opened.gateway);
  const say = (message: object): void => {
    const bytes = encodeText(JSON.stringify(message));
    door.receive({ bytes, start: 0, end: bytes.length, reply: () => {} });
  };
  return { opened, say };
}

describe('upstreams of a caller who can be asked', () => {
  test('are started when it introduces itself', async () => {
    const { opened, say } = session(true);
    say(HELLO);
    await settled();
    expect(opened.attempts('a')).toHaveLength(1);
  });

  test('are not where anybody can introduce himself any number of times, until he asks for something', async () => {
    const { opened, say } = session(false);
    say(HELLO);
    say({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await settled();
    expect(opened.attempts('a')).toHaveLength(0);
    say({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    await settled();
    expect(opened.attempts('a')).toHaveLength(1);
  });
});
