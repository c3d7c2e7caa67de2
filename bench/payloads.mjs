// @ts-check
/**
 * What is sent and answered. Every pool holds different values: one value repeated would flatter scanners, memos and
 * branch predictors. Pools come from a fixed seed, so that two runs measure the same bytes.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{ readonly arguments: Buffer, readonly result: Buffer }} Payload JSON text of one call and its answer */
/** @typedef {(random: () => number, pick: number) => { arguments: object, result: object }} MakePayload */

/** Three digits in every request tell the upstream which answer to give; no two payloads of any kind share them. */
const FIRST_PICK = 100;
const SMALL_POOL = 128;
const LARGE_POOL = 16;
const MIB = 1024 * 1024;

const WORDS = (
  'door ward gate answer schema value tree river stone table window paper letter morning market garden ' +
  'number signal bridge weather station record language mountain library engine winter summer copper silver'
).split(' ');
const OTHER_WORDS = ['café', 'naïve', 'Straße', 'señor', '日本語', 'Привет', 'δοκιμή', '🚪', 'smörgås'];
const CODE = [
  'return',
  'const',
  'if (ready) {',
  '}',
  'path ===',
  '"utf8"',
  '\t',
  "require('x')",
  '=> {',
  '"name":',
  '&&',
];
const TAGS = ['red', 'green', 'blue', 'new', 'used', 'rare'];

/** @param {number} seed @returns {() => number} the same numbers in [0, 1) for the same seed */
export function seededRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** @template T @param {() => number} random @param {readonly T[]} list @returns {T} */
const oneOf = (random, list) => /** @type {T} */ (list[Math.floor(random() * list.length)]);

/** Prose without escapes; in one pool value of four, some words are not ASCII.
 * @param {() => number} random @param {number} bytes @param {boolean} isAscii */
function prose(random, bytes, isAscii) {
  const words = [];
  for (let size = 0; size < bytes; ) {
    const word = !isAscii && random() < 0.1 ? oneOf(random, OTHER_WORDS) : oneOf(random, WORDS);
    words.push(word);
    size += Buffer.byteLength(word) + 1;
  }
  return words.join(' ');
}

/** Lines as in source files: an escape (line end, quote, tab) about every 25 bytes of JSON.
 * @param {() => number} random @param {number} bytes */
function sourceCode(random, bytes) {
  const lines = [];
  for (let size = 0; size < bytes; ) {
    const words = [];
    for (let count = 3 + Math.floor(random() * 8); count > 0; count--) {
      words.push(random() < 0.3 ? oneOf(random, CODE) : oneOf(random, WORDS));
    }
    const line = words.join(' ');
    lines.push(line);
    size += line.length + 2;
  }
  return lines.join('\n');
}

/** Records of some 260 bytes, half of them prose. @param {() => number} random @param {number} bytes @param {boolean} isAscii */
function records(random, bytes, isAscii) {
  const list = [];
  for (let size = 0; ; ) {
    const record = {
      id: Math.floor(random() * 1e9),
      name: prose(random, 14, isAscii),
      sku: `${oneOf(random, ['ABC', 'XYZ', 'QRS'])}-${1000 + Math.floor(random() * 9000)}`,
      price: Math.round(random() * 1e5) / 100,
      score: random(),
      active: random() < 0.5,
      tags: Array.from({ length: Math.floor(random() * 4) }, () => oneOf(random, TAGS)),
      place: { city: oneOf(random, WORDS), lat: degrees(random, 90), lon: degrees(random, 180) },
      // Half of the bytes are prose, as in what tools really answer: titles, descriptions, bodies.
      note:
        random() < 0.2 ? null : `${prose(random, 60 + random() * 100, isAscii)}${random() < 0.2 ? '\n"quoted"' : ''}`,
    };
    const recordBytes = Buffer.byteLength(JSON.stringify(record)) + 1;
    // The last one is left out where that comes nearer to the size asked for: a kilobyte holds four of them.
    if (list.length > 0 && size + recordBytes / 2 > bytes) return list;
    list.push(record);
    size += recordBytes;
  }
}

/** Six decimals, as maps give them. @param {() => number} random @param {number} most */
const degrees = (random, most) => Math.round((random() * 2 - 1) * most * 1e6) / 1e6;

/** @param {string} text */
const textResult = (text) => ({ content: [{ type: 'text', text }] });

/** @param {() => number} random @param {number} bytes lengths vary by a tenth, as real ones do */
const about = (random, bytes) => Math.floor(bytes * (0.9 + random() * 0.2));
/** @param {number} pick */
const isAsciiPick = (pick) => pick % 4 !== 3;

