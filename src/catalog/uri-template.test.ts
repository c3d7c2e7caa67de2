import { UriTemplate as SdkTemplate } from '@modelcontextprotocol/sdk/shared/uriTemplate.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../test/fixtures/cpu-time.js';
import { UriTemplate } from './uri-template.js';

function matches(template: string, uri: string): boolean {
  const parsed = UriTemplate.parse(template);
  if (parsed === undefined) throw new Error(`no template: ${template}`);
  return parsed.matches(uri);
}

test.each<{ template: string; yes: readonly string[]; no: readonly string[] }>([
  { template: 'a://b', yes: ['a://b'], no: ['a://', 'a://bc', 'A://b', ''] },
  { template: '', yes: [''], no: ['a'] },
  {
    template: 'x://{id}',
    yes: ['x://1', 'x://', 'x://a%2Fb', 'x://a b', 'x://é,ü', 'x://what?'],
    no: ['x:/1', 'x://a/b', 'xx://1', 'x://a/'],
  },
  { template: 'x://{id}/end', yes: ['x://1/end', 'x:///end'], no: ['x://1/2/end', 'x://1/end/', 'x://1/ende'] },
  { template: 'x://{a}{b}', yes: ['x://', 'x://ab'], no: ['x://a/b'] },
  { template: 'x://{a,b}', yes: ['x://1,2', 'x://1'], no: ['x://1/2'] },
  { template: 'x://{id:3}', yes: ['x://abc', 'x://%C3%A9bc'], no: ['x://a/b'] },
  { template: 'x://{all*}/end', yes: ['x://a/b/c/end', 'x:///end'], no: ['x://a/b'] },
  { template: '{+any}', yes: ['', 'x', 'x://a/b?c#d', '\n'], no: [] },
  { template: 'x://{+path}/end', yes: ['x://a/b/end', 'x:///end'], no: ['x://end', 'x://a/end/b'] },
  { template: 'x://{+a}/{+b}', yes: ['x://1/2/3'], no: ['x://123'] },
  { template: 'x://a{#part}', yes: ['x://a', 'x://a#', 'x://a#b/c#d'], no: ['x://ab', 'x://a/#b'] },
  { template: 'x://a{.kind}', yes: ['x://a', 'x://a.txt', 'x://a.tar.gz'], no: ['x://atxt', 'x://a.b/c'] },
  { template: 'x://a{/b}', yes: ['x://a', 'x://a/1', 'x://a/'], no: ['x://a/1/2', 'x://a1'] },
  { template: 'x://a{/b,c}', yes: ['x://a', 'x://a/1', 'x://a/1/2'], no: ['x://a/1/2/3'] },
  { template: 'x://a{/all*}', yes: ['x://a', 'x://a/1/2/3'], no: ['x://a1/2'] },
  {
    template: 'x://a{?b,c}',
    yes: ['x://a', 'x://a?b=1', 'x://a?b=1&c=2', 'x://a?c=2&b=1', 'x://a?b=', 'x://a?b', 'x://a?b=/x?y=1'],
    no: ['x://a?', 'x://a?d=1', 'x://a?b=1&d=2', 'x://a?b=1&', 'x://a?bb=1', 'x://a&b=1', 'x://ab=1'],
  },
  { template: 'x://a{?all*}', yes: ['x://a', 'x://a?b=1&c=2', 'x://a?b'], no: ['x://a&b=1', 'x://ab'] },
  { template: 'x://a?b=1{&c}', yes: ['x://a?b=1', 'x://a?b=1&c=2'], no: ['x://a?b=1?c=2', 'x://a?b=1&d=2'] },
  { template: 'x://a{?b}{#c}', yes: ['x://a', 'x://a?b=1#2', 'x://a#2'], no: ['x://a?c=1', 'x://a1'] },
  { template: 'x://a{;b,c}/d', yes: ['x://a/d', 'x://a;b=1/d', 'x://a;b;c=2/d'], no: ['x://a;e=1/d', 'x://a;b=1/e/d'] },
  { template: 'x://é b/{c}', yes: ['x://é b/1', 'x://%C3%A9%20b/1'], no: ['x://e b/1'] },
  { template: 'x://{a}é', yes: ['x://1é', 'x://1%C3%A9'], no: ['x://1'] },
  { template: 'x://\ud800/{a}', yes: ['x://\ud800/1'], no: [] },
  { template: 'x://{ id }/{user-id}', yes: ['x://1/2'], no: [] },
])('$template', ({ template, yes, no }) => {
  expect(yes.filter((uri) => !matches(template, uri))).toEqual([]);
  expect(no.filter((uri) => matches(template, uri))).toEqual([]);
});

