/**
 * An MCP server over stdio that misbehaves in named ways, and writes down both sides of what it does.
 *
 *     node hostile-upstream.mjs [--journal FILE] [--mood FILE] [--name NAME] [BEHAVIOUR ...]
 *     node hostile-upstream.mjs --list
 *
 * A behaviour is a name, or `name=number`. Those on the command line hold for the life of the process. Those in the mood
 * file are read as the process starts and again before each message, so that whoever writes the file can make the
 * server, or the next process of it, well again. A single call names its own in `arguments.behave`; a behaviour of calls
 * among the others holds for every call. With none it is a decent server, fit to be the healthy neighbour.
 *
 * It lists one tool, `work`, which answers with its `tag`, after `ms` milliseconds. The journal has one JSON object a
 * line: `{ atMs, pid, name, event }`, event one of start, received, sent, executed, eof, signal, stopped, closed-stdout,
 * grandchild, exit. `atMs` is the machine's monotonic clock, the same for every process, so that entries of both sides
 * of a pipe can be compared.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeSync } from 'node:fs';
import { answer, CALL_BEHAVIOURS } from './hostile-calls.mjs';
import { sleep, Wire } from './hostile-wire.mjs';

/** What a process does of its own accord. */
const PROCESS_BEHAVIOURS = {
  'never-starts': 'says why on stderr and exits with 1, before it reads anything',
  'slow-start': 'reads nothing for so many milliseconds (3,000)',
  silent: 'reads everything, answers nothing from the start',
  'respawn-storm': 'shakes hands, lists its tools, exits with 0',
  'wrong-version': 'answers initialize with a protocol revision that does not exist',
  'old-version': 'answers initialize with 2025-03-26, the revision that has batches',
  'initialize-error': 'answers initialize with an error',
  'no-list': 'answers tools/list with an object that holds no list',
  'broken-schemas': 'lists two more tools, whose schemas are none',
  'pagination-loop': 'gives the same next cursor for ever',
  'list-changed-storm': 'so many notifications (500) of a changed list, a millisecond apart, after its first list',
  'string-ids': 'answers everything but calls under the right digits as a string',
  deaf: 'ignores SIGTERM, SIGINT, SIGHUP and the end of its input',
  grandchild: 'starts a process that ignores all of that too, and holds its stdout open',
};

const options = readArguments(process.argv.slice(2));
if (options.isListing) {
  const calls = Object.entries(CALL_BEHAVIOURS).map(([name, { what }]) => ({ name, on: 'call', what }));
  const processes = Object.entries(PROCESS_BEHAVIOURS).map(([name, what]) => ({ name, on: 'process', what }));
  for (const behaviour of [...processes, ...calls]) writeSync(1, `${JSON.stringify(behaviour)}\n`);
  process.exit(0);
}

const wire = new Wire(options.name, options.journal);
/** What calls may change: whether anything is answered, and who waits for the answer to which question of ours. */
const state = { isSilent: false, asked: new Map() };
let hasListed = false;
await begin();
readInput();

function readArguments(args) {
  const read = { behaviours: [], name: 'hostile', journal: undefined, mood: undefined, isListing: false };
  for (let at = 0; at < args.length; at++) {
    if (args[at] === '--list') read.isListing = true;
    else if (args[at].startsWith('--')) read[args[at].slice(2)] = args[++at];
    else read.behaviours.push(args[at]);
  }
  return read;
}

async function begin() {
  const mood = readMood();
  wire.journal({ event: 'start', mood: [...mood.keys()] });
  if (mood.has('never-starts')) {
    writeSync(2, 'Error: cannot reach the database at nowhere:5432\n');
    wire.exit(1);
  }
  state.isSilent = mood.has('silent');
  if (mood.has('deaf')) for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) ignore(signal);
  if (mood.has('grandchild')) startGrandchild();
  if (mood.has('slow-start')) await sleep(mood.get('slow-start') ?? 3_000);
}

/** The behaviours that hold now, each with its number or undefined. */
function readMood() {
  let written = [];
  try {
    if (options.mood !== undefined) written = readFileSync(options.mood, 'utf8').split(/\s+/).filter(Boolean);
  } catch {
    // No file: nothing more than the command line says.
  }
  const all = [...options.behaviours, ...written].map((word) => word.split('='));
  for (const [name] of all) {
    if (!(name in PROCESS_BEHAVIOURS || name in CALL_BEHAVIOURS)) throw new Error(`no behaviour is named ${name}`);
  }
  return new Map(all.map(([name, number]) => [name, number === undefined ? undefined : Number(number)]));
}

