/** The choke point: what reaches an upstream has been judged, and what is refused tells nobody what was in it. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemoryTransport } from '../../test/fixtures/memory-transport.js';
import { VirtualClock } from '../../test/fixtures/virtual-clock.js';
import { DoorError, type DoorEvents, decodeText, EventBus, encodeText, JsonScanner } from '../base/index.js';
import type { ListedTool } from '../catalog/index.js';
import { locateCallParams } from '../protocol/index.js';
import { Client } from './client.js';

const MAX_DEPTH = 20;

interface Judged {
  readonly client: Client;
  readonly transport: MemoryTransport;
  readonly events: EventBus;
  tool(name: string): ListedTool;
  /** Calls with the params as a caller wrote them. @returns the failure, or undefined where the call was sent and answered */
  call(name: string, params: string): Promise<DoorError | undefined>;
  /** The `arguments` of each call that reached the upstream, as it reads them. */
  readonly reached: string[];
}

/** @param result what every call is answered with: `"result":...` or `"error":...` */
async function judged(tools: readonly unknown[], result = '"result":{"content":[]}'): Promise<Judged> {
  const reached: string[] = [];
  const transport = new MemoryTransport({
    tools,
    on: {
      'tools/call': ({ line, id }) => {
        reached.push(/"arguments":(.*)\}\}$/s.exec(line)?.[1] ?? line);
        return `{"jsonrpc":"2.0","id":${id},${result}}`;
      },
    },
  });
  const events = new EventBus();
  let listed: readonly ListedTool[] = [];
  const client = new Client({
    era: 'handshake',
    upstream: 'up',
    connect: () => transport,
    events,
    clock: new VirtualClock(),
    validation: { uncompilableOutput: 'exclude' },
    startTimeoutMs: 1_000,
    callTimeoutMs: 1_000,
    maxCallMs: 1_000,
    maxMessageBytes: 10_000_000,
    maxDepth: MAX_DEPTH,
    maxInFlight: 10,
    info: { name: 'doorward', version: '0' },
    listed: (list) => {
      listed = list.tools;
    },
  });
  await client.start();
  const tool = (name: string): ListedTool => listed.find((each) => each.name === name)!;
  const call = async (name: string, params: string): Promise<DoorError | undefined> => {
    const scanner = new JsonScanner({ nestingLimit: MAX_DEPTH + 2 });
    const message = encodeText(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
    if (!scanner.scan(message, 0, message.length)) throw new Error(`not JSON: ${params}`);
    const located = locateCallParams(scanner, message, scanner.find('params', message));
    if (typeof located === 'string') throw new Error(located);
    try {
      await client.call(tool(name), located, { principal: { id: 'me', kind: 'local' } });
      return undefined;
    } catch (thrown) {
      if (thrown instanceof DoorError) return thrown;
      throw thrown;
    }
  };
  return { client, transport, events, tool, call, reached };
}

const oneTool = (inputSchema: unknown): readonly unknown[] => [{ name: 't', inputSchema }];

