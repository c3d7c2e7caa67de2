// @ts-check
/**
 * The upstream that every middle stands before: a stdio MCP server that costs next to nothing. It finds the id and the
 * pick in each request by their usual places, without parsing, and answers with bytes made beforehand.
 *
 * usage: node bench/upstream.mjs DIRECTORY KIND[,KIND...] [COUNT of tools that are only listed]
 */
import { checkArguments, PICK, readPick, readPools } from './pools.mjs';
import { CALLED_TOOLS, listedTool } from './tool-list.mjs';

const [directory = '.', kinds = '', toolCount = '0'] = process.argv.slice(2);
const NEWLINE = 10;
const SCRATCH_BYTES = 256 * 1024;
const SMALL_BYTES = 16 * 1024;
const CHECK_EVERY = 61;

const ID_FIRST = Buffer.from('{"jsonrpc":"2.0","id":');
const RESULT = Buffer.from(',"result":');
const END = Buffer.from('}\n');

const { results, wanted } = readPools(directory, kinds.split(','));

/** @type {Buffer} */
let scratch = Buffer.allocUnsafe(SCRATCH_BYTES);
let filled = 0;
/** @type {Buffer[]} */
let held = [];
let calls = 0;

process.stdin.on('data', (chunk) => {
  let at = 0;
  for (;;) {
    const end = chunk.indexOf(NEWLINE, at);
    if (end < 0) break;
    const rest = chunk.subarray(at, end);
    if (held.length > 0) {
      held.push(rest);
      const whole = Buffer.concat(held);
      held = [];
      answer(whole, 0, whole.length);
    } else answer(chunk, at, end);
    at = end + 1;
  }
  if (at < chunk.length) held.push(at === 0 ? chunk : chunk.subarray(at));
  flush();
});
process.stdin.on('end', () => process.exit(0));

/** @param {Buffer} bytes @param {number} start @param {number} end */
function answer(bytes, start, end) {
  const pickAt = bytes.indexOf(PICK, start);
  if (pickAt < 0 || pickAt > end) return answerRest(JSON.parse(bytes.toString('utf8', start, end)));
  const pick = readPick(bytes, pickAt);
  const result = results[pick];
  if (!result) throw new Error(`no payload is number ${pick}`);
  if (calls++ % CHECK_EVERY === 0) checkArguments(bytes, pickAt, /** @type {Buffer} */ (wanted[pick]), end);
  const id = findId(bytes, start, end);
  const head = ID_FIRST.length + (id.end - id.start) + RESULT.length;
  if (filled + head + SMALL_BYTES > SCRATCH_BYTES) flush();
  filled += ID_FIRST.copy(scratch, filled);
  filled += bytes.copy(scratch, filled, id.start, id.end);
  filled += RESULT.copy(scratch, filled);
  if (result.length <= SMALL_BYTES - END.length) {
    filled += result.copy(scratch, filled);
    filled += END.copy(scratch, filled);
    return flush();
  }
  process.stdout.cork();
  flush();
  process.stdout.write(result);
  process.stdout.write(END);
  process.stdout.uncork();
}

const found = { start: 0, end: 0 };

/** The id stands first, as most write it, or last, as the official SDK does. @param {Buffer} bytes @param {number} start @param {number} end */
function findId(bytes, start, end) {
  let from = start + ID_FIRST.length;
  if (bytes[start + 2] === 0x6a && bytes[start + 18] === 0x69) {
    let to = from;
    while (bytes[to] !== 0x2c) to++;
    found.start = from;
    found.end = to;
    return found;
  }
  from = bytes.lastIndexOf('"id":', end) + 5;
  if (from > end - 40 && !bytes.subarray(from, end - 1).includes(0x22)) {
    found.start = from;
    found.end = end - 1;
    return found;
  }
  throw new Error(`the id stands at neither end: ${bytes.toString('utf8', start, Math.min(end, start + 200))}`);
}

/** @param {{ id?: string | number, method: string, params?: { protocolVersion?: string } }} message */
function answerRest(message) {
  if (message.id === undefined) return;
  const result =
    message.method === 'initialize'
      ? {
          protocolVersion: message.params?.protocolVersion ?? '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'bench-upstream', version: '1.0.0' },
        }
      : message.method === 'tools/list'
        ? { tools: [...CALLED_TOOLS, ...Array.from({ length: Number(toolCount) }, (_, index) => listedTool(index))] }
        : undefined;
  const error = { code: -32601, message: `Method not found: ${message.method}` };
  flush();
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error }) })}\n`);
}

/** A write an answer, as servers do. The scratch is free again once nothing of it waits to be written. */
function flush() {
  if (filled === 0) return;
  process.stdout.write(scratch.subarray(0, filled));
  if (process.stdout.writableLength > 0) scratch = Buffer.allocUnsafe(SCRATCH_BYTES);
  filled = 0;
}
