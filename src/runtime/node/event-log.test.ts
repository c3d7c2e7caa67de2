import { Writable } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type CallEvent, type DoorEvents, EventBus, type EventName } from '../../base/index.js';
import { type EventLogOptions, logEvents } from './event-log.js';

const CALL: CallEvent = {
  timeMs: 0,
  principal: 'me',
  door: 'stdio',
  upstream: 'up',
  tool: 't',
  transport: 'proxied',
  outcome: 'ok',
  durationMs: 1.23456,
  requestBytes: 2,
  responseBytes: 3,
  argumentsHash: 'abc',
};
const ISSUES = [
  { path: '$.a', message: 'expected integer, got string' },
  { path: '$', message: 'b is missing' },
];
/** One of each, and how a person reads it. */
const EVENTS: { readonly [Name in EventName]: { readonly event: DoorEvents[Name]; readonly says: string } } = {
  'upstream.connected': {
    event: { upstream: 'up', revision: '2025-11-25', tools: 3 },
    says: 'up is connected (2025-11-25, 3 tools)',
  },
  'upstream.lost': { event: { upstream: 'up', code: 'UPSTREAM_LOST', reason: 'it crashed' }, says: 'up: it crashed' },
  'upstream.relisted': { event: { upstream: 'up', tools: 3 }, says: 'up listed its tools anew (3)' },
  'mount.changed': {
    event: { upstream: 'up', change: 'unmounted', tools: 2, reason: 'nobody is signed in' },
    says: 'up: its 2 tools are unmounted: nobody is signed in',
  },
  'server.warning': { event: { upstream: 'up', warning: 'w', message: 'up: is odd' }, says: 'up: is odd' },
  'tool.excluded': {
    event: {
      upstream: 'up',
      tool: 't',
      code: 'SCHEMA_INVALID',
      which: 'inputSchema',
      schemaPath: '/type',
      reason: 'no type',
    },
    says: 'up: t is left out: inputSchema/type: no type (SCHEMA_INVALID)',
  },
  'tool.changed': { event: { upstream: 'up', tool: 't', change: 'added' }, says: 'up: t was added' },
  'call.completed': { event: CALL, says: 'up: t ok in 1.2 ms' },
  'call.rejected': {
    event: { ...CALL, outcome: 'rejected', issues: ISSUES },
    says: 'up: refused a call of t: $.a: expected integer, got string; $: b is missing',
  },
  'output.violation': {
    event: { upstream: 'up', tool: 't', issues: ISSUES },
    says: 'up: the answer of t breaks its outputSchema: $.a: expected integer, got string; $: b is missing',
  },
  'handler.failed': {
    event: { upstream: 'up', name: 't', reason: 'Error: it broke' },
    says: 'up: the handler of t failed: Error: it broke',
  },
  'elicitation.rejected': {
    event: { upstream: 'up', tool: 't', issues: [] },
    says: 'up: an answer to t was refused: ',
  },
  'auth.required': {
    event: { upstream: 'up', hint: 'Run: doorward login up' },
    says: 'up wants a login. Run: doorward login up',
  },
  'door.warning': { event: { warning: 'keys-unreadable', message: 'no keys' }, says: 'no keys' },
  'config.changed': { event: { path: 'a.json' }, says: 'a.json has changed' },
};
const NAMES = Object.keys(EVENTS) as EventName[];

function logged(options: EventLogOptions, tell: (bus: EventBus, stop: () => void) => void): string[] {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const bus = new EventBus();
  tell(bus, logEvents(bus, { ...options, stream }));
  return lines;
}

const emitAll = (bus: EventBus): void => {
  for (const name of NAMES) bus.emit(name, EVENTS[name].event as never);
};

test.each(NAMES)('%s reads as one sentence', (name) => {
  const lines = logged({ format: 'text', level: 'info' }, (bus) => bus.emit(name, EVENTS[name].event as never));
  expect(lines).toEqual([`doorward: ${EVENTS[name].says}\n`]);
});

