/** What is asked of a caller over a stream, and what becomes of whatever it says to that. */
import { expect, test } from 'vitest';
import { settled } from '../../test/fixtures/virtual-clock.js';
import { type CallerCapabilities, CallSignal, decodeText, encodeText, joinPieces, sliceOf } from '../base/index.js';
import { readCapabilities, StreamCaller } from './stream-caller.js';

class Stream {
  readonly lines: string[] = [];
  isBehind = false;
  readonly caller = new StreamCaller({
    principal: { id: 'me', kind: 'local' },
    door: 'memory',
    capabilities: {},
    program: '',
    write: (pieces) => this.lines.push(decodeText(joinPieces(pieces))),
    isBehind: () => this.isBehind,
  });

  taken(): Record<string, unknown>[] {
    return this.lines.splice(0).map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  ask(signal = new CallSignal()): Promise<unknown> {
    return this.caller.ask({ method: 'roots/list', params: undefined }, signal).then(
      ({ kind, json }) => `${kind} ${decodeText(json.bytes, json.start, json.end)}`,
      (thrown: { code?: string }) => thrown.code ?? thrown,
    );
  }
}

const json = (text: string) => sliceOf(encodeText(text));

function ready(): Stream {
  const stream = new Stream();
  stream.caller.ready();
  return stream;
}

test('each question has an id of its own; answers find theirs in any order, once', async () => {
  const stream = ready();
  const [first, second] = [stream.ask(), stream.ask()];
  expect(stream.taken().map(({ id }) => id)).toEqual([1, 2]);
  stream.caller.answered('2', 'result', json('{"roots":\n[2]}'));
  stream.caller.answered('2', 'result', json('{"roots":["again"]}'));
  stream.caller.answered('1', 'error', json('{"code":-1,"message":"no"}'));
  stream.caller.answered('77', 'result', json('{}'));
  expect(await first).toBe('error {"code":-1,"message":"no"}');
  expect(await second).toBe('result {"roots": [2]}');
});

test.each(['{}', '{"code":"x","message":"m"}', '{"code":1.5,"message":"m"}', '{"code":1}'])(
  'an error that is none is not handed on: %s',
  async (text) => {
    const stream = ready();
    const answer = stream.ask();
    stream.caller.answered('1', 'error', json(text));
    expect(await answer).toBe('INVALID_ANSWER');
  },
);

test('a question taken back is told, and its late answer let pass', async () => {
  const stream = ready();
  const signal = new CallSignal();
  const answer = stream.ask(signal);
  stream.taken();
  signal.abort('enough');
  expect(await answer).toBe('enough');
  expect(stream.taken()).toMatchObject([{ method: 'notifications/cancelled', params: { requestId: 1 } }]);
  stream.caller.answered('1', 'result', json('{}'));
});

test('nothing is asked or told before the caller is ready, and then in order', async () => {
  const stream = new Stream();
  const signal = new CallSignal();
  const taken = stream.ask(signal);
  void stream.ask();
  stream.caller.tell('notifications/tools/list_changed');
  signal.abort('enough');
  await taken;
  expect(stream.lines).toEqual([]);
  stream.caller.ready();
  // What was taken back before it was sent was never there.
  expect(stream.taken().map(({ method }) => method)).toEqual(['roots/list', 'notifications/tools/list_changed']);
});

test('log messages before that are kept up to a bound, questions always', () => {
  const stream = new Stream();
  const long = `{"data":"${'x'.repeat(300_000)}"}`;
  for (let i = 0; i < 10; i++) stream.caller.tell('notifications/message', long);
  void stream.ask();
  stream.caller.ready();
  expect(stream.taken().map(({ method }) => method)).toEqual([
    ...Array.from({ length: 3 }, () => 'notifications/message'),
    'roots/list',
  ]);
});

test('a caller that does not read is spared log messages, nothing else', () => {
  const stream = ready();
  stream.isBehind = true;
  stream.caller.tell('notifications/message', '{}');
  stream.caller.tell('notifications/tools/list_changed');
  expect(stream.taken()).toHaveLength(1);
});

test('when the caller leaves, whoever waits hears of it, and who asks later too', async () => {
  const stream = ready();
  const answer = stream.ask();
  stream.caller.leave(Object.assign(new Error('gone'), { code: 'GONE' }) as never);
  expect(await answer).toBe('GONE');
  expect(await stream.ask()).toBe('GONE');
  stream.taken();
  stream.caller.tell('notifications/tools/list_changed');
  await settled();
  expect(stream.lines).toEqual([]);
});

test.each<{ declared: string; read: CallerCapabilities }>([
  { declared: '{}', read: {} },
  {
    declared: '{"elicitation":{},"roots":{"listChanged": true}}',
    read: { elicitation: '{}', roots: '{"listChanged": true}' },
  },
  { declared: '{"sampling":{"tools":{}},"experimental":{},"tasks":{}}', read: { sampling: '{"tools":{}}' } },
  { declared: '{"elicitation":true,"sampling":null,"roots":[]}', read: {} },
  { declared: '{"elicitation":{\n"form":{}}}', read: { elicitation: '{ "form":{}}' } },
  { declared: `{"sampling":{"x":"${'y'.repeat(5_000)}"}}`, read: { sampling: '{}' } },
  { declared: '[]', read: {} },
])('of what a caller declares, what it can be asked for is read as it was written: $declared', ({ declared, read }) => {
  expect(readCapabilities(json(declared))).toEqual(read);
});
