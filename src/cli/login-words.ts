import type { Credential } from '../client/index.js';
import { openBrowser, whyNoKeychain } from '../runtime/node/index.js';
import type { Cli } from './cli.js';
import type { Run } from './parse-command-line.js';
import { oneLine } from './screen.js';

/** Whoever asked for the keychain is to know where tokens go instead. */
export async function warnOfKeychain({ environment, err }: Cli): Promise<void> {
  const whyFile = await whyNoKeychain(environment);
  if (whyFile !== undefined) err.write(`${err.colors.yellow('warning:')} ${whyFile}: tokens go to a file.\n`);
}

/** The URL is written even where a browser opens: it may open on another screen, or not at all. */
export async function showPage(url: string, id: string, { options }: Run, { err, environment }: Cli): Promise<void> {
  err.write(`To let doorward use ${oneLine(id)}, open this page and follow it to its end:\n\n  ${oneLine(url)}\n\n`);
  if (options.has('no-browser')) return;
  const isOpen = await openBrowser(url, environment);
  err.write(isOpen ? 'Your browser has been asked to open it.\n' : 'No browser could be started: open it yourself.\n');
}

/** What may be shown of a credential. */
export function factsOf({ issuer, scope, tokens }: Credential) {
  const expiresAtMs = tokens?.expiresAtMs;
  return {
    issuer,
    ...(scope !== undefined && { scope }),
    ...(expiresAtMs !== undefined && { expiresAt: new Date(expiresAtMs).toISOString() }),
  };
}

/** What it is for, as the end of a sentence. */
export function scopeText({ scope }: Credential): string {
  return scope === undefined ? '' : `, for ${oneLine(scope)}`;
}