describe('arguments that are no plain object', () => {
  const STRICT = { type: 'object', properties: { a: { type: 'integer' } }, additionalProperties: false };

  test.each<{ why: string; params: string; reaches?: string; says?: string }>([
    { why: 'absent means an empty object', params: '{"name":"t"}', reaches: '{}' },
    { why: 'null means an empty object', params: '{"name":"t","arguments":null}', reaches: '{}' },
    { why: 'blanks stay', params: '{"name":"t","arguments":{ "a" : 1 }}', reaches: '{ "a" : 1 }' },
    { why: 'an array', params: '{"name":"t","arguments":[]}', says: 'expected object, got array' },
    { why: 'a string', params: '{"name":"t","arguments":"{}"}', says: 'expected object, got string' },
    { why: 'a number', params: '{"name":"t","arguments":1e400}', says: 'expected object, got number' },
    { why: 'false', params: '{"name":"t","arguments":false}', says: 'expected object, got boolean' },
    { why: 'one name twice', params: '{"name":"t","arguments":{"a":1,"a":1}}', says: '"a" occurs twice' },
    {
      why: 'one name in two spellings',
      params: '{"name":"t","arguments":{"a":1,"\\u0061":1}}',
      says: '"a" occurs twice',
    },
    { why: 'deep down', params: '{"name":"t","arguments":{"b":[{"c":{"d":1,"d":2}}]}}', says: '"d" occurs twice' },
    {
      why: 'arguments twice',
      params: '{"name":"t","arguments":{"a":"x"},"arguments":{"a":1}}',
      says: '"arguments" occurs twice',
    },
    { why: 'the name twice', params: '{"name":"s","arguments":{"a":1},"name":"t"}', says: '"name" occurs twice' },
    {
      why: 'a token twice',
      params: '{"name":"t","_meta":{"progressToken":1,"progressToken":2}}',
      says: 'occurs twice',
    },
    {
      why: '2^53 + 1 is an integer',
      params: '{"name":"t","arguments":{"a":9007199254740993}}',
      reaches: '{"a":9007199254740993}',
    },
    { why: 'so is 1e400', params: '{"name":"t","arguments":{"a":1e400}}', reaches: '{"a":1e400}' },
    { why: 'and 1.0', params: '{"name":"t","arguments":{"a":1.0}}', reaches: '{"a":1.0}' },
    {
      why: 'a fraction past double precision is none',
      params: '{"name":"t","arguments":{"a":9007199254740993.5}}',
      says: '$.a: expected integer',
    },
  ])('$why', async ({ params, reaches, says }) => {
    const { call, reached } = await judged(oneTool(STRICT));
    const failure = await call('t', params);
    expect(reached).toEqual(reaches === undefined ? [] : [reaches]);
    if (says === undefined) expect(failure).toBeUndefined();
    else {
      expect(failure).toMatchObject({ code: 'INVALID_ARGUMENTS', data: { upstream: 'up', tool: 't' } });
      expect(failure?.message).toContain(`Invalid arguments for t: $`);
      expect(failure?.message).toContain(says);
      expect(failure?.data.issues).not.toEqual([]);
    }
  });
});

test.each([
  { depth: MAX_DEPTH, isSent: true },
  { depth: MAX_DEPTH + 1, isSent: false },
  { depth: 5_000, isSent: false },
])('arguments $depth levels deep', async ({ depth, isSent }) => {
  const { call, reached } = await judged(oneTool({ type: 'object' }));
  const failure = await call('t', `{"name":"t","arguments":${'{"a":'.repeat(depth - 1)}[]${'}'.repeat(depth - 1)}}`);
  expect(reached).toHaveLength(isSent ? 1 : 0);
  if (!isSent) expect(failure?.message).toContain(`$: nested more than ${MAX_DEPTH} levels deep`);
});

// What both validators know and mean the same by; ours and the suite's differences are judged in the schema room.
const NAMES = ['a', 'b', 'ü'] as const;
const scalar = fc.oneof(fc.constantFrom<unknown>('a', '', 'ü"\\', 0, -1, 2, 2.5, true, false, null));
const schema: fc.Arbitrary<object> = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 'array', 'object').map((type) => ({ type })),
    fc.constant({}),
    fc.array(scalar, { minLength: 1, maxLength: 3 }).map((values) => ({ enum: [...new Set(values)] })),
    scalar.map((value) => ({ const: value })),
    fc.record({ minimum: fc.integer({ min: -2, max: 3 }) }),
    fc.record({ maxLength: fc.nat(2) }),
    tie('schema').map((not) => ({ not })),
    tie('schema').map((items) => ({ type: 'array', items })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    objectWith(tie('schema')),
  ),
})).schema;

