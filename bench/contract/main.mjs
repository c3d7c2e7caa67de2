// @ts-check
/**
 * `npm run bench:contract`: what a contract of 200 tools costs its author, on top of its schemas. Exits 1 on a miss.
 *
 * Start-up: a process that imports the contract against one that imports zod and converts the same schemas, by turns, from
 * their first moment to that one. What is beyond Node's own start is shown beside it. Two of three rounds have to hold: a
 * round is some tenths of a second of CPU, and others may use the machine.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describeMachine } from '../machine.mjs';
import { lowestQuartile } from '../statistics.mjs';
import { contractSource, implementationSource, schemasSource, TOOLS } from './author.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(dirname(HERE));
const BARS = { startRatio: 1.3, typesMs: 2_000, listMs: 5, documentMs: 2, unchangedMs: 0.3 };
const ROUNDS = 3;
const STARTS_A_ROUND = 5;
const COMPILES = 3;

/** @typedef {{ readonly allMs: number, readonly importMs: number }} Started */
/** @typedef {{ readonly what: string, readonly kind: string, readonly costMs: number, readonly tools: number, readonly bytes: number }} Row */

let misses = 0;
const folder = mkdtempSync(join(tmpdir(), 'doorward-bench-contract-'));
try {
  writeProject();
  process.stdout.write(`${describeMachine()}\n${TOOLS} tools\n`);
  start();
  compile();
  serve();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(misses === 0 ? 'all bars hold\n' : `${misses} missed\n`);
process.exitCode = misses === 0 ? 0 : 1;

/** A project as an author has it: two packages, and no more settings than strict ones. */
function writeProject() {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules', 'doorward'));
  symlinkSync(join(ROOT, 'node_modules', 'zod'), join(folder, 'node_modules', 'zod'));
  const compilerOptions = {
    strict: true,
    module: 'nodenext',
    target: 'es2023',
    skipLibCheck: true,
    noEmit: true,
    types: [],
  };
  write('package.json', JSON.stringify({ name: 'two-hundred', version: '1.0.0', type: 'module' }));
  write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.mts'] }));
  write('schemas.mjs', schemasSource());
  for (const ending of ['mjs', 'mts']) {
    write(`contract.${ending}`, contractSource());
    write(`implementation.${ending}`, implementationSource());
  }
}

/** @param {string} name @param {string} text */
function write(name, text) {
  writeFileSync(join(folder, name), text);
}

function start() {
  const ratios = [];
  for (let round = 0; round < ROUNDS; round++) {
    /** @type {Started[]} */
    const schemas = [];
    /** @type {Started[]} */
    const contract = [];
    for (let i = 0; i < STARTS_A_ROUND; i++) {
      schemas.push(startWith('schemas.mjs'));
      contract.push(startWith('contract.mjs'));
    }
    /** @param {keyof Started} figure */
    const pair = (figure) => [contract, schemas].map((starts) => lowestQuartile(starts.map((one) => one[figure])));
    const [allMs = Number.NaN, allBareMs = Number.NaN] = pair('allMs');
    const [importMs = Number.NaN, importBareMs = Number.NaN] = pair('importMs');
    ratios.push(allMs / allBareMs);
    const beyond = `beyond Node's start ${(importMs / importBareMs).toFixed(2)}x`;
    say(`start-up, round ${round + 1}`, `${ms(allMs)} with a contract, ${ms(allBareMs)} without; ${beyond}`);
  }
  const [, second = Number.NaN] = ratios.toSorted((a, b) => a - b);
  judge('start-up, two of three', second, BARS.startRatio, (value) => `${value.toFixed(2)}x`);
}

/** @param {string} file @returns {Started} */
function startWith(file) {
  return JSON.parse(node([join(HERE, 'start.mjs'), join(folder, file)]));
}

function compile() {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const times = [];
  for (let i = 0; i < COMPILES; i++) {
    const beganMs = performance.now();
    const printed = node([tsc, '-p', join(folder, 'tsconfig.json')]);
    times.push(performance.now() - beganMs);
    if (printed.trim() !== '') throw new Error(`the contract does not compile: ${printed}`);
  }
  judge('types of contract and handlers', Math.min(...times), BARS.typesMs, (value) => ms(value));
}

function serve() {
  /** @type {readonly Row[]} */
  const rows = JSON.parse(node([join(HERE, 'serving.mjs')]));
  for (const { what, kind, costMs, tools, bytes } of rows) {
    if (kind === 'list') {
      if (tools !== TOOLS) throw new Error(`tools/list has ${tools} tools`);
      judge(`tools/list, ${bytes} bytes`, costMs, BARS.listMs, (value) => ms(value, 2));
    } else if (kind === 'document') {
      judge(`${what}, ${bytes} bytes`, costMs, BARS.documentMs, (value) => ms(value, 3));
    } else judge(`${what}, unchanged`, costMs, BARS.unchangedMs, (value) => ms(value, 3));
  }
  const documents = rows.filter(({ kind }) => kind === 'document').length;
  if (documents < 15) throw new Error(`only ${documents} documents were found`);
}

/** @param {readonly string[]} args @returns {string} what it printed */
function node(args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}

/** @param {string} what @param {number} value @param {number} bar @param {(value: number) => string} show */
function judge(what, value, bar, show) {
  // A figure that is none is a miss too.
  const holds = value <= bar;
  if (!holds) misses++;
  say(what, `${show(value)}, at most ${show(bar)}: ${holds ? 'ok' : 'MISS'}`);
}

/** @param {string} what @param {string} text */
function say(what, text) {
  process.stdout.write(`  ${what.padEnd(62)} ${text}\n`);
}

/** @param {number} value @param {number} digits */
function ms(value, digits = 0) {
  return `${value.toFixed(digits)} ms`;
}
