import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../test/fixtures/cpu-time.js';
import type { Judge } from '../schema/index.js';
import { nameCandidates } from './names.js';
import { buildSnapshot, isMounted, type MountedList, NameBook, type NameCollision } from './snapshot.js';
import type { Exclusion, ListedTool, PrefixRule, ToolFilter } from './types.js';

/** Judging is none of the catalog's business: it hands judges on. */
const JUDGE = {} as Judge;

function toolNamed(name: string): ListedTool {
  const quotedName = JSON.stringify(name);
  const definition = `{"title":"${'é'}",\t"name":${quotedName} , "inputSchema":{"type":"object"}}`;
  const nameStart = definition.indexOf('"name":') + 7;
  const nameEnd = nameStart + quotedName.length;
  const text = { definition, nameStart, nameEnd };
  const rest = { paramHeaders: [], wrapsOutput: false, description: undefined, input: JUDGE, output: undefined };
  return { name, quotedName, ...text, ...rest };
}

function listOf(mount: string, tools: readonly string[], rest: Partial<MountedList> = {}): MountedList {
  return { mount, prefix: 'always', filter: {}, tools: tools.map(toolNamed), exclusions: [], ...rest };
}

function build(lists: readonly MountedList[], book = new NameBook()) {
  const collisions: NameCollision[] = [];
  const snapshot = buildSnapshot(lists, book, (collision) => collisions.push(collision));
  return { snapshot, collisions, names: snapshot.entries.map(({ name }) => name), book };
}