function ignore(signal) {
  process.on(signal, () => wire.journal({ event: 'signal', signal }));
}

/** In the same group, deaf to all but SIGKILL, and holding the pipe that its parent writes to. */
function startGrandchild() {
  const deaf =
    "for (const s of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(s, () => {}); setInterval(() => {}, 60_000);";
  const { pid } = spawn(process.execPath, ['-e', deaf], { stdio: ['ignore', 'inherit', 'ignore'] });
  wire.journal({ event: 'grandchild', grandchild: pid });
}

/** Splits at LF only, so that a message of any size costs its size. */
function readInput() {
  let pieces = [];
  process.stdin.on('data', (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      pieces.push(chunk.subarray(start, end));
      take(Buffer.concat(pieces).toString('utf8'));
      pieces = [];
      start = end + 1;
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
  });
  process.stdin.on('error', () => {});
  process.stdin.once('end', () => {
    wire.journal({ event: 'eof' });
    if (readMood().has('deaf')) setInterval(() => {}, 60_000);
    else wire.exit(0);
  });
}

function take(line) {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return wire.journal({ event: 'received', bytes: line.length, text: line.slice(0, 200) });
  }
  const { id, method, params, error } = message;
  const args = params?.arguments ?? {};
  const about = method === 'notifications/cancelled' ? { requestId: params?.requestId } : {};
  wire.journal({ event: 'received', id, method, tag: args.tag, behave: args.behave, error, ...about });
  if (method === undefined) return state.asked.get(id)?.(message);
  if (state.isSilent || id === undefined) return;
  if (method === 'tools/call') void call(id, params, args);
  else answerRequest(id, method, params, readMood());
}

async function call(id, params, args) {
  const name = args.behave ?? [...readMood().keys()].find((each) => each in CALL_BEHAVIOURS);
  const { tag, ms = 0, count = 0, bytes = 0 } = args;
  const facts = { id, tag, ms, count, bytes, token: params._meta?.progressToken };
  wire.journal({ event: 'executed', tag, behave: name });
  if (name === undefined) {
    if (facts.ms > 0) await sleep(facts.ms);
    answer(facts, wire);
  } else if (name in CALL_BEHAVIOURS) await CALL_BEHAVIOURS[name].act(facts, wire, state);
  else wire.send({ id, error: { code: -32602, message: `no behaviour is named ${name}` } });
}

function answerRequest(id, method, params, mood) {
  const say = (answer) => wire.send({ id: mood.has('string-ids') ? String(id) : id, ...answer });
  if (method === 'initialize') say(initialize(params, mood));
  else if (method === 'ping') say({ result: {} });
  else if (method === 'tools/list') list(say, mood);
  else say({ error: { code: -32601, message: `no method is named ${method}` } });
}

function initialize(params, mood) {
  if (mood.has('initialize-error')) return { error: { code: -32603, message: 'not today' } };
  const asked = params.protocolVersion;
  const protocolVersion = mood.has('wrong-version') ? '1999-01-01' : mood.has('old-version') ? '2025-03-26' : asked;
  const serverInfo = { name: options.name, version: '1' };
  return { result: { protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo } };
}

const WORK = `{"name":"work","description":"Answers with its tag, or misbehaves as asked.","inputSchema":{"type":"object","required":["tag"],"properties":{"tag":{"type":"string"},"behave":{"type":"string"},"ms":{"type":"integer"},"count":{"type":"integer"},"bytes":{"type":"integer"}}}}`;
const NO_SCHEMAS = [
  `{"name":"null_properties","inputSchema":{"type":"object","properties":null}}`,
  `{"name":"dangling_ref","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/Gone"}}}}`,
];

function list(say, mood) {
  const tools = [WORK, ...(mood.has('broken-schemas') ? NO_SCHEMAS : [])].map((tool) => JSON.parse(tool));
  if (mood.has('no-list')) say({ result: { tools: 'none' } });
  else say({ result: mood.has('pagination-loop') ? { tools, nextCursor: 'again' } : { tools } });
  if (mood.has('respawn-storm')) wire.exit(0);
  if (!hasListed && mood.has('list-changed-storm')) void storm(mood.get('list-changed-storm') ?? 500);
  hasListed = true;
}

async function storm(count) {
  for (let sent = 0; sent < count; sent++) {
    wire.send({ method: 'notifications/tools/list_changed' });
    await sleep(1);
  }
}
