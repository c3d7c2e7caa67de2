import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../test/fixtures/cpu-time.js';
import { prefixedName } from './names.js';
import {
  buildOffers,
  type MountedOffers,
  OfferBook,
  type OfferSnapshot,
  type OfferWarning,
  STATUS_URI,
} from './offers.js';
import type { ListedOffer, OfferKind, OfferRoute, PrefixRule } from './types.js';

const MEMBER: Readonly<Record<OfferKind, string>> = { resources: 'uri', templates: 'uriTemplate', prompts: 'name' };
const KINDS: readonly OfferKind[] = ['resources', 'templates', 'prompts'];

function offerNamed(kind: OfferKind, key: string): ListedOffer {
  const definition = `{"title":"é",\t"${MEMBER[kind]}":${JSON.stringify(key)} ,"_meta":{}}`;
  const keyStart = definition.indexOf(`"${MEMBER[kind]}":`) + MEMBER[kind].length + 3;
  return { key, definition, keyStart, keyEnd: keyStart + JSON.stringify(key).length };
}

type Lists = { readonly [Kind in OfferKind]?: readonly string[] } & { readonly prefix?: PrefixRule };

function mounted(mount: string, { prefix = 'always', ...lists }: Lists): MountedOffers {
  const listOf = (kind: OfferKind) => lists[kind]?.map((key) => offerNamed(kind, key));
  return { mount, prefix, resources: listOf('resources'), templates: listOf('templates'), prompts: listOf('prompts') };
}

function build(mounts: readonly MountedOffers[], book = new OfferBook()) {
  const warnings: OfferWarning[] = [];
  const snapshot = buildOffers(mounts, book, (warning) => warnings.push(warning));
  return { snapshot, warnings, book, keys: keysOf(snapshot) };
}

const keysOf = (snapshot: OfferSnapshot): Readonly<Record<OfferKind, readonly string[]>> => ({
  resources: snapshot.resources.map(({ key }) => key),
  templates: snapshot.templates.map(({ key }) => key),
  prompts: snapshot.prompts.map(({ key }) => key),
});

function find(snapshot: OfferSnapshot, kind: OfferKind, key: string): OfferRoute | undefined {
  if (kind === 'resources') return snapshot.findResource(key);
  return kind === 'templates' ? snapshot.findTemplate(key) : snapshot.findPrompt(key);
}

function showAll(book: OfferBook, snapshot: OfferSnapshot): boolean {
  return KINDS.map((kind) => book.show(kind, snapshot[kind])).every(Boolean);
}

describe('resources', () => {
  test('keep their URIs, and are routed to who lists them', () => {
    const { snapshot, keys, warnings } = build([
      mounted('a', { resources: ['file:///1', 'x:y'] }),
      mounted('b', { resources: ['file:///2'] }),
    ]);
    expect(keys.resources).toEqual(['file:///1', 'x:y', 'file:///2']);
    expect(snapshot.findResource('file:///2')).toEqual({ mount: 'b', key: 'file:///2' });
    expect(snapshot.findResource('file:///3')).toBeUndefined();
    expect(warnings).toEqual([]);
  });

  test('of a later mount get its prefix where an earlier one lists them too, which is told once a mount', () => {
    const uris = ['file:///1', 'file:///2', 'file:///3'];
    const mounts = [mounted('a', { resources: uris }), mounted('my b', { resources: ['b:', ...uris] })];
    const { snapshot, keys, warnings, book } = build(mounts);
    expect(keys.resources).toEqual([...uris, 'b:', ...uris.map((uri) => `doorward://my%20b/${uri}`)]);
    expect(snapshot.findResource('file:///1')).toEqual({ mount: 'a', key: 'file:///1' });
    expect(snapshot.findResource('doorward://my%20b/file:///1')).toEqual({ mount: 'my b', key: 'file:///1' });
    expect(warnings).toEqual([
      {
        mount: 'my b',
        warning: 'uri-collision',
        message:
          'my b: file:///1 and 2 more of its resources are listed by another mount too; shown with doorward://my%20b/ in front',
      },
    ]);
    expect(build(mounts, book).warnings).toEqual([]);
  });

  test('are advertised under their public URI, every other byte as the upstream wrote it', () => {
    const { snapshot } = build([mounted('a', { resources: ['x:"é'] }), mounted('b', { resources: ['x:"é'] })]);
    const [first, second] = snapshot.resources;
    expect(first!.advertised).toBe('{"title":"é",\t"uri":"x:\\"é" ,"_meta":{}}');
    expect(second!.advertised).toBe('{"title":"é",\t"uri":"doorward://b/x:\\"é" ,"_meta":{}}');
  });

  test.each([STATUS_URI, 'doorward://b/x:', 'DOORWARD://status', 'doorward:status'])(
    'cannot have a URI of ours: %s',
    (uri) => {
      const { snapshot, keys, warnings } = build([mounted('a', { resources: [uri] }), mounted('b', {})]);
      expect(keys.resources).toEqual([`doorward://a/${uri}`]);
      expect(snapshot.findResource(`doorward://a/${uri}`)).toEqual({ mount: 'a', key: uri });
      expect(snapshot.findResource(uri)).toEqual(uri === 'doorward://b/x:' ? { mount: 'b', key: 'x:' } : undefined);
      expect(warnings).toEqual([]);
    },
  );

  test('that are not listed are found behind the prefix of a mount, and only of one there is', () => {
    const { snapshot } = build([mounted('a', {}), mounted('b/c', {})]);
    expect(snapshot.findResource('doorward://b%2Fc/x://y/z?q#f')).toEqual({ mount: 'b/c', key: 'x://y/z?q#f' });
    for (const uri of ['doorward://', 'doorward:///', 'doorward://a', 'doorward://c/x', 'doorward://b/c/x', 'x', '']) {
      expect(snapshot.findResource(uri)).toBeUndefined();
    }
  });
});

