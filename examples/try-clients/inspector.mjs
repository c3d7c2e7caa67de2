/** Inspector's command line: each thing attempted is a session of its own, as people use it in scripts. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endWithUs } from '../../test/fixtures/served-doorward.mjs';
import { node24 } from '../../tools/node24/run.mjs';
import { BAD_CALL, CALLS, expectText, expectTools, PROMPT, RESOURCE } from './wanted.mjs';

const RUN_MS = 30_000;
const SERVER = 'door';

/** Inspector asks nobody to fill in forms on its command line: elicitation is left to the SDK's clients. */
export const INSPECTOR_SESSIONS = [
  { name: 'Inspector, 2025-11-25', era: 'legacy' },
  { name: 'Inspector, 2026-07-28', era: 'modern' },
].map(({ name, era }) => ({ name, run: (door, attempt, folder) => runSession(era, door, attempt, folder) }));

async function runSession(era, door, attempt, folder) {
  const inspect = inspectorOf(era, door, folder);
  await attempt('list', async () => expectTools((await inspect('tools/list')).tools));
  for (const wanted of CALLS) {
    await attempt(wanted.tool, async () => expectText(await call(inspect, wanted), wanted.holds));
  }
  await attempt('read', async () => expectText(await inspect('resources/read', '--uri', RESOURCE.uri), RESOURCE.holds));
  await attempt('prompt', async () => {
    const pairs = Object.entries(PROMPT.arguments).map(([name, value]) => `${name}=${value}`);
    const given = ['--prompt-name', PROMPT.name, '--prompt-args', ...pairs];
    return expectText(await inspect('prompts/get', ...given), PROMPT.holds);
  });
  await attempt('refused', () => expectRefusal(inspect));
}

function call(inspect, { tool, arguments: given }) {
  return inspect('tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(given));
}

async function expectRefusal(inspect) {
  const outcome = await call(inspect, BAD_CALL).then(
    (result) => new Error(JSON.stringify(result)),
    (error) => error,
  );
  if (!outcome.message.includes('expected number')) throw new Error(`not refused: ${outcome.message}`);
  return outcome.message;
}

/** @returns a function that runs one method and gives its result; it throws what Inspector says went wrong */
function inspectorOf(era, { command, url }, folder) {
  const { node, inspector } = node24();
  const config = join(folder, 'inspector.json');
  const entry = command ?? { type: 'streamable-http', url };
  writeFileSync(config, JSON.stringify({ mcpServers: { [SERVER]: entry } }));
  const fixed = [inspector, '--cli', '--config', config, '--server', SERVER];
  const style = ['--format', 'json', '--quiet', '--protocol-era', era];
  const env = { PATH: process.env.PATH ?? '', HOME: folder, MCP_INSPECTOR_SECRET_STORE: 'memory' };
  return async (method, ...rest) => {
    const said = await output(endWithUs(spawn(node, [...fixed, ...style, '--method', method, ...rest], { env })));
    const { result, error } = JSON.parse(said);
    if (error) throw new Error(error.message);
    return result;
  };
}

async function output(child) {
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), RUN_MS);
  try {
    await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  } finally {
    clearTimeout(timer);
  }
  if (!said.trim().startsWith('{')) throw new Error(`Inspector said: ${said.slice(0, 200)}`);
  return said;
}
