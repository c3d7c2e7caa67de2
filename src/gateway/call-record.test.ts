/** The event of a call tells how it ended, also of one that never went down to an upstream. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { MemoryGateway, paramsOf, SILENT, toolNamed } from '../../test/fixtures/memory-gateway.js';
import { settled, VirtualClock } from '../../test/fixtures/virtual-clock.js';
import {
  type CallEvent,
  type CallOptions,
  CallSignal,
  DoorError,
  type ErrorCode,
  EventBus,
  encodeText,
} from '../base/index.js';
import { CallRecord } from './call-record.js';
import type { Gateway } from './types.js';

const ME: CallOptions = { principal: { id: 'me', kind: 'local' }, door: 'test' };

/** What was told of a call that failed with `thrown`. */
function toldOf(thrown: unknown, options: CallOptions = ME): { completed: CallEvent[]; rejected: CallEvent[] } {
  const events = new EventBus();
  const told = { completed: [] as CallEvent[], rejected: [] as CallEvent[] };
  events.on('call.completed', (event) => void told.completed.push(event));
  events.on('call.rejected', (event) => void told.rejected.push(event));
  const target = { upstream: 'a', tool: 'x', transport: 'proxied' as const };
  CallRecord.begin(events, new VirtualClock(), target, paramsOf('a__x'), options)?.failed(thrown);
  return told;
}

describe('how a call ended', () => {
  test('a mistake of ours is an error of the code INTERNAL', () => {
    const { completed, rejected } = toldOf(new TypeError("Cannot read properties of undefined (reading 'kind')"));
    expect(completed).toMatchObject([{ upstream: 'a', tool: 'x', outcome: 'error', code: 'INTERNAL' }]);
    expect(completed[0]).not.toHaveProperty('issues');
    expect(rejected).toEqual([]);
  });

  test.each<{ code: ErrorCode; outcome: CallEvent['outcome'] }>([
    { code: 'INVALID_ARGUMENTS', outcome: 'rejected' },
    { code: 'TOOL_UNKNOWN', outcome: 'rejected' },
    { code: 'TOOL_EXCLUDED', outcome: 'rejected' },
    { code: 'BUSY', outcome: 'rejected' },
    { code: 'TIMEOUT', outcome: 'timeout' },
    { code: 'UPSTREAM_UNREACHABLE', outcome: 'error' },
    { code: 'UPSTREAM_LOST', outcome: 'error' },
    { code: 'UPSTREAM_BROKE_PROTOCOL', outcome: 'error' },
    { code: 'MESSAGE_TOO_LARGE', outcome: 'error' },
  ])('$code is $outcome', ({ code, outcome }) => {
    const { completed, rejected } = toldOf(new DoorError(code, 'why'));
    const [told, other] = outcome === 'rejected' ? [rejected, completed] : [completed, rejected];
    expect(told).toMatchObject([{ outcome, code }]);
    expect(other).toEqual([]);
  });

  test.each([
    { why: 'with the reason of its caller', thrown: 'enough' },
    { why: 'with a mistake of ours', thrown: new TypeError('t') },
    { why: 'with a refusal', thrown: new DoorError('INVALID_ARGUMENTS', 'why', { data: { issues: [] } }) },
  ])('a call that its caller has given up is cancelled, though it failed $why', ({ thrown }) => {
    const signal = new CallSignal();
    signal.abort('enough');
    const { completed, rejected } = toldOf(thrown, { ...ME, signal });
    expect(completed).toMatchObject([{ outcome: 'cancelled' }]);
    expect(completed[0]).not.toHaveProperty('code');
    expect(rejected).toEqual([]);
  });

  test('issues are told by place and message, and by nothing that shows a value', () => {
    const issues = [
      { path: '$.n', pointer: '/n', keyword: 'type', expected: 'integer', received: 'string', message: 'm' },
    ];
    const { rejected } = toldOf(new DoorError('INVALID_ARGUMENTS', 'why', { data: { issues } }));
    expect(rejected[0]?.issues).toEqual([{ path: '$.n', message: 'm' }]);
  });

  test('nothing is gathered where nobody listens', () => {
    const target = { upstream: 'a', tool: 'x', transport: 'proxied' as const };
    expect(CallRecord.begin(new EventBus(), new VirtualClock(), target, paramsOf('a__x'), ME)).toBeUndefined();
  });
});

