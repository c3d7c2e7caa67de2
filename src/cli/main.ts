#!/usr/bin/env node
import { VERSION } from './version.js';

// The two commands that scripts and people run most often load nothing but this file (and the help text).
const [first, ...rest] = process.argv.slice(2);
if (rest.length === 0 && (first === '--version' || first === '-V')) {
  process.stdout.write(`${VERSION}\n`);
} else if (rest.length === 0 && (first === '--help' || first === '-h' || first === 'help')) {
  const { mainHelp } = await import('./help-text.js');
  process.stdout.write(mainHelp(VERSION));
} else {
  const { runProcess } = await import('./run.js');
  await runProcess();
}
