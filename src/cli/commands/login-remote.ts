import { logInToRemote, type SignedIn, shownUrl } from '../../runtime/node/index.js';
import type { Cli } from '../cli.js';
import { readDuration } from '../duration.js';
import { factsOf, scopeText, showPage, warnOfKeychain } from '../login-words.js';
import type { Run } from '../parse-command-line.js';
import { readProgram } from '../remote-operand.js';
import { writeError } from '../report-error.js';
import { oneLine } from '../screen.js';

/** `doorward login URL`: names the remote that `stdio` mounts, and signs in there. */
export async function runRemoteLogin(run: Run, cli: Cli, timeout: string): Promise<number> {
  const { options, operands } = run;
  const url = operands[0]!;
  const timeoutMs = readDuration(timeout, '--timeout');
  const program = readProgram(run);
  const token = options.has('token-stdin') ? await readToken(cli) : undefined;
  const { environment, signal, err } = cli;
  await warnOfKeychain(cli);
  const signedIn = await logInToRemote({
    environment,
    program,
    url,
    ...(token !== undefined && { token }),
    show: (page) => showPage(page, shownUrl(url), run, cli),
    onWaiting: () => err.write(`Another doorward is logging in to ${oneLine(shownUrl(url))}: follow its page.\n`),
    timeoutMs,
    signal,
  });
  report(signedIn, run, cli);
  return 0;
}

/** What a terminal shows of it is not ours to hide: whoever types it is told how to end it. */
async function readToken({ readStdin, err }: Cli): Promise<string> {
  if (process.stdin.isTTY) err.write('Write the token and end with Ctrl-D.\n');
  return new TextDecoder().decode(await readStdin());
}

function report({ url, by, credential, state, replaced }: SignedIn, { options }: Run, { out, err }: Cli): void {
  const place = oneLine(shownUrl(url));
  const tools = state.kind === 'ready' ? state.tools : undefined;
  if (state.kind === 'failed') writeError(state.error, err);
  if (replaced !== undefined) err.write(`The remote was ${oneLine(shownUrl(replaced))}; you are signed out there.\n`);
  if (options.has('json')) {
    const facts = by === 'oauth' && credential ? factsOf(credential) : {};
    out.write(`${JSON.stringify({ remote: shownUrl(url), by, ...facts, ...(tools !== undefined && { tools }) })}\n`);
    return;
  }
  const how = {
    oauth: credential ? ` by ${oneLine(credential.issuer)}${scopeText(credential)}` : '',
    token: ' with the token',
    open: ', which asks nobody to log in',
  }[by];
  const what = by === 'open' ? 'remote' : 'logged in';
  out.write(`${what}: ${place}${how}${tools === undefined ? '' : ` (${tools} tools)`}\n`);
}
