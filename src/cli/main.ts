#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { useCodeCache } from '../runtime/node/index.js';
import { VERSION } from './version.js';

// The two things that scripts and people ask for most often load nothing but this file (and the help text): not even
// the streams that process.stdout would bring along. No top-level await: the command is bundled as CommonJS, which
// starts sooner.
const [first, ...rest] = process.argv.slice(2);
if (rest.length === 0 && (first === '--version' || first === '-V')) {
  print(`${VERSION}\n`);
} else if (rest.length === 0 && (first === '--help' || first === '-h' || first === 'help')) {
  void import('./help-text.js').then(({ mainHelp }) => print(mainHelp(VERSION)));
} else {
  useCodeCache({
    environment: process.env,
    chunks: join(import.meta.dirname, 'cli'),
    version: VERSION,
    loaders: require.extensions,
    // The others do not last long enough, and what they run is not what a client waits for.
    isWriting: first === 'stdio',
  });
  void import('./run.js').then(({ runProcess }) => runProcess());
}

function print(text: string): void {
  try {
    writeSync(1, text);
  } catch (thrown) {
    // EPIPE: nobody reads, so there is nothing to say. A pipe that is full for the moment is waited for.
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'EAGAIN') process.stdout.write(text);
    else if (code !== 'EPIPE') process.exitCode = 1;
  }
}