describe('templates', () => {
  test('route what they could expand to, the first in configuration order first', () => {
    const { snapshot } = build([
      mounted('a', { templates: ['note:///{id}'] }),
      mounted('b', { templates: ['note:///{+all}', 'b:///{id}'] }),
    ]);
    expect(snapshot.findResource('note:///1')).toEqual({ mount: 'a', key: 'note:///1' });
    expect(snapshot.findResource('note:///1/2')).toEqual({ mount: 'b', key: 'note:///1/2' });
    expect(snapshot.findResource('b:///1')).toEqual({ mount: 'b', key: 'b:///1' });
    expect(snapshot.findResource('c:///1')).toBeUndefined();
    expect(snapshot.findTemplate('note:///{id}')).toEqual({ mount: 'a', key: 'note:///{id}' });
    expect(snapshot.findTemplate('note:///1')).toBeUndefined();
  });

  test('steal nothing: not what a later mount lists, nor what stands behind its prefix, nor what is ours', () => {
    const { snapshot } = build([
      mounted('a', { templates: ['{+any}', 'doorward://{+any}', 'file:///{+any}'], resources: ['file:///2'] }),
      mounted('b', { resources: ['file:///1', 'file:///2'] }),
    ]);
    expect(snapshot.findResource('file:///1')).toEqual({ mount: 'b', key: 'file:///1' });
    expect(snapshot.findResource('doorward://b/file:///2')).toEqual({ mount: 'b', key: 'file:///2' });
    expect(snapshot.findResource('doorward://b/file:///9')).toEqual({ mount: 'b', key: 'file:///9' });
    expect(snapshot.findResource(STATUS_URI)).toBeUndefined();
    expect(snapshot.findResource('file:///9')).toEqual({ mount: 'a', key: 'file:///9' });
  });

  test('that two mounts list are told apart by the prefix, and so is what they expand to', () => {
    const list = { templates: ['note:///{id}'] };
    const { snapshot, keys, warnings } = build([mounted('a', list), mounted('b', list)]);
    expect(keys.templates).toEqual(['note:///{id}', 'doorward://b/note:///{id}']);
    expect(snapshot.findTemplate('doorward://b/note:///{id}')).toEqual({ mount: 'b', key: 'note:///{id}' });
    expect(snapshot.findResource('doorward://b/note:///1')).toEqual({ mount: 'b', key: 'note:///1' });
    expect(snapshot.findResource('note:///1')).toEqual({ mount: 'a', key: 'note:///1' });
    expect(warnings.map(({ warning }) => warning)).toEqual(['uri-collision']);
  });

  test('shown with the prefix route nothing without it, whoever comes first', () => {
    const list = { templates: ['note:///{id}'] };
    const { book, snapshot } = build([mounted('a', {}), mounted('b', list)]);
    showAll(book, snapshot);
    const late = build([mounted('a', list), mounted('b', list)], book);
    expect(late.keys.templates).toEqual(['doorward://a/note:///{id}', 'note:///{id}']);
    expect(late.snapshot.findResource('note:///1')).toEqual({ mount: 'b', key: 'note:///1' });
    expect(late.snapshot.publicUri('a', 'note:///1')).toBe('doorward://a/note:///1');
  });

  test('that cannot be read are listed and route nothing, which is told once a mount', () => {
    const mounts = [mounted('a', { templates: ['x:///{', 'x:///{}', 'y:///{id}'] })];
    const { snapshot, keys, warnings, book } = build(mounts);
    expect(keys.templates).toEqual(['x:///{', 'x:///{}', 'y:///{id}']);
    expect(snapshot.findResource('x:///1')).toBeUndefined();
    expect(snapshot.findResource('y:///1')).toEqual({ mount: 'a', key: 'y:///1' });
    expect(snapshot.findTemplate('x:///{')).toEqual({ mount: 'a', key: 'x:///{' });
    const message = 'a: x:///{ is no URI template; listed, but no URI is routed by it';
    expect(warnings).toEqual([{ mount: 'a', warning: 'odd-template', message }]);
    expect(build(mounts, book).warnings).toEqual([]);
  });

  describe('made to be hard cost their own mount its routes, and the others nothing:', () => {
    const hard = (i: number): string => `x:${'{+a}a'.repeat(60)}${i}!`;
    const hardOnes = (count: number): string[] => Array.from({ length: count }, (_, i) => hard(i));
    const other = mounted('b', { templates: ['x:{+any}'] });

    test('to be read', () => {
      const mounts = [mounted('hostile', { templates: [...hardOnes(10_000), 'x:{+last}'] }), other];
      let built: ReturnType<typeof build> | undefined;
      expect(
        cpuMs(() => {
          built = build(mounts);
        }),
      ).toBeLessThan(200);
      const { snapshot, warnings } = built!;
      expect(snapshot.templates).toHaveLength(10_002);
      expect(snapshot.findResource('x:1')).toEqual({ mount: 'b', key: 'x:1' });
      expect(warnings.map(({ warning }) => warning)).toEqual(['odd-template']);
      expect(warnings[0]!.message).toMatch(
        /^hostile: x:\S+ comes after too many others; listed, but no URI is routed by it$/,
      );
    });

    test('to be matched', () => {
      const { snapshot } = build([mounted('hostile', { templates: [...hardOnes(500), 'x:{+last}'] }), other]);
      const find = (uri: string): unknown => snapshot.findResource(uri)?.mount;
      expect(cpuMs(() => find(`x:${'a'.repeat(10_000)}`))).toBeLessThan(150);
      expect(find(`x:${'a'.repeat(3_000_000)}`)).toBeUndefined();
      // The bound is on work: what is easily matched still is.
      expect(find('x:a')).toBe('hostile');
    });
  });
});

