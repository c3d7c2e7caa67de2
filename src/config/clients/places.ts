import type { Environment } from '../expand.js';
import type { ClientSpec, Os, Place, Scope } from './spec.js';

/** What of a machine decides where a client's file lies. */
export interface Machine {
  readonly os: Os;
  readonly environment: Environment;
}

/** Node's name of a system as the table knows it. */
export function osOf(platform: string): Os {
  return platform === 'darwin' || platform === 'win32' ? platform : 'linux';
}

/** The scopes a client has files for; empty where it is configured in its window alone. */
export function scopesOf({ user, project }: ClientSpec): readonly Scope[] {
  return [...(user ? (['user'] as const) : []), ...(project ? (['project'] as const) : [])];
}

/**
 * Where a client's file may lie, the first choice first: paths with `/`, relative to the project's folder for `project`,
 * absolute for `user`.
 *
 * @returns empty where the client has no file of that scope, or the environment names no home
 */
export function candidatesFor(client: ClientSpec, scope: Scope, machine: Machine): readonly string[] {
  if (scope === 'project') return client.project ?? [];
  const place = placeFor(client, machine.os);
  const folder = place && folderOf(place, machine);
  return place && folder !== undefined ? place.files.map((file) => joined(folder, file)) : [];
}

function placeFor({ user }: ClientSpec, os: Os): Place | undefined {
  return user === undefined || 'base' in user ? user : user[os];
}

function folderOf({ base, folder, variable }: Place, { os, environment }: Machine): string | undefined {
  const named = variable === undefined ? undefined : environment[variable];
  if (named) return named;
  const home = environment.HOME || environment.USERPROFILE;
  const root = rootOf(base, os, { ...environment, home });
  return root === undefined ? undefined : joined(root, folder);
}

function rootOf(base: Place['base'], os: Os, environment: Environment): string | undefined {
  const { home, APPDATA, XDG_CONFIG_HOME } = environment;
  const config = isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : home && joined(home, '.config');
  const support =
    os === 'win32'
      ? APPDATA || (home && joined(home, 'AppData/Roaming'))
      : os === 'darwin'
        ? home && joined(home, 'Library/Application Support')
        : config;
  switch (base) {
    case 'home':
      return home;
    case 'config':
      return config;
    case 'support':
      return support;
    case 'vscode':
      return support && joined(support, 'Code/User');
  }
}

function isAbsolute(path: string | undefined): path is string {
  return path !== undefined && /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path);
}

function joined(folder: string, rest: string): string {
  const start = folder.replace(/[\\/]+$/, '');
  return rest === '' ? start : `${start}/${rest}`;
}

/** Where the file lies as people write it: `~/.cursor/mcp.json`, `%APPDATA%\Claude\claude_desktop_config.json`. */
export function placeText(client: ClientSpec, os: Os): string | undefined {
  const home = os === 'win32' ? '%USERPROFILE%' : '~';
  const [first] = candidatesFor(client, 'user', { os, environment: { HOME: home, APPDATA: '%APPDATA%' } });
  return os === 'win32' ? first?.replaceAll('/', '\\') : first;
}
