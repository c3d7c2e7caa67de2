import { expect, test } from 'vitest';
import { nestingFor, refuseNesting } from './nesting.js';

test('a child knows that it is one deeper', () => {
  expect(nestingFor({})).toEqual({ DOORWARD_DEPTH: '1' });
  expect(nestingFor({ DOORWARD_DEPTH: '2' })).toEqual({ DOORWARD_DEPTH: '3' });
});

test.each(['', 'x', '-3', '1.5', '1e99'])('what is no depth (%j) counts as none', (text) => {
  expect(nestingFor({ DOORWARD_DEPTH: text })).toEqual({ DOORWARD_DEPTH: '1' });
});

test('a doorward that starts itself again and again ends, and says what to do', () => {
  expect(() => refuseNesting({ DOORWARD_DEPTH: '4' })).not.toThrow();
  expect(() => refuseNesting({ DOORWARD_DEPTH: '5' })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', hint: expect.stringContaining('mcpServers') }),
  );
});