test.each([
  { why: 'not closed', template: 'x://{id' },
  { why: 'not opened', template: 'x://id}' },
  { why: 'nested', template: 'x://{a{b}}' },
  { why: 'empty', template: 'x://{}' },
  { why: 'blank', template: 'x://{ }' },
  { why: 'an operator alone', template: 'x://{+}' },
  { why: 'an empty name in a list', template: 'x://{a,,b}' },
  { why: 'an operator that is kept for later', template: 'x://{!a}' },
  { why: 'a prefix that is no number', template: 'x://{a:b}' },
  { why: 'a star in the middle', template: 'x://{a*b}' },
  { why: 'a space in a name', template: 'x://{a b}' },
  { why: 'far too long', template: `x://${'a'.repeat(5_000)}` },
  { why: 'far too many parts', template: 'x{a}'.repeat(200) },
])('is no template: $why', ({ template }) => expect(UriTemplate.parse(template)).toBeUndefined());

interface Expression {
  readonly operator: string;
  readonly names: readonly string[];
  readonly star: boolean;
}
type Part = string | Expression;

const anyPart: fc.Arbitrary<Part> = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'ab/?&=#;.'), minLength: 1, maxLength: 3 }),
  fc.record({
    operator: fc.constantFrom('', '+', '#', '.', '/', ';', '?', '&'),
    names: fc.uniqueArray(fc.constantFrom('a', 'b', 'ab'), { minLength: 1, maxLength: 2 }),
    star: fc.boolean(),
  }),
);
const anyParts = fc.array(anyPart, { maxLength: 5 });
const written = (parts: readonly Part[]): string =>
  parts
    .map((part) =>
      typeof part === 'string' ? part : `{${part.operator}${part.names.join(',')}${part.star ? '*' : ''}}`,
    )
    .join('');

/** The same meaning as a regular expression: short texts only, it backtracks. */
function oracle(parts: readonly Part[]): RegExp {
  const source = parts.map((part) => {
    if (typeof part === 'string') return part.replace(/[.?]/g, '\\$&');
    const { operator, names, star } = part;
    // The star stands behind the last name.
    if (operator === '/')
      return names.map((_, i) => (star && i === names.length - 1 ? '(/[^]*)?' : '(/[^/]*)?')).join('');
    if (operator === '' || operator === '+') return star || operator === '+' ? '[^]*' : '[^/]*';
    if (operator === '#') return '(#[^]*)?';
    if (operator === '.') return star ? '(\\.[^]*)?' : '(\\.[^/]*)?';
    const separator = operator === ';' ? ';' : '&';
    const value = operator === ';' ? '[^;/]*' : '[^&]*';
    const pair = star ? value : `(${names.join('|')})(=${value})?`;
    return `([${operator}]${pair}(${separator}${pair})*)?`;
  });
  return new RegExp(`^${source.join('')}$`, 'u');
}

/** RFC 6570, section 3.2, for values that are strings; undefined ones are left out. */
function expand(parts: readonly Part[], values: Readonly<Record<string, string | undefined>>): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      const { operator, names } = part;
      const encode = operator === '+' || operator === '#' ? encodeURI : encodeURIComponent;
      const isNamed = operator !== '' && ';?&'.includes(operator);
      const items = names.flatMap((name) => {
        const value = values[name];
        if (value === undefined) return [];
        if (!isNamed) return [encode(value)];
        return [value === '' && operator === ';' ? name : `${name}=${encode(value)}`];
      });
      if (items.length === 0) return '';
      const separator = { '': ',', '+': ',', '#': ',', '?': '&' }[operator] ?? operator;
      return (operator === '+' ? '' : operator) + items.join(separator);
    })
    .join('');
}

