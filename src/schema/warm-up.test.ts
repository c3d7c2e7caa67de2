import { afterEach, beforeEach, expect, test, vi } from 'vitest';

type WarmUp = typeof import('./warm-up.js');

/** A room that nobody has used yet: what is loaded is remembered for the whole process. */
async function fresh(): Promise<WarmUp> {
  vi.resetModules();
  return import('./warm-up.js');
}

beforeEach(() => vi.unstubAllGlobals());
afterEach(() => vi.unstubAllGlobals());

test('a cold judge finds no engine, and has none loaded', async () => {
  const { findEngine } = await fresh();
  expect(findEngine(7)).toBeUndefined();
  await new Promise((done) => setTimeout(done, 50));
  expect(findEngine(7)).toBeUndefined();
  expect(findEngine(1_000)).toBeUndefined();
});

test('the first warm judge has it loaded, and each finds it once it is warm itself', async () => {
  const { findEngine } = await fresh();
  expect(findEngine(8)).toBeUndefined();
  await vi.waitFor(() => expect(findEngine(8)).toBeTypeOf('function'), { timeout: 20_000 });
  expect(findEngine(7)).toBeUndefined();
});

test('prepared, even a judge that has done nothing yet finds it', async () => {
  const { findEngine, prepareEngine } = await fresh();
  expect(await Promise.all([prepareEngine(), prepareEngine()])).toEqual([true, true]);
  expect(findEngine(0)).toBeTypeOf('function');
  expect(await prepareEngine()).toBe(true);
});

test('where code generation is forbidden there is none, and nobody tries again', async () => {
  const { findEngine, prepareEngine } = await fresh();
  let tries = 0;
  vi.stubGlobal('Function', function forbidden() {
    tries += 1;
    throw new EvalError('Code generation from strings disallowed for this context');
  });
  expect(findEngine(8)).toBeUndefined();
  expect(await prepareEngine()).toBe(false);
  expect(findEngine(1_000)).toBeUndefined();
  expect(tries).toBe(1);
});

test('where it is said to be forbidden it is not even tried', async () => {
  const { findEngine, forbidCodeGeneration, prepareEngine } = await fresh();
  let tries = 0;
  vi.stubGlobal('Function', function counted() {
    tries += 1;
  });
  forbidCodeGeneration();
  expect(findEngine(1_000)).toBeUndefined();
  expect(await prepareEngine()).toBe(false);
  expect(tries).toBe(0);
});

test('forbidding comes before what is being loaded meanwhile', async () => {
  const { findEngine, forbidCodeGeneration, prepareEngine } = await fresh();
  const prepared = prepareEngine();
  forbidCodeGeneration();
  expect(await prepared).toBe(false);
  expect(findEngine(1_000)).toBeUndefined();
});
