/**
 * An upstream of the soak: does what each call's own arguments say, and writes down everything it got and gave.
 *
 *   node soak-upstream.mjs NAME FOLDER
 *
 * `arguments` hold a `token` nobody else uses, `act` (below), `afterMs`, and what the answer must show: `n`, to the digit,
 * and `text`. The journal is FOLDER/NAME-<pid>-<start>.jsonl, one array a line: [ms of the monotonic clock, what, facts];
 * it is written before the deed, so that nothing that was done can be missing from it.
 */
import { spawn } from 'node:child_process';
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [name, folder] = process.argv.slice(2);
const nowMs = () => Number(process.hrtime.bigint()) / 1e6;
const journal = openSync(join(folder, `${name}-${process.pid}-${Math.round(nowMs())}.jsonl`), 'a');
const LATE_MS = 1_600;
const FREEZE_MS = 20_000;

/** Calls under way, by the id they came with. */
const open = new Map();
/** What we asked our caller and have not heard back of, by our id. */
const asked = new Map();
let mayAsk = false;
let nextId = 1;
let extra = 0;

note('start', { pid: process.pid, name });
createInterface({ input: process.stdin })
  .on('line', take)
  .on('close', () => {
    note('end', {});
    process.exit(0);
  });

function take(line) {
  const message = JSON.parse(line);
  const { id, method, params } = message;
  if (method === undefined) return heard(message);
  switch (method) {
    case 'initialize': {
      mayAsk = params.capabilities.elicitation !== undefined;
      note('initialize', { capabilities: params.capabilities });
      const serverInfo = { name, version: '1' };
      const capabilities = { tools: { listChanged: true } };
      return send({ id, result: { protocolVersion: params.protocolVersion, capabilities, serverInfo } });
    }
    case 'tools/list':
      return send({ id, result: { tools: tools() } });
    case 'tools/call':
      return call(line, id, params);
    case 'notifications/cancelled':
      return cancelled(params.requestId);
    case 'ping':
      return send({ id, result: {} });
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: `not here: ${method}` } });
  }
}

function tools() {
  const inputSchema = {
    type: 'object',
    properties: { token: { type: 'string' }, act: { type: 'string' }, afterMs: { type: 'integer', minimum: 0 } },
    required: ['token', 'act', 'n'],
  };
  const outputSchema = { type: 'object', properties: { token: { type: 'string' } }, required: ['token'] };
  const list = [
    { name: 'work', description: 'Does as its arguments say.', inputSchema },
    { name: 'typed', description: 'The same with an output schema.', inputSchema, outputSchema },
  ];
  // Two kinds of list, so that a change is one.
  if (extra % 2 === 1) list.push({ name: 'extra', inputSchema: { type: 'object' } });
  return list;
}

function call(line, id, { name: tool, arguments: args, _meta }) {
  const work = { id, token: args.token, act: args.act, tool, args, progressToken: _meta?.progressToken, timers: [] };
  // As text: a number this long does not survive JSON.parse.
  work.n = /"n":(-?\d+)/.exec(line)?.[1] ?? 'null';
  open.set(id, work);
  note('call', { id, token: args.token, act: args.act });
  if (work.progressToken !== undefined) {
    send({ method: 'notifications/progress', params: { progressToken: work.progressToken, progress: 1 } });
  }
  after(work, args.afterMs ?? 0, () => (ACTS[args.act] ?? ACTS.answer)(work));
}

const ACTS = {
  answer: (work) => answer(work),
  error: (work) => {
    over(work, 'answer');
    send({ id: work.id, error: { code: -32011, message: work.token } });
  },
  hang: () => {},
  late: (work) => after(work, LATE_MS, () => answer(work)),
  duplicate: (work) => {
    answer(work);
    send({ id: work.id, result: { content: [{ type: 'text', text: 'again' }] } });
  },
  stray: (work) => {
    send({ id: 1e9 + work.id, result: { content: [] } });
    send({ id: String(work.id), result: { content: [] } });
    send({ id: null, error: { code: -32700, message: 'what?' } });
    answer(work);
  },
  garbage: (work) => {
    process.stdout.write(`\u0007 %% ${work.token} {{{"id":${work.id}\n`);
    process.stdout.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]));
    answer(work);
  },
  cut: (work) => {
    over(work, 'answer');
    process.stdout.write(`${textOf(work).slice(0, -9)}\n`);
  },
  split: (work) => {
    over(work, 'answer');
    // One synchronous write after the other: only the reader decides where its chunks end.
    for (const part of textOf(work).match(/.{1,50}/gs)) process.stdout.write(part);
    process.stdout.write('\n');
  },
  stderr: (work) => {
    process.stderr.write(`${'e'.repeat(99)}\n`.repeat(2_000));
    answer(work);
  },
  'list-changed': (work) => {
    extra++;
    send({ method: 'notifications/tools/list_changed' });
    answer(work);
  },
  grandchild: (work) => {
    const deaf =
      "for (const s of ['SIGTERM','SIGINT','SIGHUP']) process.on(s, () => {}); setInterval(() => {}, 60_000);";
    const { pid } = spawn(process.execPath, ['-e', deaf], { stdio: ['ignore', 'inherit', 'inherit'] });
    note('grandchild', { pid });
    answer(work);
  },
  crash: (work) => end(work, 'crash'),
  'answer-crash': (work) => {
    answer(work);
    end(work, 'crash');
  },
  truncate: (work) => {
    process.stdout.write(textOf(work).slice(0, 40));
    end(work, 'crash');
  },
  freeze: (work) => {
    note('freeze', { token: work.token });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FREEZE_MS);
    note('thaw', {});
    answer(work);
  },
  ask: (work) => {
    if (!mayAsk) return answer(work, 'cannot ask');
    const id = `q${nextId++}`;
    asked.set(id, work);
    note('ask', { token: work.token, id });
    const requestedSchema = { type: 'object', properties: { token: { type: 'string' } }, required: ['token'] };
    send({ id, method: 'elicitation/create', params: { message: work.token, requestedSchema } });
  },
};

function heard({ id, result, error }) {
  const work = asked.get(id);
  if (work === undefined) return note('unasked', { id });
  asked.delete(id);
  const said = error === undefined ? `${result.action}:${result.content?.token ?? ''}` : `error:${error.code}`;
  note('heard', { token: work.token, said });
  if (open.has(work.id)) answer(work, said);
}

function cancelled(id) {
  const work = open.get(id);
  note('cancelled', { id, token: work?.token });
  // One in four goes on all the same, as servers do: what it then says must reach nobody.
  if (work === undefined || work.act === 'late' || id % 4 === 0) return;
  for (const timer of work.timers) clearTimeout(timer);
  open.delete(id);
}

function answer(work, said) {
  over(work, 'answer');
  process.stdout.write(`${textOf(work, said)}\n`);
}

function textOf({ id, token, tool, n, args }, said = 'done') {
  const text = JSON.stringify(`${name}:${token}:${said}:${args.text ?? ''}`);
  const structured = tool === 'typed' ? `,"structuredContent":{"token":${JSON.stringify(token)},"n":${n}}` : '';
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":${text}}],"n":${n}${structured}}}`;
}

function over(work, what) {
  open.delete(work.id);
  note(what, { id: work.id, token: work.token });
}

function end(work, what) {
  note(what, { token: work.token });
  process.exit(1);
}

function after(work, ms, task) {
  if (ms > 0) work.timers.push(setTimeout(task, ms));
  else task();
}

function note(what, facts) {
  writeSync(journal, `${JSON.stringify([nowMs(), what, facts])}\n`);
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
