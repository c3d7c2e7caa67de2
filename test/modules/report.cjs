// Preloaded with --require: says on stderr what is loaded, on SIGUSR2 and when the process ends: which of Node's public
// modules, and which CommonJS files. Written straight to the descriptor, since touching process.stderr would load what
// is being counted.
const { writeSync } = require('node:fs');

function report() {
  const builtins = process.moduleLoadList
    .filter((line) => line.startsWith('NativeModule ') && !line.includes(' internal/'))
    .map((line) => line.slice('NativeModule '.length));
  const files = Object.keys(require.cache).filter((file) => file !== __filename);
  writeSync(2, `\nLOADED ${JSON.stringify({ builtins, files })}\n`);
}

process.on('SIGUSR2', report);
process.on('exit', report);
