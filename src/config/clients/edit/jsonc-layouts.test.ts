import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isObject, type Json } from '../spec.js';
import { isEqual, valueAt, withValueAt } from './equal.js';
import { openFile } from './open-file.js';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const key = fc.constantFrom('a', 'b', 'c', 'mcpServers', 'x.y', '');
const { value: values } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    fc.oneof(fc.integer(), fc.constantFrom('', '//', '/* */', '"', '},'), fc.constant(null), fc.boolean()),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const roots = fc.dictionary(key, values, { maxKeys: 4, noNullPrototype: true });

/** What may stand between two tokens; each remark is a number of its own, so that none can stand for another. */
const gaps = fc.infiniteStream(
  fc.constantFrom('', '', ' ', '\n', '\n  ', '\t', ' /*#*/ ', ' //#\n', '\n//#\n', ' /*#\n*/', '\n\n'),
);

/** The same value, laid out in one of the many ways that people do. */
function layOut(value: Json, gap: () => string, hasTrailingCommas: boolean): string {
  const inner = (item: Json): string => layOut(item, gap, hasTrailingCommas);
  const join = (items: readonly string[]): string => {
    const tail = hasTrailingCommas && items.length > 0 ? `,${gap()}` : '';
    return items.map((item) => `${gap()}${item}${gap()}`).join(',') + tail;
  };
  if (Array.isArray(value)) return `[${join(value.map(inner))}${gap()}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(
      ([name, item]) => `${JSON.stringify(name)}${gap()}:${gap()}${inner(item)}`,
    );
    return `{${join(members)}${gap()}}`;
  }
  return JSON.stringify(value);
}

function laidOut(value: Json, stream: Iterator<string>, hasTrailingCommas: boolean) {
  const remarks: string[] = [];
  const gap = (): string => {
    const text: string = stream.next().value;
    if (!text.includes('#')) return text;
    remarks.push(`r${remarks.length}r`);
    return text.replace('#', remarks.at(-1)!);
  };
  return { text: `${gap()}${layOut(value, gap, hasTrailingCommas)}${gap()}`, remarks };
}

const paths = fc.array(key, { minLength: 1, maxLength: 3 });

test('in any layout, what is set is said, and what is new takes no remark away', () => {
  fc.assert(
    fc.property(roots, gaps, fc.boolean(), paths, values, (root, stream, hasTrailingCommas, path, value) => {
      const { text, remarks } = laidOut(root, stream[Symbol.iterator](), hasTrailingCommas);
      const parents = path.map((_, depth) => valueAt(root, path.slice(0, depth)));
      fc.pre(parents.every((parent) => parent === undefined || isObject(parent)));
      const file = openFile({ format: 'jsonc', name: 'f', bytes: encode(text) });
      file.set(path, value);
      expect(isEqual(file.value, withValueAt(root, path, value)), file.text).toBe(true);
      if (valueAt(root, path) === undefined) for (const remark of remarks) expect(file.text).toContain(remark);
      const once = file.text;
      file.set(path, value);
      expect(file.text).toBe(once);
    }),
    { numRuns: 1500 },
  );
});

test('in any layout, what is removed is gone, and nothing else', () => {
  fc.assert(
    fc.property(roots, gaps, fc.boolean(), paths, (root, stream, hasTrailingCommas, path) => {
      const { text } = laidOut(root, stream[Symbol.iterator](), hasTrailingCommas);
      const file = openFile({ format: 'jsonc', name: 'f', bytes: encode(text) });
      file.remove(path);
      const wanted = valueAt(root, path) === undefined ? root : withValueAt(root, path, undefined);
      expect(isEqual(file.value, wanted), file.text).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
