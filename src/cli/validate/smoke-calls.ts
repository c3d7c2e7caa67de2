import { EventBus, type IssueSummary } from '../../base/index.js';
import type { Contract, Implementation, Tool } from '../../contract/index.js';
import { createGateway, type Gateway, localMount } from '../../gateway/index.js';
import { synthesize } from './synthesize.js';
import { AUTHOR, type Check, type Finding, Skipped } from './types.js';

const CALL_MS = 20_000;

export const CALL_CHECKS: readonly Check[] = [
  {
    name: 'schemas',
    about: 'every schema compiles',
    run: ({ project: { contract } }) => contract.tools.flatMap(checkSchemas),
  },
  {
    name: 'calls',
    about: 'every tool answers a call as its output says',
    run: async ({ project: { contract, implementation, settings }, callsWrites }) => {
      if (implementation === undefined) return new Skipped('package.json names no doorward.implementation');
      const tools = contract.tools.filter(({ kind }) => callsWrites || kind === 'read');
      const results = await callAll(implementation, tools);
      const faults = results.flatMap(({ faults }) => faults);
      const declined = results.flatMap(({ declined }) => declined ?? []);
      const budget = settings.maxDeclined ?? 0;
      if (declined.length <= budget) return faults;
      const hint = 'Give the tool an example that works, or raise doorward.maxDeclined in package.json.';
      const over = `${declined.length} answered with an error, ${budget} may`;
      return [...faults, ...declined.map((said) => ({ message: `${said} (${over})`, hint }))];
    },
  },
];

/** Compiled when first used: whatever preflight lets pass is found here. */
function checkSchemas({ name, judges }: Contract['tools'][number]): readonly Finding[] {
  return (['input', 'output'] as const).flatMap((side) => {
    try {
      judges[side].checkValue({});
      return [];
    } catch (thrown) {
      return [{ message: `tools/${name}: its ${side} schema does not compile: ${(thrown as Error).message}` }];
    }
  });
}

interface CallResult {
  readonly faults: readonly Finding[];
  /** The tool, and what it said. */
  readonly declined?: string;
}

async function callAll(implementation: Implementation, tools: readonly Tool[]): Promise<readonly CallResult[]> {
  const events = new EventBus();
  const mount = { ...localMount(implementation, { facts: {}, events }), callTimeoutMs: CALL_MS };
  const gateway = createGateway({ mounts: [mount], events, limits: { maxCallMs: CALL_MS } });
  const trouble = new Map<string, string>();
  events.on('handler.failed', ({ name, reason }) => void trouble.set(name, reason.split('\n')[0] ?? ''));
  events.on('output.violation', ({ tool, issues }) => void trouble.set(tool, breaks(issues)));
  const results: CallResult[] = [];
  try {
    const entries = await gateway.listTools({ principal: AUTHOR });
    for (const tool of tools) {
      // What a `when` or a deployment keeps from here is called by nobody here.
      if (!entries.some(({ tool: { name } }) => name === tool.name)) continue;
      trouble.delete(tool.name);
      for (const input of inputsOf(tool))
        results.push(await callOne({ gateway, mount: mount.id, tool, input, trouble }));
    }
  } finally {
    await gateway.close();
  }
  return results;
}

function breaks(issues: readonly IssueSummary[]): string {
  const [first] = issues;
  return `breaks its output schema: ${first === undefined ? 'unknown' : `${first.path} ${first.message}`}`;
}

/** The author's examples; where there are none, what its schema asks for at least. */
function inputsOf({ examples, inputSchema }: Tool): readonly unknown[] {
  return examples.length > 0 ? examples.map(({ input }) => input) : [synthesize(inputSchema)];
}

interface SmokeCall {
  readonly gateway: Gateway;
  readonly mount: string;
  readonly tool: Tool;
  readonly input: unknown;
  /** What went wrong in the last call of each tool, beside its answer. */
  readonly trouble: ReadonlyMap<string, string>;
}

async function callOne({ gateway, mount, tool, input, trouble }: SmokeCall): Promise<CallResult> {
  const place = `tools/${tool.name}`;
  const verdict = tool.judges.input.checkValue(input);
  if (!verdict.valid) {
    const { path, message } = verdict.issues[0]!;
    const hint = 'Give it an example.';
    return { faults: [{ message: `${place}: no arguments could be made up for it: ${path} ${message}`, hint }] };
  }
  try {
    const bytes = new TextEncoder().encode(JSON.stringify(input));
    const answer = await gateway.callTool({ mount, tool: tool.name, arguments: bytes }, { principal: AUTHOR });
    const told = trouble.get(tool.name);
    if (told !== undefined) return { faults: [{ message: `${place}: ${told}` }] };
    if (answer.kind === 'result' && !answer.isError) return { faults: [] };
    const { json } = answer;
    const text = new TextDecoder().decode(json.bytes.subarray(json.start, json.end));
    return { faults: [], declined: `${place}: declined its call: ${firstText(text)}` };
  } catch (thrown) {
    return { faults: [{ message: `${place}: ${(thrown as Error).message}` }] };
  }
}

/** What an answer says to its reader, in short. */
function firstText(json: string): string {
  const { content, message } = JSON.parse(json) as { content?: readonly { text?: string }[]; message?: string };
  return String(content?.find(({ text }) => text !== undefined)?.text ?? message ?? 'it does not say why').slice(
    0,
    200,
  );
}
