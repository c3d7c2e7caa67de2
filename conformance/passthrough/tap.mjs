/**
 * Loaded into a server with `--import`: writes every line the server reads into the file TAP_FILE, so that a run can say
 * what the server was shown, and not only what it answered. Lines are kept as text: a number past 2^53 stays what it was.
 *
 * It also turns the string "number:123" in what the server writes into the bare number 123. A server whose JSON library
 * knows doubles only could not write such a number itself.
 */
import { appendFileSync } from 'node:fs';

const file = process.env.TAP_FILE;
if (file !== undefined) {
  const { stdin, stdout } = process;
  const push = stdin.push;
  stdin.push = function (chunk, encoding) {
    if (chunk !== null) appendFileSync(file, chunk);
    return push.call(this, chunk, encoding);
  };
  const write = stdout.write;
  stdout.write = function (chunk, ...rest) {
    return write.call(this, String(chunk).replaceAll(/"number:(\d+)"/g, '$1'), ...rest);
  };
}
