import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CallSignal, type CancelListener, type CancelSignal, orAborted } from './cancel.js';

describe('CallSignal', () => {
  test('tells whom an AbortSignal would tell, in the same order, once', () => {
    const anyStep = fc.record({ kind: fc.constantFrom('add', 'add', 'remove'), who: fc.nat(3) });
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 12 }), (steps) => {
        const told = (signal: CancelSignal, abort: () => void): number[] => {
          const heard: number[] = [];
          const listeners = [0, 1, 2, 3].map((who): CancelListener => ({ handleEvent: () => void heard.push(who) }));
          for (const { kind, who } of steps) {
            if (kind === 'add') signal.addEventListener('abort', listeners[who]!);
            else signal.removeEventListener('abort', listeners[who]!);
          }
          abort();
          abort();
          return heard;
        };
        const ours = new CallSignal();
        const real = new AbortController();
        expect(told(ours, () => ours.abort('why'))).toEqual(told(real.signal, () => real.abort('why')));
      }),
      { numRuns: 500 },
    );
  });

  test('keeps the first reason', () => {
    const signal = new CallSignal();
    expect([signal.aborted, signal.reason]).toEqual([false, undefined]);
    signal.abort('first');
    signal.abort('second');
    expect([signal.aborted, signal.reason]).toEqual([true, 'first']);
  });

  test('shows its listeners that it has ended, and why', () => {
    const signal = new CallSignal();
    const seen: unknown[] = [];
    signal.addEventListener('abort', { handleEvent: () => void seen.push(signal.aborted, signal.reason) });
    signal.abort('why');
    expect(seen).toEqual([true, 'why']);
  });

  test('tells nobody who comes too late: they must look at `aborted` first', () => {
    const signal = new CallSignal();
    signal.abort('why');
    signal.addEventListener('abort', { handleEvent: () => expect.fail('told') });
    signal.abort('again');
  });

  test('bears a listener that takes itself off while it is told', () => {
    const signal = new CallSignal();
    const heard: string[] = [];
    const first: CancelListener = {
      handleEvent: () => {
        heard.push('first');
        signal.removeEventListener('abort', first);
      },
    };
    signal.addEventListener('abort', first);
    signal.addEventListener('abort', { handleEvent: () => void heard.push('second') });
    signal.abort('why');
    expect(heard).toEqual(['first', 'second']);
  });
});

describe('orAborted', () => {
  /** A signal that counts who listens. */
  class Counting extends CallSignal {
    listeners = 0;
    override addEventListener(type: 'abort', listener: CancelListener): void {
      this.listeners++;
      super.addEventListener(type, listener);
    }
    override removeEventListener(type: 'abort', listener: CancelListener): void {
      this.listeners--;
      super.removeEventListener(type, listener);
    }
  }

  test.each([
    { why: 'without a signal', signal: () => undefined },
    { why: 'with ours', signal: () => new CallSignal() },
    { why: 'with a real one', signal: () => new AbortController().signal },
  ])('is the task when nothing ends it: $why', async ({ signal }) => {
    await expect(orAborted(Promise.resolve(7), signal())).resolves.toBe(7);
    await expect(orAborted(Promise.reject(new Error('its own')), signal())).rejects.toThrow('its own');
  });

  test('fails with the reason itself when the signal ends, before or while it waits', async () => {
    const never = new Promise<never>(() => {});
    const reason = { any: 'thing' };
    const early = new CallSignal();
    early.abort(reason);
    await expect(orAborted(never, early)).rejects.toBe(reason);
    const late = new CallSignal();
    const waiting = orAborted(never, late);
    late.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    const real = new AbortController();
    const other = orAborted(never, real.signal);
    real.abort(reason);
    await expect(other).rejects.toBe(reason);
  });

  test('leaves no listener behind', async () => {
    const signal = new Counting();
    await orAborted(Promise.resolve(), signal);
    await orAborted(Promise.reject(new Error('x')), signal).catch(() => {});
    const waiting = orAborted(new Promise(() => {}), signal).catch(() => {});
    expect(signal.listeners).toBe(1);
    signal.abort('why');
    await waiting;
    expect(signal.listeners).toBe(0);
  });

  test('a task that fails after the signal has ended is nobody’s unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const hear = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', hear);
    try {
      const signal = new CallSignal();
      let fail = (_: Error): void => {};
      const waiting = orAborted(
        new Promise<never>((_, reject) => {
          fail = reject;
        }),
        signal,
      );
      signal.abort('why');
      await expect(waiting).rejects.toBe('why');
      fail(new Error('too late to matter'));
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', hear);
    }
  });
});
