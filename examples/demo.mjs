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
import { Caller } from './demo/caller.mjs';
import { findBelow, isRunning } from './demo/processes.mjs';
import { came, heading, print, promise, say, sent, summary, title } from './demo/terminal.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const WHOLE_WALK_MS = 40_000;
const MOUNTS = ['everything', 'files', 'memory', 'hostile'];
const BIG = '12345678901234567890';

const startedMs = performance.now();
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'doorward-demo-')));
const guard = setTimeout(() => breakOff('it takes too long'), WHOLE_WALK_MS);
const door = openDoor();
try {
  await walk();
  process.exitCode = summary((performance.now() - startedMs) / 1000);
} catch (error) {
  breakOff(error.message);
} finally {
  clearTimeout(guard);
  rmSync(folder, { recursive: true, force: true });
}

async function walk() {
  title(
    'doorward: one front door for MCP servers',
    'An MCP server offers tools; an agent calls them. doorward stands between the two: the agent talks to one entry,',
    "and every call is judged against the tool's own schema before a server sees it.",
    'Below, ">" is what an agent sends and "<" is what comes back.',
  );
  await listFourServers();
  await callEachServer();
  await sendABadCall();
  await keepEveryDigit();
  await reportABrokenPromise();
  await leaveOutABrokenTool();
  await passOnTheRest();
  await loseOneServer();
  await leaveNothingBehind();
}

async function listFourServers() {
  heading(
    'Four servers behind one entry',
    'Three official servers from npm, and one of ours that misbehaves on purpose. An agent that is',
    'pointed at doorward once reaches them all.',
  );
  sent('doorward stdio --config doorward.json');
  await door.initialize();
  sent('tools/list');
  const names = await listNames();
  const count = (mount) => names.filter((name) => name.startsWith(`${mount}__`)).length;
  came(`${names.length} tools: ${MOUNTS.map((mount) => `${mount} ${count(mount)}`).join(', ')}`);
  came('everything__get-sum, files__read_text_file, memory__create_entities, hostile__book_table, …');
  const isComplete = MOUNTS.every((mount) => count(mount) > 0);
  promise(isComplete, 'the tools of all four are in one list, each named after its server', door.stderr);
}

async function callEachServer() {
  heading(
    'Good calls go through',
    'One call to each of the official servers. They get byte for byte what the agent wrote.',
  );
  const sum = await show('everything__get-sum', '{"a":19.5,"b":22.5}');
  promise(textOf(sum).includes('42'), 'everything: the sum comes back');
  const file = await show('files__read_text_file', JSON.stringify({ path: join(folder, 'shelf', 'hello.txt') }));
  promise(textOf(file).includes('Hello from a file'), 'files: the file is read');
  const ada = { name: 'Ada', entityType: 'person', observations: ['likes engines'] };
  await show('memory__create_entities', JSON.stringify({ entities: [ada] }));
  const graph = await show('memory__read_graph', '{}');
  promise(textOf(graph).includes('likes engines'), 'memory: what was stored is found again');
}

async function sendABadCall() {
  heading(
    'A bad call is refused before the server sees it',
    'book_table wants a whole number of guests, and a day it knows. The server itself counts what reaches it.',
  );
  await show('hostile__book_table', '{"guests":2,"day":"friday"}');
  const before = await countCalls();
  const refused = await show('hostile__book_table', '{"guests":"two","day":"someday"}');
  for (const { path, message } of refused.error?.data?.issues ?? []) came(`${path}: ${message}`);
  const after = await countCalls();
  promise(refused.error?.code === -32602, 'refused with -32602; each fault is named, so a model can mend its call');
  const isUnchanged = before === '1' && after === '1';
  promise(
    isUnchanged,
    "the server's own count did not move: the bad call never reached it",
    `${before}, then ${after}`,
  );
}

async function keepEveryDigit() {
  heading(
    'Every digit survives, both ways',
    `Most programs turn ${BIG} into ${Number(BIG)}. Account numbers and amounts get lost that way.`,
  );
  const answer = await show('hostile__big_number', `{"n":${BIG}}`);
  promise(textOf(answer).includes(`received ${BIG}`), 'the server received the number to the digit');
  promise(answer.raw.includes(`"answer":${BIG}`), 'and so did the agent');
}

async function reportABrokenPromise() {
  heading('A result that breaks its promise is reported', 'lying_weather promises a number. It delivers a word.');
  const answer = await show('hostile__lying_weather', '{}');
  const isDelivered = answer.result?.structuredContent?.celsius === 'warm';
  promise(isDelivered, 'the result is delivered as it came: output checks warn, unless they are told to enforce');
  await expectEvent('output.violation', '$.celsius', 'and the operator reads what is wrong with it');
}

async function leaveOutABrokenTool() {
  heading(
    'A broken tool costs only itself',
    'The schema of null_properties is no schema. Strict clients lose all tools of such a server.',
  );
  const names = await listNames();
  const hasNeighbours = names.includes('hostile__book_table') && !names.includes('hostile__null_properties');
  promise(hasNeighbours, 'it is left out of the list, its neighbours are there');
  const answer = await show('hostile__null_properties', '{}');
  promise(answer.error?.data?.code === 'TOOL_EXCLUDED', 'a call to it is told why it is missing');
  await expectEvent('tool.excluded', 'null_properties', 'and so is the operator');
}

