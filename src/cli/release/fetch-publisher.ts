import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DoorError } from '../../base/index.js';
import { type Answer, ask } from './ask.js';
import { runProgram } from './run-program.js';
import { type Outcome, pause, type World } from './world.js';

const MAX_ARCHIVE_BYTES = 128 * 1024 * 1024;
const TRIES = 3;

/** The program's name in its archive. */
const MEMBER = 'mcp-publisher';

/**
 * `release fetch-publisher`: fetches the Registry's publisher of the pinned version. Nothing of it is unpacked before its
 * bytes are known to be the pinned ones.
 *
 * @throws {DoorError} UPSTREAM_UNREACHABLE where the download fails, DRIFT where it is another file; both name the URL
 */
export async function fetchPublisher(cwd: string, world: World): Promise<Outcome> {
  const { pin } = world;
  const target = resolve(cwd, world.publisher);
  const { bytes, contentType } = await download(world);
  expectDigest(bytes, contentType, world);
  mkdirSync(dirname(target), { recursive: true });
  const folder = mkdtempSync(join(dirname(target), '.doorward-publisher-'));
  try {
    writeFileSync(join(folder, 'archive.tar.gz'), bytes);
    const args = ['-xzf', 'archive.tar.gz', MEMBER];
    const { code } = await runProgram({ command: 'tar', args, cwd: folder }, world);
    // A link of that name would be followed, to a file that is not ours to change.
    const isFile = lstatSync(join(folder, MEMBER), { throwIfNoEntry: false })?.isFile() === true;
    if (code !== 0 || !isFile)
      throw new DoorError('INTERNAL', `tar cannot take ${MEMBER} out of ${pin.url}`, { data: { url: pin.url } });
    chmodSync(join(folder, MEMBER), 0o755);
    renameSync(join(folder, MEMBER), target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { message: `mcp-publisher ${pin.version} is at ${target}`, facts: { path: target, version: pin.version } };
}

async function download(world: World): Promise<Answer> {
  const { url } = world.pin;
  for (let tries = 1; ; tries++) {
    const answer = await ask({ url, accept: 'application/octet-stream', maxBytes: MAX_ARCHIVE_BYTES }, world);
    if (answer.status === 200) return answer;
    if (answer.status < 500 || tries === TRIES) {
      throw new DoorError(
        'UPSTREAM_UNREACHABLE',
        `the publisher cannot be downloaded: ${url} answers ${answer.status}`,
        {
          data: { url, status: answer.status },
          hint: 'Look at the releases of modelcontextprotocol/registry; where files were renamed, bump the pin: update doorward, then run doorward workflow.',
        },
      );
    }
    world.say(`${url} answers ${answer.status}; asking again`);
    await pause(world.pauseMs, world.signal);
  }
}

function expectDigest(bytes: Uint8Array, contentType: string, { pin }: World): void {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 === pin.sha256) return;
  const isPage = /html/i.test(contentType) || bytes[0] === 0x3c;
  const what = isPage ? 'is a page, no archive' : `has the SHA-256 ${sha256}, and ${pin.sha256} is pinned`;
  throw new DoorError('DRIFT', `what lies at ${pin.url} ${what}: it is not used`, {
    data: { url: pin.url, sha256, pinned: pin.sha256 },
    hint: 'Do not go on before you know why. For a new version, bump the pin: version, URL and SHA-256 together.',
  });
}
