import { shellWord } from '../../base/index.js';
import { type Environment, userFolder } from '../../config/index.js';
import { fileStamp } from './file-stamp.js';
import { readOwnFile } from './own-file.js';

/** Whose remote is meant where no program is named: doorward's own. */
export const OWN_PROGRAM = 'doorward';

/** The issuer of a token that was handed to us: nobody we know. */
export const GIVEN = 'given';

/** The remote of one program: which server it is, and whether somebody is signed in there. Holds no token. */
export interface RemoteRecord {
  readonly url: string;
  /** Epoch milliseconds of the login, or of the logout. */
  readonly changedAtMs: number;
  /** Absent once somebody has signed out. */
  readonly session?: RemoteSession;
}

export interface RemoteSession {
  /** Another one with each login. */
  readonly id: string;
  /** Who is signed in, as a digest: what is remembered for one principal is not shown to another. */
  readonly principal: string;
  /** Tokens are kept for it; without them it is over. */
  readonly hasTokens: boolean;
}

export type ReadRemote =
  | { readonly kind: 'none' }
  | { readonly kind: 'record'; readonly record: RemoteRecord }
  /** There is a file, and what it says is worth nothing. */
  | { readonly kind: 'unusable'; readonly reason: string };

const FORMAT = 'remote 1';
const MAX_BYTES = 16 * 1024;
/** Half of what a file may be called. */
const MAX_NAME = 120;

/** The file of a program's remote; undefined where the environment names no place. */
export function remotePath(environment: Environment, program: string): string | undefined {
  const folder = userFolder(environment, 'XDG_CONFIG_HOME', '.config');
  return folder && `${folder}/remotes/${encodeURIComponent(program).slice(0, MAX_NAME)}.json`;
}

/** Whether a program has a remote, be somebody signed in there or not. Costs one `stat`. */
export function isRemoteNamed(options: { readonly environment: Environment; readonly program?: string }): boolean {
  const path = remotePath(options.environment, options.program ?? OWN_PROGRAM);
  return path !== undefined && fileStamp(path) !== '';
}

/** Reads the record of a remote. Never throws. */
export function readRemote(path: string): ReadRemote {
  try {
    const record = recordOf(JSON.parse(readOwnFile(path, MAX_BYTES).toString('utf8')));
    return record === undefined ? unusable(`${path} holds no remote`) : { kind: 'record', record };
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'none' };
    // A parser's message quotes what it read.
    return unusable(thrown instanceof SyntaxError ? `${path} holds no JSON` : (thrown as Error).message);
  }
}

function unusable(reason: string): ReadRemote {
  return { kind: 'unusable', reason };
}

/** The text of a record's file. */
export function remoteText({ url, changedAtMs, session }: RemoteRecord): string {
  return `${JSON.stringify({ doorward: FORMAT, url, changedAtMs, ...(session && { session }) }, null, 2)}\n`;
}

function recordOf(value: unknown): RemoteRecord | undefined {
  const { doorward, url, changedAtMs, session } = (value ?? {}) as Record<string, unknown>;
  if (doorward !== FORMAT || typeof url !== 'string' || typeof changedAtMs !== 'number') return undefined;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) return undefined;
  if (session === undefined) return { url, changedAtMs };
  const { id, principal, hasTokens } = (session ?? {}) as Record<string, unknown>;
  if (typeof id !== 'string' || typeof principal !== 'string' || typeof hasTokens !== 'boolean') return undefined;
  return { url, changedAtMs, session: { id, principal, hasTokens } };
}

/** A URL as it may be shown: its query may be a secret. */
export function shownUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
}

/** What keeps the tokens of a program's remote apart from those of others for the same server. */
export function realmOf(program: string): string {
  return `remote ${program}`;
}

/** The command that signs in, as a shell takes it. */
export function remoteLoginCommand(url: string | undefined, program: string): string {
  const own = program === OWN_PROGRAM ? '' : ` --program ${shellWord(program)}`;
  return `doorward login ${url === undefined ? 'URL' : shellWord(shownUrl(url))}${own}`;
}
