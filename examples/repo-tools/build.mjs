// Builds repo-tools into dist/: node build.mjs
//
// Node's entries share their modules and leave packages outside. The Worker is one file with all it needs; the condition
// `workerd` has doorward leave out what Workers have no use for.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const FOLDER = dirname(fileURLToPath(import.meta.url));
// What documents say of their age: two builds of one commit are the same, so it is never the clock.
const BUILT_AT = builtAt();
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
    transform: { define: { __BUILT_AT__: JSON.stringify(BUILT_AT) } },
  });
  await build.write({ format: 'esm', dir: join(FOLDER, 'dist'), ...output });
  await build.close();
}

/** SOURCE_DATE_EPOCH (reproducible-builds.org), else the time of the commit; '' where there is neither. */
function builtAt() {
  const { SOURCE_DATE_EPOCH: epoch } = process.env;
  const asked = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: FOLDER, encoding: 'utf8' });
  const seconds = epoch || (asked.status === 0 ? asked.stdout.trim() : '');
  return /^\d{1,11}$/.test(seconds) ? new Date(Number(seconds) * 1_000).toISOString().replace('.000Z', 'Z') : '';
}
