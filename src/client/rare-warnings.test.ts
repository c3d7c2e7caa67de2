import { expect, test } from 'vitest';
import { VirtualClock } from '../../test/fixtures/virtual-clock.js';
import { RareWarnings } from './rare-warnings.js';

function opened() {
  const clock = new VirtualClock();
  const told: string[] = [];
  const warnings = new RareWarnings(clock, (warning, message, tool) => told.push([warning, tool, message].join(' ')));
  return { clock, told, warnings };
}

test('each kind is told once in half a minute, and each tool by itself', async () => {
  const { clock, told, warnings } = opened();
  const tellAll = (message: string): void => {
    for (const kind of ['a', 'b']) for (const tool of [undefined, 'x', 'y']) warnings.tell(kind, message, tool);
  };
  tellAll('1');
  const all = ['a  1', 'a x 1', 'a y 1', 'b  1', 'b x 1', 'b y 1'];
  expect(told).toEqual(all);
  await clock.advance(29_999);
  tellAll('2');
  expect(told).toEqual(all);
  await clock.advance(1);
  tellAll('3');
  tellAll('4');
  expect(told.slice(all.length)).toEqual(all.map((each) => each.replace('1', '3')));
});

test('tools without end neither fill the log nor the memory, and keep nothing else from being told', async () => {
  const { clock, told, warnings } = opened();
  for (let i = 0; i < 5_000; i++) warnings.tell('a', 'm', `t${i}`);
  expect(told).toHaveLength(500);
  warnings.tell('noise', 'm');
  expect(told).toHaveLength(501);
  await clock.advance(30_000);
  warnings.tell('a', 'm', 't4999');
  expect(told.at(-1)).toBe('a t4999 m');
});
