// Preloaded with --require: says on stderr of each file that is compiled by hand whether V8 took the code it was given.
const vm = require('node:vm');
const { basename } = require('node:path');
const { writeSync } = require('node:fs');

vm.Script = class extends vm.Script {
  constructor(code, options) {
    super(code, options);
    const outcome = options.cachedData === undefined ? 'anew' : this.cachedDataRejected ? 'refused' : 'kept';
    writeSync(2, `COMPILED ${basename(options.filename)} ${outcome}\n`);
  }
};
