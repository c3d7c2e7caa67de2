import { expect, test } from 'vitest';
import type { Caller } from '../base/index.js';
import { ownAnswer } from './raw-answer.js';
import { checkResultType } from './result-types.js';

const TASKS = '{"io.modelcontextprotocol/tasks":{}}';

function check(resultType: string, extensions?: string): void {
  const capabilities = extensions === undefined ? {} : { extensions };
  checkResultType('up', 'tool', { ...ownAnswer('{}'), resultType }, { capabilities } as Caller);
}

test.each([
  { why: 'a whole answer', resultType: 'complete' },
  { why: 'a question', resultType: 'input_required' },
  { why: 'a task, to a caller that declared tasks', resultType: 'task', extensions: TASKS },
])('$why is a result', ({ resultType, extensions }) => {
  expect(() => check(resultType, extensions)).not.toThrow();
});

test.each([
  { why: 'a kind that nobody knows', resultType: 'stream' },
  { why: 'a task, to a caller that declared nothing', resultType: 'task' },
  {
    why: 'a task, to a caller of which another extension only speaks of tasks',
    resultType: 'task',
    extensions: `{"com.example/other":${TASKS}}`,
  },
])('$why is none', ({ resultType, extensions }) => {
  expect(() => check(resultType, extensions)).toThrowError(
    expect.objectContaining({ code: 'UPSTREAM_BROKE_PROTOCOL', data: { upstream: 'up', outcome: 'unknown' } }),
  );
});

test('a task is none where there is no caller to take it', () => {
  expect(() => checkResultType('up', 'tool', { ...ownAnswer('{}'), resultType: 'task' }, undefined)).toThrow();
});
