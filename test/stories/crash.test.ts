/** An upstream that dies, with and without a call on it: one clear error, at once, and nobody else notices. */
import { describe, expect, test } from 'vitest';
import { anyTool, HOSTILE, namesOf, openDoor, textOf, until, upstreamWith } from '../fixtures/open-door.js';

const HOSTILE_ENTRY = { command: process.execPath, args: [HOSTILE] };
const STEADY = upstreamWith([anyTool('a')]);

/** The upstream's process, found below the door by the file it runs. */
function pidOf(processes: readonly { readonly pid: number; readonly command: string }[], file: string): number {
  const found = processes.find(({ command }) => command.includes(file));
  if (!found) throw new Error(`no process runs ${file}`);
  return found.pid;
}

describe.concurrent('an upstream dies', () => {
  test('in the middle of a call: one error with outcome unknown, within 100 ms or so', async (test) => {
    const { door } = await openDoor(test, { upstreams: { steady: STEADY }, servers: { hostile: HOSTILE_ENTRY } });
    await door.request('tools/list');
    const before = door.elapsedMs;
    const lost = await door.call('hostile__exit_now', '{}');
    expect(door.elapsedMs - before).toBeLessThan(1000);
    expect(lost.message?.error).toMatchObject({
      code: -32603,
      data: { code: 'UPSTREAM_LOST', outcome: 'unknown', upstream: 'hostile' },
    });
    expect(lost.message?.error?.message).toContain('exit_now');
    expect(door.answersTo(lost.message?.id)).toHaveLength(1);
    expect(textOf(await door.call('steady__a'))).toBe('ok');
  });

  test('with several calls on it: each gets its own error, those of others their answers', async (test) => {
    const emit = ['{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"slow"}]}}'];
    const slow = { rules: [STEADY.rules[0], { on: 'tools/call', emit_after_ms: 600, emit }] };
    const { door } = await openDoor(test, { upstreams: { slow }, servers: { hostile: HOSTILE_ENTRY } });
    await door.request('tools/list');
    const hanging = [1, 2, 3].map(() => door.call('hostile__never_answer', '{}'));
    const other = door.call('slow__a');
    const last = door.call('hostile__exit_now', '{}');
    for (const answer of await Promise.all([...hanging, last])) {
      expect(answer.message?.error?.data).toMatchObject({ code: 'UPSTREAM_LOST', outcome: 'unknown' });
    }
    expect(textOf(await other)).toBe('slow');
  });

  test('by kill -9 from outside: the next call starts it again and is answered', async (test) => {
    const { door } = await openDoor(test, { upstreams: { steady: STEADY }, servers: { hostile: HOSTILE_ENTRY } });
    expect(namesOf(await door.request('tools/list'))).toContain('hostile__book_table');
    process.kill(pidOf(door.remember(), 'hostile-server'), 'SIGKILL');
    await until(() => /SIGKILL/.test(door.stderr), 'a word about the loss');
    expect(textOf(await door.call('steady__a'))).toBe('ok');
    expect(textOf(await door.call('hostile__book_table', '{"guests":1,"day":"friday"}'))).toBe('booked');
  });

  test('and nobody calls it: it is started again by itself', async (test) => {
    const { door } = await openDoor(test, { servers: { hostile: HOSTILE_ENTRY } });
    await door.request('tools/list');
    const pid = pidOf(door.remember(), 'hostile-server');
    process.kill(pid, 'SIGKILL');
    const another = ({ command, pid: each }: { readonly command: string; readonly pid: number }): boolean =>
      command.includes('hostile-server') && each !== pid;
    await until(() => door.remember().some(another), 'another process of it');
  });

  test('while it closes only its stdout: calls fail at once instead of at the deadline', async (test) => {
    const code = HALF_CLOSER;
    const { door } = await openDoor(test, { servers: { half: { command: process.execPath, args: ['-e', code] } } });
    await door.request('tools/list');
    const before = door.elapsedMs;
    const { message } = await door.call('half__a', '{}');
    expect(door.elapsedMs - before).toBeLessThan(2000);
    expect(message?.error?.data).toMatchObject({ code: 'UPSTREAM_LOST' });
  });
});

