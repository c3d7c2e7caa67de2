import { configDefaults, defineConfig } from 'vitest/config';

/** What these rooms hold starts no process: their tests share one, since loading a room takes longer than most of its tests. */
const ROOMS = 'base|schema|protocol|store|contract|catalog|config|client|discovery|gateway|generate|doors';

/** Tests of what a process remembers. */
const OWN_PROCESS = [
  'src/base/json/exact-number.test.ts',
  'src/schema/known-judges.test.ts',
  'src/schema/warm-up.test.ts',
];

/** Tests of how soon an answer comes: they have the machine to themselves. */
const MEASURED = ['test/cases/{process,wire}.test.ts', 'test/stories/{crash,end,hops,start}.test.ts'];

const common = { globalSetup: ['test/global-setup.ts'], testTimeout: 30_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    coverage: { include: ['src/**/*.ts'], exclude: ['src/**/*.test.ts'] },
    projects: [
      {
        test: {
          ...common,
          name: 'rooms',
          include: [`src/@(${ROOMS})/**/*.test.ts`],
          exclude: [...configDefaults.exclude, ...OWN_PROCESS],
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...common,
          name: 'processes',
          include: [
            `src/!(${ROOMS})/**/*.test.ts`,
            'src/*.test.ts',
            '{test,bench,conformance,tools,examples}/**/*.test.ts',
            ...OWN_PROCESS,
          ],
          exclude: [...configDefaults.exclude, ...MEASURED],
          // One more than vitest takes on a machine of two cores: these tests wait for processes most of the time.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...common,
          name: 'measured',
          include: MEASURED,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
