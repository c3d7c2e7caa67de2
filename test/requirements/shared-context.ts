/** For what several tests look at: it is set up once, and cleared away after the last of them. */
import { afterAll, type TestContext } from 'vitest';

/** Call it in a `describe`: what is to be done when a test has finished is done when all have. */
export function sharedContext(): TestContext {
  const endings: (() => unknown)[] = [];
  afterAll(async () => {
    for (const end of endings.reverse()) await end();
  });
  return { onTestFinished: (end: () => unknown) => endings.push(end) } as unknown as TestContext;
}
