import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { DoorError, shellWord } from '../../base/index.js';
import { candidatesOf, readConfig, type ServerEntry } from '../../config/index.js';
import { readConfigFile, removeTrust, sha256Of, writeTrust } from '../../runtime/node/index.js';
import type { Cli } from '../cli.js';
import type { Run } from '../parse-command-line.js';
import { writeProblem } from '../report-error.js';
import { oneLine } from '../screen.js';

/** `doorward config trust [FILE]`: agrees to a file as it is now, and shows what that is. */
export async function runConfigTrust({ operands, options }: Run, cli: Cli): Promise<number> {
  const { environment, out, err } = cli;
  const { name, path } = findFile(operands[0], cli);
  const isJson = options.has('json');
  if (options.has('remove')) {
    await removeTrust(environment, path);
    out.write(isJson ? `${JSON.stringify({ path, trusted: false })}\n` : `no longer trusted: ${path}\n`);
    return 0;
  }
  const bytes = readConfigFile(path, name);
  const sha256 = await sha256Of(bytes);
  // Read before it is agreed to: a file that cannot be used is not worth a word. Nothing is expanded, nothing started.
  const config = readConfig({ file: { name, bytes }, environment: {}, expands: false });
  await writeTrust(environment, { path, sha256 });
  if (isJson) {
    out.write(`${JSON.stringify({ path, sha256, trusted: true })}\n`);
    return 0;
  }
  for (const problem of config.problems) writeProblem(problem, err);
  out.write(`trusted: ${path}\n`);
  const width = Math.max(0, ...config.servers.map(({ id }) => oneLine(id).length));
  for (const server of config.servers) {
    out.write(`  ${oneLine(server.id).padEnd(Math.min(width, MAX_ID))}  ${oneLine(startsWhat(server))}\n`);
  }
  return 0;
}

const MAX_ID = 32;

function findFile(operand: string | undefined, { cwd }: Cli): { name: string; path: string } {
  const names =
    operand === undefined
      ? candidatesOf({ environment: {} }).flatMap(({ source, path }) => (source === 'folder' ? [path] : []))
      : [operand];
  const name = names.find((candidate) => existsSync(resolve(cwd, candidate)));
  if (name !== undefined) return { name, path: realpathSync(resolve(cwd, name)) };
  throw new DoorError('CONFIG_INVALID', `there is no ${names.join(' and no ')} in ${cwd}`, {
    data: { looked: names.map((candidate) => resolve(cwd, candidate)) },
    hint: 'Go to the folder it lies in, or name the file.',
  });
}

/** What agreeing to this entry means, as it is written: no variable is read yet. */
function startsWhat(server: ServerEntry): string {
  if (server.kind !== 'ready') return server.kind === 'broken' ? 'cannot be used' : 'is switched off';
  const { target } = server;
  if (target.kind === 'http') return `connects to ${target.url}`;
  const env = target.env.size > 0 ? ` with ${[...target.env.keys()].join(', ')}` : '';
  return `starts ${[target.command, ...target.args].map(shellWord).join(' ')}${env}`;
}