/** @param {number} bytes @returns {MakePayload} */
const structured = (bytes) => (random, pick) => {
  const sent = records(random, about(random, bytes), isAsciiPick(pick));
  const answered = records(random, about(random, bytes), isAsciiPick(pick));
  return {
    arguments: { pick, records: sent },
    result: { content: [{ type: 'text', text: 'see structuredContent' }], structuredContent: { records: answered } },
  };
};

/** @type {Readonly<Record<string, { tool: string, count: number, make: MakePayload }>>} */
export const KINDS = {
  tiny: {
    tool: 'text',
    count: SMALL_POOL,
    make: (random, pick) => ({ arguments: { pick }, result: textResult(String(1e9 + Math.floor(random() * 8e9))) }),
  },
  'text-1k': {
    tool: 'text',
    count: SMALL_POOL,
    make: (random, pick) => ({
      arguments: { pick },
      result: textResult(prose(random, about(random, 1024), isAsciiPick(pick))),
    }),
  },
  'structured-1k': { tool: 'records', count: SMALL_POOL, make: structured(1024) },
  'structured-1k-unjudged': { tool: 'anything', count: SMALL_POOL, make: structured(1024) },
  'text-1m-result': {
    tool: 'text',
    count: LARGE_POOL,
    make: (random, pick) => ({
      arguments: { pick },
      result: textResult(prose(random, about(random, MIB), isAsciiPick(pick))),
    }),
  },
  'text-1m-both': {
    tool: 'text',
    count: LARGE_POOL,
    make: (random, pick) => ({
      arguments: { pick, text: prose(random, about(random, MIB), isAsciiPick(pick)) },
      result: textResult(prose(random, about(random, MIB), isAsciiPick(pick))),
    }),
  },
  'escaped-1m-both': {
    tool: 'text',
    count: LARGE_POOL,
    make: (random, pick) => ({
      arguments: { pick, text: sourceCode(random, about(random, MIB)) },
      result: textResult(sourceCode(random, about(random, MIB))),
    }),
  },
  'structured-1m-both': { tool: 'records', count: LARGE_POOL, make: structured(MIB) },
  'arguments-1m': {
    tool: 'text',
    count: LARGE_POOL,
    make: (random, pick) => ({
      arguments: { pick, text: sourceCode(random, about(random, MIB)) },
      result: textResult('written'),
    }),
  },
  'text-16m-result': {
    tool: 'text',
    count: 1,
    make: (_random, pick) => ({ arguments: { pick }, result: textResult('sixteen '.repeat(2 * MIB)) }),
  },
  'text-40m-result': {
    tool: 'text',
    count: 1,
    make: (_random, pick) => ({ arguments: { pick }, result: textResult('forty th'.repeat(5 * MIB)) }),
  },
};

/**
 * Makes the pool of one kind and leaves it in `directory` for the upstream: a file of arguments and one of results,
 * a JSON text a line.
 *
 * @param {string} kind @param {string} directory @returns {readonly Payload[]}
 */
export function makePool(kind, directory) {
  const recipe = KINDS[kind];
  if (!recipe) throw new Error(`no payload kind is called ${kind}`);
  // The unjudged kind must carry the very bytes of the judged one: the difference is then the judging alone.
  const random = seededRandom(hash(kind.replace('-unjudged', '')));
  const pool = [];
  const first = firstPick(kind);
  for (let index = 0; index < recipe.count; index++) {
    const made = recipe.make(random, first + index);
    pool.push({
      arguments: Buffer.from(JSON.stringify(made.arguments)),
      result: Buffer.from(JSON.stringify(made.result)),
    });
  }
  mkdirSync(directory, { recursive: true });
  for (const part of /** @type {const} */ (['arguments', 'result'])) {
    writeFileSync(
      join(directory, `${kind}.${part}`),
      Buffer.concat(pool.flatMap((one) => [one[part], Buffer.from('\n')])),
    );
  }
  return pool;
}

/** @param {string} kind */
function firstPick(kind) {
  let first = FIRST_PICK;
  for (const [name, { count }] of Object.entries(KINDS)) {
    if (name === kind) break;
    first += count;
  }
  return first;
}

/** @param {string} text */
function hash(text) {
  let sum = 7;
  for (const character of text) sum = (Math.imul(sum, 31) + character.charCodeAt(0)) >>> 0;
  return sum;
}
