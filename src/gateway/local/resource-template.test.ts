import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ResourceTemplate } from './resource-template.js';

test.each<[template: string, uri: string, variables: Record<string, string> | undefined]>([
  ['n://{id}', 'n://7', { id: '7' }],
  ['n://{id}', 'n://a%20b%2Fc', { id: 'a b/c' }],
  ['n://{id}', 'n://', undefined],
  ['n://{id}', 'n://a/b', undefined],
  ['n://{id}', 'n://a?b', undefined],
  ['n://{id}', 'N://a', undefined],
  ['n://{id}', 'n://%ZZ', undefined],
  ['n://{id}.md', 'n://a.md.md', { id: 'a.md' }],
  ['n://{a}/{b}', 'n://x/y', { a: 'x', b: 'y' }],
  ['n://{a}-{b}', 'n://x-y-z', { a: 'x-y', b: 'z' }],
  ['n://{a}{b}', 'n://xyz', { a: 'xy', b: 'z' }],
  ['n://{a}{b}', 'n://x', undefined],
  ['n://{__proto__}', 'n://x', Object.fromEntries([['__proto__', 'x']])],
  ['n://a.(b)', 'n://a.(b)', {}],
  ['n://a.(b)', 'n://axbb', undefined],
])('%s reads %s as %j', (template, uri, variables) => {
  expect(new ResourceTemplate(template).read(uri)).toEqual(variables);
});

/** The same by a regular expression, which is clear and takes forever. */
function readSlowly(template: string, uri: string): readonly string[] | undefined {
  const source = template
    .split(/(\{\w\})/)
    .map((text) => (/^\{\w\}$/.test(text) ? '([^/?#]+)' : text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('');
  return new RegExp(`^${source}$`).exec(uri)?.slice(1);
}

test('what it reads is what an expression reads that tries every way', () => {
  const text = fc.string({ unit: fc.constantFrom('-', '/', 'a'), maxLength: 3 });
  const part = fc.oneof(text, fc.constant('{}'));
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 7 }),
      fc.string({ unit: fc.constantFrom('-', '/', 'a'), maxLength: 9 }),
      (parts, uri) => {
        const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
        const template = parts.map((each) => (each === '{}' ? `{${names.shift()}}` : each)).join('');
        const read = new ResourceTemplate(template).read(uri);
        expect(read && Object.values(read)).toEqual(readSlowly(template, uri));
      },
    ),
    { numRuns: 3_000 },
  );
});

test('a URI that fits nowhere costs its caller no more than its length', () => {
  const template = new ResourceTemplate('n://{a}-{b}-{c}-{d}-{e}{f}{g}');
  const startedAt = performance.now();
  expect(template.read(`n://${'-'.repeat(100_000)}/`)).toBeUndefined();
  expect(performance.now() - startedAt).toBeLessThan(500);
});
