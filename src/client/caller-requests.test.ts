/** What an upstream asks of the caller behind its connection, and what ends such a question. */
import { describe, expect, test } from 'vitest';
import { Started } from '../../test/fixtures/started-client.js';
import { settled } from '../../test/fixtures/virtual-clock.js';
import { type CallerAnswer, type CallSignal, encodeText, orAborted, sliceOf } from '../base/index.js';
import type { AskCaller } from './caller-requests.js';

interface Asked {
  readonly method: string;
  readonly tool: string;
  readonly signal: CallSignal;
  readonly answer: (text: string) => void;
}

/** A client whose caller is asked by a test. */
async function askable(): Promise<{ up: Started; asked: Asked[] }> {
  const asked: Asked[] = [];
  const ask: AskCaller = (method, _, signal, tool) => {
    const answered = new Promise<CallerAnswer>((resolve) => {
      const answer = (text: string): void => resolve({ kind: 'result', json: sliceOf(encodeText(text)) });
      asked.push({ method, tool, signal, answer });
    });
    return orAborted(answered, signal);
  };
  const up = new Started([{ on: { 'tools/call': () => undefined } }], { ask });
  await up.client.start();
  return { up, asked };
}

const elicit = (id: number): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"elicitation/create","params":{"message":"?"}}`;
const repliesOf = ({ transport }: Started): unknown[] =>
  transport.sent.filter(({ method }) => method === undefined).map(({ message }) => message);

test('a question is put to the caller, and answered once, under the id of who asked', async () => {
  const { up, asked } = await askable();
  up.transport.say(elicit(7));
  asked[0]!.answer('{"action":"decline"}');
  await settled();
  expect(repliesOf(up)).toEqual([{ jsonrpc: '2.0', id: 7, result: { action: 'decline' } }]);
});

describe('a question is over for its caller', () => {
  test('when its upstream is lost, though it belongs to no call', async () => {
    const { up, asked } = await askable();
    up.transport.say(elicit(1), '{"jsonrpc":"2.0","id":2,"method":"roots/list"}');
    up.transport.lose();
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  });

  test('when the client is closed', async () => {
    const { up, asked } = await askable();
    up.transport.say(elicit(1));
    await up.client.close();
    expect(asked[0]!.signal.aborted).toBe(true);
  });

  test('when its upstream takes it back, which is then not answered', async () => {
    const { up, asked } = await askable();
    up.transport.say(elicit(1), '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
    await settled();
    expect(asked[0]!.signal.aborted).toBe(true);
    expect(repliesOf(up)).toEqual([]);
  });

  test('when the last call that it may be for is over, and no sooner', async () => {
    const { up, asked } = await askable();
    const calls = [up.call('some'), up.call('some')];
    up.transport.say(elicit(1));
    const ids = up.transport.received('tools/call').map(({ id }) => id);
    up.transport.answer(ids[0], { content: [] });
    await calls[0];
    expect(asked[0]!.signal.aborted).toBe(false);
    up.transport.answer(ids[1], { content: [] });
    await calls[1];
    await settled();
    expect(asked[0]!.signal.aborted).toBe(true);
    expect(repliesOf(up)).toMatchObject([{ id: 1, error: { code: -32603 } }]);
  });
});

test('roots/list is asked for the sake of no call, and outlives them all', async () => {
  const { up, asked } = await askable();
  const call = up.call('some');
  up.transport.say('{"jsonrpc":"2.0","id":1,"method":"roots/list"}');
  up.transport.answer(up.transport.received('tools/call')[0]!.id, { content: [] });
  await call;
  await settled();
  expect(asked[0]!.signal.aborted).toBe(false);
});
