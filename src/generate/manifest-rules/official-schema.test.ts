import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, type TestContext, test } from 'vitest';
import { checkManifest } from './check-manifest.js';
import { FULL, MINIMAL } from './manifest-examples.js';
import { MANIFEST_RULES } from './rules.js';

// Our shape is our own, and means the same as the official schema: whatever is done to a manifest, both refuse or neither does.
// The official one lies in ../shared/spec, not in this repository.
const PATH = resolve(import.meta.dirname, '../../../../shared/spec/server.schema.json');

function officialOrSkip({ skip }: Pick<TestContext, 'skip'>): (manifest: unknown) => boolean {
  if (!existsSync(PATH)) {
    const reason = `no official schema at ${PATH}: put server.schema.json of 2025-12-11 there`;
    if (process.env.CI || process.env.DOORWARD_REQUIRE_TEST_DATA === '1') throw new Error(reason);
    skip(reason);
  }
  // Formats are checked by our rules, more strictly; `example` is a word of OpenAPI.
  const ajv = new Ajv({ strict: false, formats: { uri: true } });
  const validate = ajv.compile(JSON.parse(readFileSync(PATH, 'utf8')));
  return (manifest) => validate(manifest);
}

const shapeFindings = (manifest: unknown) => checkManifest(manifest).filter(({ rule }) => rule === 'shape');

type Step = string | number;

/** Every place of a manifest, the root included. */
function placesOf(value: unknown, path: readonly Step[] = []): readonly (readonly Step[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const keys: readonly Step[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [path, ...keys.flatMap((key) => placesOf((value as Record<Step, unknown>)[key], [...path, key]))];
}

type Change = { readonly kind: 'set'; readonly value: unknown } | { readonly kind: 'drop' } | Added;

interface Added {
  readonly kind: 'add';
  readonly name: string;
  readonly value: unknown;
}

function changed(value: unknown, [step, ...rest]: readonly Step[], change: Change): unknown {
  if (step === undefined) {
    if (change.kind === 'set') return change.value;
    if (change.kind === 'drop') return undefined;
    if (Array.isArray(value)) return [...value, change.value];
    return typeof value === 'object' && value !== null ? { ...value, [change.name]: change.value } : value;
  }
  // A change before this one may have taken the place away.
  if (typeof value !== 'object' || value === null) return value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<Step, unknown>;
  const next = changed(copy[step], rest, change);
  if (next !== undefined) copy[step] = next;
  else if (Array.isArray(copy)) copy.splice(Number(step), 1);
  else delete copy[step];
  return copy;
}

const names = [...new Set(placesOf(FULL).flatMap((path) => path.filter((step) => typeof step === 'string')))];

/** Values that some member allows and others do not, and those next to a bound. */
const ODD: readonly unknown[] = [
  ...[null, true, false, 0, 1.5, '', ' ', [], {}, [null], [{}], ['a'], [0]],
  ...[0, 1, 2, 3, 64, 100, 101, 200, 201, 255, 256].map((length) => 'a'.repeat(length)),
  ...[`a/${'b'.repeat(198)}`, `a/${'b'.repeat(199)}`, '🚪'.repeat(100), '🚪'.repeat(101)],
  ...['a/b', 'a/b/c', 'io.github.ada/x_y', 'io github/x', 'a_b/c', 'a_b', '/b', 'a/', 'A'.repeat(64), 'g'.repeat(64)],
  ...['latest', 'stdio', 'sse', 'streamable-http', 'http', 'named', 'positional', 'npm', 'constructor', '__proto__'],
  ...['https://a.example', 'http://a b', 'ftp://a', 'https://', 'https:// ', 'https://a.example\n', 'HTTPS://a'],
  ...['48x48', '48X48', '48x48\n', 'any', 'ANY', 'image/png', 'image/jpg', 'image/jpeg', 'image/gif'],
  ...['image/webp', 'image/svg+xml', 'light', 'dark', 'string', 'number', 'boolean', 'filepath', 'integer'],
  ...[{ type: 'stdio' }, { type: 'sse', url: 'https://a' }, { type: 'named' }, { type: 'named', name: '' }],
  ...[{ type: 'positional' }, { type: 'positional', value: '' }, { type: 'positional', valueHint: 1 }, { type: 1 }],
  ...[{ name: 'A' }, { name: 1 }, { url: 'x', source: 'y' }, { src: 'x' }, { a: {} }, { a: { isSecret: 1 } }],
];

const odd = fc.oneof(fc.constantFrom(...ODD), fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }));

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), value: odd }),
  fc.constant<Change>({ kind: 'drop' }),
  fc.record({ kind: fc.constant('add' as const), name: fc.constantFrom(...names), value: odd }),
);

const mutated = fc
  .tuple(fc.constantFrom<unknown>(FULL, MINIMAL), fc.array(fc.tuple(fc.nat(), change), { minLength: 1, maxLength: 3 }))
  .map(([start, changes]) =>
    changes.reduce<unknown>((manifest, [at, one]) => {
      const places = placesOf(manifest);
      return changed(manifest, places[at % places.length]!, one) ?? null;
    }, start),
  );

test('a manifest is refused for its shape exactly if the official schema refuses it', (context) => {
  const isOfficial = officialOrSkip(context);
  let refused = 0;
  let taken = 0;
  fc.assert(
    fc.property(mutated, (manifest) => {
      const found = shapeFindings(manifest);
      if (isOfficial(manifest)) taken++;
      else refused++;
      expect(found.length === 0, JSON.stringify({ manifest, found })).toBe(isOfficial(manifest));
    }),
    { numRuns: 3000 },
  );
  // A property that only ever sees one side of it proves nothing.
  expect(Math.min(taken, refused)).toBeGreaterThan(300);
});

test('each member of a full manifest, taken out, or replaced by each odd value: the same verdict', (context) => {
  const isOfficial = officialOrSkip(context);
  const differing: string[] = [];
  for (const path of placesOf(FULL)) {
    for (const value of [undefined, ...ODD]) {
      const manifest = changed(FULL, path, value === undefined ? { kind: 'drop' } : { kind: 'set', value }) ?? null;
      const isGood = shapeFindings(manifest).length === 0;
      if (isGood !== isOfficial(manifest)) differing.push(`${path.join('/')} = ${JSON.stringify(value)}: ${isGood}`);
    }
  }
  expect(differing).toEqual([]);
});

test('what is refused beyond the official schema has its row in MANIFEST_RULES', (context) => {
  const isOfficial = officialOrSkip(context);
  fc.assert(
    fc.property(mutated, (manifest) => {
      if (!isOfficial(manifest)) return;
      for (const { rule } of checkManifest(manifest)) expect(Object.keys(MANIFEST_RULES)).toContain(rule);
    }),
    { numRuns: 1000 },
  );
});

test('our examples are good by the official schema', (context) => {
  const isOfficial = officialOrSkip(context);
  expect([FULL, MINIMAL].map(isOfficial)).toEqual([true, true]);
});
