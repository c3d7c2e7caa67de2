import { getTestData, readRealSchemas } from '../../conformance/schema/data.js';
import { DIALECT_URI } from '../../conformance/schema/suite.js';
import { compileSchema, type Dialect, type Judge, prepareEngine } from '../../src/schema/index.js';
import { type BenchSchema, type Compile, freshCopy, type IsValid, readCorpus } from './corpus.js';
import { AjvBench, compileWithCfworker, compileWithFreshAjv, compileWithHyperjump } from './engines.js';
import { measure, type Series } from './measure.js';

/** What one process measured: a series a row, or single figures. */
export interface Figures {
  readonly rows: Readonly<Record<string, Series>>;
  readonly figures: Readonly<Record<string, number>>;
}

const ROUNDS = 7;
const COMPILE_ROUNDS = 3;
const SLICE_MS = 150;
/** Code of the last tier comes after some thousand calls of one function: fewer schemas, called more often. */
const WARM_MS = 3000;
const CHECKED_SHARE = 4;
const PREFLIGHTED_TOOLS = 1000;
const HELD_TOOLS = 5000;
const RELISTS = 199;

let serial = 0;

function compileOurs(schema: unknown, dialect: Dialect): Judge {
  const compilation = compileSchema(schema, { dialect: DIALECT_URI[dialect] });
  if (!compilation.ok) throw compilation.error;
  return compilation.judge;
}

interface Pair {
  readonly check: IsValid;
  readonly value: unknown;
}

/** One loop for all engines: whatever it costs, it costs each of them. */
function checkAll(pairs: readonly Pair[], wanted: boolean): number {
  let agreed = 0;
  for (const { check, value } of pairs) if (check(value) === wanted) agreed += 1;
  if (agreed !== pairs.length)
    throw new Error(`${pairs.length - agreed} of ${pairs.length} verdicts are not ${wanted}`);
  return agreed;
}

async function pairsOf(corpus: readonly BenchSchema[], which: 'valid' | 'invalid', compile: Compile): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const one of corpus) {
    const check = await compile(structuredClone(one.schema), one.dialect);
    pairs.push(...one[which].map((value) => ({ check, value })));
  }
  return pairs;
}

function ours(schema: object, dialect: Dialect): IsValid {
  const judge = compileOurs(schema, dialect);
  return (value) => judge.checkValue(value).valid;
}

/** Issues are there to be read: an engine that made them only on demand would have to make them here. */
function readingIssues(schema: object, dialect: Dialect): IsValid {
  const judge = compileOurs(schema, dialect);
  return (value) => {
    const verdict = judge.checkValue(value);
    return verdict.valid || lengthOf(verdict.issues) === 0;
  };
}

function readingErrors(check: ReturnType<AjvBench['compile']>): IsValid {
  return (value) => check(value) || lengthOf(check.errors ?? []) === 0;
}

function lengthOf(issues: readonly { readonly message?: string }[]): number {
  let length = 0;
  for (const { message } of issues) length += message?.length ?? 0;
  return length;
}

async function measureSpeed(): Promise<Figures> {
  await prepareEngine();
  const ajv = new AjvBench({ allErrors: false });
  const ajvAll = new AjvBench({ allErrors: true });
  const compileAjv: Compile = (schema, dialect) => ajv.compile(schema, dialect);
  const corpus = await readCorpus([compileAjv, compileWithCfworker, compileWithHyperjump]);
  const some = corpus.filter((_, at) => at % CHECKED_SHARE === 0);
  const valid = {
    ours: await pairsOf(some, 'valid', ours),
    ajv: await pairsOf(some, 'valid', compileAjv),
    hyperjump: await pairsOf(some, 'valid', compileWithHyperjump),
    cfworker: await pairsOf(some, 'valid', compileWithCfworker),
  };
  const invalid = {
    ours: await pairsOf(some, 'invalid', readingIssues),
    ajv: await pairsOf(some, 'invalid', (schema, dialect) => readingErrors(ajvAll.compile(schema, dialect))),
  };
  const texts = (pairs: readonly Pair[]) => pairs.map(({ check, value }) => ({ check, value: JSON.stringify(value) }));
  const oursOnText = await pairsOf(some, 'valid', (schema, dialect) => {
    const judge = compileOurs(schema, dialect);
    return (text) => judge.check(text).valid;
  });
  const parsed = valid.ajv.map(({ check, value }) => ({
    check: (text: unknown) => check(JSON.parse(text as string)),
    value,
  }));
  const rows = {
    compile: await measureCompile(corpus, ajv),
    valid: await measure(
      Object.fromEntries(Object.entries(valid).map(([name, pairs]) => [name, () => checkAll(pairs, true)])),
      { rounds: ROUNDS, units: valid.ours.length, sliceMs: SLICE_MS, warmMs: WARM_MS },
    ),
    issues: await measure(
      { ours: () => checkAll(invalid.ours, false), ajv: () => checkAll(invalid.ajv, false) },
      { rounds: ROUNDS, units: invalid.ours.length, sliceMs: SLICE_MS, warmMs: WARM_MS },
    ),
    text: await measure(
      { ours: bind(texts(oursOnText)), ajv: bind(texts(parsed)) },
      { rounds: ROUNDS, units: valid.ours.length, sliceMs: SLICE_MS, warmMs: WARM_MS },
    ),
  };
  return { rows, figures: { schemas: corpus.length, valid: valid.ours.length, invalid: invalid.ours.length } };
}

function bind(pairs: readonly Pair[]): () => number {
  return () => checkAll(pairs, true);
}

