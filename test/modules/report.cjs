// Preloaded with --require: says on stderr what is loaded when the process first writes to stdout, or when it ends: which
// of Node's public modules, and which CommonJS files. Written straight to the descriptor, since touching process.stderr
// would load what is being counted; process.stdout is watched without being made before its time.
const { writeSync } = require('node:fs');

let isReported = false;

function report() {
  if (isReported) return;
  isReported = true;
  const builtins = process.moduleLoadList
    .filter((line) => line.startsWith('NativeModule ') && !line.includes(' internal/'))
    .map((line) => line.slice('NativeModule '.length));
  const files = Object.keys(require.cache).filter((file) => file !== __filename);
  writeSync(2, `\nLOADED ${JSON.stringify({ builtins, files })}\n`);
}

const stdout = Object.getOwnPropertyDescriptor(process, 'stdout');
Object.defineProperty(process, 'stdout', {
  ...stdout,
  get() {
    const stream = stdout.get.call(process);
    if (!Object.hasOwn(stream, 'write')) {
      const { write } = stream;
      stream.write = function (...args) {
        report();
        return write.apply(this, args);
      };
    }
    return stream;
  },
});
process.on('exit', report);
