// `npm run conformance:bombs`: every bomb in a fresh process, compiled and without code generation: a typed answer, in
// time, and the memory given back. With `--answers` it runs them all in this process and writes a line of JSON each.
import { spawnSync } from 'node:child_process';
import { compileSchema, prepareEngine } from '../../src/schema/index.js';
import { BOMBS, type Bomb } from './bombs/index.js';
import { type BombResult, faultOf, runBomb } from './run-bomb.js';

const MAX_CPU_MS = 100;
const MAX_RSS_MIB = 20;
const RUNS = 3;
const CHILD_TIMEOUT_MS = 30_000;
const NO_CODE = '--disallow-code-generation-from-strings';

// Code is generated at once, not after a while: a bomb has to find the generator too.
await prepareEngine();
const [mode, name] = process.argv.slice(2);
if (mode === '--one') console.log(JSON.stringify(runBomb(getBomb(String(name)))));
else if (mode === '--answers') for (const bomb of BOMBS) console.log(JSON.stringify(runBomb(bomb)));
else runAll(mode);

function getBomb(wanted: string): Bomb {
  const bomb = BOMBS.find((one) => one.name === wanted);
  if (!bomb) throw new Error(`no bomb is called ${wanted}`);
  warmUp();
  return bomb;
}

/** The room is loaded and has judged before, as in a process that has been up for a while; nothing is optimised yet. */
function warmUp(): void {
  const compilation = compileSchema(
    '{"type":"object","properties":{"a":{"pattern":"^a","enum":["a"]}},"required":["a"]}',
  );
  if (!compilation.ok) throw compilation.error;
  for (const text of ['{"a":"a"}', '{"b":1}', '{"a":12345678901234567890}']) compilation.judge.check(text);
}

/** @param only run those bombs alone whose name holds this */
function runAll(only = ''): void {
  let faults = 0;
  console.log(
    `targets: a typed answer, under ${MAX_CPU_MS} ms CPU, RSS within ${MAX_RSS_MIB} MiB (in 2 of ${RUNS} runs)`,
  );
  for (const flags of [[], [NO_CODE]]) {
    console.log(flags.length === 0 ? '\ncompiled' : '\nwithout code generation');
    for (const bomb of BOMBS.filter((one) => one.name.includes(only))) faults += runOne(bomb, flags) ? 0 : 1;
  }
  console.log(faults === 0 ? 'conformance:bombs holds' : `conformance:bombs: ${faults} misses`);
  process.exitCode = faults === 0 ? 0 : 1;
}

/** Two good runs or two bad ones decide: a busy machine can spoil one. */
function runOne(bomb: Bomb, flags: readonly string[]): boolean {
  const runs: { readonly fault: string; readonly text: string }[] = [];
  const isDecided = () => [true, false].some((good) => runs.filter(({ fault }) => (fault === '') === good).length >= 2);
  while (!isDecided() && runs.length < RUNS) runs.push(goOffElsewhere(bomb, flags));
  const bad = runs.filter(({ fault }) => fault !== '');
  const holds = runs.length - bad.length >= 2;
  const shown = holds ? runs.find(({ fault }) => fault === '')! : bad[0]!;
  console.log(`  ${holds ? 'ok  ' : 'MISS'} ${bomb.name}: ${shown.text}${holds ? '' : `: ${shown.fault}`}`);
  return holds;
}

function goOffElsewhere(bomb: Bomb, flags: readonly string[]): { readonly fault: string; readonly text: string } {
  const script = process.argv[1]!;
  const { stdout, stderr, signal } = spawnSync(
    process.execPath,
    ['--expose-gc', ...flags, script, '--one', bomb.name],
    {
      encoding: 'utf8',
      timeout: CHILD_TIMEOUT_MS,
    },
  );
  if (!stdout)
    return { text: 'no answer', fault: signal ? `killed after ${CHILD_TIMEOUT_MS} ms` : stderr.trim().slice(0, 300) };
  const result = JSON.parse(stdout) as BombResult;
  const faults = [
    faultOf(bomb, result),
    costOf(bomb, result) >= MAX_CPU_MS ? `over ${MAX_CPU_MS} ms` : '',
    (bomb.named ? result.rssMiB : result.keptMiB) > MAX_RSS_MIB ? `over ${MAX_RSS_MIB} MiB` : '',
  ];
  const text = `${result.answer}, ${result.compileMs.toFixed(1)} + ${result.checkMs.toFixed(1)} ms, ${result.rssMiB.toFixed(1)} MiB (${result.keptMiB.toFixed(1)} kept)`;
  return { text, fault: faults.filter((one) => one !== '').join(', ') };
}

/** A bomb that the issue names has to be over in time as a whole; of the others no compile and no verdict may take longer. */
function costOf({ named }: Bomb, { compileMs, checkMs }: BombResult): number {
  return named ? compileMs + checkMs : Math.max(compileMs, checkMs);
}
