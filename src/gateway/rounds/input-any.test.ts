/** Whatever an upstream asks and whatever a caller says: one of two errors, or the very bytes. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ELICIT, slice, textOf } from '../../../test/fixtures/rounds-stage.js';
import { DoorError, encodeText, sliceOf } from '../../base/index.js';
import { digestOfRequest } from './input-digest.js';
import { readInputRequired } from './input-requests.js';
import { judgeResponses, writeResponses } from './input-responses.js';

const ALL = { elicitation: '{"form":{},"url":{}}', sampling: '{}', roots: '{}' };
const OPTIONS = { upstream: 'up', capabilities: ALL, formats: 'warn', schemas: 'warn' } as const;

const anyKey = fc.oneof(fc.constantFrom('k', '__proto__', 'constructor', '', 'é\u2028"\\'), fc.string());
const anyRequest = fc.oneof(
  fc.constant(ELICIT as unknown),
  fc.record({ method: fc.constantFrom('sampling/createMessage', 'roots/list'), params: fc.jsonValue() }),
  fc.record({ method: fc.constantFrom('elicitation/create', 'tools/call'), params: fc.jsonValue() }),
  fc.record({
    method: fc.constant('elicitation/create'),
    params: fc.record({
      mode: fc.constant('url'),
      url: fc.oneof(fc.webUrl({ validSchemes: ['https', 'http'] }), fc.string()),
    }),
  }),
  fc.jsonValue(),
);
const entries = <Value>(value: fc.Arbitrary<Value>) => fc.array(fc.tuple(anyKey, value), { maxLength: 4 });
/** Objects with any names, `__proto__` among them, and names twice. */
const objectText = (members: readonly (readonly [string, unknown])[]): string =>
  `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(' , ')}}`;

/** What comes of it, or the code of the error; anything else that is thrown fails the test. */
function outcomeOf<Value>(task: () => Value): Value | string {
  try {
    return task();
  } catch (thrown) {
    if (thrown instanceof DoorError) return thrown.code;
    throw thrown;
  }
}

test('input-required results', () => {
  let read = 0;
  fc.assert(
    fc.property(
      entries(anyRequest),
      fc.option(fc.string(), { nil: undefined }),
      fc.jsonValue(),
      (requests, state, more) => {
        const tail = state === undefined ? '' : `,"requestState":${JSON.stringify(state)}`;
        const text = `{"resultType":"input_required","inputRequests":${objectText(requests)}${tail},"more":${JSON.stringify(more)}}`;
        const required = outcomeOf(() => readInputRequired(sliceOf(encodeText(text)), OPTIONS));
        if (typeof required === 'string') {
          expect(required).toBe('UPSTREAM_BROKE_PROTOCOL');
          return;
        }
        read++;
        expect(required.requests.map(({ key }) => key)).toEqual(requests.map(([key]) => key));
        expect(required.state).toBe(state === undefined ? undefined : JSON.stringify(state));
        const own = textOf(required.withState('SEALED'));
        if (state !== undefined) expect(own).toBe(text.replace(tail, () => ',"requestState":"SEALED"'));
        else expect(own).toBe(`{"requestState":"SEALED",${text.slice(1)}`);
        for (const { sealed } of required.requests) expect(JSON.stringify(sealed)).not.toContain('"message"');
      },
    ),
    { numRuns: 500 },
  );
  expect(read).toBeGreaterThan(50);
});

