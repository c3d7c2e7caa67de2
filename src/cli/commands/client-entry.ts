import { resolve } from 'node:path';
import { quoted } from '../../config/index.js';
import type { Cli } from '../cli.js';
import type { Run } from '../parse-command-line.js';
import { usageError } from '../usage-error.js';
import { VERSION } from '../version.js';
import type { ClientEntry, Clients } from './clients.js';

export type Mode = 'stdio' | 'http' | 'local';

/** A server that a client is to know, and what it is called there. */
export interface WantedServer {
  readonly mode: Mode;
  readonly name: string;
  readonly entry: ClientEntry;
}

/** Where `doorward serve` listens unless it is told otherwise. */
const OWN_URL = 'http://127.0.0.1:7450/mcp';

/**
 * The server that a command line describes: doorward itself, an address, or the program after `--`.
 *
 * @throws {DoorError} `CONFIG_INVALID` (exit 2) for options that do not go together
 */
export function wantedServer(run: Run, cli: Cli, clients: Clients): WantedServer {
  const mode = modeOf(run);
  checkOptions(run, mode);
  const name = nameOf(run, mode);
  const connection = mode === 'http' ? remoteOf(run, clients) : programOf(run, cli, clients, mode);
  return { mode, name, entry: { connection, settings: {} } };
}

function modeOf({ options, target }: Run): Mode {
  const given = options.get('mode');
  if (given === undefined) return target ? 'local' : options.has('url') ? 'http' : 'stdio';
  if (given === 'stdio' || given === 'http' || given === 'local') return given;
  throw usageError(`--mode is ${quoted(String(given))}`, 'Write stdio, http or local.');
}

function checkOptions({ options, lists, target }: Run, mode: Mode): void {
  if (mode === 'local' && !target) {
    throw usageError(
      '--mode local needs a program',
      'Write -- and the program that is the server, with its arguments.',
    );
  }
  if (mode !== 'local' && target) throw usageError(`--mode ${mode} takes no server after --`, 'Write --mode local.');
  const misplaced = [
    mode !== 'http' && options.has('url') && 'url',
    mode !== 'http' && lists.has('header') && 'header',
    mode === 'http' && lists.has('env') && 'env',
    mode !== 'stdio' && options.has('config') && 'config',
  ].find((option) => option !== false);
  if (misplaced) throw usageError(`--${misplaced} does not go with --mode ${mode}`, 'See doorward client add --help.');
}

function nameOf({ options }: Run, mode: Mode): string {
  const name = options.get('name') ?? (mode === 'local' ? undefined : 'doorward');
  if (name === undefined)
    throw usageError('--mode local needs a name', 'Write --name and what the client is to call it.');
  if (/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/.test(String(name))) return String(name);
  const hint = 'Use letters, digits, _ . and -, at most 64: clients take it into the names of tools.';
  throw usageError(`${quoted(String(name))} cannot be a server's name`, hint);
}

function programOf({ lists, options, target }: Run, { cwd }: Cli, { ownText }: Clients, mode: Mode) {
  const config = options.get('config');
  const own = ['npx', '-y', `doorward@${VERSION}`, 'stdio'];
  // A client starts it in a folder of its own choice.
  const words = mode === 'local' ? target! : [...own, ...(config ? ['--config', resolve(cwd, String(config))] : [])];
  const [command = [], ...args] = words.map(ownText);
  const env = Object.fromEntries((lists.get('env') ?? []).map((word) => variableOf(word, ownText)));
  return { kind: 'stdio', command, args, env } as const;
}

function variableOf(word: string, ownText: Clients['ownText']) {
  const at = word.indexOf('=');
  const name = at < 0 ? word : word.slice(0, at);
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    // Without a name, it may be the value that was written.
    const said = at > 0 ? `: ${quoted(name)}` : '';
    throw usageError(`--env names no variable${said}`, 'Write --env NAME=VALUE, or --env NAME.');
  }
  return [name, at < 0 ? [{ variable: name }] : ownText(word.slice(at + 1))] as const;
}

function remoteOf({ options, lists }: Run, { ownText, isReference }: Clients) {
  const url = String(options.get('url') ?? OWN_URL);
  const text = ownText(url);
  const isPlain = !text.some(isReference);
  if (isPlain && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))) {
    throw usageError('--url is not an http or https address', 'Write it whole: https://h.example/mcp.');
  }
  const headers = Object.fromEntries((lists.get('header') ?? []).map((word) => headerOf(word, ownText)));
  return { kind: 'remote', transport: 'http', url: text, headers } as const;
}

function headerOf(word: string, ownText: Clients['ownText']) {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)$/s.exec(word) ?? [];
  if (name === undefined || value === undefined || /[\r\n]/.test(value)) {
    throw usageError('--header is not NAME: VALUE', "Write --header 'Authorization: Bearer ${TOKEN}'.");
  }
  return [name, ownText(value)] as const;
}
