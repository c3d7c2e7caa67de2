/**
 * Cases of kind `tools`: one upstream lists these definitions. All of them stand behind one door, which is the point:
 * a bad definition costs its tool, never a neighbour.
 */
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Received } from '../fixtures/door-client.js';
import { eventsOf, waitForEvents } from '../fixtures/events.js';
import { namesOf, openDoor, type UpstreamScript } from '../fixtures/open-door.js';
import { rawMember } from '../fixtures/raw-json.js';
import { type Case, casesRunIn, getCase, titleOf } from './cases.js';
import { OWN_TOOLS_CASES } from './own-cases.js';
import { EXCLUDED_TOOL, EXCLUSION_CODES, OUTCOMES } from './words.js';

interface ToolsCase extends Case {
  readonly input: {
    readonly tools: readonly Record<string, unknown>[];
    readonly calls?: readonly CaseCall[];
  };
  readonly expect: {
    readonly listed?: readonly string[];
    readonly excluded?: readonly { readonly name: string; readonly reason: string; readonly schema_path?: string }[];
    /** a16 differs by option; the first word is ours by default. */
    readonly default?: ToolsCase['expect'];
  };
}

interface CaseCall {
  readonly tool: string;
  readonly arguments_json: string;
  readonly verdict: 'valid' | 'invalid';
  readonly error_path?: string;
  readonly result_json?: string;
}

const ALL = [...(casesRunIn('tools.test.ts') as readonly ToolsCase[]), ...(OWN_TOOLS_CASES as readonly ToolsCase[])];

/** A script that lists the case's tools and answers each call with a text. */
function scriptOf({ input }: ToolsCase): UpstreamScript {
  const list = `{"jsonrpc":"2.0","id":$ID,"result":{"tools":${JSON.stringify(input.tools)}}}`;
  const ok = '{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"called"}]}}';
  return {
    rules: [
      { on: 'tools/list', emit: [list] },
      { on: 'tools/call', emit: [ok] },
    ],
  };
}

const expectationOf = ({ expect: wanted }: ToolsCase) => wanted.default ?? wanted;

describe('behind one door', () => {
  test('each case lists what it should, and says why the rest is missing', async (test) => {
    const { door, folder } = await openDoor(test, {
      upstreams: Object.fromEntries(ALL.map((one) => [one.id, scriptOf(one)])),
    });
    const listed = namesOf(await door.request('tools/list'));
    for (const one of ALL) {
      const own = listed.filter((name) => name.startsWith(`${one.id}__`)).map((name) => name.slice(one.id.length + 2));
      expect(own, `${one.id}: ${one.title}`).toEqual(expectationOf(one).listed);
      for (const excluded of exclusionsOf(one)) {
        const answer = await door.call(`${one.id}__${excluded.name}`, '{}');
        expectExclusion(answer, one, excluded);
        const event = eventsOf(door, 'tool.excluded').find(
          ({ upstream, tool }) => upstream === one.id && tool === excluded.name,
        );
        expect(event, `${one.id} ${excluded.name}: the event`).toBeDefined();
        if (excluded.schema_path !== undefined) expect(event?.schemaPath).toContain(excluded.schema_path);
      }
      for (const call of one.input.calls ?? []) {
        if (!(expectationOf(one).listed ?? []).includes(call.tool)) continue;
        const before = folder.received(one.id, 'tools/call').length;
        expectVerdict(await door.call(`${one.id}__${call.tool}`, call.arguments_json), call, one);
        const sent = folder.received(one.id, 'tools/call').slice(before);
        const forwarded = sent.map((line) => rawMember(line, 'params', 'arguments'));
        expect(forwarded, `${one.id} ${call.arguments_json}`).toEqual(
          call.verdict === 'valid' ? [call.arguments_json] : [],
        );
      }
    }
  });
});

interface ExpectedExclusion {
  readonly name: string;
  readonly reason?: string;
  readonly schema_path?: string;
}

function exclusionsOf(one: ToolsCase): readonly ExpectedExclusion[] {
  const excluded: readonly (string | ExpectedExclusion)[] = expectationOf(one).excluded ?? [];
  return excluded.map((entry) => (typeof entry === 'string' ? { name: entry } : entry));
}