describe('any template', () => {
  test('matches whatever it expands to', () => {
    const anyValue = fc.option(fc.string({ unit: fc.constantFrom(...'ab/?&=#;., é%'), maxLength: 4 }), {
      nil: undefined,
    });
    fc.assert(
      fc.property(anyParts, fc.record({ a: anyValue, b: anyValue, ab: anyValue }), (parts, values) => {
        expect(matches(written(parts), expand(parts, values))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test('means what a regular expression of the same meaning says', () => {
    const tally = { yes: 0, no: 0 };
    const anyText = fc.string({ unit: fc.constantFrom(...'ab/?&=#;.'), maxLength: 8 });
    /** Half of the URIs are made from the template: a text at random hardly ever fits. */
    const anyCase = fc
      .tuple(anyParts, fc.array(anyText, { minLength: 5, maxLength: 5 }), fc.boolean())
      .map(([parts, texts, fits]) => ({
        parts,
        uri: fits
          ? parts
              .map((part, i) => (typeof part === 'string' ? part : part.operator.replace('+', '') + texts[i]))
              .join('')
          : texts.join('').slice(0, 12),
      }));
    fc.assert(
      fc.property(anyCase, ({ parts, uri }) => {
        const expected = oracle(parts).test(uri);
        tally[expected ? 'yes' : 'no']++;
        expect(matches(written(parts), uri)).toBe(expected);
      }),
      { numRuns: 4_000 },
    );
    expect(Math.min(tally.yes, tally.no), 'both were tried').toBeGreaterThan(800);
  });

  test('matches whatever a server on the official SDK would take for it', () => {
    let yes = 0;
    const anyText = fc.string({ unit: fc.constantFrom(...'ab?&=#,é'), minLength: 1, maxLength: 3 });
    const anyCase = fc
      .tuple(anyParts, fc.array(anyText, { minLength: 5, maxLength: 5 }))
      // The SDK knows no path parameters, and takes `{&a}` behind `{?a}` for one query.
      .filter(([parts]) => parts.every((part) => typeof part === 'string' || part.operator !== ';'))
      .map(([parts, texts]) => ({
        template: written(parts),
        uri: parts
          .map((part, i) => {
            if (typeof part === 'string') return part;
            const isQuery = part.operator === '?' || part.operator === '&';
            const text = isQuery ? part.names.map((name) => `${name}=${texts[i]}`).join('&') : texts[i];
            return part.operator.replace(/[+#]/, '') + text;
          })
          .join(''),
      }));
    fc.assert(
      fc.property(anyCase, ({ template, uri }) => {
        // Its fragments have no `#`, which no RFC 6570 reader would find one by.
        if (template.includes('{#') || new SdkTemplate(template).match(uri) === null) return;
        yes++;
        expect(matches(template, uri)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    expect(yes).toBeGreaterThan(300);
  });
});

describe('a hostile template', () => {
  const long = 'a'.repeat(20_000);
  test.each([
    { why: 'variables side by side', template: `x${'{a}'.repeat(100)}!`, uri: `x${long}` },
    { why: 'letters between them', template: `x${'{a}a'.repeat(60)}!`, uri: `x${long}` },
    { why: 'crossing everything', template: `x${'{+a}a'.repeat(60)}!`, uri: `x${long}` },
    { why: 'queries side by side', template: `x${'{?a*}'.repeat(100)}!`, uri: `x${'?a'.repeat(10_000)}` },
    {
      why: 'many names',
      template: `x{?${Array.from({ length: 900 }, (_, i) => `a${i % 10}`).join(',')}}!`,
      uri: `x?${long}`,
    },
    { why: 'a long text in between', template: `x{+a}${'a'.repeat(3_000)}b`, uri: `x${long}` },
  ])('costs no more than it says: $why', ({ template, uri }) => {
    const parsed = UriTemplate.parse(template)!;
    const ms = cpuMs(() => expect(parsed.matches(uri)).toBe(false));
    // 30 ns a character, and what it takes to measure: a slow machine has much to spare.
    expect(ms).toBeLessThan(20 + parsed.costOf(uri) * 3e-5);
  });

  test('and one whose beginning is another costs next to nothing', () => {
    const parsed = UriTemplate.parse(`x${'{+a}a'.repeat(60)}!`)!;
    expect(parsed.costOf(`y${long}`)).toBe(1);
  });
});