async function passOnTheRest() {
  heading(
    'Not only tools',
    'Resources and prompts come through the same entry, and what a server asks reaches the agent whose call it is.',
  );
  const { result } = await ask('resources/list', '{}');
  const { uri } = result.resources[0];
  const resource = await ask('resources/read', JSON.stringify({ uri }));
  promise(resource.result?.contents[0].uri === uri, 'a resource is found by its own URI, whichever server it is of');
  const prompt = await ask('prompts/get', '{"name":"everything__args-prompt","arguments":{"city":"Bern"}}');
  promise(JSON.stringify(prompt.result).includes('Bern'), 'a prompt is filled in by its server');
  let question = '';
  door.answer = ({ message }) => {
    question = message;
    came(`elicitation/create: ${message}`);
    sent('{"action":"accept","content":{"name":"Ada"}}');
    return { action: 'accept', content: { name: 'Ada' } };
  };
  const asked = await show('everything__trigger-elicitation-request', '{}');
  const isHeard = question !== '' && JSON.stringify(asked.result).includes('Name: Ada');
  promise(isHeard, 'a server asked in the middle of a call, the agent answered, the call went on');
}

async function loseOneServer() {
  heading(
    'One server dies, the others do not notice, and it comes back',
    'exit_now ends its own process in the middle of the call.',
  );
  const lost = await show('hostile__exit_now', '{}');
  promise(lost.error?.data?.code === 'UPSTREAM_LOST', 'the agent gets one clear error, at once');
  const isHonest = lost.error?.data?.outcome === 'unknown';
  promise(isHonest, 'it says "outcome": "unknown": the call may have run, so doorward does not send it again');
  const sum = await show('everything__get-sum', '{"a":20,"b":3}');
  const graph = await show('memory__read_graph', '{}');
  promise(textOf(sum).includes('23') && textOf(graph).includes('Ada'), 'the other servers go on serving');
  const again = await show('hostile__book_table', '{"guests":2,"day":"friday"}');
  promise(again.result?.isError !== true && again.error === undefined, 'the dead one is started again, and serves');
}

async function leaveNothingBehind() {
  heading('At the end nothing is left running', 'The agent closes its pipe. That is all it does.');
  const below = findBelow(door.pid);
  say(`running below doorward: ${below.length} processes`);
  const code = await door.close();
  const left = below.filter(isRunning);
  promise(below.length >= 3 && code === 0, 'doorward ended by itself, with exit code 0', `exit code ${code}`);
  promise(left.length === 0, 'and every process it had started is gone', left.map(({ command }) => command).join('; '));
}

function openDoor() {
  const args = [join(ROOT, 'dist', 'cli.cjs'), 'stdio', '--config', writeConfig()];
  return new Caller(process.execPath, args, { cwd: ROOT });
}

function writeConfig() {
  const official = (name) => join(ROOT, 'node_modules', '@modelcontextprotocol', name, 'dist', 'index.js');
  const node = (...args) => ({ command: process.execPath, args });
  const shelf = join(folder, 'shelf');
  mkdirSync(shelf);
  writeFileSync(join(shelf, 'hello.txt'), 'Hello from a file.\n');
  const mcpServers = {
    everything: node(official('server-everything'), 'stdio'),
    files: node(official('server-filesystem'), shelf),
    memory: { ...node(official('server-memory')), env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } },
    hostile: node(join(ROOT, 'test', 'fixtures', 'hostile-server.mjs')),
  };
  const path = join(folder, 'doorward.json');
  writeFileSync(path, JSON.stringify({ mcpServers }, null, 2));
  return path;
}

/** Calls a tool and shows both sides of it. */
async function show(name, argumentsJson) {
  sent(`${name} ${argumentsJson.replaceAll(folder, '…')}`);
  const answer = await door.call(name, argumentsJson);
  if (answer.error) came(`error ${answer.error.code}: ${answer.error.message}`);
  // As text, since parsing would lose digits; indented JSON inside strings is pulled together.
  else came(answer.raw.slice(answer.raw.indexOf('"result":') + 9, -1).replaceAll(/(\\n *)+/g, ' '));
  return answer;
}

/** Sends any other request and shows both sides of it. */
async function ask(method, paramsJson) {
  sent(`${method} ${paramsJson}`);
  const answer = await door.request(method, paramsJson);
  came(answer.raw.slice(answer.raw.indexOf('"result":') + 9, -1).replaceAll(/(\\n *)+/g, ' '));
  return answer;
}

async function listNames() {
  const { result } = await door.request('tools/list');
  return result.tools.map(({ name }) => name);
}

async function countCalls() {
  const count = textOf(await door.call('hostile__count_calls'));
  say(`calls that reached the server so far: ${count}`);
  return count;
}

/** Waits a moment for an event on stderr, and shows it. */
async function expectEvent(event, detail, text) {
  const find = () => door.stderr.split('\n').find((line) => line.includes(event) && line.includes(detail));
  for (let tries = 0; tries < 80 && find() === undefined; tries++)
    await new Promise((resolve) => setTimeout(resolve, 25));
  const line = find();
  if (line !== undefined) came(`on stderr: ${factsOf(JSON.parse(line))}`);
  promise(line !== undefined, text);
}

/** What an event says: on stderr it is a JSON object a line. */
function factsOf({ event, upstream, tool, reason, issues = [] }) {
  const faults = issues.map(({ path, message }) => `${path}: ${message}`);
  return `${event}, ${upstream}, ${tool}: ${[reason, ...faults].filter(Boolean).join('; ')}`;
}

function textOf({ result }) {
  return result?.content?.[0]?.text ?? '';
}

function breakOff(reason) {
  print(`\nthe walk broke off: ${reason}`);
  door.kill();
  process.exitCode = 1;
}
