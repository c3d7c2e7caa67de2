// @ts-check
/** The bare byte pipe: what a process in the middle costs before it does anything. usage: node bench/pipe.mjs COMMAND [ARG...] */
import { spawn } from 'node:child_process';

const [command = '', ...args] = process.argv.slice(2);
const upstream = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.pipe(upstream.stdin);
upstream.stdout.pipe(process.stdout);
upstream.on('exit', () => process.exit(0));
