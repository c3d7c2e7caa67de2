/** Calls that are refused: the upstream sees nothing of them, and the answer tells a model how to mend the call. */
import { describe, expect, test } from 'vitest';
import { eventsOf, waitForEvents } from '../fixtures/events.js';
import { HOSTILE, type OpenDoor, openDoor, textOf, until, upstreamWith } from '../fixtures/open-door.js';

const TOOL = `{"name":"book","inputSchema":{"type":"object","properties":{"days":{"type":"integer","minimum":1},"email":{"type":"string"},"odd.key":{"type":"array","items":{"enum":["x","y"]}}},"required":["days"],"additionalProperties":false}}`;
const CLOSED = upstreamWith([TOOL]);

/** How many calls reached the upstream. */
const reached = ({ folder }: OpenDoor) => folder.received('u', 'tools/call').length;

describe('invalid arguments', () => {
  test('are -32602 with code, upstream, tool and issues, and never sent', async (test) => {
    const open = await openDoor(test, { upstreams: { u: CLOSED } });
    const { message } = await open.door.call('u__book', '{"days":"3"}');
    expect(message?.error).toMatchObject({
      code: -32602,
      data: { code: 'INVALID_ARGUMENTS', upstream: 'u', tool: 'book', issues: [{ path: '$.days' }] },
    });
    expect(message?.error?.message).toContain('book');
    expect(message?.error?.message).toContain('$.days: expected integer, got string');
    expect(reached(open)).toBe(0);
  });

  test('name every place, oddly named ones too, and hold no value', async (test) => {
    const open = await openDoor(test, { upstreams: { u: CLOSED } });
    const { message } = await open.door.call('u__book', '{"days":0,"odd.key":["x","secret-value"],"emial":"a@b"}');
    const issues = message?.error?.data?.issues as readonly { readonly path: string; readonly pointer: string }[];
    expect(issues.map(({ path }) => path)).toEqual(expect.arrayContaining(['$.days', '$["odd.key"][1]']));
    expect(issues.map(({ pointer }) => pointer)).toEqual(expect.arrayContaining(['/days', '/odd.key/1']));
    expect(JSON.stringify(message?.error)).not.toContain('secret-value');
    expect(JSON.stringify(message?.error)).toContain('emial');
    expect(reached(open)).toBe(0);
  });

  test('are at most 20 issues', async (test) => {
    const many = `{"name":"m","inputSchema":{"type":"object","additionalProperties":{"type":"integer"}}}`;
    const { door } = await openDoor(test, { upstreams: { u: upstreamWith([many]) } });
    const wrong = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${at}`, 'x']));
    const { message } = await door.call('u__m', JSON.stringify(wrong));
    expect(message?.error?.data?.issues).toHaveLength(20);
  });

  test('that are no object are refused, never replaced', async (test) => {
    const open = await openDoor(test, { upstreams: { u: upstreamWith(['{"name":"t","inputSchema":{}}']) } });
    for (const json of ['"{}"', '[]', '[1]', '5', 'true', '"x"']) {
      const { message } = await open.door.call('u__t', json);
      expect(message?.error, json).toMatchObject({ code: -32602, data: { code: 'INVALID_ARGUMENTS' } });
    }
    expect(reached(open)).toBe(0);
  });

  test('as a tool error, for models that cannot see protocol errors', async (test) => {
    const open = await openDoor(test, {
      upstreams: { u: CLOSED },
      config: { validation: { invalidArguments: 'tool-error' } },
    });
    const { message } = await open.door.call('u__book', '{"days":"3"}');
    expect(message?.error).toBeUndefined();
    expect(message?.result).toMatchObject({ isError: true, content: [{ type: 'text' }] });
    expect(JSON.stringify(message?.result)).toContain('$.days');
    expect(reached(open)).toBe(0);
  });
});

describe('names that occur twice', () => {
  const TWICE = [
    '{"days":1,"days":1}',
    '{"days":1,"\\u0064ays":1}',
    '{"days":1,"email":"a","x":{"a":1,"a":2}}',
    '{"days":1,"x":[{"a":1},{"b":{"c":1,"c":1}}]}',
    '{"__proto__":1,"__proto__":1}',
    '{"":1,"":2}',
  ];
  test('anywhere in arguments are refused', async (test) => {
    const open = await openDoor(test, {
      upstreams: { u: upstreamWith(['{"name":"t","inputSchema":{"type":"object"}}']) },
    });
    for (const json of TWICE) {
      const { message } = await open.door.call('u__t', json);
      expect(message?.error, json).toMatchObject({ code: -32602, data: { code: 'INVALID_ARGUMENTS' } });
    }
    expect(reached(open)).toBe(0);
    // The same names in different objects, and names that only look alike, are no duplicates.
    for (const json of ['{"a":{"b":1},"b":1}', '{"a":1,"A":1,"a ":1}', '{"é":1,"e\u0301":1}', '{"a":"\\"a\\":1"}']) {
      expect((await open.door.call('u__t', json)).message?.result, json).toBeDefined();
    }
  });

  test('in params or _meta are refused as well', async (test) => {
    const open = await openDoor(test, {
      upstreams: { u: upstreamWith(['{"name":"t","inputSchema":{"type":"object"}}']) },
    });
    await open.door.request('tools/list');
    const params = ['{"name":"u__t","arguments":{},"arguments":{"a":1}}', '{"name":"u__t","_meta":{},"_meta":{}}'];
    for (const [at, text] of params.entries()) {
      open.door.send(`{"jsonrpc":"2.0","id":${at},"method":"tools/call","params":${text}}`);
      expect([-32600, -32602]).toContain((await open.door.answer(at)).message?.error?.code);
    }
    expect(reached(open)).toBe(0);
  });
});

describe('arguments nested deeper than the limit', () => {
  test('are refused without harm; those within it pass', async (test) => {
    const open = await openDoor(test, {
      upstreams: { u: upstreamWith(['{"name":"t","inputSchema":{"type":"object"}}']) },
    });
    const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect((await open.door.call('u__t', nested(400))).message?.result).toBeDefined();
    for (const depth of [600, 100_000]) {
      const { message } = await open.door.call('u__t', nested(depth));
      expect([-32600, -32602, -32700], String(depth)).toContain(message?.error?.code);
    }
    expect(reached(open)).toBe(1);
  });
});

describe('tools whose schema is broken', () => {
  test('are not listed, are named on stderr, and a call to them says why', async (test) => {
    const { door } = await openDoor(test, { servers: { hostile: { command: process.execPath, args: [HOSTILE] } } });
    const list = await door.request('tools/list');
    expect(list.raw).not.toContain('null_properties');
    expect(list.raw).not.toContain('dangling_ref');
    for (const [tool, code] of [
      ['null_properties', 'SCHEMA_INVALID'],
      ['dangling_ref', 'UNRESOLVED_REF'],
    ] as const) {
      const { message } = await door.call(`hostile__${tool}`, '{}');
      expect(message?.error).toMatchObject({ code: -32602, data: { code: 'TOOL_EXCLUDED' } });
      expect(JSON.stringify(message?.error)).toContain(code);
      expect(door.stderr).toContain(tool);
    }
    expect(door.stderr).toContain('tool.excluded');
    expect(textOf(await door.call('hostile__count_calls'))).toBe('0');
  });
});

describe('results that break their outputSchema', () => {
  const tool =
    '{"name":"w","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"celsius":{"type":"number"}},"required":["celsius"]}}';
  const result = '{"content":[{"type":"text","text":"warm"}],"structuredContent":{"celsius":"warm"}}';

  test('are delivered unchanged, and reported', async (test) => {
    const { door } = await openDoor(test, { upstreams: { u: upstreamWith([tool], result) } });
    const answer = await door.call('u__w');
    expect(answer.raw).toContain(result);
    await waitForEvents(door, 'output.violation');
    expect(door.stderr).toContain('$.celsius');
  });

  test('are told apart from results that do not, whatever their shape', async (test) => {
    const output = '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}';
    const rows: readonly (readonly [string, string, number])[] = [
      ['fits', '{"content":[],"structuredContent":{"n":1.0,"more":true}}', 0],
      ['digits', '{"content":[],"structuredContent":{"n":12345678901234567890}}', 0],
      ['missing_member', '{"content":[],"structuredContent":{}}', 1],
      ['list', '{"content":[],"structuredContent":[{"n":1}]}', 1],
      ['nothing', '{"content":[],"structuredContent":null}', 1],
      ['word', '{"content":[],"structuredContent":"n"}', 1],
      ['digits_and_half', '{"content":[],"structuredContent":{"n":12345678901234567890.5}}', 1],
      ['failed', '{"content":[],"isError":true,"structuredContent":{"n":"x"}}', 0],
    ];
    const tools = rows.map(([name]) => `{"name":"${name}","inputSchema":{"type":"object"},"outputSchema":${output}}`);
    const free = '{"name":"free","inputSchema":{"type":"object"}}';
    const answers = [...rows, ['free', '{"content":[],"structuredContent":{"n":"x"}}', 0] as const].map(
      ([name, result]) => ({
        on: 'tools/call',
        tool: name,
        emit: [`{"jsonrpc":"2.0","id":$ID,"result":${result}}`],
      }),
    );
    const list = upstreamWith([...tools, free]).rules[0];
    const { door } = await openDoor(test, { upstreams: { u: { rules: [list, ...answers] } } });
    const violationsOf = (name: string) => eventsOf(door, 'output.violation').filter(({ tool }) => tool === name);
    for (const [name, result, count] of rows) {
      expect((await door.call(`u__${name}`)).raw, name).toContain(`"result":${result}`);
      if (count > 0) await until(() => violationsOf(name).length > 0, `a violation by ${name}`);
      expect(violationsOf(name), name).toHaveLength(count);
    }
    await door.call('u__free');
    expect(violationsOf('free')).toEqual([]);
  });

  test('become a tool error where the operator enforces them, for that upstream only', async (test) => {
    const upstreams = { strict: upstreamWith([tool], result), lax: upstreamWith([tool], result) };
    const entries = { strict: { validation: { outputs: 'enforce' } } };
    const { door } = await openDoor(test, { upstreams, entries });
    const strict = await door.call('strict__w');
    expect(strict.message?.result?.isError).toBe(true);
    expect(strict.raw).toContain('$.celsius');
    expect((await door.call('lax__w')).message?.result?.isError).toBeUndefined();
  });
});
