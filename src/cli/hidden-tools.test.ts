import { expect, test } from 'vitest';
import type { CachedCatalog } from '../catalog/index.js';
import type { Mount } from '../gateway/index.js';
import { HiddenTools, hiddenText } from './hidden-tools.js';

const tool = (name: string): string => `{"name":${JSON.stringify(name)},"inputSchema":{"type":"object"}}`;
const mountOf = (id: string, cacheKey: string, tools?: Mount['tools']): Mount =>
  ({ id, cacheKey, ...(tools && { tools }) }) as Mount;

test('two entries of one server hide what each of them says, and what is kept is kept', () => {
  const hidden = new HiddenTools();
  const kept: string[] = [];
  const mounts = [
    mountOf('a', 'k', { deny: ['write_*'] }),
    mountOf('b', 'k', { allow: ['write_*'] }),
    mountOf('c', 'k'),
  ];
  const cache = hidden.watch({ read: () => undefined, write: (key) => void kept.push(key) }, mounts);
  cache.write('k', { tools: [tool('read'), tool('write_file')] } as unknown as CachedCatalog);
  cache.write('other', { tools: [tool('write_more')] } as unknown as CachedCatalog);
  expect(kept).toEqual(['k', 'other']);
  expect(hidden.of(['a', 'b', 'c'])).toEqual([
    { server: 'a', tool: 'write_file' },
    { server: 'b', tool: 'read' },
  ]);
  expect(hidden.of(['b'])).toEqual([{ server: 'b', tool: 'read' }]);
});

test('a long list is cut, and says by how much', () => {
  const many = Array.from({ length: 23 }, (_, at) => ({ server: 's', tool: `t${at}` }));
  expect(hiddenText(many)).toMatch(/^23 hidden by tools\.allow or tools\.deny: s\.t0, .* s\.t19 and 3 more$/);
  expect(hiddenText([])).toBeUndefined();
});

test('a name that a terminal would obey is shown without what it would obey', () => {
  expect(hiddenText([{ server: 's', tool: 'a\u001b[31m\nb' }])).toBe(
    '1 hidden by tools.allow or tools.deny: s.a[31m b',
  );
});
