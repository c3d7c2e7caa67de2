// @ts-check
/**
 * The usual way to touch a message, as the measure for large structured ones: parse it, give it an id, write it out
 * again; both ways, nothing judged. The framing is the relay's: linear, one copy a message.
 *
 * usage: node bench/parse-stringify.mjs COMMAND [ARG...]
 */
import { spawn } from 'node:child_process';

const NEWLINE = 10;

const [command = '', ...args] = process.argv.slice(2);
const upstream = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
/** @type {Map<number, string | number>} */
const callers = new Map();
let lastId = 0;

relayMessages(process.stdin, upstream.stdin, (message) => {
  if (message.method === undefined || message.id === undefined) return;
  callers.set(++lastId, message.id);
  message.id = lastId;
});
relayMessages(upstream.stdout, process.stdout, (message) => {
  if (message.method !== undefined) return;
  const caller = callers.get(Number(message.id));
  callers.delete(Number(message.id));
  message.id = caller;
});
upstream.on('exit', () => process.exit(0));

/**
 * @param {import('node:stream').Readable} source
 * @param {import('node:stream').Writable} sink
 * @param {(message: { id?: string | number | undefined, method?: string }) => void} mapId
 */
function relayMessages(source, sink, mapId) {
  /** @type {Buffer[]} */
  let held = [];
  source.on('data', (/** @type {Buffer} */ chunk) => {
    let out = '';
    let at = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, at)) {
      const last = chunk.subarray(at, end);
      const text = held.length === 0 ? last.toString() : Buffer.concat([...held, last]).toString();
      held = [];
      const message = JSON.parse(text);
      mapId(message);
      out += `${JSON.stringify(message)}\n`;
      at = end + 1;
    }
    if (at < chunk.length) held.push(at === 0 ? chunk : chunk.subarray(at));
    if (out !== '' && !sink.write(out)) {
      source.pause();
      sink.once('drain', () => source.resume());
    }
  });
  source.on('end', () => sink.end());
}
