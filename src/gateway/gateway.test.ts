import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemoryGateway, paramsOf, SILENT, toolNamed } from '../../test/fixtures/memory-gateway.js';
import type { MemoryScript } from '../../test/fixtures/memory-transport.js';
import { settled } from '../../test/fixtures/virtual-clock.js';
import { type CallOptions, CallSignal, DoorError, decodeText, encodeText } from '../base/index.js';
import type { ToolAnswer } from './types.js';

const ME: CallOptions = { principal: { id: 'me', kind: 'local' }, door: 'test' };

const failureOf = (task: Promise<unknown>): Promise<DoorError> =>
  task.then(
    () => Promise.reject(new Error('it did not fail')),
    (thrown: unknown) => thrown as DoorError,
  );

const textOf = ({ json }: ToolAnswer): string => decodeText(json.bytes, json.start, json.end);

/** Lists `tools` and answers each call with the text of its params. */
const echo = (...tools: readonly object[]): MemoryScript => ({
  tools,
  on: {
    'tools/call': ({ id, line }) => {
      const params = line.slice(line.indexOf('"params":') + 9, -1);
      return `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"params":${params}}}`;
    },
  },
});
const failing: MemoryScript = { open: () => Promise.reject(new DoorError('UPSTREAM_UNREACHABLE', 'no such command')) };

