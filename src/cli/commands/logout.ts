import { logOutOf } from '../../runtime/node/index.js';
import type { Cli } from '../cli.js';
import { loadConfig } from '../load-config.js';
import { getOAuthServer } from '../oauth-servers.js';
import type { Run } from '../parse-command-line.js';
import { oneLine } from '../screen.js';

/** `doorward logout SERVER`: forgets the tokens for a server. */
export async function runLogout(run: Run, cli: Cli): Promise<number> {
  const { out, environment } = cli;
  const server = getOAuthServer((await loadConfig(run, cli)).config, run.operands[0]!);
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