describe('names in a catalog', () => {
  const RULES: readonly PrefixRule[] = ['always', 'conflict', 'never'];
  const anyTool = fc.oneof(
    fc.constantFrom(
      'a',
      'b',
      'a.b',
      'a_b',
      'a-b',
      'b__c',
      '_b',
      'm__a',
      '',
      'é',
      'ê',
      '😀',
      '\ud800',
      '\ud801',
      '\ufffd',
    ),
    fc.constantFrom('x'.repeat(64), 'x'.repeat(65), `${'x'.repeat(65)}y`),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  const anyList = fc
    .record({
      mount: fc.constantFrom('m', 'm_', 'a', 'a__b', 'my server', 'é', '', 'M', 'x'.repeat(70)),
      prefix: fc.constantFrom(...RULES),
      tools: fc.uniqueArray(anyTool, { maxLength: 8 }),
    })
    .map(({ mount, prefix, tools }) => listOf(mount, tools, { prefix }));
  const anyLists = fc.uniqueArray(anyList, { selector: ({ mount }) => mount, maxLength: 5 });

  /** Gives each mount, as tools of its own, the names that tools of the others have or might get. */
  function withThieves(lists: readonly MountedList[]): MountedList[] {
    const wanted = lists.flatMap((list) =>
      list.tools.flatMap(({ name }) => [...nameCandidates(list.prefix, list.mount, name)]),
    );
    const stolen = listOf('thief', [...new Set(wanted)], { prefix: 'never' });
    return [stolen, ...lists];
  }

  test('are one to one, portable and at most 64 long, whatever the tools are called', () => {
    fc.assert(
      fc.property(anyLists, fc.boolean(), (lists, hasThieves) => {
        const { snapshot, names } = build(hasThieves ? withThieves(lists) : lists);
        expect(new Set(names).size).toBe(names.length);
        for (const entry of snapshot.entries) {
          expect(entry.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
          expect(snapshot.find(entry.name)).toBe(entry);
          expect(snapshot.findTool(entry.mount, entry.tool.name)).toBe(entry);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('are the same in every process, and do not change once they have been shown', () => {
    fc.assert(
      fc.property(anyLists, fc.boolean(), (lists, hasThieves) => {
        const first = build(lists);
        expect(build(lists).names).toEqual(first.names);
        first.book.show(first.snapshot.entries);
        // The same again, then with newcomers in front that would have had the better claim.
        expect(build(lists, first.book).names).toEqual(first.names);
        if (!hasThieves) return;
        const { snapshot, names } = build(withThieves(lists), first.book);
        expect(new Set(names).size).toBe(names.length);
        for (const entry of first.snapshot.entries) {
          expect(snapshot.findTool(entry.mount, entry.tool.name)?.name).toBe(entry.name);
        }
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    { why: 'always', prefix: 'always', names: ['a__t', 'b__t'], collided: [] },
    { why: 'conflict: the first keeps the plain name', prefix: 'conflict', names: ['t', 'b__t'], collided: ['b'] },
    {
      why: 'never: the second gets a digest',
      prefix: 'never',
      names: ['t', expect.stringMatching(/^t_[a-z2-7]{6}$/)],
      collided: ['b'],
    },
  ] as const)('$why', ({ prefix, names, collided }) => {
    const built = build([listOf('a', ['t'], { prefix }), listOf('b', ['t'], { prefix })]);
    expect(built.names).toEqual(names);
    expect(built.collisions.map(({ mount }) => mount)).toEqual(collided);
    for (const collision of built.collisions) {
      expect(collision).toEqual({ name: 't', mount: 'b', tool: 't', instead: built.names[1] });
    }
  });

  test('collide in silence from the second time on', () => {
    const lists = [listOf('a', ['t'], { prefix: 'never' }), listOf('b', ['t'], { prefix: 'never' })];
    const first = build(lists);
    expect(first.collisions).toHaveLength(1);
    expect(build(lists, first.book).collisions).toEqual([]);
  });

  test('go by the order of configuration until they have been shown, and keep their meaning from then on', () => {
    const a = listOf('a', ['t'], { prefix: 'conflict' });
    const b = listOf('b', ['t'], { prefix: 'conflict' });
    const unseen = build([b]);
    expect(unseen.names).toEqual(['t']);
    expect(build([a, b], unseen.book).names, 'nobody had seen it').toEqual(['t', 'b__t']);
    const seen = build([b]);
    seen.book.show(seen.snapshot.entries);
    expect(build([a, b], seen.book).names, 'somebody had').toEqual(['a__t', 't']);
  });

  test('stay reserved while their tool is away', () => {
    const a = listOf('a', ['t'], { prefix: 'never' });
    const b = listOf('b', ['t'], { prefix: 'never' });
    const first = build([a, b]);
    first.book.show(first.snapshot.entries);
    expect(build([b], first.book).names).toEqual([first.names[1]]);
    expect(build([a, b], first.book).names).toEqual(first.names);
  });
});

describe('snapshots that share a name book', () => {
  const list = (mount: string): MountedList => listOf(mount, ['t'], { prefix: 'never' });

  test('never show one name for two tools: the one that comes second is built again', () => {
    const book = new NameBook();
    const both = build([list('a'), list('b')], book).snapshot;
    const late = build([list('b')], book).snapshot;
    expect(late.entries[0]!.name).toBe('t');
    expect(book.show(both.entries)).toBe(true);
    expect(book.show(late.entries)).toBe(false);
    const again = build([list('b')], book);
    expect(again.names).toEqual([both.entries[1]!.name]);
    expect(book.show(again.snapshot.entries)).toBe(true);
    // Nothing of what was refused has been kept.
    expect(build([list('a'), list('b')], book).names).toEqual(both.entries.map(({ name }) => name));
  });
});

describe('an entry', () => {
  test('is advertised under its public name, every other byte as the upstream wrote it', () => {
    const { snapshot } = build([listOf('m', ['a "b"'])]);
    const [entry] = snapshot.entries;
    expect(entry!.advertised).toBe(`{"title":"é",\t"name":"${entry!.name}" , "inputSchema":{"type":"object"}}`);
    expect(entry!.tool.quotedName).toBe('"a \\"b\\""');
  });

  test('stands in the order of configuration, then in the upstream’s', () => {
    const { names } = build([listOf('z', ['b', 'a']), listOf('a', ['c'])]);
    expect(names).toEqual(['z__b', 'z__a', 'a__c']);
  });

  test('cannot be changed', () => {
    const { snapshot } = build([listOf('m', ['t'])]);
    expect(Object.isFrozen(snapshot.entries)).toBe(true);
    expect(Object.isFrozen(snapshot.entries[0])).toBe(true);
  });

  test('is not found under any other name', () => {
    const { snapshot } = build([listOf('m', ['t'])]);
    for (const name of ['t', 'm__', '__t', 'm__T', '__proto__', 'constructor'])
      expect(snapshot.find(name)).toBeUndefined();
    expect(snapshot.findTool('m', 'm__t')).toBeUndefined();
    expect(snapshot.findTool('', 't')).toBeUndefined();
  });
});

describe('exclusions', () => {
  const excluded = (mount: string, tool: string): Exclusion => ({
    mount,
    tool,
    code: 'SCHEMA_INVALID',
    which: 'inputSchema',
    schemaPath: '/type',
    reason: 'why',
  });

  test.each(['always', 'conflict', 'never'] as const)('are found by the name they would have had: %s', (prefix) => {
    const exclusion = excluded('m', 'broken.tool');
    const { snapshot } = build([listOf('m', ['fine'], { prefix, exclusions: [exclusion] })]);
    const { names } = build([listOf('m', ['broken.tool'], { prefix })]);
    expect(snapshot.findExcludedName(names[0]!)).toBe(exclusion);
    expect(snapshot.findExcludedName('m__fine')).toBeUndefined();
    expect(snapshot.findExclusion('m', 'broken.tool')).toBe(exclusion);
    expect(snapshot.findExclusion('other', 'broken.tool')).toBeUndefined();
    expect(snapshot.exclusions).toEqual([exclusion]);
  });

  test('are not told of tools that the filter leaves out anyway', () => {
    const filter = { deny: ['drop_*'] };
    const { snapshot } = build([listOf('m', [], { filter, exclusions: [excluded('m', 'drop_all')] })]);
    expect(snapshot.exclusions).toEqual([]);
    expect(snapshot.findExcludedName('m__drop_all')).toBeUndefined();
  });
});

describe('allow and deny', () => {
  test.each<{ why: string; filter: ToolFilter; tools: readonly string[] }>([
    { why: 'nothing said: all', filter: {}, tools: ['read', 'drop_all', 'drop'] },
    { why: 'deny some', filter: { deny: ['drop_*'] }, tools: ['read', 'drop'] },
    { why: 'allow some', filter: { allow: ['drop*'] }, tools: ['drop_all', 'drop'] },
    { why: 'deny wins', filter: { allow: ['*'], deny: ['drop'] }, tools: ['read', 'drop_all'] },
    { why: 'allow nothing', filter: { allow: [] }, tools: [] },
    { why: 'deny nothing', filter: { deny: [] }, tools: ['read', 'drop_all', 'drop'] },
    { why: 'names are exact', filter: { allow: ['rea', 'READ', 'drop_'] }, tools: [] },
  ])('$why', ({ filter, tools }) => {
    expect(build([listOf('m', ['read', 'drop_all', 'drop'], { filter })]).names).toEqual(
      tools.map((tool) => `m__${tool}`),
    );
  });

  const oracle = (pattern: string): RegExp =>
    new RegExp(
      `^${pattern
        .split('*')
        .map((part) => part.replace(/[\\^$.|?+()[\]{}/-]/g, '\\$&'))
        .join('.*')}$`,
      'su',
    );

  const UNITS = ['a', 'b', 'ab', '.', '?', '[', '\\', '\n', 'é', '😀', '$'];
  const anyRun = fc.string({ unit: fc.constantFrom(...UNITS), maxLength: 3 });
  const anyPattern = fc.array(anyRun, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('*'));
  /** Half of the names are made from the pattern: a name at random hardly ever fits. */
  const anyNamed = fc
    .tuple(anyPattern, fc.array(anyRun, { minLength: 4, maxLength: 4 }), fc.boolean(), anyRun)
    .map(([pattern, runs, fits, other]) => {
      const stars = runs.values();
      return {
        pattern,
        tool: fits ? pattern.replaceAll('*', () => stars.next().value ?? '') : `${runs.join('')}${other}`,
      };
    });

  test('a pattern means what it says: * is any run, all else is itself', () => {
    const tally = { yes: 0, no: 0 };
    fc.assert(
      fc.property(anyNamed, ({ pattern, tool }) => {
        const matches = oracle(pattern).test(tool);
        tally[matches ? 'yes' : 'no']++;
        expect(isMounted(tool, { allow: [pattern] })).toBe(matches);
        expect(isMounted(tool, { deny: [pattern] })).toBe(!matches);
      }),
      { numRuns: 2_000 },
    );
    expect(Math.min(tally.yes, tally.no), 'both were tried').toBeGreaterThan(400);
  });

  test('takes no long time over a pattern of many stars', () => {
    const pattern = `${'*a'.repeat(500)}*b`;
    expect(cpuMs(() => expect(isMounted('a'.repeat(100_000), { allow: [pattern] })).toBe(false))).toBeLessThan(500);
    expect(cpuMs(() => expect(isMounted('ab'.repeat(50_000), { allow: [pattern] })).toBe(true))).toBeLessThan(500);
  });
});
