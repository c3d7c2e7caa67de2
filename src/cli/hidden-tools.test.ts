import { expect, test } from 'vitest';
import { MemoryGateway, toolNamed } from '../../test/fixtures/memory-gateway.js';
import { hiddenText, hiddenTools } from './hidden-tools.js';

test('two entries of one server hide what each of them says', async () => {
  const scripts = [{ tools: ['read', 'write_file'].map((name) => toolNamed(name)) }];
  const { gateway } = new MemoryGateway({
    a: { scripts, tools: { deny: ['write_*'] } },
    b: { scripts, tools: { allow: ['write_*'] } },
    c: { scripts },
  });
  await gateway.listTools();
  expect(hiddenTools(gateway.snapshot(), ['a', 'b', 'c'])).toEqual([
    { server: 'a', tool: 'write_file' },
    { server: 'b', tool: 'read' },
  ]);
  expect(hiddenTools(gateway.snapshot(), ['b'])).toEqual([{ server: 'b', tool: 'read' }]);
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
