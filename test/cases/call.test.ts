/** Cases of kind `call`: one tools/call against an inputSchema, per variant. What is forwarded is compared as text. */
import { describe, expect, test } from 'vitest';
import { openDoor, upstreamWith } from '../fixtures/open-door.js';
import { rawMember } from '../fixtures/raw-json.js';
import { type Case, casesRunIn, titleOf } from './cases.js';
import { OWN_CALL_CASES } from './own-cases.js';
import { OUTCOMES } from './words.js';

interface Variant {
  /** The whole line, where the case is about more than `arguments`. */
  readonly request_line?: string;
  readonly arguments_json?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly expect: {
    readonly outcome: string;
    readonly code?: number;
    readonly error_path?: string;
    readonly upstream_calls: number;
    readonly forwarded_arguments_json?: string;
    readonly message_mentions?: string;
    readonly upstream_meta_contains?: Readonly<Record<string, unknown>>;
    readonly upstream_progress_token?: string;
  };
}

interface CallCase extends Case {
  readonly input: {
    readonly inputSchema: object;
    readonly variants: readonly Variant[];
    readonly and_schema?: {
      readonly schema_json: string;
      readonly instances: readonly { readonly json: string; readonly verdict: string }[];
    };
  };
}

const GIVEN = casesRunIn('call.test.ts').filter(({ kind }) => kind === 'call');
const ALL = [...GIVEN, ...OWN_CALL_CASES] as unknown as readonly CallCase[];
let nextId = 1000;

describe('each case stands behind the same door', () => {
  test.for([
    ['and is judged and forwarded as it says', {}],
    [titleOf('g09'), { NODE_OPTIONS: '--disallow-code-generation-from-strings' }],
  ] as const)('%s', async ([, env], test) => {
    const upstreams = ALL.map((one) => [one.id, upstreamWith([definitionOf(one)])]);
    const open = await openDoor(test, { upstreams: Object.fromEntries(upstreams), env });
    await open.door.request('tools/list');
    for (const one of ALL) {
      for (const variant of one.input.variants) {
        // The design offers neither coercion nor pruning; where the outcome does not depend on them it still holds.
        if (variant.options !== undefined && variant.expect.outcome === 'forwarded' && one.id !== 'b04') continue;
        await expectVariant(open, one, variant);
      }
    }
    expect(open.door.stderr).not.toContain('EvalError');
  });
});

function definitionOf({ input }: CallCase): string {
  return `{"name":"t","inputSchema":${JSON.stringify(input.inputSchema)}}`;
}

async function expectVariant(
  { door, folder }: Awaited<ReturnType<typeof openDoor>>,
  one: CallCase,
  variant: Variant,
): Promise<void> {
  const why = `${one.id} ${variant.request_line ?? variant.arguments_json}`;
  const before = folder.received(one.id, 'tools/call').length;
  const id = nextId++;
  door.send(lineOf(one, variant, id));
  const { message } = await door.answer(id);
  const sent = folder.received(one.id, 'tools/call').slice(before);
  const wanted = variant.expect;
  expect(sent, why).toHaveLength(wanted.upstream_calls);
  if (wanted.outcome === 'forwarded') {
    expect(message?.result, why).toBeDefined();
    expect(rawMember(sent[0] ?? '', 'params', 'arguments'), why).toBe(wanted.forwarded_arguments_json);
    const meta = rawMember(sent[0] ?? '', 'params', '_meta') ?? '{}';
    expect(JSON.parse(meta), why).toMatchObject(wanted.upstream_meta_contains ?? {});
    if (wanted.upstream_progress_token !== undefined) expect(rawMember(meta, 'progressToken'), why).toBeDefined();
    return;
  }
  const { code } = OUTCOMES[wanted.outcome] ?? {};
  expect(message?.error, why).toMatchObject({ code: wanted.code, data: { code, upstream: one.id, tool: 't' } });
  const issues = message?.error?.data?.issues as readonly { readonly pointer: string }[];
  expect(
    issues.map(({ pointer }) => pointer),
    why,
  ).toContain(wanted.error_path);
  if (wanted.message_mentions !== undefined) expect(message?.error?.message, why).toContain(wanted.message_mentions);
}

/** The case's own line under an id and a name of ours, or one made around its arguments. */
function lineOf(one: CallCase, { request_line, arguments_json }: Variant, id: number): string {
  const line =
    request_line ??
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":${arguments_json}}}`;
  return line.replace(/"id":\d+/, `"id":${id}`).replace('"name":"t"', `"name":"${one.id}__t"`);
}

describe('b19, the second half', () => {
  test('a schema may name __proto__, and means an own key', async (test) => {
    const schema = (ALL.find(({ id }) => id === 'b19') as CallCase).input.and_schema;
    const { door, folder } = await openDoor(test, {
      upstreams: { u: upstreamWith([`{"name":"t","inputSchema":${schema?.schema_json}}`]) },
    });
    for (const { json, verdict } of schema?.instances ?? []) {
      const { message } = await door.call('u__t', json);
      expect(message?.error?.data?.code ?? 'valid', json).toBe(verdict === 'valid' ? 'valid' : 'INVALID_ARGUMENTS');
    }
    expect(folder.received('u', 'tools/call')).toHaveLength(1);
  });
});