function objectWith(inner: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  return fc.record(
    {
      type: fc.constant('object'),
      properties: fc.dictionary(fc.constantFrom(...NAMES), inner),
      required: fc.uniqueArray(fc.constantFrom(...NAMES)),
      additionalProperties: fc.oneof(fc.boolean(), inner),
    },
    { requiredKeys: ['type'] },
  );
}

const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('value')),
  ),
})).value;

test('bytes reach the upstream if, and only if, an independent validator finds the arguments valid', async () => {
  const ajv = new Ajv2020({ strict: false, allErrors: false, unicodeRegExp: true });
  let sent = 0;
  const run = fc.asyncProperty(
    objectWith(schema),
    fc.array(fc.oneof(fc.dictionary(fc.constantFrom(...NAMES), value), value), { minLength: 1, maxLength: 5 }),
    async (inputSchema, values) => {
      const isValid = ajv.compile(inputSchema);
      const { call, reached, transport } = await judged(oneTool(inputSchema));
      const before = transport.sent.length;
      const wanted: string[] = [];
      for (const each of values) {
        const text = JSON.stringify(each);
        const failure = await call('t', `{"name":"t","arguments":${text}}`);
        if (isValid(each ?? {})) wanted.push(each === null ? '{}' : text);
        else expect(failure).toMatchObject({ code: 'INVALID_ARGUMENTS' });
      }
      expect(reached).toEqual(wanted);
      expect(transport.sent).toHaveLength(before + wanted.length);
      sent += wanted.length;
    },
  );
  await fc.assert(run, { numRuns: 300 });
  // Both ways are walked, or this shows nothing.
  expect(sent).toBeGreaterThan(50);
});

const SECRET = 'hunter2-';
const SECRET_NUMBER = 918273645;
/** Any value, its strings and numbers secret; names of members are not values. */
const secret: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.nat(9).map((i) => `${SECRET}${i}`),
    fc.nat(9).map((i) => SECRET_NUMBER + i / 4),
    fc.constantFrom(true, false, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES, 'c'), tie('value'), { maxKeys: 3 }),
  ),
})).value;
const picky: fc.Arbitrary<unknown> = fc.oneof(
  schema,
  fc.constantFrom<unknown>(
    { pattern: '^x$', maxLength: 3, format: 'email' },
    { multipleOf: 7, maximum: 10, exclusiveMinimum: 5 },
    { uniqueItems: true, maxItems: 1, contains: { const: 1 } },
    { propertyNames: { pattern: '^z' }, minProperties: 9, dependentRequired: { a: ['z'] } },
    { oneOf: [{ type: 'string' }, { enum: ['red', 'green'] }] },
    { if: { type: 'string' }, else: false },
  ),
);

test('a refusal names places and kinds, never a value', async () => {
  let refused = 0;
  const run = fc.asyncProperty(
    objectWith(picky),
    fc.dictionary(fc.constantFrom(...NAMES), secret),
    async (inputSchema, args) => {
      const { call } = await judged(oneTool(inputSchema));
      for (const params of [
        { name: 't', arguments: args },
        { name: 't', arguments: Object.values(args) },
      ]) {
        const failure = await call('t', JSON.stringify(params));
        if (failure === undefined) continue;
        refused++;
        const told = JSON.stringify([failure.message, failure.hint, failure.data]);
        expect(told).not.toContain(SECRET);
        expect(told).not.toContain(String(SECRET_NUMBER));
      }
    },
  );
  await fc.assert(run, { numRuns: 300 });
  expect(refused).toBeGreaterThan(100);
});

