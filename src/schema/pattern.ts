import { LRUCache } from 'lru-cache';
import { PatternMachine } from './pattern-machine.js';
import { countSteps, MAX_STEPS } from './pattern-program.js';
import { type PatternNode, parsePattern, UnsupportedPattern } from './pattern-syntax.js';
import type { Spend } from './work.js';

/** A `pattern`, ready to test strings in time linear in their length. */
export interface Pattern {
  readonly source: string;
  /** @param spend is told the work done, and throws to end it */
  test(text: string, spend: Spend): boolean;
}

/** A pattern that cannot be enforced, and why. */
export interface UnenforceablePattern {
  readonly source: string;
  readonly problem: string;
}

/** Patterns seen lately; upstreams repeat themselves, and so do the lists that they send again. */
const patterns = new LRUCache<string, Pattern | UnenforceablePattern>({ max: 500 });

/** Finds the compiled form of a pattern, or why there is none. */
export function findPattern(source: string): Pattern | UnenforceablePattern {
  const known = patterns.get(source);
  if (known !== undefined) return known;
  const made = compilePattern(source);
  patterns.set(source, made);
  return made;
}

/** Longer patterns are not even read. */
const MAX_SOURCE_LENGTH = 16_384;

/** The platform compiles a pattern when it is first used. */
const WORK_OF_FIRST_TEST = 1_000;
/** Units of work that even the shortest test takes. */
const WORK_OF_TEST = 10;

/** A pattern repeated at most so often in all may be left to the platform's backtracking RegExp. */
const MAX_NATIVE_LENGTH = 128;

/**
 * Compiles a pattern as ECMAScript reads it: with the u flag, or without where that is the only way it makes sense.
 * Whatever could backtrack without end runs on a machine that does not backtrack; what neither can do is unenforceable.
 */
export function compilePattern(source: string): Pattern | UnenforceablePattern {
  if (source.length > MAX_SOURCE_LENGTH)
    return { source, problem: `it is longer than ${MAX_SOURCE_LENGTH} characters` };
  const native = compileNative(source);
  if (native === undefined) return { source, problem: 'it is not an ECMAScript pattern' };
  try {
    const node = parsePattern(source, native.unicode);
    if (isPlainlyLinear(node)) {
      let work = WORK_OF_FIRST_TEST;
      const test: Pattern['test'] = (text, spend) => {
        spend((text.length >> 3) + work);
        work = WORK_OF_TEST;
        return native.test(text);
      };
      return { source, test };
    }
    if (countSteps(node) > MAX_STEPS) throw new UnsupportedPattern(`it has more than ${MAX_STEPS} steps`);
    let machine: PatternMachine | undefined;
    return {
      source,
      test: (text, spend) => {
        machine ??= new PatternMachine(node, native.unicode);
        return machine.test(text, spend);
      },
    };
  } catch (thrown) {
    if (thrown instanceof UnsupportedPattern) return { source, problem: thrown.message };
    throw thrown;
  }
}

function compileNative(source: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch {
      // Not in this mode.
    }
  }
  return undefined;
}

/**
 * Whether backtracking cannot cost more than linear time: the pattern starts at `^`, and there is at most one place where
 * it has a choice. Most patterns of tools are like that, and the platform is fastest on them.
 */
function isPlainlyLinear(node: PatternNode): boolean {
  if (node.kind !== 'sequence' || node.parts[0]?.kind !== 'assert' || node.parts[0].what !== 'start') return false;
  const { choices, length } = measureChoices(node);
  return choices <= 1 && length <= MAX_NATIVE_LENGTH;
}

function measureChoices(node: PatternNode): { choices: number; length: number } {
  if (node.kind === 'set') return { choices: 0, length: 1 };
  if (node.kind === 'assert') return { choices: 0, length: 0 };
  if (node.kind === 'look') return { choices: Number.POSITIVE_INFINITY, length: 0 };
  if (node.kind === 'repeat') {
    const child = measureChoices(node.child);
    const isOpen = node.min !== node.max;
    // A choice that is repeated is made each time.
    const repeated = child.choices > 0 ? Number.POSITIVE_INFINITY : 0;
    const times = isOpen ? Math.max(node.min, 1) : node.min;
    return { choices: repeated + (isOpen ? 1 : 0), length: child.length * times };
  }
  const children = node.kind === 'sequence' ? node.parts : node.branches;
  const total = { choices: node.kind === 'either' ? 1 : 0, length: 0 };
  for (const child of children.map(measureChoices)) {
    total.choices += child.choices;
    total.length += child.length;
  }
  return total;
}