function expectExclusion({ message }: Received, one: ToolsCase, { name, reason }: ExpectedExclusion): void {
  const why = `${one.id} ${name}`;
  expect(message?.error?.code, why).toBe(EXCLUDED_TOOL.wire);
  expect(message?.error?.data?.code, why).toBe(EXCLUDED_TOOL.code);
  expect(message?.error?.message, why).toContain(name);
  if (reason !== undefined) expect(JSON.stringify(message?.error?.data), why).toContain(EXCLUSION_CODES[reason]);
}

function expectVerdict({ message }: Received, call: CaseCall, one: ToolsCase): void {
  const why = `${one.id} ${call.tool} ${call.arguments_json}`;
  if (call.verdict === 'valid') {
    expect(message?.result, why).toBeDefined();
    return;
  }
  const { wire, code } = OUTCOMES.rejected_before_send ?? {};
  expect(message?.error, why).toMatchObject({ code: wire, data: { code } });
  const issues = message?.error?.data?.issues as readonly { readonly pointer: string }[];
  if (call.error_path !== undefined)
    expect(
      issues.map(({ pointer }) => pointer),
      why,
    ).toContain(call.error_path);
}

describe('a16, both ways', () => {
  test(titleOf('a16'), async (test) => {
    const one = getCase('a16') as ToolsCase;
    const calls = one.input.calls ?? [];
    const result = `{"jsonrpc":"2.0","id":$ID,"result":${calls[0]?.result_json}}`;
    const script = { rules: [(scriptOf(one).rules as object[])[0], { on: 'tools/call', emit: [result] }] };
    const { door } = await openDoor(test, {
      upstreams: { strict: script, ignoring: script },
      entries: { ignoring: { validation: { uncompilableOutput: 'ignore' } } },
    });
    expect(namesOf(await door.request('tools/list'))).toEqual([
      'strict__good',
      'ignoring__broken_out',
      'ignoring__good',
    ]);
    const events = await waitForEvents(door, 'tool.excluded');
    expect(events).toMatchObject([
      { upstream: 'strict', tool: 'broken_out', code: 'UNRESOLVED_REF', which: 'outputSchema' },
    ]);
    expect(JSON.stringify(events)).toContain('#/$defs/ScreenInstance');
    expect(await waitForEvents(door, 'server.warning')).toContainEqual(
      expect.objectContaining({ upstream: 'ignoring', tool: 'broken_out', code: 'UNRESOLVED_REF' }),
    );
    const refused = await door.call('strict__broken_out', '{"id":"7"}');
    expect(refused.message?.error).toMatchObject({ code: -32602, data: { code: 'TOOL_EXCLUDED' } });
    const delivered = await door.call('ignoring__broken_out', '{"id":"7"}');
    expect(rawMember(delivered.raw, 'result')).toBe(calls[0]?.result_json);
  });
});

describe('a22, after a relist', () => {
  test(titleOf('a22'), async (test) => {
    const one = getCase('a22') as ToolsCase;
    const changed = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
    const script = { ...scriptOf(one), timeline: [{ at_ms: 50, emit: [changed] }] };
    const { door, folder } = await openDoor(test, { upstreams: { first: script, second: script } });
    for (let round = 0; round < 2; round++) {
      expect(namesOf(await door.request('tools/list'))).toHaveLength(4);
      for (const mount of ['first', 'second']) {
        for (const call of one.input.calls ?? [])
          expectVerdict(await door.call(`${mount}__${call.tool}`, call.arguments_json), call, one);
      }
      while (folder.received('first', 'tools/list').length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
});

describe('a30, with somebody listening', () => {
  test(titleOf('a30'), async (test) => {
    let connections = 0;
    const listener = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    test.onTestFinished(() => void listener.close());
    const { port } = listener.address() as { port: number };
    const one = getCase('a30') as ToolsCase;
    const tools = JSON.parse(JSON.stringify(one.input.tools).replaceAll(':9/', `:${port}/`)) as typeof one.input.tools;
    const { door } = await openDoor(test, { upstreams: { u: scriptOf({ ...one, input: { ...one.input, tools } }) } });
    expect(namesOf(await door.request('tools/list'))).toEqual(['u__good']);
    await door.call('u__remote_ref', '{"a":1}');
    expect(connections).toBe(0);
  });
});