describe('calls', () => {
  test('go to the mount of the name, under its own name, and come back as they are', async () => {
    const { gateway, transport } = bound(
      new MemoryGateway({ a: { scripts: [echo(toolNamed('x'))] }, b: { scripts: [echo(toolNamed('x'))] } }),
    );
    await gateway.listTools();
    const answer = await gateway.call(paramsOf('b__x', '{"n":1.10}'), ME);
    expect(textOf(answer)).toContain('"name":"x","arguments":{"n":1.10}');
    expect(answer).toMatchObject({ kind: 'result', isError: false, hasLineBreaks: false, violations: [] });
    expect(transport('a').received('tools/call')).toEqual([]);
  });

  test('of a tool whose upstream has not listed yet wait for that one', async () => {
    const { gateway, transport } = bound(
      new MemoryGateway({ a: { scripts: [SILENT] }, b: { scripts: [echo(toolNamed('x'))] } }),
    );
    await gateway.call(paramsOf('b__x'), ME);
    expect(transport('b').sent.map(({ method }) => method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/call',
    ]);
  });

  test('of a name nobody can have do not wait for an upstream that hangs', async () => {
    const { gateway, clock } = new MemoryGateway({ a: { scripts: [SILENT] }, b: {} });
    const failure = failureOf(gateway.call(paramsOf('b__nope'), ME));
    await clock.advance(5_000);
    expect(await Promise.race([failure, settled().then(() => 'it still waits')])).toMatchObject({
      code: 'TOOL_UNKNOWN',
    });
  });

  test('end at once when their caller gives up while an upstream is looked for', async () => {
    const { gateway } = new MemoryGateway({ a: { scripts: [SILENT] } });
    const signal = new CallSignal();
    const failure = failureOf(gateway.call(paramsOf('a__x'), { ...ME, signal }));
    await settled();
    signal.abort('gone');
    expect(await failure).toBe('gone');
    const direct = failureOf(gateway.callTool({ mount: 'a', tool: 'x' }, { ...ME, signal }));
    expect(await direct).toBe('gone');
  });

  test('of an excluded tool say why, by either name', async () => {
    const broken = { name: 'x', inputSchema: { type: 'object', properties: null } };
    const { gateway, transport } = bound(new MemoryGateway({ a: { scripts: [echo(broken)] } }));
    for (const task of [gateway.call(paramsOf('a__x'), ME), gateway.callTool({ mount: 'a', tool: 'x' }, ME)]) {
      const failure = await failureOf(task);
      expect(failure).toMatchObject({
        code: 'TOOL_EXCLUDED',
        data: {
          upstream: 'a',
          tool: 'x',
          reason: { code: 'SCHEMA_INVALID', which: 'inputSchema', schemaPath: '/properties' },
        },
      });
      expect(failure.message).toContain('x of a is left out: inputSchema/properties');
    }
    expect(transport('a').received('tools/call')).toEqual([]);
  });

  test.each([
    { mount: 'a', name: 'a__x' },
    // Its public names do not begin with the id as it is.
    { mount: 'my server', name: 'my_server__x' },
  ])('of a tool of $mount, which failed to start, say what it failed with', async ({ mount, name }) => {
    const { gateway } = new MemoryGateway({ [mount]: { scripts: [failing] }, b: {} });
    await gateway.listTools();
    const wanted = { code: 'UPSTREAM_UNREACHABLE', message: `${mount}: no such command` };
    expect(await failureOf(gateway.call(paramsOf(name), ME))).toMatchObject(wanted);
    expect(await failureOf(gateway.callTool({ mount, tool: 'x' }, ME))).toMatchObject(wanted);
    expect(await failureOf(gateway.call(paramsOf('b__nope'), ME))).toMatchObject({ code: 'TOOL_UNKNOWN' });
  });

  test('of an upstream that failed before it ever listed start it at once', async () => {
    const { gateway, attempts } = bound(new MemoryGateway({ a: { scripts: [failing, echo(toolNamed('x'))] } }));
    await gateway.listTools();
    await gateway.call(paramsOf('a__x'), ME);
    expect(attempts('a')).toHaveLength(2);
  });

  test.each([
    { asked: 'files__raed', hint: 'Did you mean files__read?' },
    { asked: 'files_read', hint: 'Did you mean files__read?' },
    { asked: 'something else entirely', hint: 'List the tools to see what there is.' },
    { asked: 'x'.repeat(5_000), hint: 'List the tools to see what there is.' },
  ])('of an unknown name help with it: $asked', async ({ asked, hint }) => {
    const { gateway } = new MemoryGateway({ files: { scripts: [echo(toolNamed('read'), toolNamed('write'))] } });
    await gateway.listTools();
    const failure = await failureOf(gateway.call(paramsOf(asked), ME));
    expect(failure).toMatchObject({ code: 'TOOL_UNKNOWN', hint });
    expect(failure.message.length).toBeLessThan(300);
  });

  test('by mount and tool help with both names', async () => {
    const { gateway } = new MemoryGateway({ files: { scripts: [echo(toolNamed('read'))] } });
    expect(await failureOf(gateway.callTool({ mount: 'flies', tool: 'read' }, ME))).toMatchObject({
      code: 'TOOL_UNKNOWN',
      message: 'There is no server "flies"',
      hint: 'Did you mean files?',
    });
    expect(await failureOf(gateway.callTool({ mount: 'files', tool: 'raed' }, ME))).toMatchObject({
      code: 'TOOL_UNKNOWN',
      message: 'files lists no tool "raed"',
      hint: 'Did you mean read?',
    });
  });

  test('of a denied tool are calls of no tool', async () => {
    const { gateway, transport } = bound(
      new MemoryGateway({
        a: { scripts: [echo(toolNamed('drop_all'), toolNamed('get'))], tools: { deny: ['drop_*'] } },
      }),
    );
    expect((await gateway.listTools()).map(({ name }) => name)).toEqual(['a__get']);
    expect(await failureOf(gateway.call(paramsOf('a__drop_all'), ME))).toMatchObject({ code: 'TOOL_UNKNOWN' });
    expect(await failureOf(gateway.callTool({ mount: 'a', tool: 'drop_all' }, ME))).toMatchObject({
      code: 'TOOL_UNKNOWN',
    });
    expect(transport('a').received('tools/call')).toEqual([]);
  });

  test('beyond maxInFlight are BUSY, and told as rejected', async () => {
    const waiting = { tools: [toolNamed('x')], on: { 'tools/call': () => undefined } };
    const fixture = new MemoryGateway({ a: { scripts: [waiting] } }, { limits: { maxInFlight: 2 } });
    const { gateway } = fixture;
    await gateway.listTools();
    void failureOf(gateway.call(paramsOf('a__x'), ME));
    void failureOf(gateway.call(paramsOf('a__x'), ME));
    expect(await failureOf(gateway.call(paramsOf('a__x'), ME))).toMatchObject({ code: 'BUSY', data: { limit: 2 } });
    expect(fixture.named('call.rejected')).toMatchObject([
      { upstream: 'a', tool: 'x', outcome: 'rejected', code: 'BUSY' },
    ]);
    expect(fixture.transport('a').received('tools/call')).toHaveLength(2);
  });

  test('after close fail, and start nothing', async () => {
    const { gateway, attempts } = bound(new MemoryGateway({ a: { scripts: [echo(toolNamed('x'))] } }));
    await gateway.listTools();
    await gateway.close();
    await gateway.close();
    expect(await failureOf(gateway.call(paramsOf('a__x'), ME))).toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
    expect((await gateway.listTools()).map(({ name }) => name)).toEqual(['a__x']);
    expect(attempts('a')).toHaveLength(1);
    expect(gateway.upstreams()).toEqual([{ id: 'a', state: { kind: 'closed' } }]);
  });
});