test.each(['up: it crashed', 'up wants you to log in'])(
  'a loss that names its upstream does not name it twice: %s',
  (reason) => {
    const event = { upstream: 'up', code: 'UPSTREAM_LOST', reason } as const;
    expect(logged({ format: 'text', level: 'error' }, (bus) => bus.emit('upstream.lost', event))).toEqual([
      `doorward: ${reason}\n`,
    ]);
  },
);

test('a call of a tool that nobody offers is told without an upstream', () => {
  const event = { ...CALL, upstream: '', outcome: 'rejected', code: 'TOOL_UNKNOWN' } as const;
  expect(logged({ format: 'text', level: 'warn' }, (bus) => bus.emit('call.rejected', event))).toEqual([
    'doorward: refused a call of t: TOOL_UNKNOWN\n',
  ]);
});

test('that an upstream wants a login is said once in ten minutes', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const about = (upstream: string) => ({ upstream, hint: 'Run it' });
  const lines = logged({ format: 'text', level: 'warn' }, (bus) => {
    for (const upstream of ['a', 'b', 'a']) bus.emit('auth.required', about(upstream));
    vi.advanceTimersByTime(599_999);
    bus.emit('auth.required', about('a'));
    vi.advanceTimersByTime(1);
    bus.emit('auth.required', about('a'));
  });
  expect(lines.map((line) => line.slice('doorward: '.length)[0])).toEqual(['a', 'b', 'a']);
});

test('a refusal without issues tells its code', () => {
  const event = { ...CALL, outcome: 'rejected', code: 'BUSY' } as const;
  expect(logged({ format: 'text', level: 'warn' }, (bus) => bus.emit('call.rejected', event))).toEqual([
    'doorward: up: refused a call of t: BUSY\n',
  ]);
});

test('an answer of which nobody knows whose call it was for is told without a name', () => {
  const refused = { upstream: 'up', tool: '', issues: [] };
  const lines = logged({ format: 'text', level: 'warn' }, (bus) => bus.emit('elicitation.rejected', refused));
  expect(lines).toEqual(['doorward: up: an answer was refused: \n']);
});

describe('levels', () => {
  test.each([
    { level: 'error', names: ['upstream.lost', 'handler.failed'] },
    {
      level: 'warn',
      names: [
        'upstream.lost',
        'server.warning',
        'tool.excluded',
        'call.rejected',
        'output.violation',
        'handler.failed',
        'elicitation.rejected',
        'auth.required',
        'door.warning',
      ],
    },
    { level: 'info', names: NAMES },
  ] as const)('$level', ({ level, names }) => {
    const lines = logged({ format: 'json', level }, emitAll);
    expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(
      NAMES.filter((name) => (names as readonly string[]).includes(name)),
    );
  });

  test('calls cost no event where nobody reads of them', () => {
    logged({ format: 'text', level: 'warn' }, (bus) => {
      expect(bus.hears('call.completed')).toBe(false);
      expect(bus.hears('call.rejected')).toBe(true);
    });
  });
});

test('as JSON each line holds the whole event', () => {
  const [line] = logged({ format: 'json', level: 'info' }, (bus) => bus.emit('call.completed', CALL));
  expect(JSON.parse(line!)).toEqual({
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    level: 'info',
    event: 'call.completed',
    ...CALL,
  });
});

test.each(['text', 'json'] as const)('a hostile name stays one line of plain text (%s)', (format) => {
  const tool = 'a\nb\r\u001b[31mred\u0007\u2028\u0085\u009b2J\u202egnp.exe\u2066x';
  const event = { upstream: 'up', tool, change: 'added' } as const;
  const lines = logged({ format, level: 'info' }, (bus) => bus.emit('tool.changed', event));
  expect(lines).toHaveLength(1);
  const line = lines[0]!.slice(0, -1);
  expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
  if (format === 'json') expect((JSON.parse(line) as { tool: string }).tool).toBe(tool);
});

test('nothing is written once it is stopped', () => {
  const lines = logged({ format: 'text', level: 'info' }, (bus, stop) => {
    stop();
    emitAll(bus);
  });
  expect(lines).toEqual([]);
});