describe('input responses', () => {
  const requests = [
    {
      key: 'k',
      method: 'elicitation/create',
      params: JSON.stringify({ requestedSchema: ELICIT.params.requestedSchema }),
    },
    { key: '__proto__', method: 'sampling/createMessage' },
  ];
  const anyResponse = fc.oneof(
    fc.constant({ action: 'accept', content: { name: 'x' } } as unknown),
    fc.record({ action: fc.constantFrom('accept', 'decline', 'cancel'), content: fc.jsonValue() }),
    fc.jsonValue(),
  );

  test('only what was asked for, as it was said, or nothing at all', () => {
    let judged = 0;
    fc.assert(
      fc.property(entries(anyResponse), (members) => {
        let rejected = 0;
        const options = { upstream: 'up', formats: 'warn', rejected: () => void rejected++ } as const;
        const text = sliceOf(encodeText(objectText(members)));
        const outcome = outcomeOf(() => judgeResponses(text, requests, options));
        if (typeof outcome === 'string') {
          expect(outcome).toBe('INVALID_ANSWER');
          return;
        }
        judged++;
        expect(rejected).toBe(0);
        const asked = members.filter(([key]) => key === 'k' || key === '__proto__');
        expect([...outcome.answers.keys()].sort()).toEqual(asked.map(([key]) => key).sort());
        expect([...outcome.missing, ...outcome.answers.keys()].sort()).toEqual(['__proto__', 'k']);
        const written = JSON.parse(writeResponses(outcome.answers)) as object;
        expect(Object.keys(written).sort()).toEqual(asked.map(([key]) => key).sort());
        for (const [key, value] of asked) {
          const said = textOf(outcome.answers.get(key)!.json);
          const { action } = value as { readonly action?: string };
          if (key === 'k' && action !== 'accept') expect(JSON.parse(said)).toEqual({ action });
          else expect(said).toBe(JSON.stringify(value));
        }
      }),
      { numRuns: 500 },
    );
    expect(judged).toBeGreaterThan(50);
  });
});

describe('the digest of a request', () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => [name, reversed(member)] as const);
    return Object.fromEntries(members.reverse());
  };

  test('is that of what it asks for, however it is written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat({ max: 4 }), (args, indent) => {
        const one = digestOfRequest('tools/call', slice({ name: 'x', arguments: args }));
        const other = {
          arguments: reversed(args),
          _meta: { a: args },
          name: 'x',
          requestState: 's',
          inputResponses: {},
        };
        const text = JSON.stringify(other, undefined, indent);
        expect(digestOfRequest('tools/call', sliceOf(encodeText(text)))).toBe(one);
        expect(digestOfRequest('prompts/get', slice({ name: 'x', arguments: args }))).not.toBe(one);
      }),
    );
  });

  test('differs where what is asked for does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const [one, other] = [a, b].map((args) =>
          digestOfRequest('tools/call', slice({ name: 'x', arguments: { args } })),
        );
        const isSame = JSON.stringify(inOrder(a)) === JSON.stringify(inOrder(b));
        expect(one === other).toBe(isSame);
      }),
    );
  });

  /** Members in the order of their names. */
  const inOrder = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inOrder);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => [name, inOrder(member)] as const);
    return Object.fromEntries(members.sort(([x], [y]) => (x < y ? -1 : 1)));
  };

  test('of more than a megabyte is that of what is written, in time', () => {
    const large = 'x'.repeat(1024 * 1024);
    const one = digestOfRequest('tools/call', slice({ name: 'x', arguments: { large, a: 1 } }));
    const again = { requestState: 's', arguments: { large, a: 1 }, _meta: { a: 1 }, inputResponses: {}, name: 'x' };
    expect(digestOfRequest('tools/call', slice(again))).toBe(one);
    const others = [
      { name: 'x', arguments: { large, a: 2 } },
      { name: 'x', arguments: { large: `${large}x`, a: 1 } },
      { name: 'y', arguments: { large, a: 1 } },
    ];
    for (const other of others) expect(digestOfRequest('tools/call', slice(other))).not.toBe(one);
    expect(digestOfRequest('prompts/get', slice({ name: 'x', arguments: { large, a: 1 } }))).not.toBe(one);
    const uri = (more: object) => digestOfRequest('resources/read', slice({ uri: large, ...more }));
    expect(uri({ requestState: 's' })).toBe(uri({}));
    expect(uri({ other: 1 })).not.toBe(uri({}));
    const members = Object.fromEntries(Array.from({ length: 300_000 }, (_, at) => [`a${at}`, 1]));
    const many = slice({ name: 'x', arguments: members });
    const began = process.cpuUsage();
    digestOfRequest('tools/call', many);
    const { user, system } = process.cpuUsage(began);
    // It took two seconds when each member was read.
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });

  test('arguments as deep as any judge allows have one; deeper ones an error that says so, not a crash', () => {
    const nested = (depth: number) =>
      sliceOf(encodeText(`{"name":"x","arguments":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`));
    expect(digestOfRequest('tools/call', nested(600))).toMatch(/^[0-9a-f]{64}$/);
    const outcome = outcomeOf(() => digestOfRequest('tools/call', nested(200_000)));
    expect(outcome).toBe('INVALID_ARGUMENTS');
  });
});
