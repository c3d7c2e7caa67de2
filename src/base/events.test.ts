import { describe, expect, test } from 'vitest';
import { EventBus } from './events.js';

const relisted = { upstream: 'u', tools: 3 };

describe('EventBus', () => {
  test('hands an event to those who asked for its name, and to those who hear all', () => {
    const bus = new EventBus();
    const heard: unknown[] = [];
    bus.on('upstream.relisted', (event) => heard.push(['relisted', event]));
    bus.on('config.changed', (event) => heard.push(['config', event]));
    bus.onAny((name, event) => heard.push([name, event]));
    bus.emit('upstream.relisted', relisted);
    expect(heard).toEqual([
      ['relisted', relisted],
      ['upstream.relisted', relisted],
    ]);
  });

  test('is deaf to those who have left', () => {
    const bus = new EventBus();
    const stops = [
      bus.on('upstream.relisted', () => expect.fail('heard')),
      bus.onAny(() => expect.fail('heard')),
      bus.on('upstream.relisted', () => {}),
    ];
    stops[0]!();
    stops[1]!();
    stops[1]!();
    bus.emit('upstream.relisted', relisted);
    expect(bus.hears('upstream.relisted')).toBe(true);
    stops[2]!();
    expect(bus.hears('upstream.relisted')).toBe(false);
  });

  test('knows whether anybody would hear a name', () => {
    const bus = new EventBus();
    expect(bus.hears('call.completed')).toBe(false);
    const stop = bus.on('call.completed', () => {});
    expect([bus.hears('call.completed'), bus.hears('call.rejected')]).toEqual([true, false]);
    stop();
    const stopAny = bus.onAny(() => {});
    expect(bus.hears('call.rejected')).toBe(true);
    stopAny();
    expect(bus.hears('call.rejected')).toBe(false);
  });

  test('lets a listener leave while it listens', () => {
    const bus = new EventBus();
    let heard = 0;
    const stop = bus.on('upstream.relisted', () => {
      heard++;
      stop();
    });
    bus.on('upstream.relisted', () => heard++);
    bus.emit('upstream.relisted', relisted);
    bus.emit('upstream.relisted', relisted);
    expect(heard).toBe(3);
  });
});

describe('a listener that fails', () => {
  test('spoils nothing for the others nor for who emits', () => {
    const bus = new EventBus();
    const heard: string[] = [];
    bus.on('upstream.relisted', () => {
      throw new Error('mine');
    });
    bus.on('upstream.relisted', () => heard.push('by name'));
    bus.onAny(() => {
      throw new Error('mine too');
    });
    bus.onAny(() => heard.push('any'));
    bus.emit('upstream.relisted', relisted);
    expect(heard).toEqual(['by name', 'any']);
  });

  test('does not end the process when it fails later: listeners may be async', async () => {
    const unhandled: unknown[] = [];
    const hear = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', hear);
    try {
      const bus = new EventBus();
      bus.on('upstream.relisted', async () => {
        throw new Error('mine');
      });
      bus.onAny(async () => Promise.reject(new Error('mine too')));
      bus.emit('upstream.relisted', relisted);
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', hear);
    }
  });
});
