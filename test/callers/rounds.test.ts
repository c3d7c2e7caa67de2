/** What the proof would say if something did cross: a check that sees nothing proves nothing. */
import { expect, test } from 'vitest';
import type { Message, Outcome } from './http-caller.js';
import { checkOutcome, type Figures } from './rounds.js';

const progress = (message: string, progressToken = 'same'): Message => ({
  method: 'notifications/progress',
  params: { message, progressToken },
});
const log = (name: string): Message => ({ method: 'notifications/message', params: { data: { name } } });
const question = (message: string): Message => ({ method: 'elicitation/create', params: { message } });
const answerTo = (name: string): Message => ({ id: 2, result: { structuredContent: { name } } });
const answerAfter = (name: string): Message => ({
  id: 2,
  result: { structuredContent: { answers: { form: { content: { name } } } } },
});
const HEARD = [progress('me'), log('me'), progress('me')];

function look(outcome: Partial<Outcome>, asks = false): Figures {
  const figures: Figures = { calls: 0, answers: 0, progress: 0, logs: 0, questions: 0, crossed: [], missing: [] };
  const whole = { answer: asks ? answerAfter('me') : answerTo('me'), heard: HEARD, asked: [], ...outcome };
  checkOutcome('me', whole, { where: 'here', asks, hearsLogs: true }, figures);
  return figures;
}

test('what is all its own is counted, and nothing else said', () => {
  expect(look({})).toEqual({ calls: 0, answers: 1, progress: 2, logs: 1, questions: 0, crossed: [], missing: [] });
  expect(look({ asked: [question('me')] }, true)).toMatchObject({ answers: 1, questions: 1, crossed: [], missing: [] });
});

test.each([
  { why: "another's answer", outcome: { answer: answerTo('you') }, asks: false },
  { why: "another's progress", outcome: { heard: [...HEARD, progress('you')] }, asks: true },
  { why: 'progress of another token', outcome: { heard: [...HEARD, progress('me', 'other')] }, asks: true },
  { why: "another's log message", outcome: { heard: [...HEARD, log('you')] }, asks: true },
  { why: "another's question", outcome: { asked: [question('you')] }, asks: true },
  {
    why: "the answer to another's question",
    outcome: { answer: answerAfter('you'), asked: [question('me')] },
    asks: true,
  },
])('$why has crossed', ({ outcome, asks }) => {
  expect(look(outcome, asks).crossed).toHaveLength(1);
});

test.each([
  { why: 'no answer', outcome: { answer: { id: 2, error: { code: -32603, message: 'no' } } }, asks: false },
  { why: 'less progress than was made', outcome: { heard: [progress('me'), log('me')] }, asks: false },
  { why: 'no log message', outcome: { heard: [progress('me'), progress('me')] }, asks: false },
  { why: 'a call that asks, and nobody asked', outcome: {}, asks: true },
])('$why is missing', ({ outcome, asks }) => {
  expect(look(outcome, asks).missing).toHaveLength(1);
});
