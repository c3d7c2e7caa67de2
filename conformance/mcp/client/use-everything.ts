import { type DoorCaller, type Json, RpcError } from './door-caller.js';
import { type Sketch, sampleValue } from './sample-value.js';

const ECHO = 'json_schema_echo';
const FOCAL = 'json_schema_2020_12_tool';
const UNRELATED = 'test_mrtr_unrelated';
const INVALID_ARGUMENTS = 'INVALID_ARGUMENTS';

interface ToolDefinition {
  readonly name: string;
  readonly inputSchema: Sketch;
}

interface ToolCall {
  readonly name: string;
  readonly arguments: Json;
}

/**
 * Does what a client can do with a server: lists everything, calls every tool, reads every resource, gets every prompt.
 * Scenarios look at what comes of it at their end.
 *
 * @param given calls that a scenario wants made, instead of calls with arguments of our own
 * @param settled resolves when the server is there, or is known not to be
 * @returns the errors met; a scenario may want them, so none ends the work
 */
export async function useEverything(
  caller: DoorCaller,
  given: readonly ToolCall[] | undefined,
  settled: Promise<void>,
): Promise<RpcError[]> {
  const errors: RpcError[] = [];
  const attempt = async (act: () => Promise<unknown>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      errors.push(error);
    }
  };
  await attempt(() => caller.enter());
  // A door shows what is there: where two dozen scenarios share a machine, a server may take longer than lists are held.
  await caller.request('tools/list');
  await settled;
  const tools = ((await caller.request('tools/list')).tools ?? []) as readonly ToolDefinition[];
  const has = (name: string): boolean => tools.some((tool) => tool.name === name);
  // Between the rounds of one call, another: the answers and the state of the first are not for it.
  const between = async (): Promise<void> => {
    if (has(UNRELATED)) await attempt(() => caller.request('tools/call', { name: UNRELATED, arguments: {} }));
  };
  for (const call of given ?? tools.map((tool) => callOf(tool, tools))) {
    await attempt(() => callTool(caller, call, between));
  }
  for (const [list, method, key] of [
    ['resources', 'resources/read', 'uri'],
    ['prompts', 'prompts/get', 'name'],
  ] as const) {
    await attempt(async () => {
      const offers = ((await caller.request(`${list}/list`))[list] ?? []) as readonly Json[];
      for (const offer of offers) await attempt(() => caller.request(method, { [key]: offer[key] }));
    });
  }
  return errors;
}

function callOf({ name, inputSchema }: ToolDefinition, tools: readonly ToolDefinition[]): ToolCall {
  if (name === ECHO) {
    return { name, arguments: { schema: tools.find((tool) => tool.name === FOCAL)?.inputSchema } };
  }
  return { name, arguments: sampleValue({ ...inputSchema, type: 'object' }) as Json };
}

/** A call that is refused for a null where the schema has none is made again without it. */
async function callTool(caller: DoorCaller, call: ToolCall, between: () => Promise<void>): Promise<unknown> {
  try {
    return await caller.request('tools/call', { ...call }, between);
  } catch (error) {
    if (!(error instanceof RpcError) || error.error.data?.code !== INVALID_ARGUMENTS) throw error;
    const kept = Object.entries(call.arguments).filter(([, value]) => value !== null);
    return caller.request('tools/call', { ...call, arguments: Object.fromEntries(kept) }, between);
  }
}
