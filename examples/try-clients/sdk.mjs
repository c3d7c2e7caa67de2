/** Sessions of the official SDK's clients: version 1, and version 2 in both eras. */
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { BAD_CALL, CALLS, ELICITING, expectText, expectTools, PROMPT, RESOURCE, SLOW } from './wanted.mjs';

const INFO = { name: 'try-clients', version: '1.0.0' };
const CAPABILITIES = { elicitation: { form: {} } };
const INVALID_PARAMS = -32602;

const V2 = {
  Stdio: StdioV2,
  Http: HttpV2,
  elicitation: 'elicitation/create',
  callTool: (client, ...rest) => client.callTool(...rest),
};

const SDKS = [
  {
    name: 'SDK v1',
    make: () => new ClientV1(INFO, { capabilities: CAPABILITIES }),
    Stdio: StdioV1,
    Http: HttpV1,
    elicitation: ElicitRequestSchema,
    callTool: (client, params, options) => client.callTool(params, undefined, options),
  },
  { ...V2, name: 'SDK v2, 2025-11-25', make: () => makeV2('legacy') },
  { ...V2, name: 'SDK v2, 2026-07-28', make: () => makeV2({ pin: '2026-07-28' }) },
];

function makeV2(mode) {
  return new ClientV2(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
}

/** One session each: `run` attempts one thing after the other. */
export const SDK_SESSIONS = SDKS.map((sdk) => ({
  name: sdk.name,
  run: (door, attempt) => runSession(sdk, door, attempt),
}));

async function runSession(sdk, { command, url }, attempt) {
  const transport = command ? new sdk.Stdio({ ...command, stderr: 'ignore' }) : new sdk.Http(new URL(url));
  const client = sdk.make();
  client.setRequestHandler(sdk.elicitation, ({ params }) => ({ action: 'accept', content: fillIn(params) }));
  const call = ({ tool, arguments: given }, options) => sdk.callTool(client, { name: tool, arguments: given }, options);
  try {
    await attempt('connect', async () => {
      await client.connect(transport);
      return client.getServerVersion()?.name ?? 'no name';
    });
    await attempt('list', async () => expectTools((await client.listTools()).tools));
    for (const wanted of CALLS) await attempt(wanted.tool, async () => expectText(await call(wanted), wanted.holds));
    await attempt('read', async () => expectText(await client.readResource({ uri: RESOURCE.uri }), RESOURCE.holds));
    await attempt('prompt', async () => {
      const { name, arguments: given, holds } = PROMPT;
      return expectText(await client.getPrompt({ name, arguments: given }), holds);
    });
    await attempt('elicitation', async () => expectText(await call(ELICITING), ELICITING.holds));
    await attempt('progress', async () => expectProgress((options) => call(SLOW, options)));
    await attempt('refused', async () => expectRefusal(() => call(BAD_CALL)));
  } finally {
    await client.close();
  }
}

/** A form of any shape, by the names it gives: what it needs, said as a person would. */
function fillIn({ requestedSchema }) {
  const { required = [] } = requestedSchema;
  return Object.fromEntries(['name', ...required].map((name) => [name, 'Ada']));
}

async function expectProgress(callSlow) {
  let reports = 0;
  expectText(await callSlow({ onprogress: () => reports++ }), SLOW.holds);
  if (reports === 0) throw new Error('no progress was reported');
  return `${reports} reports`;
}

/** A bad call must fail as an error that the client can show, not as silence. */
async function expectRefusal(callBadly) {
  const outcome = await callBadly().then(
    (result) => ({ message: JSON.stringify(result) }),
    (error) => error,
  );
  if (outcome.code !== INVALID_PARAMS) throw new Error(`not refused: ${outcome.message}`);
  return outcome.message.split('\n')[0];
}
