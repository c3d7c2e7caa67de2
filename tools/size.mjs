// Prints what the example's Worker weighs, and of what: npm run size. Exits 1 where it is over the limit.
//
// It is measured as it would be deployed: one minified file, compressed by gzip as hard as it can. The parts are what the
// bundle would be lighter by without them; what they share is in none of them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { buildExample, EXAMPLE } from './build-example.mjs';

const LIMIT_KB = 170;

/** Packages and files that can be told apart in it. */
const PARTS = [
  { name: 'zod, which the contract is written with', test: /^zod(?:\/|$)/ },
  { name: 'the example itself', test: /implement-with\.js$/ },
  { name: 'discovery documents', test: /\/discovery\.js$/ },
];

await buildExample({ force: true });
const code = readFileSync(join(EXAMPLE, 'dist', 'worker.js'));
const total = gzipSync(code, { level: 9 }).length;
console.log(
  `${kB(total)} kB gzip, ${kB(code.length)} kB minified, limit ${LIMIT_KB} kB: examples/repo-tools/dist/worker.js`,
);
for (const { name, test } of PARTS) console.log(`${kB(total - (await sizeWithout(test))).padStart(8)} kB  ${name}`);
if (total > LIMIT_KB * 1000) {
  console.error(`over the limit by ${kB(total - LIMIT_KB * 1000)} kB`);
  process.exitCode = 1;
}

async function sizeWithout(test) {
  const build = await rolldown({
    input: join(EXAMPLE, 'src', 'worker.ts'),
    cwd: EXAMPLE,
    platform: 'neutral',
    external: test,
    treeshake: { moduleSideEffects: [{ external: true, sideEffects: false }] },
    resolve: { conditionNames: ['workerd', 'import', 'default'], extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  const { output } = await build.generate({
    format: 'esm',
    codeSplitting: false,
    minify: true,
    comments: { legal: false },
  });
  await build.close();
  return gzipSync(output[0].code, { level: 9 }).length;
}

function kB(bytes) {
  return (bytes / 1000).toFixed(1);
}
