import { currentOf } from '../../client/index.js';
import { logInTo, type OAuthServer, openTokenStore } from '../../runtime/node/index.js';
import type { Cli } from '../cli.js';
import { nextCommand } from '../command-hint.js';
import { readDuration } from '../duration.js';
import { loadConfig } from '../load-config.js';
import { factsOf, scopeText, showPage, warnOfKeychain } from '../login-words.js';
import { getOAuthServer } from '../oauth-servers.js';
import type { Run } from '../parse-command-line.js';
import { isUrl, refuseRemoteOptions } from '../remote-operand.js';
import { oneLine } from '../screen.js';

const DEFAULT_TIMEOUT = '5m';

/** `doorward login SERVER`: lets the user authorize doorward at a server, in the browser; with a URL, at a remote. */
export async function runLogin(run: Run, cli: Cli): Promise<number> {
  const { options, operands } = run;
  const timeout = (options.get('timeout') as string | undefined) ?? DEFAULT_TIMEOUT;
  if (isUrl(operands[0]!)) return (await import('./login-remote.js')).runRemoteLogin(run, cli, timeout);
  refuseRemoteOptions(run);
  const server = getOAuthServer((await loadConfig(run, cli)).config, operands[0]!);
  const timeoutMs = readDuration(timeout, '--timeout');
  const { environment, signal } = cli;
  await warnOfKeychain(cli);
  const show = (url: string): Promise<void> => showPage(url, server.id, run, cli);
  const onWaiting = (): void =>
    cli.err.write(`Another doorward is logging in to ${oneLine(server.id)}: follow its page, this one waits for it.\n`);
  const credential = await logInTo({ server, environment, timeoutMs, signal, show, onWaiting });
  if (!credential) return sayNotNeeded(server, run, cli);
  if (options.has('json')) cli.out.write(`${JSON.stringify({ server: server.id, ...factsOf(credential) })}\n`);
  else cli.out.write(`logged in: ${oneLine(server.id)} by ${oneLine(credential.issuer)}${scopeText(credential)}\n`);
  return 0;
}

async function sayNotNeeded(server: OAuthServer, run: Run, { out, err, environment }: Cli): Promise<number> {
  const before = currentOf(await (await openTokenStore(environment)).read(server.url));
  if (run.options.has('json')) out.write(`${JSON.stringify({ server: server.id, needed: false })}\n`);
  else err.write(`${oneLine(server.id)} does not ask anybody to log in.\n`);
  if (before) err.write(`What an earlier login left can be removed: ${nextCommand(run, 'logout', server.id)}\n`);
  return 0;
}
