// Builds repo-tools into dist/: node build.mjs
//
// Node's entries share their modules and leave packages outside. The Worker is one file with all it needs; the condition
// `workerd` has doorward leave out what Workers have no use for.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const FOLDER = dirname(fileURLToPath(import.meta.url));
const NODE_ENTRIES = ['contract', 'implementation', 'server', 'stdio', 'notes'];

rmSync(join(FOLDER, 'dist'), { recursive: true, force: true });

await write(
  {
    input: Object.fromEntries(NODE_ENTRIES.map((name) => [name, join(FOLDER, 'src', `${name}.ts`)])),
    platform: 'node',
    external: [/^doorward(?:\/|$)/, /^zod(?:\/|$)/],
  },
  { chunkFileNames: '[name].js' },
);
await write(
  {
    input: join(FOLDER, 'src', 'worker.ts'),
    platform: 'neutral',
    resolve: { conditionNames: ['workerd', 'import', 'default'] },
  },
  { codeSplitting: false, minify: true, comments: { legal: false } },
);

async function write(input, output) {
  const build = await rolldown({
    ...input,
    cwd: FOLDER,
    resolve: { ...input.resolve, extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  await build.write({ format: 'esm', dir: join(FOLDER, 'dist'), ...output });
  await build.close();
}