describe('callTool', () => {
  const strict = toolNamed('x', { inputSchema: { type: 'object', additionalProperties: false } });

  test.each([
    { why: 'closes our braces', text: '{}},"name":"y","arguments":{}' },
    { why: 'adds a member', text: '{},"name":"y"' },
    { why: 'ends the message and begins another', text: '{}}}\n{"jsonrpc":"2.0","id":1,"method":"tools/call"' },
    { why: 'is two values', text: '{} {}' },
    { why: 'is nothing', text: '' },
    { why: 'is blank', text: ' ' },
    { why: 'has a comment', text: '{}//' },
    { why: 'is not UTF-8', text: Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d) },
    { why: 'has a byte order mark', text: '\ufeff{}' },
  ])('refuses arguments text that $why', async ({ text }) => {
    const { gateway, transport } = bound(new MemoryGateway({ a: { scripts: [echo(strict)] } }));
    await gateway.listTools();
    const args = typeof text === 'string' ? encodeText(text) : text;
    const failure = await failureOf(gateway.callTool({ mount: 'a', tool: 'x', arguments: args }, ME));
    expect(failure).toMatchObject({ code: 'INVALID_ARGUMENTS', data: { upstream: 'a', tool: 'x' } });
    expect(transport('a').received('tools/call')).toEqual([]);
  });

  test('sends any other text unchanged, line breaks aside, or not at all', async () => {
    const { gateway, transport } = bound(new MemoryGateway({ a: { scripts: [echo(toolNamed('x'))] } }));
    await gateway.listTools();
    const hostile = fc.string({
      unit: fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', 'a', '1', ' ', '\n', '\u2028'),
    });
    const object = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value, undefined, 1));
    await fc.assert(
      fc.asyncProperty(fc.oneof(hostile, object, fc.json()), async (text) => {
        const before = transport('a').received('tools/call').length;
        await gateway.callTool({ mount: 'a', tool: 'x', arguments: encodeText(text) }, ME).catch(() => {});
        const sent = transport('a').received('tools/call').slice(before);
        expect(sent.length).toBe(isObject(text) ? 1 : 0);
        for (const { line } of sent) expect(line).toContain(`"name":"x","arguments":${onOneLine(text)}}`);
      }),
      { numRuns: 500 },
    );
  });

  test('without arguments sends an empty object', async () => {
    const { gateway, transport } = bound(new MemoryGateway({ a: { scripts: [echo(strict)] } }));
    await gateway.callTool({ mount: 'a', tool: 'x' }, ME);
    await gateway.callTool({ mount: 'a', tool: 'x', arguments: encodeText('null') }, ME);
    for (const { params } of transport('a').received('tools/call')) expect(params?.arguments).toEqual({});
  });

  test.each([3, 4])('is held to maxDepth like any other call: %i levels of 3', async (depth) => {
    const { gateway, transport } = bound(
      new MemoryGateway({ a: { scripts: [echo(toolNamed('x'))] } }, { limits: { maxDepth: 3 } }),
    );
    const args = encodeText(`${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`);
    const call = gateway.callTool({ mount: 'a', tool: 'x', arguments: args }, ME);
    if (depth > 3) expect(await failureOf(call)).toMatchObject({ code: 'INVALID_ARGUMENTS' });
    else await call;
    expect(transport('a').received('tools/call')).toHaveLength(depth > 3 ? 0 : 1);
  });
});

