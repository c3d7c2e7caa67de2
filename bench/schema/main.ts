// `npm run bench:schema`: the judge beside ajv 8, hyperjump and cfworker on the schemas of real tools, in one run and by
// turns. CPU of all threads. A bar holds if it holds in 2 of 3 runs. Ends with 1 where one does not.
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { median, ratio } from './measure.js';
import { type Figures, MEASUREMENTS } from './rows.js';

const RUNS = 3;
const NEEDED = 2;
const NO_CODE = '--disallow-code-generation-from-strings';

/** One bar: the figure of a run, and what it must not exceed. */
interface Bar {
  readonly what: string;
  readonly unit: string;
  readonly limit: number;
  readonly figure: (run: Figures) => number;
}

const BARS: readonly Bar[] = [
  { what: 'preflight, compile and first check, of ajv', unit: 'x', limit: 0.5, figure: compileRatio },
  { what: 'valid check, of ajv', unit: 'x', limit: 1.2, figure: ({ rows }) => ratio(rows.valid!, 'ours', 'ajv') },
  {
    what: 'check with all issues, of ajv allErrors',
    unit: 'x',
    limit: 1.5,
    figure: ({ rows }) => ratio(rows.issues!, 'ours', 'ajv'),
  },
  {
    what: 'check without code generation, of cfworker',
    unit: 'x',
    limit: 0.25,
    figure: ({ rows }) => ratio(rows['without code']!, 'ours', 'cfworker'),
  },
  { what: '1,000 tools preflighted, cold', unit: ' ms', limit: 150, figure: ({ figures }) => figures['preflight ms']! },
  {
    what: 'heap for 5,000 tools, each judged with once',
    unit: ' MiB',
    limit: 100,
    figure: ({ figures }) => figures['heap MiB']!,
  },
  {
    what: 'case a41: a list of 320 KB, first time',
    unit: ' ms',
    limit: 500,
    figure: ({ figures }) => figures['first list ms']!,
  },
  { what: 'case a41: the same list again', unit: ' ms', limit: 50, figure: ({ figures }) => figures['relist ms']! },
  {
    what: 'case a41: RSS after 200 lists',
    unit: ' MiB',
    limit: 20,
    figure: ({ figures }) => figures['relist RSS MiB']!,
  },
];

/** Making the fresh copy is nobody's compiling: it is taken off both sides. */
function compileRatio({ rows }: Figures): number {
  const { ours, ajv, copying } = rows.compile!;
  return median(ours!.map((value, round) => (value - copying![round]!) / (ajv![round]! - copying![round]!)));
}

const [kind] = process.argv.slice(2);
if (kind === undefined) runAll();
else console.log(JSON.stringify(await MEASUREMENTS[kind as keyof typeof MEASUREMENTS]()));

function runAll(): void {
  console.log(`node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}, ${RUNS} runs`);
  const runs = Array.from({ length: RUNS }, (_, at) => {
    const run = measureOnce();
    show(run, at + 1);
    return run;
  });
  console.log('\nbars');
  let missed = 0;
  for (const { what, unit, limit, figure } of BARS) {
    const figures = runs.map(figure);
    const holds = figures.filter((value) => value <= limit).length >= NEEDED;
    if (!holds) missed += 1;
    const shown = figures.map((value) => `${value.toFixed(2)}${unit}`).join(', ');
    console.log(`  ${holds ? 'ok  ' : 'MISS'} ${what}: ${shown} (at most ${limit}${unit} in ${NEEDED} of ${RUNS})`);
  }
  console.log(missed === 0 ? 'bench:schema holds' : `bench:schema: ${missed} bars missed`);
  process.exitCode = missed === 0 ? 0 : 1;
}

function measureOnce(): Figures {
  const kinds = Object.keys(MEASUREMENTS) as (keyof typeof MEASUREMENTS)[];
  const parts = kinds.map((kind) => measureElsewhere(kind, kind === 'without-code' ? [NO_CODE] : []));
  return {
    rows: Object.assign({}, ...parts.map(({ rows }) => rows)),
    figures: Object.assign({}, ...parts.map(({ figures }) => figures)),
  };
}

/** A fresh process of this same script: what one measurement warmed or littered is not there for the next. */
function measureElsewhere(kind: string, flags: readonly string[]): Figures {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--expose-gc', ...flags, process.argv[1]!, kind], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`the ${kind} process ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}

function show({ rows, figures }: Figures, number: number): void {
  console.log(
    `\nrun ${number}: ${figures.schemas} schemas compiled, ${figures.valid} valid and ${figures.invalid} invalid values checked; CPU us each, median of rounds`,
  );
  for (const [row, series] of Object.entries(rows)) {
    const shown = Object.entries(series).map(([name, values]) => `${name} ${median(values).toFixed(2)}`);
    console.log(`  ${row.padEnd(13)} ${shown.join(', ')}`);
  }
  const { 'preflight ms': preflightMs, 'heap MiB': heapMib, 'schema text MiB': textMib } = figures;
  console.log(
    `  preflight of 1,000 tools ${preflightMs?.toFixed(0)} ms; heap ${heapMib?.toFixed(0)} MiB (schema text ${textMib?.toFixed(1)} MiB)`,
  );
}
