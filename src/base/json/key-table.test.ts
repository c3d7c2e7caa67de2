import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../test/fixtures/cpu-time.js';
import { KeyTable } from './key-table.js';

/** Drives a table as the scanner does, with exact sets beside it. */
class Checked {
  readonly table = new KeyTable();
  readonly #open: { readonly owner: number; readonly mark: number; readonly hashes: Set<number> }[] = [];
  falseSuspicions = 0;

  begin(): void {
    this.#open.push({ owner: this.table.begin(), mark: this.table.mark, hashes: new Set() });
  }

  close(): void {
    const object = this.#open.pop();
    if (object !== undefined) this.table.close(object.mark);
  }

  reset(): void {
    this.table.reset();
    this.#open.length = 0;
  }

  add(hash: number): void {
    const object = this.#open.at(-1);
    if (object === undefined) return;
    const isSuspect = this.table.add(object.owner, object.mark, hash);
    const isTwice = object.hashes.has(hash);
    object.hashes.add(hash);
    if (isTwice && !isSuspect) expect.fail(`missed ${hash} in object ${object.owner}`);
    if (isSuspect && !isTwice) this.falseSuspicions++;
  }
}

type Step =
  | { readonly kind: 'begin' | 'close' | 'reset' }
  | { readonly kind: 'add'; readonly from: number; readonly count: number; readonly stride: number };

// Runs of names: most objects stay below where names move into the table, some go far beyond.
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'begin' as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'close' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'reset' as const }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      from: fc.nat(200),
      count: fc.oneof(fc.nat(20), fc.nat(400)),
      stride: fc.constantFrom(1, 7, 512, 0x10001),
    }),
  },
);

test('never misses a name, however objects are nested and however many names they have', () => {
  let suspicions = 0;
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
      const checked = new Checked();
      checked.begin();
      for (const step of steps) {
        if (step.kind !== 'add') checked[step.kind]();
        else for (let i = 0; i < step.count; i++) checked.add(step.from + i * step.stride);
      }
      suspicions += checked.falseSuspicions;
    }),
    { numRuns: 500 },
  );
  expect(suspicions, 'where hashes are spread, a suspicion is hardly ever false').toBeLessThan(50);
});

test('forgets the names of an object that has ended, and those of the text before', () => {
  const table = new KeyTable();
  for (let round = 0; round < 3; round++) {
    const outer = table.begin();
    const outerMark = table.mark;
    for (let object = 0; object < 50; object++) {
      const inner = table.begin();
      const mark = table.mark;
      for (let hash = 0; hash < 40; hash++) expect(table.add(inner, mark, hash)).toBe(false);
      table.close(mark);
      expect(table.add(outer, outerMark, object)).toBe(false);
    }
    expect(table.add(outer, outerMark, 49)).toBe(true);
    table.reset();
  }
});

describe('hashes chosen to fall into one slot', () => {
  const inverse = inverseOf(0x85ebca6b);
  /** Undoes the table's mixing: these all begin to probe at slot 0, in tables of up to 2^15 slots. */
  const hostileHash = (owner: number, i: number): number =>
    Math.imul((i << 15) | (i & 0x7fff), inverse) ^ Math.imul(owner, 0x9e3779b1);

  test('are never missed either', () => {
    const checked = new Checked();
    for (let object = 1; object <= 5; object++) {
      checked.begin();
      for (let i = 0; i < 3_000; i++) checked.add(hostileHash(object, i));
      for (let i = 0; i < 3_000; i++) checked.add(hostileHash(object, i));
    }
    expect(checked.falseSuspicions, 'the choice of hashes is hostile indeed').toBeGreaterThan(1_000);
  });

  test('cost a bounded number of probes each', () => {
    const add = (hashOf: (i: number) => number) => () => {
      const table = new KeyTable();
      const owner = table.begin();
      for (let i = 0; i < 120_000; i++) table.add(owner, 0, hashOf(i));
    };
    const ordinaryMs = cpuMs(add((i) => Math.imul(i, 0x9e3779b1)));
    // Were probes not bounded, these would cost some 100,000 times 10,000 steps.
    expect(cpuMs(add((i) => hostileHash(1, i)))).toBeLessThan(40 * ordinaryMs + 300);
  });
});

function inverseOf(odd: number): number {
  let inverse = odd;
  for (let i = 0; i < 5; i++) inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse));
  return inverse;
}