describe('answers', () => {
  const OUTPUT = { type: 'object', properties: { n: { type: 'integer' } } };
  const tools = [toolNamed('x', { outputSchema: OUTPUT, inputSchema: { type: 'object', required: ['id'] } })];
  const answering = (result: string): MemoryScript => ({
    tools,
    on: { 'tools/call': ({ id }) => `{"jsonrpc":"2.0","id":${id},${result}}` },
  });
  const BAD = '{"content":[], "structuredContent":{"n":"x"} }';

  test('that break the outputSchema pass unchanged, with an event', async () => {
    const fixture = new MemoryGateway({ a: { scripts: [answering(`"result":${BAD}`)] } });
    const answer = await fixture.gateway.call(paramsOf('a__x', '{"id":1}'), ME);
    expect(textOf(answer)).toBe(BAD);
    expect(answer.violations).toMatchObject([{ path: '$.n' }]);
    expect(fixture.named('output.violation')).toMatchObject([{ upstream: 'a', tool: 'x', issues: [{ path: '$.n' }] }]);
    expect(fixture.named('call.completed')).toMatchObject([{ outcome: 'ok', responseBytes: BAD.length }]);
  });

  test('that break it do not pass where that is enforced', async () => {
    const { gateway } = new MemoryGateway({
      a: { scripts: [answering(`"result":${BAD}`)], validation: { outputs: 'enforce' } },
    });
    const answer = await gateway.call(paramsOf('a__x', '{"id":1}'), ME);
    expect(answer).toMatchObject({ kind: 'result', isError: true, violations: [{ path: '$.n' }] });
    expect(JSON.parse(textOf(answer))).toEqual({
      content: [
        {
          type: 'text',
          text: 'The answer of x breaks its outputSchema and is not delivered:\n- $.n: expected integer, got string',
        },
      ],
      isError: true,
      _meta: { 'doorward/error': { code: 'INVALID_ANSWER', upstream: 'a', tool: 'x' } },
    });
  });

  test('enforcing changes nothing about answers that fit', async () => {
    const { gateway } = new MemoryGateway(
      { a: { scripts: [answering('"result":{"structuredContent":{"n":1}}')] } },
      { validation: { outputs: 'enforce' } },
    );
    expect(textOf(await gateway.call(paramsOf('a__x', '{"id":1}'), ME))).toBe('{"structuredContent":{"n":1}}');
  });

  test("an upstream's own error passes verbatim", async () => {
    const error = '{ "code":-32001,"message":"quota", "data":{"n":12345678901234567890} }';
    const fixture = new MemoryGateway({ a: { scripts: [answering(`"error":${error}`)] } });
    const answer = await fixture.gateway.call(paramsOf('a__x', '{"id":1}'), ME);
    expect(answer.kind).toBe('error');
    expect(textOf(answer)).toBe(error);
    expect(fixture.named('call.completed')).toMatchObject([{ outcome: 'error' }]);
  });

  test('a refusal is a protocol error, or a result for models that see no other', async () => {
    const fixture = new MemoryGateway({
      a: { scripts: [answering('"result":{}')] },
      b: { scripts: [answering('"result":{}')], validation: { invalidArguments: 'tool-error' } },
    });
    expect(await failureOf(fixture.gateway.call(paramsOf('a__x'), ME))).toMatchObject({ code: 'INVALID_ARGUMENTS' });
    const answer = await fixture.gateway.call(paramsOf('b__x'), ME);
    expect(answer).toMatchObject({ kind: 'result', isError: true, violations: [] });
    const result = JSON.parse(textOf(answer)) as { content: { text: string }[]; _meta: Record<string, unknown> };
    expect(result.content[0]?.text).toMatch(/^Invalid arguments for x: \$.*\n- \$.*\nCorrect the arguments/s);
    expect(result._meta['doorward/error']).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      upstream: 'b',
      tool: 'x',
      issues: [{}],
    });
    expect(fixture.named('call.rejected')).toMatchObject([{ upstream: 'a' }, { upstream: 'b', outcome: 'rejected' }]);
    expect(fixture.transport('b').received('tools/call')).toEqual([]);
  });
});

