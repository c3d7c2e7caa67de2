import { describe, expect, test } from 'vitest';
import { DoorError, ERROR_TABLE, type ErrorCode, toDoorError, unsent } from './errors.js';

describe('the table of codes', () => {
  // As design.md has it, row by row: what a code is worth on the wire and on the terminal. Two are ours: a prompt and a
  // resource that nobody has; the latter's wire code is that of MCP 2025-11-25 (server/resources, Error Handling).
  const rows: readonly [wire: number | null, exit: number, codes: readonly ErrorCode[]][] = [
    [-32602, 6, ['TOOL_UNKNOWN', 'TOOL_EXCLUDED', 'INVALID_ARGUMENTS', 'INVALID_ANSWER', 'STATE_INVALID']],
    [-32602, 6, ['PROMPT_UNKNOWN']],
    [-32002, 6, ['RESOURCE_UNKNOWN']],
    [-32020, 1, ['HEADER_MISMATCH']],
    [-32021, 1, ['CAPABILITY_MISSING']],
    [-32022, 1, ['VERSION_UNSUPPORTED']],
    [-32603, 4, ['UPSTREAM_UNREACHABLE', 'UPSTREAM_LOST', 'UPSTREAM_BROKE_PROTOCOL']],
    [-32603, 124, ['TIMEOUT']],
    [-32603, 3, ['AUTH_REQUIRED', 'FORBIDDEN']],
    [-32603, 1, ['MESSAGE_TOO_LARGE', 'BUSY', 'RATE_LIMITED', 'INTERNAL']],
    [
      null,
      7,
      ['UNSUPPORTED_DIALECT', 'UNRESOLVED_REF', 'SCHEMA_INVALID', 'SCHEMA_TOO_LARGE', 'CONTRACT_INVALID', 'DRIFT'],
    ],
    [null, 2, ['CONFIG_INVALID']],
  ];

  test('is the design’s, and has nothing else', () => {
    const expected = rows.flatMap(([wire, exit, codes]) => codes.map((code) => [code, { wire, exit }] as const));
    expect(ERROR_TABLE).toEqual(Object.fromEntries(expected));
  });

  test('has no wire code that MCP keeps for others, nor one of our own making', () => {
    for (const { wire } of Object.values(ERROR_TABLE)) {
      expect([null, -32602, -32603, -32002, -32020, -32021, -32022]).toContain(wire);
    }
  });
});

describe('DoorError', () => {
  test('says what happened, with facts and a hint', () => {
    const cause = new Error('below');
    const error = new DoorError('TIMEOUT', 'no answer within 5 ms', { data: { waitedMs: 5 }, hint: 'Wait.', cause });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ code: 'TIMEOUT', message: 'no answer within 5 ms', hint: 'Wait.', cause });
    expect(error.data).toEqual({ waitedMs: 5 });
    expect(String(error)).toBe('DoorError: no answer within 5 ms');
    expect(error.stack).toContain('errors.test.ts');
  });

  test('needs neither facts nor hint', () => {
    const error = new DoorError('BUSY', 'busy');
    expect(error.data).toEqual({});
    expect(error.hint).toBeUndefined();
    expect(error.cause).toBeUndefined();
  });

  test('carries its name on the prototype: it is no fact of one error', () => {
    expect(Object.keys(new DoorError('BUSY', 'busy'))).toEqual(['code', 'data', 'hint']);
  });
});

test('of a call that was never sent the outcome is not unknown', () => {
  const lost = new DoorError('UPSTREAM_LOST', 'it ended', {
    data: { outcome: 'unknown', upstream: 'a' },
    hint: 'Wait.',
  });
  expect(unsent(lost)).toMatchObject({
    code: 'UPSTREAM_LOST',
    message: 'it ended',
    data: { upstream: 'a' },
    hint: 'Wait.',
  });
  expect((unsent(lost) as DoorError).data).toEqual({ upstream: 'a' });
  const other = new DoorError('BUSY', 'busy');
  expect(unsent(other)).toBe(other);
  expect(unsent('enough')).toBe('enough');
});

describe('toDoorError', () => {
  test('leaves ours as it is', () => {
    const error = new DoorError('BUSY', 'busy');
    expect(toDoorError(error)).toBe(error);
  });

  const circular: Record<string, unknown> = {};
  circular.self = circular;
  class Unspeakable extends Error {
    override get message(): string {
      throw new Error('not even this');
    }
  }

  test.each<{ why: string; thrown: unknown; message: string }>([
    { why: 'an Error', thrown: new RangeError('too far'), message: 'too far' },
    { why: 'a string', thrown: 'oh', message: 'oh' },
    { why: 'nothing', thrown: undefined, message: 'undefined' },
    { why: 'a symbol', thrown: Symbol('s'), message: 'Symbol(s)' },
    { why: 'an object', thrown: circular, message: '[object Object]' },
  ])('makes INTERNAL of whatever else was thrown: $why', ({ thrown, message }) => {
    expect(toDoorError(thrown)).toMatchObject({ code: 'INTERNAL', message, cause: thrown });
  });

  test.each<{ why: string; thrown: unknown }>([
    { why: 'an object without a prototype', thrown: Object.create(null) },
    {
      why: 'one whose text throws',
      thrown: {
        toString: () => {
          throw new Error('no');
        },
      },
    },
    { why: 'an Error whose message throws', thrown: new Unspeakable() },
    { why: 'a proxy that was revoked', thrown: revoked() },
  ])('never throws itself: $why', ({ thrown }) => expect(toDoorError(thrown).code).toBe('INTERNAL'));
});

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