describe('prompts', () => {
  test.each<{ rule: PrefixRule; names: readonly unknown[]; collisions: number }>([
    { rule: 'always', names: ['a__p', 'b__p'], collisions: 0 },
    { rule: 'conflict', names: ['p', 'b__p'], collisions: 1 },
    { rule: 'never', names: ['p', expect.stringMatching(/^p_[a-z2-7]{6}$/)], collisions: 1 },
  ])('are named like tools: $rule', ({ rule, names, collisions }) => {
    const list = { prompts: ['p'], prefix: rule };
    const { snapshot, keys, warnings } = build([mounted('a', list), mounted('b', list)]);
    expect(keys.prompts).toEqual(names);
    expect(keys.prompts.map((name) => snapshot.findPrompt(name))).toEqual([
      { mount: 'a', key: 'p' },
      { mount: 'b', key: 'p' },
    ]);
    expect(warnings.map(({ mount, warning }) => [mount, warning])).toEqual(
      Array.from({ length: collisions }, () => ['b', 'name-collision']),
    );
  });

  test('that are gone are found no more, by any name', () => {
    const first = build([mounted('a', { prompts: ['p', 'odd name'] })]);
    showAll(first.book, first.snapshot);
    expect(first.keys.prompts).toEqual(['a__p', prefixedName('a', 'odd name')]);
    expect(first.snapshot.findPrompt('p')).toBeUndefined();
    expect(build([mounted('a', { prompts: [] })], first.book).snapshot.findPrompt('a__p')).toBeUndefined();
  });
});