describe('events of calls', () => {
  const waiting: MemoryScript = { tools: [toolNamed('x')], on: { 'tools/call': () => undefined } };

  test('say who, what, how long and how it ended; never what was in it', async () => {
    const fixture = new MemoryGateway({ a: { scripts: [waiting] } });
    await fixture.gateway.listTools();
    await fixture.clock.advance(10_000);
    const answer = fixture.gateway.call(paramsOf('a__x', '{"password":"hunter2"}'), ME);
    await fixture.clock.advance(250);
    fixture.transport('a').answer(fixture.transport('a').sent.at(-1)!.id, { content: [], isError: true });
    await answer;
    expect(fixture.named('call.completed')).toEqual([
      {
        timeMs: 10_000,
        principal: 'me',
        door: 'test',
        upstream: 'a',
        tool: 'x',
        transport: 'proxied',
        outcome: 'tool-error',
        durationMs: 250,
        requestBytes: 22,
        responseBytes: '{"content":[],"isError":true}'.length,
        argumentsHash: expect.stringMatching(/^[0-9a-f]{16}$/),
      },
    ]);
    expect(JSON.stringify(fixture.events)).not.toContain('hunter2');
  });

  test.each<{
    how: string;
    end: (fixture: MemoryGateway, signal: CallSignal) => unknown;
    outcome: string;
    code?: string;
  }>([
    { how: 'cancelled', end: (_, signal) => signal.abort(Symbol('mine')), outcome: 'cancelled' },
    { how: 'out of time', end: ({ clock }) => clock.advance(60_001), outcome: 'timeout', code: 'TIMEOUT' },
    { how: 'lost', end: ({ transport }) => transport('a').lose(), outcome: 'error', code: 'UPSTREAM_LOST' },
    {
      how: 'broken',
      end: ({ transport }) => transport('a').answer(3, 5),
      outcome: 'error',
      code: 'UPSTREAM_BROKE_PROTOCOL',
    },
  ])('a call that is $how is told once', async ({ end, outcome, code }) => {
    const fixture = bound(new MemoryGateway({ a: { scripts: [waiting] } }));
    await fixture.gateway.listTools();
    const signal = new CallSignal();
    const failure = failureOf(fixture.gateway.call(paramsOf('a__x'), { ...ME, signal }));
    await end(fixture, signal);
    await failure;
    const told = [...fixture.named('call.completed'), ...fixture.named('call.rejected')];
    expect(told).toMatchObject([{ outcome, responseBytes: 0, ...(code !== undefined && { code }) }]);
  });
});

describe('pausing', () => {
  test('stops reading from every upstream, also from one that is ready only later', async () => {
    let ready = (): void => {};
    const late: MemoryScript = { open: () => new Promise<void>((resolve) => (ready = resolve)) };
    const { gateway, transport } = bound(new MemoryGateway({ a: {}, b: { scripts: [late] } }));
    gateway.start();
    await settled();
    gateway.pause();
    ready();
    await settled();
    await settled();
    expect(transport('a').paused).toBe(1);
    expect(gateway.upstreams()[1]?.state.kind).toBe('ready');
    expect(transport('b').paused).toBe(1);
    gateway.resume();
    expect([transport('a').paused, transport('b').paused]).toEqual([0, 0]);
  });
});

/** The fixture with its methods bound, so that they can be taken apart. */
function bound(fixture: MemoryGateway): MemoryGateway {
  fixture.transport = fixture.transport.bind(fixture);
  fixture.attempts = fixture.attempts.bind(fixture);
  return fixture;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return value === null || (typeof value === 'object' && !Array.isArray(value));
  } catch {
    return false;
  }
}

const onOneLine = (text: string): string => (JSON.parse(text) === null ? '{}' : text.replace(/[\r\n]/g, ' '));
