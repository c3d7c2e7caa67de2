// @ts-check
/**
 * An upstream of catalog-restart.mjs: lists the tools of a file. As long as the flag file is there it reads nothing for half
 * a minute first, as a server does that is slow to start; what it is started by stays the same.
 *
 * usage: node bench/catalog-upstream.mjs TOOLS.json FLAG
 */
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const SLEEP_MS = 30_000;
const [toolsFile = '', flagFile = ''] = process.argv.slice(2);

process.stdin.once('end', () => process.exit(0));
if (existsSync(flagFile)) {
  // Its end is noticed all the same, or the sleep would outlive the run.
  /** @type {Buffer[]} */
  const held = [];
  const hold = (/** @type {Buffer} */ chunk) => held.push(chunk);
  process.stdin.on('data', hold);
  setTimeout(() => {
    process.stdin.off('data', hold);
    process.stdin.unshift(Buffer.concat(held));
    serve();
  }, SLEEP_MS);
} else serve();

function serve() {
  const tools = readFileSync(toolsFile, 'utf8');
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const result =
      method === 'tools/list' ? `{"tools":${tools}}` : JSON.stringify(method === 'initialize' ? greeting(params) : {});
    process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`);
  });
}

/** @param {{ protocolVersion: string }} params */
function greeting({ protocolVersion }) {
  return {
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'slow-starter', version: '1.0.0' },
    instructions: 'Lists what it has; takes its time to start.',
  };
}