describe('answers', () => {
  const OUTPUT = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

  async function answered(result: string, outputSchema: unknown = OUTPUT) {
    const tools = [{ name: 't', inputSchema: { type: 'object' }, ...(outputSchema !== null && { outputSchema }) }];
    const { client, events, tool } = await judged(tools, result);
    const violations: DoorEvents['output.violation'][] = [];
    const warnings: string[] = [];
    events.on('output.violation', (event) => violations.push(event));
    events.on('server.warning', ({ warning }) => warnings.push(warning));
    const message = encodeText('{"id":0,"params":{"name":"t"}}');
    const scanner = new JsonScanner();
    scanner.scan(message, 0, message.length);
    const params = locateCallParams(scanner, message, scanner.find('params', message));
    if (typeof params === 'string') throw new Error(params);
    const { raw, violations: issues } = await client.call(tool('t'), params, {
      principal: { id: 'me', kind: 'local' },
    });
    expect(decodeText(raw.bytes)).toContain(result);
    return { issues, violations, warnings };
  }

  test.each<{ why: string; result: string; path?: string; warnings?: string[] }>([
    { why: 'fits', result: '"result":{"content":[],"structuredContent":{"n":1}}' },
    { why: 'breaks the schema', result: '"result":{"content":[],"structuredContent":{"n":"x"}}', path: '$.n' },
    { why: 'null is no object', result: '"result":{"content":[],"structuredContent":null}', path: '$' },
    {
      why: 'all digits count',
      result: '"result":{"content":[],"structuredContent":{"n":9007199254740993.5}}',
      path: '$.n',
    },
    { why: 'an error is not judged', result: '"result":{"content":[],"isError":true,"structuredContent":{"n":"x"}}' },
    { why: 'isError has to be true', result: '"result":{"isError":"true","structuredContent":{"n":"x"}}', path: '$.n' },
    { why: 'a protocol error is not judged', result: '"error":{"code":1,"message":"m","structuredContent":{"n":"x"}}' },
    { why: 'absent is told, not refused', result: '"result":{"content":[]}', warnings: ['missing-structured-content'] },
    { why: 'absent in an error is fine', result: '"result":{"content":[],"isError":true}' },
    {
      why: 'odd content',
      result: '"result":{"content":[{"type":"new"}],"structuredContent":{"n":1}}',
      warnings: ['odd-content'],
    },
    {
      why: 'a name twice, the last one is what readers see',
      result: '"result":{"content":[],"structuredContent":{"n":"x","n":1}}',
      warnings: ['duplicate-name'],
    },
  ])('$why', async ({ result, path, warnings = [] }) => {
    const told = await answered(result);
    expect(told.issues.map((issue) => issue.path)).toEqual(path === undefined ? [] : [path]);
    expect(told.violations).toEqual(path === undefined ? [] : [{ upstream: 'up', tool: 't', issues: told.issues }]);
    expect(told.warnings).toEqual(warnings);
  });

  test('without an outputSchema nothing is judged', async () => {
    const told = await answered('"result":{"content":[],"structuredContent":{"n":"x"}}', null);
    expect(told).toEqual({ issues: [], violations: [], warnings: [] });
  });

  test('a string of a megabyte is judged without being made, unless the schema looks into it', async () => {
    const long = 'x'.repeat(1_000_000);
    const result = `"result":{"content":[],"structuredContent":{"n":1,"s":"${long}"}}`;
    const kind = { type: 'object', properties: { s: { type: 'integer' } } };
    const length = { type: 'object', properties: { s: { maxLength: 999_999 } } };
    expect((await answered(result)).issues).toEqual([]);
    expect((await answered(result, kind)).issues).toMatchObject([{ path: '$.s', received: 'string' }]);
    expect((await answered(result, length)).issues).toMatchObject([{ path: '$.s', keyword: 'maxLength' }]);
  });
});

test('a call before the start lists first: there is no way around the judge', async () => {
  const { tool } = await judged(oneTool({ type: 'object', required: ['a'] }));
  const late = await judged(oneTool({ type: 'object', required: ['b'] }));
  await late.client.close();
  const failure = await late.call('t', '{"name":"t","arguments":{"b":1}}');
  expect(failure).toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
  expect(late.reached).toEqual([]);
  expect(tool('t').input.check({ a: 1 }).valid).toBe(true);
});
