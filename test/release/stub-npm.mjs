// Stands for npm and npx: what would need a network or a build is done by the stubs, what would not by the real ones.
//   node stub-npm.mjs npm|npx ARGUMENTS
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const { STUB_JOURNAL, STUB_REAL_NPM, STUB_CLI, NPM_REGISTRY_URL } = process.env;
const [program, command, ...args] = process.argv.slice(2);
appendFileSync(STUB_JOURNAL, `${program} ${[command, ...args].join(' ')}\n`);

function run(file, words) {
  const { status } = spawnSync(file, words, { stdio: 'inherit' });
  process.exit(status ?? 1);
}

if (program === 'npx') {
  const [name, ...words] = args;
  if (command !== '--no-install' || name !== 'doorward') process.exit(1);
  run(process.execPath, [STUB_CLI, ...words]);
}

if (command === '--version') console.log('11.6.0');
else if (command === 'pack') run(STUB_REAL_NPM, [command, ...args]);
else if (command === 'publish') await publish(args[0]);
else if (command !== 'ci' && command !== 'run') process.exit(1);

async function publish(file) {
  if (!args.includes('--provenance') || !process.env.ACTIONS_ID_TOKEN_REQUEST_TOKEN) {
    console.error('npm error code ENEEDAUTH');
    process.exit(1);
  }
  const archive = readFileSync(file);
  const { name, version, mcpName } = packageJsonOf(gunzipSync(archive));
  const body = JSON.stringify({ name, version, mcpName, archive: archive.toString('base64') });
  const response = await fetch(`${NPM_REGISTRY_URL}/-/publish`, { method: 'PUT', body });
  if (response.ok) return;
  console.error(`npm error code E${response.status}\n${await response.text()}`);
  process.exit(1);
}

/** The file package/package.json of a tar: heads of 512 bytes, each followed by its file in blocks of 512. */
function packageJsonOf(tar) {
  for (let at = 0; at < tar.length; ) {
    const name = tar.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    const size = Number.parseInt(tar.toString('utf8', at + 124, at + 136), 8);
    if (name === 'package/package.json') return JSON.parse(tar.toString('utf8', at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  throw new Error('no package.json in the archive');
}