describe('what callers have seen', () => {
  const x = { resources: ['x:'] };
  const other = { resources: ['y:'] };

  test('keeps its meaning when an earlier mount comes late; until then configuration order decides', () => {
    const { book, snapshot } = build([mounted('a', {}), mounted('b', x)]);
    const both = [mounted('a', x), mounted('b', x)];
    expect(build(both, book).snapshot.findResource('x:'), 'nobody has seen it').toEqual({ mount: 'a', key: 'x:' });
    expect(showAll(book, snapshot)).toBe(true);
    const late = build(both, book).snapshot;
    expect(keysOf(late).resources).toEqual(['doorward://a/x:', 'x:']);
    expect(late.findResource('x:')).toEqual({ mount: 'b', key: 'x:' });
  });

  test('keeps it when it is listed no more, whatever others list', () => {
    const { book, snapshot } = build([mounted('a', {}), mounted('b', x)]);
    showAll(book, snapshot);
    const gone = build([mounted('a', { ...x, templates: ['{+any}'] }), mounted('b', other)], book).snapshot;
    expect(gone.findResource('x:')).toEqual({ mount: 'b', key: 'x:' });
    expect(gone.publicUri('a', 'x:')).toBe('doorward://a/x:');
  });

  test('is not shown with another meaning by a snapshot that was built before: it is built again', () => {
    const book = new OfferBook();
    const one = build([mounted('a', x), mounted('b', x)], book).snapshot;
    const two = build([mounted('a', {}), mounted('b', x)], book).snapshot;
    expect(book.show('resources', two.resources)).toBe(true);
    expect(book.show('resources', one.resources)).toBe(false);
    const again = build([mounted('a', x), mounted('b', x)], book);
    expect(again.keys.resources).toEqual(['doorward://a/x:', 'x:']);
    expect(book.show('resources', again.snapshot.resources)).toBe(true);
    // The same the other way round: it has been shown by another name.
    expect(book.show('resources', one.resources.slice(0, 1))).toBe(false);
  });

  test('is forgotten in the end, oldest first, where a list is another each time', () => {
    const book = new OfferBook();
    const show = (uris: readonly string[]): void => {
      showAll(book, build([mounted('a', {}), mounted('b', { resources: uris })], book).snapshot);
    };
    const kept = ['kept:'];
    for (let round = 0; round < 12; round++) {
      show([...kept, ...Array.from({ length: 2_000 }, (_, i) => `x:${round}/${i}`)]);
    }
    const { snapshot } = build([mounted('a', {}), mounted('b', {})], book);
    expect(snapshot.findResource('kept:')).toEqual({ mount: 'b', key: 'kept:' });
    expect(snapshot.findResource('x:11/1999')).toBeDefined();
    expect(snapshot.findResource('x:0/0')).toBeUndefined();
  });
});

