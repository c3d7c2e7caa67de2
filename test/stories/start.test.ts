/** What a caller sees while upstreams start, or do not: the list never waits longer than the rule says. */
import { describe, expect, test } from 'vitest';
import { anyTool, namesOf, openDoor, upstreamWith } from '../fixtures/open-door.js';

const GOOD = upstreamWith([anyTool('a')]);
const HUNG = { silent: true };
const DEAD = { command: 'doorward-test-no-such-command', args: [] };

/** An upstream that lists its tool only after a while. */
function slow(ms: number, tool: string) {
  const emit = [`{"jsonrpc":"2.0","id":$ID,"result":{"tools":[${anyTool(tool)}]}}`];
  return { rules: [{ on: 'tools/list', emit_after_ms: ms, emit }, ...GOOD.rules] };
}

describe.concurrent('while upstreams start', () => {
  test('initialize and ping are answered before any upstream is', async (test) => {
    const { door } = await openDoor(test, { upstreams: { hung: HUNG }, initialize: false });
    const hello = await door.initialize();
    expect(hello.message?.result).toMatchObject({ protocolVersion: '2025-06-18', serverInfo: { name: 'doorward' } });
    expect(hello.message?.result?.capabilities).toMatchObject({ tools: { listChanged: true } });
    expect((await door.request('ping')).message?.result).toEqual({});
  });

  test('with no upstream at all the list is empty, and at once', async (test) => {
    const { door } = await openDoor(test, {});
    const before = door.elapsedMs;
    expect(namesOf(await door.request('tools/list'))).toEqual([]);
    expect(door.elapsedMs - before).toBeLessThan(1000);
  });

  test('once all have answered the list comes at once, in the order of the config', async (test) => {
    const upstreams = { late: slow(300, 'l'), quick: GOOD, later: slow(600, 'm') };
    const { door } = await openDoor(test, { upstreams });
    const before = door.elapsedMs;
    expect(namesOf(await door.request('tools/list'))).toEqual(['late__l', 'quick__a', 'later__m']);
    expect(door.elapsedMs - before).toBeLessThan(1500);
  });

  test('a dead command counts as an answer: nobody waits for it', async (test) => {
    const { door } = await openDoor(test, { upstreams: { good: GOOD }, servers: { dead: DEAD } });
    const before = door.elapsedMs;
    expect(namesOf(await door.request('tools/list'))).toEqual(['good__a']);
    expect(door.elapsedMs - before).toBeLessThan(1450);
  });

  test('a hung upstream is waited for 1.5 s after the first answered, and costs only its own tools', async (test) => {
    const { door } = await openDoor(test, { upstreams: { hung: HUNG, good: GOOD } });
    const askedMs = door.elapsedMs;
    const list = await door.request('tools/list');
    expect(namesOf(list)).toEqual(['good__a']);
    // The wait counts from the first list, which cannot be sooner than the start.
    expect(list.atMs).toBeGreaterThan(1500);
    expect(door.elapsedMs - askedMs).toBeLessThan(4000);
    const againMs = door.elapsedMs;
    expect(namesOf(await door.request('tools/list'))).toEqual(['good__a']);
    expect(door.elapsedMs - againMs, 'the wait is over for good').toBeLessThan(500);
    expect((await door.call('good__a')).message?.result).toBeDefined();
  });

  test('when none answers the list is empty after 5 s', async (test) => {
    const { door } = await openDoor(test, { upstreams: { one: HUNG, two: HUNG } });
    const before = door.elapsedMs;
    expect(namesOf(await door.request('tools/list'))).toEqual([]);
    expect(door.elapsedMs - before).toBeGreaterThan(4500);
    expect(door.elapsedMs - before).toBeLessThan(7000);
  });

  test('an upstream that comes late is announced, then listed', async (test) => {
    const { door } = await openDoor(test, { upstreams: { quick: GOOD, late: slow(2500, 'l') } });
    expect(namesOf(await door.request('tools/list'))).toEqual(['quick__a']);
    await door.waitFor(({ message }) => message?.method === 'notifications/tools/list_changed');
    expect(namesOf(await door.request('tools/list'))).toEqual(['quick__a', 'late__l']);
  });

  test('a call to an upstream that is still starting waits for its list, and is judged by it', async (test) => {
    const emit = ['{"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"a","inputSchema":{"required":["x"]}}]}}'];
    const late = { rules: [{ on: 'tools/list', emit_after_ms: 700, emit }, ...GOOD.rules] };
    const { door, folder } = await openDoor(test, { upstreams: { late } });
    const [bad, good] = await Promise.all([door.call('late__a', '{}'), door.call('late__a', '{"x":1}')]);
    expect(bad.message?.error).toMatchObject({ code: -32602, data: { code: 'INVALID_ARGUMENTS', tool: 'a' } });
    expect(good.message?.result).toBeDefined();
    expect(folder.received('late', 'tools/call')).toHaveLength(1);
  });

  test('calls to a dead and to a hung upstream end in one clear error each, others work', async (test) => {
    const { door } = await openDoor(test, {
      upstreams: { hung: HUNG, good: GOOD },
      servers: { dead: DEAD },
      entries: { hung: { startTimeoutMs: 800 } },
    });
    const [dead, hung, good] = await Promise.all([door.call('dead__a'), door.call('hung__a'), door.call('good__a')]);
    expect(good.message?.result).toBeDefined();
    expect(dead.message?.error).toMatchObject({ code: -32603, data: { code: 'UPSTREAM_UNREACHABLE' } });
    expect(dead.message?.error?.message).toContain('doorward-test-no-such-command');
    expect(['TIMEOUT', 'UPSTREAM_UNREACHABLE']).toContain(hung.message?.error?.data?.code);
    expect(hung.message?.error?.message).toContain('hung');
  });

  test('output on stderr extends the time an upstream has to start', async (test) => {
    const { door } = await openDoor(test, {
      servers: { chatty: { command: process.execPath, args: ['-e', CHATTY_STARTER], startTimeoutMs: 1500 } },
    });
    expect((await door.call('chatty__a')).message?.result).toBeDefined();
  });

  test('an upstream that fails to start says why, with the end of its stderr', async (test) => {
    const code = "console.error('cannot find the licence file'); process.exit(3)";
    const { door } = await openDoor(test, { servers: { bad: { command: process.execPath, args: ['-e', code] } } });
    const { message } = await door.call('bad__a');
    expect(message?.error?.data).toMatchObject({ upstream: 'bad' });
    expect(JSON.stringify(message?.error)).toContain('cannot find the licence file');
  });
});

/** Needs 3 s to start and says so on stderr every 100 ms. */
const CHATTY_STARTER = `
  const lines = require('readline').createInterface({ input: process.stdin });
  const waiting = [];
  const answer = ({ id, method, params }) => {
    if (id === undefined) return;
    const result = method === 'initialize'
      ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'c', version: '1' } }
      : method === 'tools/list' ? { tools: [{ name: 'a', inputSchema: { type: 'object' } }] } : { content: [] };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  };
  let ready = false;
  lines.on('line', (line) => (ready ? answer(JSON.parse(line)) : waiting.push(JSON.parse(line))));
  lines.on('close', () => process.exit(0));
  const ticks = setInterval(() => console.error('still installing'), 100);
  setTimeout(() => { clearInterval(ticks); ready = true; waiting.forEach(answer); }, 3000);
`;
