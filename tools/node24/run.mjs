/**
 * Node 24 and the two official programs that need it (the conformance suite, Inspector), installed here by `npm ci` when
 * they are first wanted. At the root they would take over `node` in npm scripts.
 *
 *     node tools/node24/run.mjs node|conformance|inspector [ARGUMENT...]
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { argv, exit, stderr } from 'node:process';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const MODULES = join(FOLDER, 'node_modules');
/** Holds the digest of the lock that node_modules was installed from; written last, so half an install never counts. */
const STAMP = join(MODULES, '.installed');
const PROGRAMS = {
  conformance: join(MODULES, '@modelcontextprotocol', 'conformance', 'dist', 'index.js'),
  inspector: join(MODULES, '@modelcontextprotocol', 'inspector', 'clients', 'launcher', 'build', 'index.js'),
};

/**
 * Installs what is missing, and tells where it is.
 *
 * @returns {{ node: string, conformance: string, inspector: string }} the binary, and the scripts to run with it
 * @throws {Error} when the installation fails, or where the lock holds no Node for this machine
 */
export function node24() {
  const digest = createHash('sha256')
    .update(readFileSync(join(FOLDER, 'package-lock.json')))
    .digest('hex');
  if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== digest) install(digest);
  return { node: findNode(), ...PROGRAMS };
}

function install(digest) {
  // Scripts stay off: the packages that have any (a keychain's binding among them) are not wanted for what they build.
  const { status, error } = spawnSync('npm', ['ci', '--ignore-scripts', '--loglevel=error'], {
    cwd: FOLDER,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ci in tools/node24 failed (exit ${status})`, { cause: error });
  writeFileSync(STAMP, digest);
}

function findNode() {
  const packaged = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const binary = join(MODULES, packaged, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(binary)) return binary;
  // No build of it in the registry (macOS): the Node that runs this will do, if it is new enough.
  const [major] = process.versions.node.split('.');
  if (Number(major) >= 24) return process.execPath;
  throw new Error(`no ${packaged} in tools/node24: run this with Node 24 or newer`);
}

if (argv[1] !== undefined && createRequire(import.meta.url).resolve(argv[1]) === fileURLToPath(import.meta.url)) {
  const [program, ...rest] = argv.slice(2);
  const tools = node24();
  if (program === undefined || !(program in tools)) {
    stderr.write(`usage: node tools/node24/run.mjs ${Object.keys(tools).join('|')} [ARGUMENT...]\n`);
    exit(2);
  }
  const child = spawn(tools.node, program === 'node' ? rest : [tools[program], ...rest], { stdio: 'inherit' });
  child.on('exit', (code, signal) => exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
}
