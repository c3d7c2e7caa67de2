/**
 * What a hostile upstream does with one call. A behaviour gets the call, `{ id, tag, ms, count, bytes, token }`, the wire, and
 * the state of the process, which is its own to ruin.
 */
import { closeSync } from 'node:fs';
import { sleep } from './hostile-wire.mjs';

export const CALL_BEHAVIOURS = {
  'crash-mid-call': { what: 'exits with 1 after reading the call', act: (_, wire) => wire.exit(1) },
  'kill-mid-call': { what: 'ends itself with SIGKILL after reading the call', act: (_, wire) => wire.kill() },
  'exit-after': {
    what: 'answers, and exits with 0 between two calls',
    act: async (call, wire) => {
      answer(call, wire);
      await sleep(call.ms || 20);
      wire.exit(0);
    },
  },
  truncate: { what: 'half an answer, then a line end', act: (call, wire) => wire.sendRaw(`${half(call)}\n`) },
  'truncate-exit': {
    what: 'half an answer, then the exit',
    act: (call, wire) => {
      wire.sendRaw(half(call));
      wire.exit(1);
    },
  },
  garbage: {
    what: 'lines that are no messages, before and behind the answer',
    act: (call, wire) => {
      for (const line of GARBAGE) wire.sendRaw(line);
      answer(call, wire);
      for (const line of GARBAGE) wire.sendRaw(line);
    },
  },
  split: { what: 'the answer one byte a write', act: (call, wire) => wire.sendByByte(answerText(call)) },
  duplicate: {
    what: 'the answer, then another one under the same id',
    act: (call, wire) => {
      answer(call, wire);
      wire.send({ id: call.id, result: textResult('not the first') });
    },
  },
  stray: {
    what: 'answers nobody asked for, then the right one',
    act: (call, wire) => {
      for (const id of [1e9, 'never', null, -1, String(call.id)]) wire.send({ id, result: textResult('stray') });
      answer(call, wire);
    },
  },
  late: {
    what: 'answers after so many milliseconds (2,000), cancelled or not',
    act: async (call, wire) => {
      await sleep(call.ms || 2_000);
      answer(call, wire);
    },
  },
  flood: { what: 'one line without an end', act: (_, wire) => flood(wire) },
  'stderr-flood': {
    what: 'five megabytes on stderr, then the answer',
    act: async (call, wire) => {
      await wire.writeStderr(5_000_000);
      answer(call, wire);
    },
  },
  'result-no-object': {
    what: 'a result that is a string',
    act: ({ id }, wire) => wire.send({ id, result: 'no object' }),
  },
  'error-no-code': {
    what: 'an error without a code',
    act: ({ id }, wire) => wire.send({ id, error: { message: 'm' } }),
  },
  'result-and-error': {
    what: 'a result and an error in one answer',
    act: ({ id }, wire) => wire.send({ id, result: textResult('x'), error: { code: 1, message: 'm' } }),
  },
  'double-id': {
    what: 'an answer with two ids, its own and that of the call before it',
    act: (call, wire) => wire.sendRaw(`${answerText(call).replace(/"id":\d+/, `$&,"id":${call.id - 1}`)}\n`),
  },
  deep: {
    what: 'an answer nested ten thousand deep',
    act: ({ id }, wire) => {
      const nested = '['.repeat(10_000) + ']'.repeat(10_000);
      wire.sendRaw(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"a":${nested}}}}\n`);
    },
  },
  oversize: {
    what: 'an answer of so many bytes (2,000,000)',
    act: (call, wire) => answer({ ...call, tag: 'x'.repeat(call.bytes || 2_000_000) }, wire),
  },
  batch: { what: 'the answer in an array', act: (call, wire) => wire.sendRaw(`[${answerText(call)}]\n`) },
  hang: {
    what: 'this call and everything after it is read and never answered',
    act: (_, __, state) => {
      state.isSilent = true;
    },
  },
  mute: { what: 'this one call is never answered; all others are', act: () => {} },
  'stop-reading': { what: 'reads nothing any more, and answers nothing', act: () => process.stdin.pause() },
  'close-stdout': {
    what: 'closes its stdout and lives on',
    act: (_, wire) => {
      wire.journal({ event: 'closed-stdout' });
      closeSync(1);
    },
  },
  sigstop: {
    what: 'stops itself with SIGSTOP',
    act: (_, wire) => {
      wire.journal({ event: 'stopped' });
      process.kill(process.pid, 'SIGSTOP');
    },
  },
  'invalid-utf8': {
    what: 'an answer with bytes that are no UTF-8',
    act: (call, wire) => {
      const [before, behind] = answerText({ ...call, tag: 'SPLIT HERE' }).split('SPLIT HERE');
      wire.sendRaw(Buffer.concat([Buffer.from(before), Buffer.from([0xc3, 0x28]), Buffer.from(`${behind}\n`)]));
    },
  },
  'string-id': {
    what: 'the answer under the right digits as a string',
    act: (call, wire) => wire.send({ id: String(call.id), result: textResult(call.tag) }),
  },
  'self-request': {
    what: 'writes a tools/call request as if the other side were its server, then the answer',
    act: (call, wire) => {
      wire.send({ id: 'self', method: 'tools/call', params: { name: 'work', arguments: { tag: 'self' } } });
      answer(call, wire);
    },
  },
  'progress-flood': {
    what: 'so many (20,000) progress notifications, then the answer',
    act: (call, wire) => {
      for (let progress = 1; progress <= (call.count || 20_000); progress++) report(call, progress, wire);
      answer(call, wire);
    },
  },
  'log-flood': {
    what: 'so many (20,000) log messages, then the answer',
    act: (call, wire) => {
      for (let line = 1; line <= (call.count || 20_000); line++) {
        const params = { level: 'info', data: `line ${line}` };
        wire.send({ method: 'notifications/message', params }, { isShown: line === 1 });
      }
      answer(call, wire);
    },
  },
  'ping-flood': {
    what: 'so many (20,000) pings while it does not read, then reads again and answers',
    act: async (call, wire) => {
      process.stdin.pause();
      for (let ping = 1; ping <= (call.count || 20_000); ping++) {
        wire.send({ id: `${call.tag}-ping-${ping}`, method: 'ping' }, { isShown: ping === 1 });
      }
      await sleep(200);
      process.stdin.resume();
      answer(call, wire);
    },
  },
  'ask-flood': {
    what: 'asks its caller for everything, so many (50) times, then answers after `ms`',
    act: async (call, wire) => {
      for (let round = 1; round <= (call.count || 50); round++) askForEverything(call.tag, round, wire);
      await sleep(call.ms);
      answer(call, wire);
    },
  },
  'ask-and-wait': {
    what: 'asks its caller one thing, and answers with what it is told',
    act: async (call, wire, state) => {
      const { result, error } = await askOnce(call, wire, state);
      answer({ ...call, tag: result?.action ?? `error ${error?.code}` }, wire);
    },
  },
  'ask-and-crash': {
    what: 'asks its caller one thing, and exits with 1 a moment later',
    act: async (call, wire, state) => {
      void askOnce(call, wire, state);
      await sleep(call.ms || 200);
      wire.exit(1);
    },
  },
};

const GARBAGE = [
  'listening on port 3000\n',
  'null\n',
  '[]\n',
  '123\n',
  '"text"\n',
  '{"jsonrpc":"2.0"}\n',
  '{"level":"info","id":1,"msg":"a log line"}\n',
  '{"jsonrpc":"2.0","id":\n',
  '\n',
  '\r\n',
];

export function answer(call, wire) {
  wire.sendRaw(`${answerText(call)}\n`);
}

function textResult(text) {
  return { content: [{ type: 'text', text: String(text) }] };
}

function answerText({ id, tag }) {
  return JSON.stringify({ jsonrpc: '2.0', id, result: textResult(tag) });
}

/** The first half of an answer, its id in it. */
function half(call) {
  const text = answerText(call);
  return text.slice(0, Math.ceil(text.length * 0.6));
}

/** A caller that asked for no progress is sent some for a token of its own making. */
function report({ token = 'nobody-asked', bytes }, progress, wire) {
  const isShown = progress === 1 || progress % 1_000 === 0;
  const params = { progressToken: token, progress, message: 'p'.repeat(bytes) };
  wire.send({ method: 'notifications/progress', params }, { isShown });
}

function askForEverything(tag, round, wire) {
  const requestedSchema = { type: 'object', properties: { ok: { type: 'boolean' } } };
  const messages = [{ role: 'user', content: { type: 'text', text: 'hello' } }];
  wire.send({ id: `${tag}-elicit-${round}`, method: 'elicitation/create', params: { message: '?', requestedSchema } });
  wire.send({ id: `${tag}-sample-${round}`, method: 'sampling/createMessage', params: { messages, maxTokens: 1 } });
  wire.send({ id: `${tag}-roots-${round}`, method: 'roots/list' });
}

function askOnce({ tag }, wire, state) {
  const id = `${tag}-once`;
  const requestedSchema = { type: 'object', properties: { ok: { type: 'boolean' } } };
  wire.send({ id, method: 'elicitation/create', params: { message: '?', requestedSchema } });
  return new Promise((resolve) => state.asked.set(id, resolve));
}

/** Up to a gigabyte in one line, as fast as it is read. */
async function flood(wire) {
  const chunk = Buffer.alloc(64 * 1024, 'z');
  wire.journal({ event: 'sent', text: 'z without an end' });
  for (let writes = 0; writes < 16_384 && wire.write(chunk); writes++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