/** Preflight, metaschema, engine, and the first check, since an engine may build at first use. A schema nobody has seen each time. */
async function measureCompile(corpus: readonly BenchSchema[], ajv: AjvBench): Promise<Series> {
  const some = corpus.filter((one) => one.valid.length > 0);
  const pass = (list: readonly BenchSchema[], compile: (schema: object, dialect: Dialect) => IsValid) => () =>
    list.filter((one) => compile(freshCopy(one.schema, ++serial), one.dialect)(one.valid[0])).length;
  const every = await measure(
    {
      ours: pass(some, ours),
      ajv: pass(some, (schema, dialect) => ajv.compile(schema, dialect)),
      cfworker: pass(some, compileWithCfworker),
      copying: () => some.filter((one) => freshCopy(one.schema, ++serial) !== one.schema).length,
      hyperjump: async () => {
        for (const one of some)
          (await compileWithHyperjump(freshCopy(one.schema, ++serial), one.dialect))(one.valid[0]);
      },
    },
    { rounds: COMPILE_ROUNDS, units: some.length, sliceMs: 1, warmMs: 1 },
  );
  const few = some.filter((_, at) => at % 20 === 0);
  const { fresh } = await measure(
    { fresh: pass(few, compileWithFreshAjv) },
    { rounds: COMPILE_ROUNDS, units: few.length, sliceMs: 1, warmMs: 1 },
  );
  return { ...every, 'ajv, an instance each': fresh! };
}

async function measureWithoutCode(): Promise<Figures> {
  const corpus = (await readCorpus([compileWithCfworker, compileWithHyperjump])).filter(
    (_, at) => at % CHECKED_SHARE === 0,
  );
  const both = async (compile: Compile) => {
    const [valid, invalid] = [await pairsOf(corpus, 'valid', compile), await pairsOf(corpus, 'invalid', compile)];
    return { run: () => checkAll(valid, true) + checkAll(invalid, false), units: valid.length + invalid.length };
  };
  const tasks = {
    ours: await both(ours),
    cfworker: await both(compileWithCfworker),
    hyperjump: await both(compileWithHyperjump),
  };
  const row = await measure(Object.fromEntries(Object.entries(tasks).map(([name, { run }]) => [name, run])), {
    rounds: ROUNDS,
    units: tasks.ours.units,
    sliceMs: SLICE_MS,
    warmMs: WARM_MS,
  });
  return { rows: { 'without code': row }, figures: {} };
}

function distinctSchemas(count: number): object[] {
  const real = readRealSchemas(getTestData().realTools);
  return Array.from({ length: count }, (_, at) => freshCopy(real[at % real.length]!.schema as object, at));
}

/** As at the first list of a new process: nothing is warm. */
async function measurePreflight(): Promise<Figures> {
  const schemas = distinctSchemas(PREFLIGHTED_TOOLS);
  // What making the schemas left behind is not the preflight's to clean up.
  globalThis.gc?.();
  const before = process.cpuUsage();
  for (const schema of schemas) if (!compileSchema(schema).ok) throw new Error('a real schema was refused');
  const { user, system } = process.cpuUsage(before);
  return { rows: {}, figures: { 'preflight ms': (user + system) / 1000 } };
}

/** What the process holds more, after every tool was judged with once. */
async function measureHeap(): Promise<Figures> {
  await prepareEngine();
  const texts = distinctSchemas(HELD_TOOLS).map((schema) => JSON.stringify(schema));
  compileOurs({ type: 'object' }, '2020-12').checkValue({});
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const judges = texts.map((text) => compileOurs(text, '2020-12'));
  for (const judge of judges) judge.checkValue({});
  globalThis.gc?.();
  const mib = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  return {
    rows: {},
    figures: { 'heap MiB': mib, held: judges.length, 'schema text MiB': texts.join('').length / 2 ** 20 },
  };
}

/** Case a41: a list of 15 tools and 320 KB, listed again and again with nothing changed. */
async function measureRelist(): Promise<Figures> {
  const properties = (name: string) =>
    Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${name}${at}`, { type: 'string' }]));
  const $defs = Object.fromEntries(
    Array.from({ length: 15 }, (_, at) => [`definition${at}`, { type: 'object', properties: properties('property') }]),
  );
  const schema = (title: string) => ({
    type: 'object',
    title,
    $defs,
    properties: { a: { $ref: '#/$defs/definition14' } },
  });
  const text = JSON.stringify(
    Array.from({ length: 15 }, (_, at) => ({ input: schema(`in ${at}`), output: schema(`out ${at}`) })),
  );
  // Tools come parsed from the wire, so each list is new objects; parsing them is not the judge's work.
  const lists = Array.from({ length: RELISTS + 1 }, () => JSON.parse(text) as { input: object; output: object }[]);
  const list = (tools: { input: object; output: object }[]) =>
    tools.map(({ input, output }) => [compileOurs(input, '2020-12'), compileOurs(output, '2020-12')]);
  globalThis.gc?.();
  const rss = process.memoryUsage.rss();
  const start = process.cpuUsage();
  const held = list(lists[0]!);
  const first = process.cpuUsage(start);
  const again = process.cpuUsage();
  for (const tools of lists.slice(1)) held.splice(0, held.length, ...list(tools));
  const all = process.cpuUsage(again);
  const millis = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;
  const figures = {
    'list KB': text.length / 1000,
    'first list ms': millis(first),
    'relist ms': millis(all) / RELISTS,
    'relist RSS MiB': (process.memoryUsage.rss() - rss) / 2 ** 20,
  };
  return { rows: {}, figures };
}

/** What one process measures. */
export const MEASUREMENTS = {
  speed: measureSpeed,
  'without-code': measureWithoutCode,
  preflight: measurePreflight,
  heap: measureHeap,
  relist: measureRelist,
} as const;