describe.concurrent('an upstream answers badly', () => {
  test('a result that is no object is an error at once, not at the deadline', async (test) => {
    const { door } = await openDoor(test, { servers: { hostile: HOSTILE_ENTRY } });
    const { message } = await door.call('hostile__answer_garbage', '{}', 3000);
    expect(message?.error).toMatchObject({ code: -32603, data: { code: 'UPSTREAM_BROKE_PROTOCOL' } });
  });

  test('whatever is wrong with an answer: one error at once, and the connection lives', async (test) => {
    const tools = BROKEN_ANSWERS.map((_, at) => anyTool(`t${at}`));
    const list = upstreamWith([...tools, anyTool('fine')]).rules;
    const rules = BROKEN_ANSWERS.map(({ emit }, at) => ({ on: 'tools/call', tool: `t${at}`, emit }));
    const { door } = await openDoor(test, { upstreams: { u: { rules: [...rules, ...list] } } });
    await door.request('tools/list');
    for (const [at, { why }] of BROKEN_ANSWERS.entries()) {
      const answer = await door.call(`u__t${at}`, '{}', 3000);
      expect(answer.message?.error, why).toMatchObject({ code: -32603, data: { code: 'UPSTREAM_BROKE_PROTOCOL' } });
      expect(textOf(await door.call('u__fine')), `after ${why}`).toBe('ok');
      expect(door.answersTo(answer.message?.id), why).toHaveLength(1);
    }
  });

  test('its own error passes as it is, digits and all; isError results pass unjudged', async (test) => {
    const { door } = await openDoor(test, { servers: { hostile: HOSTILE_ENTRY } });
    const own = await door.call('hostile__own_error', '{}');
    expect(own.raw).toContain('"error":{"code":-32011,"message":"mine","data":{"n":12345678901234567890}}');
    const failed = await door.call('hostile__tool_error', '{}');
    expect(failed.message?.result).toEqual({ isError: true, content: [{ type: 'text', text: 'quota exhausted' }] });
    expect(door.stderr).not.toContain('output.violation');
  });

  test('the first of two answers counts', async (test) => {
    const { door } = await openDoor(test, { servers: { hostile: HOSTILE_ENTRY } });
    const first = await door.call('hostile__answer_twice', '{}');
    expect(textOf(first)).toBe('one');
    await door.call('hostile__count_calls');
    expect(door.answersTo(first.message?.id)).toHaveLength(1);
  });
});

/** Answers whose id can be read, so that the call they are for need not wait for its deadline. */
const BROKEN_ANSWERS = [
  { why: 'neither result nor error', emit: ['{"jsonrpc":"2.0","id":$ID}'] },
  { why: 'result is null', emit: ['{"jsonrpc":"2.0","id":$ID,"result":null}'] },
  { why: 'result is an array', emit: ['{"jsonrpc":"2.0","id":$ID,"result":[]}'] },
  { why: 'error is no object', emit: ['{"jsonrpc":"2.0","id":$ID,"error":"broken"}'] },
  { why: 'error without a code', emit: ['{"jsonrpc":"2.0","id":$ID,"error":{"message":"m"}}'] },
  { why: 'result and error', emit: ['{"jsonrpc":"2.0","id":$ID,"result":{},"error":{"code":1,"message":"m"}}'] },
  { why: 'two results', emit: ['{"jsonrpc":"2.0","id":$ID,"result":{"content":[]},"result":{"content":[]}}'] },
  { why: 'cut off', emit: ['{"jsonrpc":"2.0","id":$ID,"result":{"content":['] },
  { why: 'a comma too many', emit: ['{"jsonrpc":"2.0","id":$ID,"result":{"content":[],}}'] },
  { why: 'a control character in a string', emit: ['{"jsonrpc":"2.0","id":$ID,"result":{"a":"\u0001"}}'] },
  {
    why: 'bytes that are no UTF-8',
    emit: [{ raw: '{"jsonrpc":"2.0","id":$ID,"result":{"a":"' }, { hex: 'c328' }, { raw: '"}}\n' }],
  },
] as const;

/** Lists one tool; a call makes it close its stdout and live on. */
const HALF_CLOSER = `
  const say = (id, result) => require('fs').writeSync(1, JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === 'initialize') say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'h', version: '1' } });
    else if (method === 'tools/list') say(id, { tools: [{ name: 'a', inputSchema: { type: 'object' } }] });
    else if (method === 'tools/call') require('fs').closeSync(1);
  });
  setInterval(() => {}, 60000);
`;
