import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => vi.unstubAllGlobals());

/** The room in a process of its own, as far as what it remembers goes. */
async function fresh(): Promise<typeof import('./index.js')> {
  vi.resetModules();
  return import('./index.js');
}

test.each([
  { why: 'as it is', missing: undefined },
  { why: 'without WeakRef', missing: 'WeakRef' },
  { why: 'without FinalizationRegistry', missing: 'FinalizationRegistry' },
])('judges are shared on a platform $why', async ({ missing }) => {
  if (missing !== undefined) vi.stubGlobal(missing, undefined);
  const { compileSchema } = await fresh();
  const [one, other] = [compileSchema({ type: 'string' }), compileSchema('{"type":"string"}')];
  if (!one.ok || !other.ok) throw new Error('it did not compile');
  expect(one.judge).toBe(other.judge);
  expect(one.judge.checkValue('x')).toEqual({ valid: true });
});

test('what nobody holds any more can be had anew', async () => {
  class Lost {
    deref(): undefined {
      return undefined;
    }
  }
  vi.stubGlobal('WeakRef', Lost);
  const { compileSchema } = await fresh();
  const [one, other] = [compileSchema({ type: 'string' }), compileSchema({ type: 'string' })];
  if (!one.ok || !other.ok) throw new Error('it did not compile');
  expect(one.judge).not.toBe(other.judge);
  expect(other.judge.checkValue(5).valid).toBe(false);
});
