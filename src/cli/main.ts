#!/usr/bin/env node
import { VERSION } from './version.js';

// The two commands that scripts and people run most often load nothing but this file (and the help text). No top-level
// await: the command is bundled as CommonJS, which starts sooner.
const [first, ...rest] = process.argv.slice(2);
if (rest.length === 0 && (first === '--version' || first === '-V')) {
  process.stdout.write(`${VERSION}\n`);
} else if (rest.length === 0 && (first === '--help' || first === '-h' || first === 'help')) {
  void import('./help-text.js').then(({ mainHelp }) => process.stdout.write(mainHelp(VERSION)));
} else {
  void import('./run.js').then(({ runProcess }) => runProcess());
}
