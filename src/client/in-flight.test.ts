import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InFlight } from './in-flight.js';

test('is a map whose ids only ever rise', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constant('add' as const), fc.nat(400)), { maxLength: 600 }), (steps) => {
      const table = new InFlight<{ readonly id: number }>();
      const model = new Map<number, { readonly id: number }>();
      let last = 0;
      for (const step of steps) {
        if (step === 'add') {
          const id = table.nextId();
          expect(id).toBeGreaterThan(last);
          last = id;
          model.set(id, { id });
          table.add(model.get(id)!);
        } else expect(table.delete(step)).toBe(model.delete(step));
        expect(table.size).toBe(model.size);
        expect(table.get(last)).toBe(model.get(last));
        if (typeof step === 'number') expect(table.get(step)).toBeUndefined();
      }
      expect(table.values()).toEqual([...model.values()]);
      expect(table.lastId).toBe(last);
    }),
    { numRuns: 200 },
  );
});

test('stays small though one request is never answered, and leaves out the ids that would meet it', () => {
  const table = new InFlight<{ readonly id: number }>();
  table.add({ id: table.nextId() });
  for (let i = 0; i < 1_000; i++) {
    const id = table.nextId();
    table.add({ id });
    table.delete(id);
  }
  expect(table.values()).toEqual([{ id: 1 }]);
  expect(table.lastId).toBe(1_001 + Math.floor(1_001 / 63));
});

test('finds nothing under what is no id of its own', () => {
  const table = new InFlight<{ readonly id: number }>();
  table.add({ id: table.nextId() });
  for (const id of [0, -1, 65, 1.5, Number.NaN, 2 ** 32 + 1, Number.POSITIVE_INFINITY]) {
    expect(table.get(id)).toBeUndefined();
    expect(table.delete(id)).toBe(false);
  }
});
