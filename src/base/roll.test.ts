import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Enrolled, Roll } from './roll.js';

test('whatever is entered and struck off, in whatever order, a roll holds what a Set would', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 7 }))), (steps) => {
      const members: Enrolled[] = Array.from({ length: 8 }, () => ({ place: -1 }));
      const roll = new Roll<Enrolled>();
      const set = new Set<Enrolled>();
      for (const [isAdded, at] of steps) {
        const member = members[at]!;
        if (isAdded) roll.add(member);
        else roll.remove(member);
        if (isAdded) set.add(member);
        else set.delete(member);
      }
      expect(new Set(roll.all())).toEqual(set);
      expect(roll.size).toBe(set.size);
      for (const member of members) expect(member.place >= 0).toBe(set.has(member));
    }),
  );
});
