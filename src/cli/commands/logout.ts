import { logOutOf, logOutOfRemote, shownUrl } from '../../runtime/node/index.js';
import type { Cli } from '../cli.js';
import { loadConfig } from '../load-config.js';
import { getOAuthServer } from '../oauth-servers.js';
import type { Run } from '../parse-command-line.js';
import { isUrl, readProgram, refuseRemoteOptions } from '../remote-operand.js';
import { oneLine } from '../screen.js';

/** `doorward logout [URL|SERVER]`: forgets the tokens for the remote, or for a server. */
export async function runLogout(run: Run, cli: Cli): Promise<number> {
  const { out, environment } = cli;
  const [operand] = run.operands;
  if (operand === undefined || isUrl(operand)) return runRemoteLogout(run, cli, operand);
  refuseRemoteOptions(run);
  const server = getOAuthServer((await loadConfig(run, cli)).config, operand);
  const { hadTokens, isRevoked } = await logOutOf(server, environment);
  if (run.options.has('json')) {
    out.write(`${JSON.stringify({ server: server.id, hadTokens, revoked: isRevoked })}\n`);
    return 0;
  }
  const id = oneLine(server.id);
  if (!hadTokens) out.write(`there were no tokens for ${id}\n`);
  else out.write(`logged out: ${id}${isRevoked ? ', and its tokens are revoked' : ''}\n`);
  return 0;
}

async function runRemoteLogout(run: Run, { out, environment }: Cli, operand: string | undefined): Promise<number> {
  const isForgotten = run.options.has('forget');
  const { url, hadTokens, isRevoked } = await logOutOfRemote({
    environment,
    program: readProgram(run),
    ...(operand !== undefined && { url: operand }),
    isForgotten,
  });
  if (run.options.has('json')) {
    out.write(
      `${JSON.stringify({ remote: url === undefined ? null : shownUrl(url), hadTokens, revoked: isRevoked, forgotten: isForgotten })}\n`,
    );
    return 0;
  }
  if (url === undefined) out.write('there is no remote\n');
  else {
    const place = oneLine(shownUrl(url));
    const revoked = isRevoked ? ', and its tokens are revoked' : '';
    out.write(`logged out: ${place}${revoked}${isForgotten ? ', which is no remote any more' : ''}\n`);
  }
  return 0;
}
