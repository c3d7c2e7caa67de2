// Preloaded with --require: says on stderr which of Node's public modules are loaded, on SIGUSR2 and when the process ends.
// Written straight to the descriptor, since touching process.stderr would load what is being counted.
const { writeSync } = require('node:fs');

function report() {
  const loaded = process.moduleLoadList
    .filter((line) => line.startsWith('NativeModule ') && !line.includes(' internal/'))
    .map((line) => line.slice('NativeModule '.length));
  writeSync(2, `\nLOADED ${JSON.stringify(loaded)}\n`);
}

process.on('SIGUSR2', report);
process.on('exit', report);
