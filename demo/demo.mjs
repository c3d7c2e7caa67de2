/**
 * A walk through the front door: three official MCP servers and one that misbehaves, behind one doorward. Shows what
 * is sent and what comes back, and checks every promise on the way; exits 1 if one is broken. No network.
 *
 *     npm run demo
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Caller } from './caller.mjs';
import { findBelow, isRunning } from './processes.mjs';
import { came, heading, print, promise, say, sent, summary, title } from './terminal.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const WHOLE_WALK_MS = 40_000;
const BIG = '12345678901234567890';

const startedMs = performance.now();
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'doorward-demo-')));
const guard = setTimeout(() => {
  print('the walk takes too long; giving up');
  rmSync(folder, { recursive: true, force: true });
  process.exit(1);
}, WHOLE_WALK_MS);

let _door;
let exitCode = 1;
try {
  _door = await walk();
  exitCode = summary((performance.now() - startedMs) / 1000);
} catch (error) {
  print(`\nthe walk broke off: ${error.message}`);
} finally {
  clearTimeout(guard);
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = exitCode;

async function walk() {
  title(
    'doorward: one front door for MCP servers',
    'An MCP server offers tools; an agent calls them. doorward stands between: the agent talks to one entry, and every',
    "call is judged against the tool's own schema before the server sees it.",
    'Below, ">" is what an agent sends and "<" is what comes back.',
  );
  const door = await openTheDoor();
  await callEachServer(door);
  await sendABadCall(door);
  await keepEveryDigit(door);
  await reportABrokenPromise(door);
  await leaveOutABrokenTool(door);
  await loseOneServer(door);
  await leaveNothingBehind(door);
  return door;
}

async function openTheDoor() {
  heading(
    'Four servers behind one entry',
    'Three official servers from npm, and one of ours that misbehaves on purpose.',
  );
  const config = writeConfig();
  sent(`doorward stdio --config ${config}`);
  const door = new Caller(process.execPath, [join(ROOT, 'dist', 'cli.js'), 'stdio', '--config', config], { cwd: ROOT });
  await door.initialize();
  sent('tools/list');
  const names = await listNames(door);
  const count = (mount) => names.filter((name) => name.startsWith(`${mount}__`)).length;
  const counts = ['everything', 'files', 'memory', 'hostile'].map((mount) => `${mount} ${count(mount)}`);
  came(`${names.length} tools: ${counts.join(', ')}`);
  came(
    `named after their server: ${['everything__get-sum', 'files__read_text_file', 'memory__create_entities'].join(', ')}, …`,
  );
  promise(
    ['everything', 'files', 'memory', 'hostile'].every((mount) => count(mount) > 0),
    'the tools of all four servers are in one list',
  );
  return door;
}

async function callEachServer(door) {
  heading('Good calls go through', 'One call to each of the official servers.');
  const sum = await show(door, 'everything__get-sum', '{"a":19.5,"b":22.5}');
  promise(textOf(sum).includes('42'), 'the calculator answers');
  const path = JSON.stringify(join(folder, 'shelf', 'hello.txt'));
  const file = await show(door, 'files__read_text_file', `{"path":${path}}`);
  promise(textOf(file).includes('Hello from a file'), 'the file is read');
  await show(
    door,
    'memory__create_entities',
    '{"entities":[{"name":"Ada","entityType":"person","observations":["likes engines"]}]}',
  );
  const graph = await show(door, 'memory__read_graph', '{}');
  promise(textOf(graph).includes('likes engines'), 'the memory remembers');
}

async function sendABadCall(door) {
  heading(
    'A bad call is refused before the server sees it',
    'book_table wants a whole number of guests. The server itself counts what reaches it.',
  );
  await show(door, 'hostile__book_table', '{"guests":2,"day":"friday"}');
  const before = await countCalls(door);
  const refused = await show(door, 'hostile__book_table', '{"guests":"two","day":"someday"}');
  for (const issue of refused.error?.data?.issues ?? []) say(`    ${issue.path}: ${issue.message}`);
  const after = await countCalls(door);
  promise(refused.error?.code === -32602, 'refused with -32602, each place named so that a model can mend the call');
  promise(
    before === after && before === '1',
    `the server's own count stayed at ${before}: the bad call never left`,
    `${before} -> ${after}`,
  );
}

async function keepEveryDigit(door) {
  heading(
    'Every digit survives, both ways',
    `Most programs turn ${BIG} into ${JSON.stringify(Number(BIG))}. Ids and amounts get lost that way.`,
  );
  const answer = await show(door, 'hostile__big_number', `{"n":${BIG}}`);
  promise(textOf(answer).includes(`received ${BIG}`), 'the server received the number to the digit');
  promise(answer.raw.includes(`"answer":${BIG}`), 'and so did the caller');
}

async function reportABrokenPromise(door) {
  heading('A result that breaks its promise is reported', 'lying_weather promises a number. It delivers a word.');
  const answer = await show(door, 'hostile__lying_weather', '{}');
  promise(
    answer.result?.structuredContent?.celsius === 'warm',
    'the result is delivered as it came (output checks only warn, unless told to enforce)',
  );
  await logged(door, 'output.violation', 'the violation is on stderr, with its place', '$.celsius');
}

async function leaveOutABrokenTool(door) {
  heading(
    'A broken tool costs only itself',
    'null_properties has a schema that is none. Strict clients drop all tools of such a server.',
  );
  const names = await listNames(door);
  promise(
    !names.includes('hostile__null_properties') && names.includes('hostile__book_table'),
    'it is left out, its neighbours are listed',
  );
  const answer = await show(door, 'hostile__null_properties', '{}');
  promise(answer.error?.data?.code === 'TOOL_EXCLUDED', 'a call to it says why it is missing');
  await logged(door, 'tool.excluded', 'and so does stderr', 'null_properties');
}

async function loseOneServer(door) {
  heading('One server dies, the others do not notice', 'exit_now ends its own process in the middle of the call.');
  const lost = await show(door, 'hostile__exit_now', '{}');
  promise(lost.error?.data?.code === 'UPSTREAM_LOST', 'the caller gets one clear error, at once');
  promise(
    lost.error?.data?.outcome === 'unknown',
    'it says that nobody knows whether the call ran; doorward never repeats it by itself',
  );
  const sum = await show(door, 'everything__get-sum', '{"a":1,"b":1}');
  const graph = await door.call('memory__read_graph');
  promise(textOf(sum).includes('2') && textOf(graph).includes('Ada'), 'the other servers go on serving');
}

async function leaveNothingBehind(door) {
  heading('At the end nothing is left running', 'The caller closes its pipe. That is all it does.');
  const below = findBelow(door.pid);
  say(`below doorward: ${below.length} processes`);
  const code = await door.close();
  const left = below.filter(isRunning);
  promise(below.length >= 3 && code === 0, 'doorward ended by itself, exit code 0', `exit code ${code}`);
  promise(
    left.length === 0,
    'and took every process it had started with it',
    left.map(({ command }) => command).join('; '),
  );
}

function writeConfig() {
  const bin = (name) => join(ROOT, 'node_modules', '@modelcontextprotocol', name, 'dist', 'index.js');
  const node = (...args) => ({ command: process.execPath, args });
  mkdirSync(join(folder, 'shelf'));
  writeFileSync(join(folder, 'shelf', 'hello.txt'), 'Hello from a file.\n');
  const mcpServers = {
    everything: node(bin('server-everything'), 'stdio'),
    files: node(bin('server-filesystem'), join(folder, 'shelf')),
    memory: { ...node(bin('server-memory')), env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } },
    hostile: node(join(ROOT, 'test', 'fixtures', 'hostile-server.mjs')),
  };
  const path = join(folder, 'doorward.json');
  writeFileSync(path, JSON.stringify({ mcpServers }, null, 2));
  return path;
}

/** Calls a tool and shows both sides of it. */
async function show(door, name, argumentsJson) {
  sent(`${name} ${argumentsJson.replaceAll(folder, '…')}`);
  const answer = await door.call(name, argumentsJson);
  if (answer.error) came(`error ${answer.error.code}: ${answer.error.message}`);
  else came(answer.raw.slice(answer.raw.indexOf('"result":') + 9, -1));
  return answer;
}

async function listNames(door) {
  const { result } = await door.request('tools/list');
  return result.tools.map(({ name }) => name);
}

async function countCalls(door) {
  const answer = await door.call('hostile__count_calls');
  say(`    the server has received ${textOf(answer)} call(s)`);
  return textOf(answer);
}

/** Waits a moment for an event on stderr and shows the line. */
async function logged(door, event, text, detail) {
  const find = () => door.stderr.split('\n').find((line) => line.includes(event) && line.includes(detail));
  for (let tries = 0; tries < 40 && find() === undefined; tries++)
    await new Promise((resolve) => setTimeout(resolve, 25));
  const line = find();
  if (line !== undefined) came(`stderr: ${line}`);
  promise(line !== undefined, text);
}

function textOf({ result }) {
  return result?.content?.[0]?.text ?? '';
}