describe('any offers', () => {
  const anyMount = fc.constantFrom('a', 'b', 'my c', 'é/ü', '__proto__', '', '\ud800', 'status');
  const anyUri = fc.oneof(
    fc.constantFrom(
      'x:',
      'x:1',
      'file:///a/b',
      STATUS_URI,
      'doorward://a/x:',
      'doorward://b/doorward://a/x:',
      '__proto__',
    ),
    fc.string({ unit: fc.constantFrom(...'x:/1?{}', 'é', '"', '\n', '\u202e', '\ud800'), minLength: 1, maxLength: 5 }),
  );
  const anyTemplate = fc.oneof(
    fc.constantFrom('x:{id}', '{+any}', 'file:///{+path}', 'doorward://{+any}', '{', 'x:{a}{?b}', 'doorward://b/{+x}'),
    anyUri,
  );
  const anyMounts = fc
    .uniqueArray(
      fc.record({
        mount: anyMount,
        prefix: fc.constantFrom<PrefixRule>('always', 'conflict', 'never'),
        resources: fc.uniqueArray(anyUri, { maxLength: 5 }),
        templates: fc.uniqueArray(anyTemplate, { maxLength: 4 }),
        prompts: fc.uniqueArray(fc.constantFrom('p', 'q', 'a__p', 'p q', '__proto__'), { maxLength: 3 }),
      }),
      { selector: ({ mount }) => mount, maxLength: 5 },
    )
    .map((all) => all.map(({ mount, ...lists }) => mounted(mount, lists)));

  const routes = (snapshot: OfferSnapshot) =>
    KINDS.flatMap((kind) => snapshot[kind].map(({ key }) => ({ kind, key, route: find(snapshot, kind, key) })));

  test('have keys of their own, each leading back to its mount and the upstream’s own key', () => {
    fc.assert(
      fc.property(anyMounts, (mounts) => {
        const { snapshot, keys } = build(mounts);
        for (const kind of KINDS) {
          expect(new Set(keys[kind]).size).toBe(keys[kind].length);
          const listed = mounts.flatMap((each) => (each[kind] ?? []).map(({ key }) => ({ mount: each.mount, key })));
          expect(keys[kind].map((key) => find(snapshot, kind, key))).toEqual(listed);
          expect(keys[kind]).not.toContain(STATUS_URI);
          for (const { key, advertised } of snapshot[kind]) {
            expect((JSON.parse(advertised) as Record<string, unknown>)[MEMBER[kind]]).toBe(key);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  test('mean what they meant once they were shown, whoever comes or goes', () => {
    fc.assert(
      fc.property(anyMounts, anyMounts, fc.boolean(), (mounts, others, isInFront) => {
        const first = build(mounts);
        const before = routes(first.snapshot);
        expect(showAll(first.book, first.snapshot)).toBe(true);
        const known = new Set(mounts.map(({ mount }) => mount));
        const newcomers = others.filter(({ mount }) => !known.has(mount));
        const all = isInFront ? [...newcomers, ...mounts] : [...mounts, ...newcomers];
        const { snapshot, book } = build(all, first.book);
        for (const { kind, key, route } of before) expect(find(snapshot, kind, key)).toEqual(route);
        expect(showAll(book, snapshot)).toBe(true);
        // The first ones list nothing any more: no newcomer inherits what was theirs.
        const left = build(
          all.map((each) => (known.has(each.mount) ? mounted(each.mount, {}) : each)),
          book,
        ).snapshot;
        for (const { kind, key, route } of before) {
          if (kind !== 'prompts') expect(find(left, kind, key)).toEqual(route);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('are known by one public URI, which leads back', () => {
    fc.assert(
      fc.property(anyMounts, anyMounts, anyUri, (mounts, others, uri) => {
        const first = build(others);
        showAll(first.book, first.snapshot);
        const { snapshot } = build(mounts, first.book);
        for (const { mount } of mounts) {
          expect(snapshot.findResource(snapshot.publicUri(mount, uri))).toEqual({ mount, key: uri });
        }
        for (const { key, mount, offer } of snapshot.resources) expect(snapshot.publicUri(mount, offer.key)).toBe(key);
      }),
      { numRuns: 500 },
    );
  });
});

test('ten thousand resources are put together well within 50 ms, and one of them is found at once', () => {
  const uris = Array.from({ length: 10_000 }, (_, i) => `file:///some/folder/of/a/project/file-${i}.txt`);
  const mounts = [mounted('a', { resources: uris }), mounted('b', { templates: ['file:///{+path}'] })];
  build(mounts);
  const book = new OfferBook();
  const times = Array.from({ length: 5 }, () => cpuMs(() => build(mounts, book))).sort((a, b) => a - b);
  expect(times[2]!).toBeLessThan(50);
  const { snapshot } = build(mounts, book);
  expect(cpuMs(() => uris.map((uri) => snapshot.findResource(uri)))).toBeLessThan(50);
  expect(Object.isFrozen(snapshot.resources)).toBe(true);
  expect(Object.isFrozen(snapshot.resources[0])).toBe(true);
});
