// @ts-check
/** Imports a module in a process that has done nothing else; says what the process has cost, and how much of it that was. */
import { argv, cpuUsage, stdout } from 'node:process';
import { pathToFileURL } from 'node:url';

const own = cpuUsage();
await import(pathToFileURL(/** @type {string} */ (argv[2])).href);
const all = cpuUsage();
const ofAll = (all.user + all.system) / 1_000;
stdout.write(JSON.stringify({ allMs: ofAll, importMs: ofAll - (own.user + own.system) / 1_000 }));
