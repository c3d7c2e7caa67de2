// @ts-check
/** The pools as an upstream reads them from disk: what is to be answered, and what is to have come, by pick. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const NEWLINE = 10;
const ZERO = 0x30;
const PICK_DIGITS = 3;
export const PICK = Buffer.from('"pick":');

/**
 * @param {string} directory @param {readonly string[]} kinds
 * @returns {{ results: Buffer[], wanted: Buffer[] }} both by pick
 */
export function readPools(directory, kinds) {
  /** @type {Buffer[]} */
  const results = [];
  /** @type {Buffer[]} */
  const wanted = [];
  for (const kind of kinds) {
    const answers = readLines(join(directory, `${kind}.result`));
    for (const [index, line] of readLines(join(directory, `${kind}.arguments`)).entries()) {
      const pick = readPick(line, line.indexOf(PICK));
      wanted[pick] = line;
      results[pick] = /** @type {Buffer} */ (answers[index]);
    }
  }
  return { results, wanted };
}

/** @param {Buffer} bytes @param {number} at where the member's name begins */
export function readPick(bytes, at) {
  let pick = 0;
  for (let digit = at + PICK.length; digit < at + PICK.length + PICK_DIGITS; digit++) {
    pick = pick * 10 + /** @type {number} */ (bytes[digit]) - ZERO;
  }
  return pick;
}

/** @param {Buffer} bytes @param {number} pickAt @param {Buffer} expected @param {number} end @throws where a byte was changed on the way */
export function checkArguments(bytes, pickAt, expected, end) {
  const at = pickAt - 1;
  if (at + expected.length <= end && bytes.compare(expected, 0, expected.length, at, at + expected.length) === 0)
    return;
  throw new Error(`arguments were changed on the way: ${bytes.toString('utf8', at, at + 200)}`);
}

/** @param {string} path @returns {Buffer[]} */
function readLines(path) {
  const bytes = readFileSync(path);
  const lines = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, at);
    lines.push(bytes.subarray(at, end));
    at = end + 1;
  }
  return lines;
}