test.each([
  { why: 'no JSON', args: '{"n":', says: 'not JSON at byte 5' },
  { why: 'two values', args: '{}{}', says: 'not JSON at byte 2' },
])('arguments that cannot be read are told as rejected: $why', async ({ args, says }) => {
  const fixture = new MemoryGateway({ a: { scripts: [{ tools: [toolNamed('x')] }] } });
  const call = { mount: 'a', tool: 'x', arguments: encodeText(args) };
  await expect(fixture.gateway.callTool(call, ME)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENTS',
    message: expect.stringContaining(says),
  });
  expect(fixture.named('call.rejected')).toMatchObject([
    {
      upstream: 'a',
      tool: 'x',
      code: 'INVALID_ARGUMENTS',
      requestBytes: args.length,
      argumentsHash: bytesToHex(sha256(encodeText(args))).slice(0, 16),
    },
  ]);
  expect(fixture.named('call.completed')).toEqual([]);
});

describe('a call of a tool that is not there', () => {
  const broken = { name: 'x', inputSchema: { type: 'object', properties: null } };

  test.each<{ why: string; call: (gateway: Gateway) => Promise<unknown>; told: object }>([
    {
      why: 'unknown by name',
      call: (gateway) => gateway.call(paramsOf('a__nope', '{"n":1}'), ME),
      told: { upstream: '', tool: 'a__nope', code: 'TOOL_UNKNOWN', requestBytes: 7 },
    },
    {
      why: 'unknown by mount and tool',
      call: (gateway) => gateway.callTool({ mount: 'a', tool: 'nope' }, ME),
      told: { upstream: 'a', tool: 'nope', code: 'TOOL_UNKNOWN' },
    },
    {
      why: 'of an unknown mount',
      call: (gateway) => gateway.callTool({ mount: 'nobody', tool: 'x' }, ME),
      told: { upstream: 'nobody', tool: 'x', code: 'TOOL_UNKNOWN' },
    },
    {
      why: 'excluded, by name',
      call: (gateway) => gateway.call(paramsOf('a__x'), ME),
      told: { upstream: 'a', tool: 'x', code: 'TOOL_EXCLUDED' },
    },
    {
      why: 'excluded, by mount and tool',
      call: (gateway) => gateway.callTool({ mount: 'a', tool: 'x' }, ME),
      told: { upstream: 'a', tool: 'x', code: 'TOOL_EXCLUDED' },
    },
  ])('is told once, as rejected: $why', async ({ call, told }) => {
    const fixture = new MemoryGateway({ a: { scripts: [{ tools: [broken, toolNamed('y')] }] } });
    await expect(call(fixture.gateway)).rejects.toBeInstanceOf(DoorError);
    expect(fixture.named('call.rejected')).toMatchObject([{ outcome: 'rejected', door: 'test', ...told }]);
    expect(fixture.named('call.completed')).toEqual([]);
    expect(fixture.attempts('a').flatMap((attempt) => attempt.received('tools/call'))).toEqual([]);
  });

  test('a name without end is told in part, whoever would own it', async () => {
    const failing = { open: () => Promise.reject(new DoorError('UPSTREAM_UNREACHABLE', 'no such command')) };
    const { gateway, events } = new MemoryGateway({ a: { scripts: [failing] } });
    const name = `a__${'n'.repeat(5_000)}`;
    for (const each of [name.slice(1), name]) await gateway.call(paramsOf(each), ME).catch(() => {});
    const told = events.filter((each) => each.name.startsWith('call.'));
    expect(told).toMatchObject([
      { name: 'call.rejected', event: { code: 'TOOL_UNKNOWN', tool: name.slice(1, 201) } },
      { name: 'call.completed', event: { code: 'UPSTREAM_UNREACHABLE', tool: name.slice(0, 200) } },
    ]);
  });

  test.each<{ why: string; call: (gateway: Gateway, options: CallOptions) => Promise<unknown>; told: object }>([
    { why: 'by name', call: (gateway, options) => gateway.call(paramsOf('a__x'), options), told: { tool: 'a__x' } },
    {
      why: 'by mount and tool',
      call: (gateway, options) => gateway.callTool({ mount: 'a', tool: 'x' }, options),
      told: { upstream: 'a', tool: 'x' },
    },
  ])('one that was given up while its upstream starts is told as cancelled: $why', async ({ call, told }) => {
    const fixture = new MemoryGateway({ a: { scripts: [SILENT] } });
    const signal = new CallSignal();
    const failure = call(fixture.gateway, { ...ME, signal }).catch((thrown: unknown) => thrown);
    await settled();
    signal.abort('enough');
    expect(await failure).toBe('enough');
    expect(fixture.named('call.completed')).toMatchObject([{ outcome: 'cancelled', ...told }]);
    expect(fixture.named('call.rejected')).toEqual([]);
  });
});
