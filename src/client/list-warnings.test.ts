/** What is odd about a list is told when it is news. */
import { expect, test } from 'vitest';
import { LIST_CHANGED } from '../../test/fixtures/memory-transport.js';
import { Started } from '../../test/fixtures/started-client.js';
import { settled } from '../../test/fixtures/virtual-clock.js';
import { ListWarnings } from './list-warnings.js';

class Told {
  readonly told: string[] = [];
  readonly warnings = new ListWarnings(({ message }) => this.told.push(message));

  /** Reads a list about which this is odd. @returns what was told of it */
  async read(odd: string, list = 'tools', fails = false): Promise<string> {
    this.told.length = 0;
    const reading = this.warnings.during(list, async (warn) => {
      for (const message of odd) warn({ warning: 'kind', message });
      if (fails) throw new Error('broke off');
      return odd;
    });
    await reading.then(
      (result) => expect([result, fails]).toEqual([odd, false]),
      (thrown: Error) => expect([thrown.message, fails]).toEqual(['broke off', true]),
    );
    return this.told.join('');
  }
}

test('it is told once, until it is gone and back', async () => {
  const odd = new Told();
  expect(await odd.read('abb')).toBe('ab');
  expect(await odd.read('ab')).toBe('');
  expect(await odd.read('ac')).toBe('c');
  expect(await odd.read('abc')).toBe('b');
  expect(await odd.read('')).toBe('');
  expect(await odd.read('a')).toBe('a');
});

test('lists are kept apart', async () => {
  const odd = new Told();
  await odd.read('ab');
  expect(await odd.read('a', 'prompts')).toBe('a');
  expect(await odd.read('ab')).toBe('');
});

test('a list that breaks off makes nothing news again', async () => {
  const odd = new Told();
  expect(await odd.read('a', 'tools', true)).toBe('a');
  expect(await odd.read('ab')).toBe('b');
  expect(await odd.read('a', 'tools', true)).toBe('');
  expect(await odd.read('ab')).toBe('');
});

test('a server that lists anew, and one that is started anew, are not told of anew', async () => {
  const up = new Started([{ tools: [{ name: 'x', inputSchema: {} }] }]);
  await up.client.start();
  expect(up.warnings()).toEqual(['missing-root-type']);
  up.transport.say(LIST_CHANGED);
  await settled();
  expect(up.lists).toHaveLength(2);
  up.transport.lose();
  await up.clock.advance(1_000);
  expect(up.lists).toHaveLength(3);
  expect(up.warnings()).toEqual(['missing-root-type']);
});
